import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeText, effectText } from '../judge/verdict-text.ts';
import {
  type CellFigure,
  comparison,
  dataOf,
  idOf,
  type OkCell,
  type PairOfRuns,
  partsOfKey,
} from '../schema/index.ts';
import { testPlan } from '../testing/plan.ts';
import { type SyntheticRun, syntheticRecord, syntheticSizes } from '../testing/run.ts';
import { separateRuns } from './calibrate.ts';
import { type ComparableRun, compareRuns } from './compare-runs.ts';
import type { CompareOptions } from './options.ts';

const base = syntheticRecord({ seed: 1 });
const other = (made: SyntheticRun = {}) => syntheticRecord({ id: 'bbbbbb', seed: 2, ...made });
function compared(
  b: ComparableRun,
  options: Partial<CompareOptions> = {},
  a: ComparableRun = base,
): PairOfRuns {
  const found = compareRuns([a, b], options);
  assert.deepEqual(comparison.parse(found), found, 'what is computed is what the schema says');
  return found.pairs[0] as PairOfRuns;
}
/** A run with some fields of its cells changed; ids and series follow the change. */
const changed = (run: ComparableRun, change: (cell: OkCell) => Partial<OkCell>): ComparableRun => ({
  ...run,
  cells: run.cells.map((cell) => {
    if (cell.status !== 'ok') return cell;
    const made = { ...cell, ...change(cell) };
    return { ...made, id: idOf(dataOf(made.workload), made) };
  }),
});
const verdicts = (pair: PairOfRuns) => pair.groups.map(({ change }) => change.verdict);

test('a run held against itself is the same', () => {
  const pair = compared({ ...base, record: { ...base.record, id: 'cccccc' } });
  assert.equal(pair.verdict, 'same');
  assert.deepEqual(pair.counts.groups, {
    faster: 0,
    slower: 0,
    same: 3,
    unconfirmed: 0,
    'not-enough-data': 0,
  });
  assert.ok(pair.cells.every(({ change }) => change.ratio === 1));
  assert.match(pair.summary, /as fast as the base in all 3 size ranges\.$/);
  assert.deepEqual(pair.settings, []);
});

test('a slower regime is named, with ratio and interval, and the others are the same', () => {
  const pair = compared(other({ factor: (bytes) => (bytes >= 2 ** 22 ? 1.06 : 1) }));
  assert.deepEqual(verdicts(pair), ['same', 'same', 'slower']);
  const { change } = pair.groups[2] as PairOfRuns['groups'][number];
  assert.ok(Math.abs(change.ratio - 1.06) < 0.01);
  assert.ok((change.low ?? 0) > 1.04 && (change.high ?? 9) < 1.08);
  assert.equal(change.figure, 'pipelined');
  assert.equal(pair.groups[0]?.change.figure, 'latency');
  assert.ok((change.detectable ?? 1) < 0.06, 'what was found could have been found');
  assert.equal(pair.verdict, 'slower');
  assert.match(
    pair.summary,
    /^bbbbbb is slower in 1 of 3 size ranges, allreduce over socket from 4 MiB \(\+[56]\.\d % time\)/,
  );
});

test('one slow size is found although its group is not', () => {
  const pair = compared(other({ factor: (bytes) => (bytes === 512 ? 1.08 : 1) }));
  const cells = pair.cells.filter(({ change }) => change.verdict === 'slower');
  assert.deepEqual(
    cells.map(({ x }) => x),
    [512],
  );
});

test('swapping the runs turns every ratio and every verdict', () => {
  const b = other({ factor: (bytes) => (bytes < 65536 ? 1.1 : 1), sd: 0.01 });
  const [there, back] = [compared(b), compared(base, {}, b)];
  const turned = {
    faster: 'slower',
    slower: 'faster',
    same: 'same',
    'not-enough-data': 'not-enough-data',
    unconfirmed: 'unconfirmed',
  };
  there.cells.forEach((cell, i) => {
    const twin = back.cells[i] as (typeof back.cells)[number];
    assert.ok(Math.abs(cell.change.ratio * twin.change.ratio - 1) < 1e-9);
    assert.ok(Math.abs((cell.change.low ?? 0) * (twin.change.high ?? 0) - 1) < 1e-9);
    assert.ok(Math.abs((cell.change.p ?? 0) - (twin.change.p ?? 1)) < 1e-12);
    assert.equal(turned[cell.change.verdict], twin.change.verdict);
  });
  assert.equal(back.verdict, 'faster');
});

test('cells are paired by what they measure, whatever their order', () => {
  const b = other({ factor: (bytes) => (bytes < 65536 ? 1.1 : 1) });
  const mixed = { ...b, cells: [...b.cells].sort((x, y) => (x.id > y.id ? -1 : 1)).reverse() };
  const turned = { ...b, cells: [...b.cells].reverse() };
  assert.deepEqual(compared(mixed), compared(b));
  assert.deepEqual(compared(turned), compared(b));
});

