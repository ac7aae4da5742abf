import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomSource } from '../random.ts';
import { chooseSuspects, ledgerOf, trialsOf, type VariantTimes } from './ledger.ts';

const rounds = 6;

/** Normal deviate by the polar method (Marsaglia and Bray 1964). */
function normal(random: () => number): number {
  for (;;) {
    const [u, v] = [2 * random() - 1, 2 * random() - 1];
    const s = u * u + v * v;
    if (s > 0 && s < 1) return u * Math.sqrt((-2 * Math.log(s)) / s);
  }
}

/** Times of a variant in rounds that share a drift of the machine, with `scatter` between launches (0.05 = 5 %). */
function timesFrom(random: () => number, scatter: number) {
  const drift = Array.from({ length: rounds }, () => 0.2 * normal(random));
  return (id: string, ns: number): VariantTimes => ({
    ...{ id, title: id, experiment: `--${id} other` },
    ns: drift.map((log) => ns * Math.exp(log + scatter * normal(random))),
  });
}

test('the parts add up to the time, and a cause has what its removal recovers', () => {
  const times = timesFrom(randomSource(1), 0.01);
  const ledger = ledgerOf({
    payloadBytes: 1024,
    base: times('base', 1000),
    removed: [times('algorithm', 700), times('streams', 698)],
    work: [times('steps', 600), times('bound', 400)],
    excluded: [],
  });
  const sum = ledger.shares.reduce((total, { ns }) => total + ns, 0);
  assert.ok(Math.abs(sum / ledger.time.ns - 1) < 1e-9);
  assert.deepEqual(
    ledger.shares.map(({ kind, id }) => [kind, id]),
    [
      ['cause', 'algorithm'],
      ['unexplained', 'unexplained'],
      ['work', 'steps'],
      ['bound', 'bound'],
    ],
  );
  const [cause] = ledger.shares;
  assert.ok(cause !== undefined && cause.low < 0.3 * ledger.time.ns && cause.high > 0.3 * ledger.time.ns);
  assert.deepEqual(
    ledger.excluded.map(({ id }) => id),
    ['streams'],
  );
});

test('a rest that the first measurement lacks by definition is needed work, with that measurement', () => {
  const times = timesFrom(randomSource(2), 0.01);
  const rest = { id: 'waiting', title: 'each message waits' };
  const work = [times('transport', 400), times('bound', 100)];
  const { shares } = ledgerOf({
    ...{ payloadBytes: 8, base: times('base', 1000), removed: [], work, rest, excluded: [] },
  });
  assert.deepEqual(
    shares.map(({ kind, id }) => [kind, id]),
    [
      ['work', 'waiting'],
      ['work', 'transport'],
      ['bound', 'bound'],
    ],
  );
  assert.equal(shares[0]?.experiment, work[0]?.experiment);
});

test('removals of which only the sum is certain are one cause, and its share has both', () => {
  const times = timesFrom(randomSource(5), 0.01);
  const late = times('arrival', 400);
  const { shares, excluded, time } = ledgerOf({
    ...{ payloadBytes: 8, base: times('base', 1000), work: [times('bound', 100)], excluded: [] },
    // Without the first cause the time scatters by a factor of nine between launches, without both it does not.
    removed: [
      { ...late, change: { skew: null }, ns: late.ns.map((ns, at) => ns * (at % 2 === 0 ? 1 / 3 : 3)) },
      { ...times('priority', 300), change: { priority: 'high' } },
    ],
  });
  const [cause] = shares;
  assert.deepEqual([cause?.kind, cause?.id, cause?.title], ['cause', 'arrival', 'arrival and priority']);
  assert.deepEqual(cause?.change, { skew: null, priority: 'high' });
  assert.ok(cause !== undefined && Math.abs(cause.ns / time.ns - 0.7) < 0.05);
  assert.deepEqual(excluded, []);
});

test('the time that one operation in twenty exceeds is that of the explained command', () => {
  const base = { ...timesFrom(randomSource(6), 0.01)('base', 1000), p95Ns: [4000, 9000] };
  const input = { payloadBytes: 8, removed: [], work: [], excluded: [] };
  assert.equal(ledgerOf({ ...input, base }).p95Ns, 6000);
  assert.equal(ledgerOf({ ...input, base: { ...base, p95Ns: [] } }).p95Ns, null);
});

test('without a measured bound the rest is not explained', () => {
  const times = timesFrom(randomSource(2), 0.01);
  const { shares } = ledgerOf({
    ...{ payloadBytes: 8, base: times('base', 1000), removed: [times('algorithm', 500)], work: [] },
    excluded: [],
  });
  assert.deepEqual(
    shares.map(({ kind }) => kind),
    ['cause'],
  );
});

test('a healthy run has no cause in at least 98 of 100 cases, although the best of many variants is tried', () => {
  const random = randomSource(3);
  let named = 0;
  const runs = 1000;
  for (let run = 0; run < runs; run += 1) {
    const trial = timesFrom(random, 0.05);
    const variants = ['algorithm', 'protocol', 'streams', 'placement', 'sampler'].flatMap((id) =>
      [1, 2, 3].map(() => trial(id, 1000)),
    );
    const { suspects } = chooseSuspects(trialsOf(trial('base', 1000), variants), 3);
    const times = timesFrom(random, 0.05);
    const { shares } = ledgerOf({
      ...{ payloadBytes: 8, base: times('base', 1000), work: [times('bound', 600)], excluded: [] },
      removed: suspects.map(({ variant }) => times(variant.id, 1000)),
    });
    named += shares.some(({ kind }) => kind === 'cause') ? 1 : 0;
  }
  assert.ok(named <= 0.02 * runs, `${named} of ${runs}`);
});

test('a cause of 20 % is found, and its share lies within its interval in at least 90 of 100 cases', () => {
  const random = randomSource(4);
  let [found, within] = [0, 0];
  const runs = 500;
  for (let run = 0; run < runs; run += 1) {
    const times = timesFrom(random, 0.03);
    const { shares, time } = ledgerOf({
      ...{ payloadBytes: 8, base: times('base', 1000), work: [times('bound', 500)], excluded: [] },
      removed: [times('algorithm', 800)],
    });
    const [first] = shares;
    if (first?.kind !== 'cause') continue;
    found += 1;
    const planted = 0.2 * time.ns;
    within += first.low <= planted && planted <= first.high ? 1 : 0;
  }
  assert.ok(found >= 0.95 * runs, `${found} of ${runs} found`);
  assert.ok(within >= 0.9 * found, `${within} of ${found} within`);
});

test('suspects come in the order of what they could explain, one variant of each cause', () => {
  const times = timesFrom(randomSource(5), 0);
  const { suspects, excluded } = chooseSuspects(
    trialsOf(times('base', 1000), [
      times('algorithm', 900),
      times('algorithm', 800),
      times('streams', 500),
      times('placement', 1000),
    ]),
    3,
  );
  assert.deepEqual(
    suspects.map(({ change }) => [change.id, Math.round(100 * change.ratio)]),
    [
      ['streams', 50],
      ['algorithm', 80],
    ],
  );
  assert.deepEqual(
    excluded.map(({ id }) => id),
    ['placement'],
  );
});

test('one round shows no scatter and gives no ledger', () => {
  const one: VariantTimes = { id: 'base', title: '', experiment: '', ns: [1000] };
  assert.throws(
    () => ledgerOf({ payloadBytes: 8, base: one, removed: [], work: [], excluded: [] }),
    RangeError,
  );
});
