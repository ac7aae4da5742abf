import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MetricsChannel, MetricsLine } from '../../results/schema/index.ts';
import { QuietWatch } from './quiet.ts';

const second = 1e9;
const cores = ['cpu0', 'cpu1', 'cpu2', 'cpu3'];

function header(host: string, names: readonly string[]): MetricsLine {
  const channels = names.map((name): MetricsChannel => ({ name, unit: 'ns', cumulative: true }));
  return { kind: 'metrics', host, intervalUs: 1e6, channels } as unknown as MetricsLine;
}

/** Readings of a machine with four cores, one per second, while `busy` cores are in use. */
function course(host: string, seconds: readonly number[], busy: number): MetricsLine[] {
  const lines = [
    header(
      host,
      cores.map((name) => `${name}.user`),
    ),
  ];
  for (const s of seconds)
    lines.push({
      startNs: s * second,
      costNs: 1,
      values: cores.map(() => (busy * s * second) / cores.length),
    });
  return lines;
}

const hosts = (ranks: number) => [
  { name: 'a', ranks: Array.from({ length: ranks }, (_, i) => i) },
  { name: 'b', ranks: [ranks] },
];

test('a machine is known once it was read for three seconds, and quiet below the limit of cpu-busy', () => {
  const watch = new QuietWatch(hosts(4).slice(0, 1));
  watch.take('a', course('a', [0, 1, 2], 0.1));
  assert.equal(watch.isKnown, false);
  assert.equal(watch.isQuiet, false, 'nobody knows yet');
  watch.take('a', course('a', [3], 0.1).slice(1));
  assert.equal(watch.isQuiet, true);
  assert.deepEqual(
    watch.busy().map(({ of, limit }) => [of, limit]),
    [[4, 0.2]],
  );
});

test('where cores have no rank, others may use half of them', () => {
  const quiet = (ranks: number) => {
    const watch = new QuietWatch(hosts(ranks).slice(0, 1));
    watch.take('a', course('a', [0, 1, 2, 3], 0.9));
    return watch.isQuiet;
  };
  assert.deepEqual([quiet(2), quiet(4)], [true, false]);
});

test('ranks of another host that is this machine have cores of it, too', () => {
  const quiet = (parts: { machineOf?: string }) => {
    const watch = new QuietWatch([
      { name: 'a', ranks: [0, 1] },
      { name: 'b', ranks: [2, 3], ...parts },
    ]);
    for (const name of ['a', 'b']) watch.take(name, course(name, [0, 1, 2, 3], 0.9));
    return watch.isQuiet;
  };
  assert.deepEqual([quiet({}), quiet({ machineOf: 'a' })], [true, false]);
});

test('cores that ranks may not use may be as busy as they like', () => {
  const quiet = (cpus: string | undefined) => {
    const watch = new QuietWatch(hosts(2).slice(0, 1), () => cpus);
    const [head, ...readings] = course('a', [0, 1, 2, 3], 0) as [MetricsLine, ...MetricsLine[]];
    // CPUs 0 and 1 are fully used, CPUs 2 and 3 are idle.
    const full = readings.map((line, s) => ({ ...line, values: [s * second, s * second, 0, 0] }));
    watch.take('a', [head, ...(full as MetricsLine[])]);
    return watch.isQuiet;
  };
  assert.deepEqual([quiet(undefined), quiet('0-1'), quiet('2-3')], [false, false, true]);
});

test('all machines must be quiet at the same time; the last seconds count, not those before', () => {
  const watch = new QuietWatch(hosts(4));
  watch.take('a', course('a', [0, 1, 2, 3], 0));
  watch.take('b', course('b', [0, 1, 2, 3], 3.5));
  assert.equal(watch.isQuiet, false);
  // The counters do not change from this reading on.
  const still = course('b', [3], 3.5)[1] as { values: number[] };
  watch.take(
    'b',
    [4, 5, 6].map((s) => ({ startNs: s * second, costNs: 1, values: still.values })),
  );
  assert.equal(watch.isQuiet, true);
});

test('a machine whose readings show no cores is not waited for', () => {
  const watch = new QuietWatch(hosts(4).slice(0, 1));
  watch.take('a', [header('a', ['memory.used'])]);
  assert.equal(watch.isQuiet, true);
  assert.deepEqual(
    watch.busy().map((one) => one.cores),
    [null],
  );
});

test('new readings end a wait; without any the time does', async () => {
  const watch = new QuietWatch(hosts(4).slice(0, 1));
  const read = watch.next(3600);
  watch.take('a', []);
  await read;
  await watch.next(0);
});
