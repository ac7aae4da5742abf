import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectiveWork } from './collective.ts';
import { type HopFacts, hopFactsOf } from './hop-facts.ts';
import { hopCause } from './hops.ts';
import { baseVariant, changedVariant, type ExplainedOperation } from './variants.ts';

const hostsOf = (ranks: number, ...names: string[]) =>
  names.map((name) => ({ name, ranks, text: `me@${name}` }));
const operation = (parts: Partial<ExplainedOperation> = {}): ExplainedOperation => ({
  ...{ command: 'allreduce', ranks: 4, series: 'socket', transport: 'socket', medium: 'hardware' },
  ...{ payloadBytes: 4096, options: { hosts: 'a,b,c,d', bind: 'none', algo: 'ring' }, algorithm: 'ring' },
  ...{ environment: {}, competingCores: null, throttledShare: null, retransmitsPerOperation: null },
  ...{ hosts: hostsOf(1, 'a', 'b', 'c', 'd'), evidence: { verdict: 'confirmed', reason: '' } },
  ...parts,
});
const hops = (...slow: [names: string, ratio: number][]): HopFacts => ({
  ...{ hops: 6, slowest: ['a', 'b'], typical: ['c', 'd'] },
  slow: slow.map(([names, ratio]) => ({ names: names.split(' '), ratio })),
});
const tried = (one: ExplainedOperation, cpus = 8) =>
  hopCause.interventions(one, { cpus, ranks: 1, loads: [], maxBufferBytes: null, numaNodes: 1 });

test('a slow host is left out and its ranks go to the others; two slow hosts both', () => {
  const change = { hostfile: null, map: null, ranksPerNode: null, ranks: null };
  assert.deepEqual(tried(operation({ hops: hops(['b', 3.14]) })), {
    changes: [
      {
        title: 'b left out (its hops take 3.1 times the typical time)',
        change: { ...change, hosts: 'me@a:slots=2,me@c:slots=1,me@d:slots=1' },
      },
    ],
  });
  const two = tried(operation({ hops: hops(['b', 3], ['c', 2]) }));
  assert.ok('changes' in two);
  assert.equal(two.changes[0]?.change.hosts, 'me@a:slots=2,me@d:slots=2');
  const three = operation({
    hosts: hostsOf(1, 'a', 'b', 'c'),
    ranks: 3,
    hops: hops(['b', 3], ['c', 2]),
  });
  const worst = tried(three);
  assert.ok('changes' in worst, 'one of three hosts cannot run a collective alone');
  assert.deepEqual(
    worst.changes.map(({ change }) => change.hosts),
    ['me@a:slots=2,me@c:slots=1'],
  );
});

test('the hosts of one slow hop are put apart, or each is left out', () => {
  const found = tried(operation({ hops: hops(['b c', 5]) }));
  assert.ok('changes' in found);
  const [apart, ...others] = found.changes.map(({ change }) => change.hosts ?? '');
  const order = (apart ?? '').split(',').map((text) => text.slice('me@'.length, -':slots=1'.length));
  assert.equal(Math.abs(order.indexOf('b') - order.indexOf('c')), 2);
  assert.deepEqual(others, [
    'me@a:slots=2,me@c:slots=1,me@d:slots=1',
    'me@a:slots=2,me@b:slots=1,me@d:slots=1',
  ]);
});

test('where nothing can be tried the reason has the figures', () => {
  for (const [parts, reason] of [
    [{ hosts: [] }, /one machine/],
    [{ hosts: hostsOf(2, 'a', 'b') }, /needs a third host/],
    [{ hops: { reason: 'no time' } }, /^no time$/],
    [{ hops: hops() }, /of 6 hops measured alone none is slower/],
    [{ hops: hops(['b', 3]), options: { map: './ranks' } }, /^b: its hops take 3\.0 times.*rank map/],
  ] as const) {
    const found = tried(operation(parts));
    assert.match('changes' in found ? '' : 'absent' in found ? found.absent : found.reason, reason);
  }
  const crowded = tried(operation({ hops: hops(['b', 3]) }), 1);
  assert.match(
    'reason' in crowded ? crowded.reason : '',
    /^b: its hops take 3\.0 times.*needs more hosts or CPUs/,
  );
});

