import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededUniform } from '../../results/testing/block.ts';
import { bisectHosts } from './bisect.ts';

const hosts = (n: number) => Array.from({ length: n }, (_, i) => `h${i}`);
/** Check that breaks if the run contains all hosts of one of the sets. */
const broken =
  (...sets: string[][]) =>
  async (run: string[]) =>
    sets.some((set) => set.every((host) => run.includes(host)));
/** Check that breaks if the run contains this host and any other. */
const brokenWithAny = (host: string) => async (run: string[]) => run.length > 1 && run.includes(host);

test('one host, wherever it stands', async () => {
  for (const n of [3, 4, 7, 8, 32, 33]) {
    for (const host of hosts(n)) {
      const culprit = await bisectHosts(hosts(n), brokenWithAny(host));
      assert.deepEqual(
        [culprit.kind, culprit.hosts, culprit.isCertain],
        ['host', [host], true],
        `${host} of ${n}`,
      );
      assert.equal(culprit.sentence, `${host} breaks every run that it takes part in.`);
      assert.ok(culprit.calls <= 9 + 2 * Math.ceil(Math.log2(n)), `${culprit.calls} runs for ${n} hosts`);
    }
  }
});

test('one pair, wherever it stands', async () => {
  for (const n of [3, 4, 5, 9, 16]) {
    for (let b = 1; b < n; b++) {
      for (let a = 0; a < b; a++) {
        const culprit = await bisectHosts(hosts(n), broken([`h${a}`, `h${b}`]));
        assert.deepEqual([culprit.kind, culprit.hosts], ['pair', [`h${a}`, `h${b}`]], `of ${n}`);
        assert.ok(culprit.calls <= 11 + 4 * Math.ceil(Math.log2(n)), `${culprit.calls} runs for ${n} hosts`);
      }
    }
  }
});

test('of 1,024 hosts one is found in some 25 runs', async () => {
  const culprit = await bisectHosts(hosts(1024), brokenWithAny('h700'));
  assert.deepEqual(culprit.hosts, ['h700']);
  assert.ok(culprit.calls <= 26, `${culprit.calls}`);
});

test('a host that breaks all by itself, where a run of one host means something', async () => {
  for (const host of hosts(9)) {
    const culprit = await bisectHosts(hosts(9), broken([host]), 1);
    assert.deepEqual([culprit.kind, culprit.hosts], ['host', [host]]);
  }
  assert.deepEqual((await bisectHosts(['a'], broken(['a']), 1)).hosts, ['a']);
});

test('nothing breaks: asked twice', async () => {
  const culprit = await bisectHosts(hosts(8), broken());
  assert.deepEqual([culprit.kind, culprit.hosts, culprit.calls], ['none', [], 2]);
  assert.equal(culprit.sentence, 'A run over all 8 does not fail.');
  assert.equal((await bisectHosts(['a'], broken(['a']))).kind, 'none', 'one host is no run');
});

test('two hosts: which of them it is cannot be told', async () => {
  const culprit = await bisectHosts(['a', 'b'], brokenWithAny('a'));
  assert.deepEqual([culprit.kind, culprit.hosts], ['pair', ['a', 'b']]);
  assert.match(culprit.sentence, /is unknown without a third host/);
});

test('three that break only together', async () => {
  const culprit = await bisectHosts(hosts(8), broken(['h1', 'h4', 'h6']));
  assert.deepEqual([culprit.kind, culprit.hosts], ['set', ['h1', 'h4', 'h6']]);
});

test('two bad hosts: one of them, or both where they stand together', async () => {
  for (const [a, b] of [
    ['h2', 'h5'],
    ['h0', 'h1'],
    ['h6', 'h7'],
  ] as const) {
    const breaks = async (run: string[]) => run.includes(a) || run.includes(b);
    const culprit = await bisectHosts(hosts(8), breaks);
    assert.equal(culprit.kind, 'host');
    assert.ok(culprit.hosts.length > 0 && culprit.hosts.every((host) => host === a || host === b));
  }
});

test('a fault that shows in three runs of four is found all the same, for nearly all seeds', async () => {
  let found = 0;
  for (let seed = 1; seed <= 100; seed++) {
    const uniform = seededUniform(seed);
    const culprit = await bisectHosts(hosts(16), async (run) => run.includes('h5') && uniform() < 0.75);
    if (culprit.kind === 'host' && culprit.hosts[0] === 'h5') found++;
  }
  assert.ok(found >= 80, `found for ${found} of 100`);
});

test('a fault that shows once is named as intermittent', async () => {
  let calls = 0;
  const culprit = await bisectHosts(hosts(8), async () => ++calls === 1);
  assert.equal(culprit.isCertain, false);
  assert.match(culprit.sentence, /did not break when tried again: the fault is intermittent/);
});

test('no run is smaller than allowed, and none is made thrice', async () => {
  for (const least of [2, 3]) {
    const runs = new Map<string, number>();
    await bisectHosts(
      hosts(20),
      async (run) => {
        assert.ok(run.length >= least && new Set(run).size === run.length, run.join());
        const key = run.sort().join();
        runs.set(key, (runs.get(key) ?? 0) + 1);
        return run.includes('h3') && run.includes('h11');
      },
      least,
    );
    for (const [run, times] of runs) assert.ok(times <= 2, `${run} ${times} times`);
  }
});