test('one launch each: ratios, and no verdict that says why', () => {
  const pair = compared(other({ launches: 1 }), {}, syntheticRecord({ launches: 1 }));
  assert.equal(pair.verdict, 'not-enough-data');
  assert.ok(pair.cells.every(({ change }) => change.low === null && change.p === null && change.ratio > 0));
  assert.match(
    pair.groups[0]?.change.reason ?? '',
    /needs two launches, but the base has 1 and the other run has 1/,
  );
});

test('one launch against several that leave everything open: the missing launch is said first', () => {
  const open = other({ sd: 2, launches: 3 });
  const reasons = (base: ReturnType<typeof syntheticRecord>) =>
    compared(open, {}, base).cells.map(({ change }) => change.reason ?? '');
  const few = /^scatter between launches needs two launches, but the base has 1$/;
  assert.ok(reasons(syntheticRecord({ launches: 1 })).every((reason) => few.test(reason)));
  assert.ok(reasons(syntheticRecord()).some((reason) => reason.startsWith('the other run: ')));
});

test('scatter larger than the threshold: open, with the launches that would close it', () => {
  const pair = compared(other({ sd: 0.05, launches: 3 }), {}, syntheticRecord({ sd: 0.05, launches: 3 }));
  const open = pair.groups.filter(({ change }) => change.verdict === 'not-enough-data');
  assert.ok(open.length > 0);
  for (const { change } of open) {
    assert.notEqual(change.reason, null);
    assert.ok((change.launchesWanted ?? 101) > 3);
    assert.ok((change.detectable ?? 0) > 0.02);
  }
});

test('what was learned of the scatter is used', () => {
  const key = compared(other()).groups[0]?.key ?? '';
  const prior = { variance: 1e-6, degrees: 40 };
  const pair = compared(other(), { learned: { [key]: { cell: prior, group: prior } } });
  assert.equal(pair.groups[0]?.change.scatterFrom, 'learned');
  assert.equal(pair.groups[0]?.change.degrees, 48);
  assert.equal(pair.groups[1]?.change.scatterFrom, 'welch');
  assert.equal(pair.cells[0]?.change.scatterFrom, 'learned');
});

test('sizes help one another where there are enough of them', () => {
  const pair = compared(other());
  assert.deepEqual(
    [...new Set(pair.cells.slice(0, 5).map(({ change }) => change.scatterFrom))],
    ['siblings'],
  );
  assert.equal(pair.cells.at(-1)?.change.scatterFrom, 'welch', 'three large sizes are too few');
});

for (const [what, change, allow, text] of [
  ['an emulated medium', () => ({ medium: 'hardware' as const }), 'medium', /emulated against hardware/],
  ['another number of nodes', () => ({ nodes: 2 }), 'nodes', /1 nodes against 2 nodes/],
  [
    'data that were not verified',
    (cell: OkCell) => ({ verification: { ...cell.verification, enabled: false } }),
    'unverified',
    /of the other run were not verified/,
  ],
  [
    'contradicted evidence',
    () => ({ evidence: { verdict: 'contradicted' as const, reason: 'nothing passed lo' } }),
    'contradicted',
    /contradicts its transport: nothing passed lo/,
  ],
  [
    'another method',
    (cell: OkCell) => ({
      figures: cell.figures.map(
        (one): CellFigure =>
          one.kind === 'measured' ? { ...one, method: { ...one.method, sync: 'barrier' } } : one,
      ),
    }),
    'method',
    /sync window.*against.*sync barrier/,
  ],
] as const) {
  test(`${what} is refused, unless allowed`, () => {
    const b = changed(other(), change);
    const pair = compared(b);
    const refused = pair.refused.filter(({ kind }) => kind === allow);
    assert.ok(refused.length >= 8);
    assert.match(refused[0]?.reason ?? '', text);
    assert.equal(compared(b, { allow: [allow] }).refused.length, 0);
  });
}

test('wrong data are never compared', () => {
  const b = changed(other(), (cell) => ({ verification: { ...cell.verification, wrongElements: 3 } }));
  const pair = compared(b, { allow: ['unverified'] });
  assert.equal(pair.cells.length, 0);
  assert.match(pair.refused[0]?.reason ?? '', /^wrong data in the other run/);
  assert.match(
    pair.summary,
    /no configuration that can be compared with the base: 11 configurations cannot be compared/,
  );
});