test('the bound is measured between two hosts of a typical hop, one rank on each, with what a host must send', () => {
  const one = operation({ hops: hops(['b', 3]), hosts: hostsOf(2, 'a', 'b', 'c', 'd'), ranks: 8 });
  const base = baseVariant(one);
  const work = collectiveWork(one, base, 'ring').variants;
  assert.deepEqual(
    work.map(({ cause, title, options: { hosts } }) => [cause, title, hosts]),
    [
      ['steps', '14 dependent steps', 'a,b,c,d'],
      ['all-at-once', 'all ranks send at once', 'a,b,c,d'],
      ['hop', 'slowest hop, a - b', 'me@a:slots=1,me@b:slots=1'],
      ['bound', 'two ranks alone, c - d', 'me@c:slots=1,me@d:slots=1'],
    ],
  );
  const bound = work.at(-1);
  assert.equal(bound?.payloadBytes, 2 * (3 / 4) * 4096);
  assert.deepEqual(
    [bound?.options.ranks, bound?.options.bind, bound?.options.algo],
    ['2', 'none', undefined],
  );
  const found = hopCause.interventions(one, {
    cpus: 8,
    ranks: 2,
    loads: [],
    maxBufferBytes: null,
    numaNodes: 1,
  });
  assert.ok('changes' in found && found.changes[0] !== undefined);
  const without = collectiveWork(one, changedVariant(base, 'hop', found.changes[0]), 'ring').variants;
  assert.deepEqual(
    without.map(({ cause }) => cause),
    ['steps', 'all-at-once', 'bound'],
  );
  const threads = baseVariant(operation({ options: { channels: '2' } }));
  assert.equal(
    collectiveWork(one, threads, 'ring').variants.some(({ cause }) => cause === 'steps'),
    false,
  );
  const here = operation({ hosts: [] });
  const { options, title } = collectiveWork(here, baseVariant(here), 'ring').variants.at(-1) ?? {};
  assert.deepEqual([title, options?.ranks, options?.hosts], ['two ranks alone', '2', undefined]);
});

test('an engine without sendrecv: an alltoall in which each rank sends as many bytes to others', () => {
  const one = operation({ hosts: [], lacksSendrecv: true, ranks: 4 });
  const [all, two] = collectiveWork(one, baseVariant(one), '').variants;
  // An allreduce of 4 KiB by four ranks needs 6 KiB of each; an alltoall of 8 KiB sends three of four quarters.
  assert.deepEqual([all?.command, all?.payloadBytes], ['alltoall', 8192]);
  assert.deepEqual([two?.command, two?.payloadBytes, two?.options.ranks], ['alltoall', 12_288, '2']);
});

/** Times of all pairs of these hosts, in letters: 10 ns, `slowed` times as long for pairs that `isSlow` names, with some noise. */
const times = (names: string, isSlow: (pair: string) => boolean, slowed = 3) =>
  [...names].flatMap((a, i) =>
    [...names].slice(i + 1).map((b, j) => {
      const ns = (10 + ((i + 2 * j) % 3) / 2) * (isSlow(a + b) ? slowed : 1);
      return { a, b, timeNs: ns, fastNs: 10 };
    }),
  );
const slowOf = (facts: HopFacts) => facts.slow.map(({ names }) => names.join(''));

test('one slow host of three or more, one slow hop, and two slow hosts are told apart; equal hops have none', () => {
  for (const names of ['abc', 'abcdef']) {
    const host = hopFactsOf(times(names, (pair) => pair.includes('b')));
    assert.deepEqual(slowOf(host), ['b'], names);
    assert.ok(host.slowest.includes('b') && host.typical?.includes('b') === false);
    assert.deepEqual(slowOf(hopFactsOf(times(names, (pair) => pair === 'bc'))), ['bc'], names);
    assert.deepEqual(slowOf(hopFactsOf(times(names, () => false))), [], names);
  }
  assert.deepEqual(slowOf(hopFactsOf(times('abcdef', (pair) => /[be]/.test(pair)))).sort(), ['b', 'e']);
});

test('a hop that delays small messages alone is slow, too', () => {
  const facts = hopFactsOf(
    times('abcd', () => false).map((one) => ({ ...one, fastNs: one.a === 'a' ? 40 : 10 })),
  );
  assert.deepEqual(slowOf(facts), ['a']);
  assert.equal(hopCause.suspicion?.(operation({ hops: facts }), {} as never)?.share, 0.75);
});

test('a slow hop without a time of large messages is not measured alone', () => {
  const facts = hopFactsOf(
    times('abcd', () => false).map((one) => ({ ...one, timeNs: null, fastNs: one.a === 'a' ? 40 : 10 })),
  );
  assert.deepEqual([slowOf(facts), facts.slowest], [['a'], []]);
  const one = operation({ hops: facts });
  assert.deepEqual(
    collectiveWork(one, baseVariant(one), 'ring').variants.map(({ title }) => title),
    ['6 dependent steps', 'all ranks send at once', 'two ranks alone, a - b'],
  );
});

test('the bound is measured without the slow host also if small messages make each other hop slow', () => {
  const hopOf = (names: string, timeNs: number, fastNs: number) => ({
    a: names[0] ?? '',
    b: names[1] ?? '',
    timeNs,
    fastNs,
  });
  // Measured between four test hosts on two CPUs, the link of b slow: its hops leave more CPU time to small messages.
  const facts = hopFactsOf([
    ...[hopOf('ab', 83e6, 5650), hopOf('ac', 1.6e6, 13_800), hopOf('ad', 1.6e6, 13_600)],
    ...[hopOf('bc', 82e6, 5680), hopOf('bd', 82e6, 5770), hopOf('cd', 1.63e6, 13_100)],
  ]);
  assert.equal(facts.slow[0]?.names.join(), 'b');
  assert.ok(facts.slow.length === 4, 'all hops are slow or have a slow host');
  assert.equal(facts.typical?.join(), 'a,d');
});
