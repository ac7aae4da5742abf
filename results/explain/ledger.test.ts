import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomSource } from '../random.ts';
import { chooseSuspects, explainedSize, ledgerOf, triedChanges, type VariantTimes } from './ledger.ts';

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

const idsOf = (list: readonly { id: string }[]): string[] => list.map(({ id }) => id);

test('the parts add up to the time, and a cause has what its removal recovers', () => {
  const times = timesFrom(randomSource(1), 0.01);
  const ledger = ledgerOf({
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
    ...{ base: times('base', 1000), removed: [], work, rest, excluded: [] },
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

test('work that takes longer than the operation is no part of it, and its ratio is kept', () => {
  const times = timesFrom(randomSource(13), 0.01);
  const work = [times('steps', 1200), times('bound', 400)];
  const { shares, excluded } = ledgerOf({ base: times('base', 1000), removed: [], work, excluded: [] });
  assert.deepEqual(idsOf(shares), ['unexplained', 'bound']);
  assert.deepEqual(idsOf(excluded), ['steps']);
});

test('removals of which only the sum is certain are one cause, and its share has both', () => {
  const times = timesFrom(randomSource(5), 0.01);
  const late = times('arrival', 400);
  const { shares, excluded, time } = ledgerOf({
    ...{ base: times('base', 1000), work: [times('bound', 100)], excluded: [] },
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

test('a removal that says nothing alone, because another cause has the same effect, is one cause with that', () => {
  const times = timesFrom(randomSource(14), 0.01);
  const load = times('load', 1050);
  const { shares } = ledgerOf({
    ...{ base: times('base', 1000), work: [times('bound', 100)], excluded: [] },
    removed: [{ ...load, ns: load.ns.map((ns, at) => ns * (at % 2 === 0 ? 1 / 3 : 3)) }, times('quota', 300)],
  });
  assert.deepEqual([shares[0]?.id, shares[0]?.title], ['quota', 'load and quota']);
});

test('the time that one operation in twenty exceeds is that of the explained command', () => {
  const base = { ...timesFrom(randomSource(6), 0.01)('base', 1000), p95Ns: [4000, 9000] };
  const input = { removed: [], work: [], excluded: [] };
  assert.equal(explainedSize(8, { ...input, base }, null).p95Ns, 6000);
  assert.equal(explainedSize(8, { ...input, base: { ...base, p95Ns: [] } }, null).p95Ns, null);
});

test('what certainly takes longer than the operation is no bound of it, and is listed as tried', () => {
  const times = timesFrom(randomSource(8), 0.01);
  // NCCL over sockets: an allgather of 1 MiB took 251 us, two ranks alone that sent the same bytes 328 us.
  const longer = ledgerOf({
    base: times('base', 250),
    removed: [],
    work: [times('bound', 330)],
    excluded: [],
  });
  assert.deepEqual(idsOf(longer.shares), ['unexplained']);
  assert.deepEqual(
    longer.excluded.map(({ id }) => id),
    ['bound'],
  );
  const equal = ledgerOf({
    base: times('base', 250),
    removed: [],
    work: [times('bound', 255)],
    excluded: [],
  });
  assert.deepEqual(idsOf(equal.shares), ['unexplained', 'bound']);
});

test('without a measured bound the rest is not explained, and the parts add up', () => {
  const times = timesFrom(randomSource(2), 0.01);
  const { shares, time } = ledgerOf({
    ...{ base: times('base', 1000), removed: [times('algorithm', 500)], work: [] },
    excluded: [],
  });
  assert.deepEqual(
    shares.map(({ kind }) => kind),
    ['cause', 'unexplained'],
  );
  const sum = shares.reduce((total, { ns }) => total + ns, 0);
  assert.ok(Math.abs(sum / time.ns - 1) < 1e-9);
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
    const { suspects } = chooseSuspects([triedChanges(trial('base', 1000), variants)], 3);
    const times = timesFrom(random, 0.05);
    const { shares } = ledgerOf({
      ...{ base: times('base', 1000), work: [times('bound', 600)], excluded: [] },
      removed: suspects.map(({ variant }) => times(variant.id, 1000)),
    });
    named += shares.some(({ kind }) => kind === 'cause') ? 1 : 0;
  }
  assert.ok(named <= 0.02 * runs, `${named} of ${runs}`);
});

/** The first two rounds of a variant. */
const trialOf = (variant: VariantTimes): VariantTimes => ({ ...variant, ns: variant.ns.slice(0, 2) });

test('two rounds of trials make a large cause certain for which three later rounds are too few, and no cause in a healthy run', () => {
  const random = randomSource(12);
  const runs = 1000;
  const namedAt = (ns: number): { alone: number; with: number } => {
    const named = { alone: 0, with: 0 };
    for (let run = 0; run < runs; run += 1) {
      const trial = timesFrom(random, 0.15);
      const base = trialOf(trial('base', 1000));
      const variants = [ns, 1000, 1000, 1000, 1000, 1000].map((one, at) =>
        trialOf(trial(`cause ${at}`, one)),
      );
      const [chosen] = chooseSuspects([triedChanges(base, variants)], 1).suspects;
      if (chosen === undefined) continue;
      const times = timesFrom(random, 0.15);
      const three = (variant: VariantTimes) => ({ ...variant, ns: variant.ns.slice(0, 3) });
      const { id } = chosen.variant;
      const input = {
        ...{ base: three(times('base', 1000)), work: [], excluded: [] },
        removed: [three(times(id, id === 'cause 0' ? ns : 1000))],
      };
      const isNamed = ({ shares }: ReturnType<typeof ledgerOf>) => shares[0]?.kind === 'cause';
      named.alone += isNamed(ledgerOf(input)) ? 1 : 0;
      const trials = { base, first: chosen.variant, examined: variants.length };
      named.with += isNamed(ledgerOf({ ...input, trials })) ? 1 : 0;
    }
    return named;
  };
  const large = namedAt(400);
  assert.ok(large.with >= 1.5 * large.alone, `${large.with} with trials, ${large.alone} without`);
  const healthy = namedAt(1000);
  assert.ok(healthy.with <= 0.02 * runs, `${healthy.with} of ${runs}`);
});

test('a cause of 20 % is found, and its share lies within its interval in at least 90 of 100 cases', () => {
  const random = randomSource(4);
  let [found, within] = [0, 0];
  const runs = 500;
  for (let run = 0; run < runs; run += 1) {
    const times = timesFrom(random, 0.03);
    const { shares, time } = ledgerOf({
      ...{ base: times('base', 1000), work: [times('bound', 500)], excluded: [] },
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

test('a cause that certainly recovers more is measured again before one for which the recorded load speaks', () => {
  const [exact, noisy] = [timesFrom(randomSource(6), 0.01), timesFrom(randomSource(6), 0.1)];
  const trials = triedChanges(trialOf(exact('base', 1000)), [trialOf(noisy('others-load', 900))]);
  const linkOf = (ns: number) => triedChanges(trialOf(exact('base', 1000)), [trialOf(exact('link', ns))]);
  const chosen = (ns: number) => {
    const { suspects, late } = chooseSuspects([[...trials, ...linkOf(ns)]], 1, new Set(['others-load']));
    return [suspects, late].map((some) => some.map(({ change }) => change.id));
  };
  assert.deepEqual(chosen(20), [['link'], ['others-load']]);
  assert.deepEqual(chosen(880), [['others-load'], ['link']], 'what recovers about as much comes after it');
});

test('suspects come in the order of what they could explain, one variant of each cause', () => {
  const times = timesFrom(randomSource(5), 0);
  const trials = triedChanges(times('base', 1000), [
    times('algorithm', 900),
    times('algorithm', 800),
    times('streams', 500),
    times('placement', 1000),
  ]);
  const { suspects, excluded } = chooseSuspects([trials], 3);
  assert.deepEqual(
    suspects.map(({ change }) => [change.id, Math.round(100 * change.ratio)]),
    [
      ['streams', 50],
      ['algorithm', 80],
    ],
  );
  assert.deepEqual(excluded.map(idsOf), [['placement']]);
});

test('a cause that shortens only the time back to back is a suspect, and excluded in neither time', () => {
  const times = timesFrom(randomSource(7), 0);
  const typical = triedChanges(times('base', 1000), [times('quota', 1000), times('algorithm', 990)]);
  const backToBack = triedChanges(times('base', 8000), [times('quota', 1000), times('algorithm', 8000)]);
  const { suspects, excluded } = chooseSuspects([typical, backToBack], 3);
  assert.deepEqual(idsOf(suspects.map(({ change }) => change)), ['quota']);
  assert.deepEqual(excluded.map(idsOf), [['algorithm'], ['algorithm']]);
});

test('a cause for which recorded figures speak is measured again unless it certainly recovers nothing, before others', () => {
  const scattered = timesFrom(randomSource(11), 0.5);
  const steady = timesFrom(randomSource(12), 0.001);
  const trials = [
    ...triedChanges(scattered('base', 1000), [scattered('quota', 1100)]),
    ...triedChanges(steady('base', 1000), [steady('algorithm', 900), steady('load', 1000)]),
  ];
  const chosen = (suspected: string[]) =>
    idsOf(chooseSuspects([trials], 3, new Set(suspected)).suspects.map(({ change }) => change));
  assert.deepEqual(chosen([]), ['algorithm']);
  assert.deepEqual(chosen(['quota', 'load']), ['quota', 'algorithm']);
});

test('the time back to back has parts of its own where it is certainly longer, and its parts add up', () => {
  const times = timesFrom(randomSource(8), 0.01);
  const ledger = (base: number, quota: number) => ({
    ...{ base: times('base', base), removed: [times('quota', quota)], work: [times('typical', 1000)] },
    excluded: [],
  });
  const { shares, backToBack } = explainedSize(8, ledger(1000, 1000), ledger(8000, 1600));
  assert.deepEqual(idsOf(shares), ['unexplained', 'typical']);
  assert.ok(backToBack !== null);
  assert.deepEqual(idsOf(backToBack.shares), ['quota', 'unexplained', 'typical']);
  const sum = backToBack.shares.reduce((total, { ns }) => total + ns, 0);
  assert.ok(Math.abs(sum / backToBack.time.ns - 1) < 1e-9);
  const [quota] = backToBack.shares;
  assert.ok(quota !== undefined && Math.abs(quota.ns / backToBack.time.ns - 0.8) < 0.01);
  assert.equal(explainedSize(8, ledger(1000, 1000), ledger(1100, 1000)).backToBack, null);
  assert.equal(explainedSize(8, ledger(1000, 1000), null).backToBack, null);
});

test('two times that differ by chance have one list of parts', () => {
  const random = randomSource(9);
  let own = 0;
  const runs = 400;
  for (let run = 0; run < runs; run += 1) {
    const input = { removed: [], work: [], excluded: [] };
    const base = timesFrom(random, 0.6);
    own +=
      explainedSize(8, { ...input, base: base('base', 1000) }, { ...input, base: base('base', 1000) })
        .backToBack === null
        ? 0
        : 1;
  }
  assert.ok(own <= 0.05 * runs, `${own} of ${runs}`);
});

test('a cause that is the best of many by the same launches must be more certain', () => {
  const times = timesFrom(randomSource(10), 0.03);
  const input = { base: times('base', 1000), removed: [times('algorithm', 850)], work: [], excluded: [] };
  assert.equal(ledgerOf(input).shares[0]?.kind, 'cause');
  assert.equal(ledgerOf({ ...input, examined: 1e6 }).shares[0]?.kind, 'unexplained');
});

test('one round shows no scatter and gives no ledger', () => {
  const one: VariantTimes = { id: 'base', title: '', experiment: '', ns: [1000] };
  assert.throws(() => ledgerOf({ base: one, removed: [], work: [], excluded: [] }), RangeError);
});

test('rare long stops make launches differ a lot, and what remains without them in the same launches is certain', () => {
  const typical = [40, 42, 41, 39, 40, 43];
  const backToBack = [52, 1600, 300, 90, 2300, 61];
  // In each launch a third to a sixteenth of the time remains.
  const parts = [0.33, 0.06, 0.15, 0.3, 0.07, 0.31];
  const base = (ns: readonly number[]): VariantTimes => ({
    ...{ id: 'base', title: '', experiment: '' },
    ns,
  });
  const names = {
    id: 'loss',
    title: 'no lost TCP segments',
    experiment: 'samples without a retransmit by timer',
  };
  const without = (ns: readonly number[]): VariantTimes => ({ ...names, ns, isOfSameLaunch: true });
  const others = { work: [], excluded: [] };
  const { shares, backToBack: stalled } = explainedSize(
    65_536,
    { base: base(typical), removed: [without(typical)], ...others },
    {
      ...{ base: base(backToBack), ...others },
      removed: [without(backToBack.map((ns, round) => ns * (parts[round] ?? 1)))],
    },
  );
  assert.deepEqual(idsOf(shares), ['unexplained']);
  assert.equal(stalled?.shares[0]?.id, 'loss');
  // A removal before it that is not certain has no part in it.
  const streams: VariantTimes = {
    ...{ id: 'streams', title: '8 TCP connections', experiment: '--streams 8' },
    ns: [61, 90, 1200, 45, 300, 800],
  };
  const after = ledgerOf({
    ...{ base: base(backToBack), ...others },
    removed: [streams, without(streams.ns.map((ns, round) => ns * (parts[round] ?? 1)))],
  });
  assert.deepEqual(
    after.shares.filter(({ kind }) => kind === 'cause').map(({ title }) => title),
    ['no lost TCP segments'],
  );
  assert.ok(idsOf(after.excluded).includes('streams'));
  // Other launches do not show it: how many stops each of them has is chance.
  const ofOtherLaunches = [300, 45, 50, 700, 41, 44];
  const unpaired = explainedSize(
    65_536,
    { base: base(typical), removed: [], ...others },
    { base: base(backToBack), removed: [{ ...names, ns: ofOtherLaunches }], ...others },
  );
  assert.ok(!idsOf(unpaired.backToBack?.shares ?? []).includes('loss'));
});