test('flagged cells stay, unless they are to be left out', () => {
  const late = { name: 'late', level: 'disturbs' as const, reason: null };
  const b = changed(other(), (cell) => (cell.axes.bytes === 8 ? { flags: [late] } : {}));
  assert.deepEqual(compared(b).cells[0]?.flags, ['late']);
  const refused = compared(b, { excludeFlagged: true }).refused;
  assert.deepEqual(
    refused.map(({ x, kind }) => [x, kind]),
    [[8, 'flagged']],
  );
});

test('another number of ranks is no counterpart, unless allowed', () => {
  const b = changed(other(), () => ({ ranks: 4 }));
  assert.match(compared(b).refused[0]?.reason ?? '', /2 ranks against 4 ranks/);
  const pair = compared(b, { allow: ['ranks'] });
  assert.equal(pair.cells.length, 11);
  assert.equal(pair.cells[0]?.otherId, pair.cells[0]?.id.replace(';ranks=2;', ';ranks=4;'));
});

test('what another program measured, or with another algorithm, is of the same operation', () => {
  const imported = changed(other(), ({ axes: { collective, ...axes } }) => ({
    ...{ workload: 'imported', axes: { operation: collective ?? null, ...axes } },
    ...{ medium: 'unknown', printed: {} },
  }));
  const onHardware = changed(base, () => ({ medium: 'hardware' }));
  const pair = compared(imported, {}, onHardware);
  assert.deepEqual([pair.cells.length, pair.missing.length, pair.refused.length], [11, 0, 0]);
  assert.match(pair.cells[0]?.change.reason ?? '', /imported figures have no intervals/);
  assert.equal(compared(imported).refused[0]?.kind, 'medium');
  const asked = changed(other(), () => ({ requested: { algorithm: 'direct' } }));
  assert.equal(compared(asked).cells.length, 11);
  const graph = changed(other(), () => ({ requested: { graph: '1' } }));
  assert.equal(compared(graph).cells.length, 0);
});

test('what only one run has is a row of its own', () => {
  const b = other({ sizes: [...syntheticSizes.slice(2), 2 ** 28] });
  const pair = compared(b);
  assert.deepEqual(
    pair.missing.map(({ x, from }) => [x, from]),
    [
      [8, 'other'],
      [64, 'other'],
      [2 ** 28, 'base'],
    ],
  );
  assert.match(pair.summary, /; 3 configurations in one run only\.$/);
});

test('transports are never mixed', () => {
  const { transports } = testPlan();
  const pair = compared(other({ transports }), {}, syntheticRecord({ transports }));
  assert.equal(pair.groups.length, 6);
  assert.ok(pair.cells.every(({ group, id }) => group.includes(partsOfKey(id).get('transport') ?? '-')));
});

test('what was not the same around the figures', () => {
  const record = { versions: { collbench: '0.1.0', nccl: '2.30.7' }, environment: { NCCL_ALGO: 'Ring' } };
  const b = other({ record, launches: 4 });
  const first = syntheticRecord({ record: { versions: { collbench: '0.1.0', nccl: '2.28.9' } } });
  const choice = changed(b, (cell) =>
    Number(cell.axes.bytes) < 1000 ? { choice: { algorithm: 'direct', protocol: null } } : {},
  );
  assert.deepEqual(compared(choice, {}, first).settings, [
    { about: 'versions', name: 'nccl', base: '2.28.9', other: '2.30.7' },
    { about: 'environment', name: 'NCCL_ALGO', base: null, other: 'Ring' },
    { about: 'plan', name: 'launches', base: '5', other: '4' },
    {
      about: 'engine',
      name: 'allreduce over socket, 3 sizes from 8 B to 512 B',
      base: 'ring',
      other: 'direct',
    },
  ]);
});

test('what only one run measured over is no difference around the others', () => {
  const { transports } = testPlan();
  const device = (names: string[]) => ({
    record: {
      launches: names.map((facts, transport) => ({
        ...{ launch: transport, transport, startedAtNs: 0, setupNs: 1 },
        ranks: [
          {
            rank: 0,
            pid: 1,
            device: 'cpu',
            detail: {},
            medium: 'emulated',
            facts: { library: facts, initNs: '7' },
          },
        ],
      })),
    },
  });
  const both = syntheticRecord({ transports, ...device(['1.0', '2.0']) });
  assert.deepEqual(compared(other(device(['1.0'])), {}, both).settings, []);
  const { settings } = compared(other(device(['1.1'])), {}, both);
  assert.deepEqual(settings, [{ about: 'versions', name: 'library', base: '1.0', other: '1.1' }]);
});

test('ranks with fewer CPUs are a difference where both runs tell; another port to meet at is none', () => {
  const on = (cpus: string | undefined, port: string) => ({
    record: {
      launches: [
        {
          ...{ launch: 0, transport: 0, startedAtNs: 0, setupNs: 1 },
          ranks: [
            {
              ...{
                rank: 0,
                pid: 1,
                device: 'cpu',
                detail: {},
                medium: 'hardware',
                facts: { 'env.MASTER_PORT': port },
              },
              ...(cpus === undefined ? {} : { cpus }),
            },
          ],
        },
      ],
    },
  });
  const wide = syntheticRecord(on('0-31', '40001'));
  assert.deepEqual(compared(other(on('22-31', '40002')), {}, wide).settings, [
    { about: 'machine', name: 'CPUs of a rank', base: '32', other: '10' },
  ]);
  assert.deepEqual(compared(other(on(undefined, '40003')), {}, wide).settings, []);
});

test('several runs: each compared with the first', () => {
  const found = compareRuns([base, other(), other({ id: 'dddddd', factor: () => 1.2 })]);
  assert.deepEqual(
    found.pairs.map((pair) => [pair.other, pair.verdict]),
    [
      ['bbbbbb', 'same'],
      ['dddddd', 'slower'],
    ],
  );
  assert.throws(() => compareRuns([base]), /two runs or more/);
  assert.throws(() => compareRuns([base, base], { groupThreshold: 0 }), /above 0, got 0/);
});

test('where nothing is known numbers stay short, and nothing is promised for certain', () => {
  assert.deepEqual(
    [1.062, 38, 1.14e11, 0.9, 0.0263, 0.0003].map((ratio) => changeText(ratio)),
    ['+6.2 %', 'x38', '>x1000', '-10.0 %', 'x0.026', '<x0.001'],
  );
  assert.deepEqual(
    [0.013, 37, 4.6e63, Number.POSITIVE_INFINITY].map((share) => effectText(share)),
    ['1.3 %', '38-fold', '>1000-fold', '>1000-fold'],
  );
  const few = { launches: 2, sd: 0.3, sizes: [8] };
  const [pair] = compareRuns([
    syntheticRecord(few),
    syntheticRecord({ ...few, id: 'bbbbbb', seed: 7 }),
  ]).pairs;
  assert.match(
    pair?.summary ?? '',
    /^No verdict for bbbbbb in its only size range \([-+.\d]+ % time\): .* would be detected \(80 % power\)\.$/,
  );
});

test('separate runs whose launches were side by side: what launches show counts twice, and what the transport is known for is added', () => {
  const noise = { sd: 0.03, launches: 6 };
  const [one, two] = [syntheticRecord({ ...noise, seed: 3 }), other({ ...noise, seed: 4 })];
  const change = (options?: Partial<CompareOptions>) => {
    const found = compared(two, options, one).groups[0]?.change;
    const width = Math.log((found?.high ?? Number.NaN) / (found?.low ?? Number.NaN));
    return { verdict: found?.verdict, width };
  };
  const [interleaved, separate] = [change(), change(separateRuns(null, [one.record, two.record]))];
  assert.ok(separate.width > 2 * interleaved.width);
});

test('separate runs: what differs for certain is not the same, though it is within 10 %', () => {
  const change = (by: number) => {
    const noise = { sd: 0.004, launches: 8 };
    const [one, two] = [syntheticRecord({ ...noise, seed: 3 }), changedBy(other({ ...noise, seed: 4 }), by)];
    const learned = { value: 12, low: 9, high: 15, of: 40 };
    const rules = { ...separateRuns(learned, []), groupThreshold: 0.063 };
    const found = compared(two, rules, one).groups[0]?.change;
    return [found?.verdict, found?.reason];
  };
  assert.deepEqual(change(1), ['same', null]);
  assert.deepEqual(change(1.06), ['not-enough-data', 'they differ, but possibly by less than the threshold']);
});

/** A run whose times are all multiplied by `times`. */
function changedBy(run: ComparableRun, times: number): ComparableRun {
  return changed(run, (cell) => ({
    figures: cell.figures.map((one) =>
      one.kind === 'measured'
        ? { ...one, value: times * one.value, launchValues: one.launchValues.map((ns) => times * ns) }
        : one,
    ),
  }));
}

test('separate runs whose launches were apart in time: what the transport is known for is added, however alike launches are', () => {
  const apart = (run: ComparableRun): ComparableRun => {
    const { plan } = run.record;
    return {
      ...run,
      record: { ...run.record, plan: { ...plan, sampling: { ...plan.sampling, apart: true } } },
    };
  };
  const noise = { sd: 0.0005, launches: 8 };
  const [one, two] = [apart(syntheticRecord({ ...noise, seed: 3 })), apart(other({ ...noise, seed: 4 }))];
  const found = compared(two, separateRuns(null, [one.record, two.record]), one).groups[0]?.change;
  const half = Math.log((found?.high ?? Number.NaN) / (found?.low ?? Number.NaN)) / 2;
  assert.ok(half > 1.96 * 0.04 * Math.SQRT2 && half < 0.14, String(half));
  assert.equal(found?.verdict, 'not-enough-data');
});
