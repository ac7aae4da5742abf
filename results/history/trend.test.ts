import assert from 'node:assert/strict';
import { appendFile, mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { CellRecord, OkCell, RunRecord } from '../schema/index.ts';
import { lineOf } from '../store/run-index/line.ts';
import { indexName } from '../store/run-index/lines.ts';
import { openIndex } from '../store/run-index/open.ts';
import { idOf, nightAt, type SyntheticNight, writeNight } from '../testing/nights.ts';
import { testPlan } from '../testing/plan.ts';
import { syntheticRecord } from '../testing/run.ts';
import { smallestStep } from './detectable.ts';
import { changesBetweenNights } from './night-changes.ts';
import { nameOfGroup, searchWords } from './series-name.ts';
import { matchingGroups, type Trend, type TrendQuery, trendOf } from './trend.ts';
import { explainChanges } from './trend-report.ts';

async function rootOf(t: TestContext, nights: readonly SyntheticNight[]): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'collbench-trend-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  for (const night of nights) await writeNight(root, night);
  return root;
}

async function trendIn(root: string, query: TrendQuery = { asked: '' }): Promise<Trend> {
  const index = await openIndex(root);
  const [name] = matchingGroups(index, query);
  assert.ok(name !== undefined);
  const trend = trendOf(index, name, query);
  assert.ok(trend !== null);
  return trend;
}

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
const dateOf = (night: number): string => nightAt(night).slice(0, 10);
const slower = (by: number) => () => by;

test('the first bad night and what was not as the night before', async (t) => {
  const versions = (night: number) => ({ collbench: '0.1.0', nccl: night < 20 ? '2.28.9' : '2.30.7' });
  const root = await rootOf(
    t,
    range(24).map((night) => ({
      night,
      sizes: [8],
      factor: slower(night < 20 ? 1 : 1.06),
      record: { versions: versions(night), environment: { NCCL_ALGO: 'Ring' } },
    })),
  );
  const trend = await trendIn(root);
  const [change] = trend.changes;
  assert.equal(trend.changes.length, 1);
  assert.equal(change?.night, dateOf(20));
  assert.ok(Math.abs(Math.expm1(change?.shift ?? 0) - 0.06) < 0.01);
  assert.ok((change?.foundAt ?? 99) <= 22);
  const [before, after] = [trend.nights[19], trend.nights[20]];
  assert.ok(before !== undefined && after !== undefined);
  assert.deepEqual(await changesBetweenNights(root, before, after), [
    { about: 'versions', name: 'nccl', base: '2.28.9', other: '2.30.7' },
  ]);
});

test('a change that came with another kernel or library says so; one of options does not', async (t) => {
  const host = {
    ...{ hostname: 'n1', os: 'Debian 12', architecture: 'x86_64', cpuModel: 'EPYC', cpuCount: 64 },
    ...{ numaNodes: 2, memoryBytes: 2 ** 36, virtualization: null, interfaces: [] },
  };
  const kernel = (release: string): RunRecord['inventory'] => ({ n1: { ...host, kernel: release } });
  const nights = (inventoryOf: (night: number) => RunRecord['inventory']) =>
    range(24).map((night) => ({
      ...{ night, sizes: [8], factor: slower(night < 20 ? 1 : 1.06) },
      record: { inventory: inventoryOf(night), versions: { collbench: `0.1.${night}` } },
    }));
  const reportOf = async (root: string) => {
    const index = await openIndex(root);
    return explainChanges(index, await trendIn(root), '');
  };
  const moved = await rootOf(
    t,
    nights((night) => kernel(night < 20 ? '6.1.0' : '6.8.0')),
  );
  const [explained] = (await reportOf(moved)).explained;
  assert.deepEqual(explained?.machine, {
    changed: [{ about: 'machine', name: 'kernel', base: '6.1.0', other: '6.8.0' }],
    isInWindow: false,
  });
  const same = await rootOf(
    t,
    nights(() => kernel('6.1.0')),
  );
  assert.deepEqual((await reportOf(same)).explained[0]?.machine.changed, []);
});

test('a night is all its runs: launches are pooled, marks are kept', async (t) => {
  const imported = testPlan({
    imported: {
      ...{ format: 'x', program: 'x', file: { name: 'x', bytes: 1, sha256: '' }, statistic: '' },
      ...{ measuredAt: null, conversions: [], unknown: [], notices: [] },
    },
  });
  const root = await rootOf(t, [
    { night: 0, sizes: [8] },
    { night: 0, turn: 1, sizes: [8], record: { state: 'interrupted' } },
    { night: 1, sizes: [8], record: { plan: imported } },
    { night: 2, sizes: [8] },
  ]);
  const trend = await trendIn(root);
  assert.deepEqual(
    trend.nights.map(({ night, time, runs, notes, warnings }) => [
      night,
      time.launches,
      runs.length,
      [...notes, ...warnings],
    ]),
    [
      [dateOf(0), 4, 2, ['interrupted']],
      [dateOf(2), 2, 1, []],
    ],
  );
  assert.deepEqual(trend.leftOut, { unlike: 1, otherHosts: 0, open: 0, noCommit: 0, noAnchor: 0 });
  const { time } = trend.nights[0] as Trend['nights'][number];
  assert.ok(time.interval !== null && time.interval.low < time.log && time.log < time.interval.high);
});

test('other sizes and other hosts are no nights of the series, and counted', async (t) => {
  const elsewhere = testPlan({ hosts: [{ name: 'other', ranks: [0, 1] }] });
  const root = await rootOf(t, [
    { night: 0, sizes: [8, 16] },
    { night: 1, sizes: [8] },
    { night: 2, sizes: [8], record: { plan: elsewhere } },
    { night: 3, sizes: [8] },
  ]);
  const { nights, leftOut } = await trendIn(root);
  assert.deepEqual(
    [nights.length, leftOut],
    [2, { unlike: 1, otherHosts: 1, open: 0, noCommit: 0, noAnchor: 0 }],
  );
  assert.equal((await trendIn(root, { asked: '', anyHost: true })).nights.length, 3);
});

const wild = (...sizes: number[]) => ({ sd: (bytes: number) => (sizes.includes(bytes) ? 3 : 0.005) });
const made = { sizes: [8, 16, 32], launches: 5 };

test('a night in which one size scatters wildly is judged by the others, also when it is the newest', async (t) => {
  const nights = range(3).map((night) => ({ night, ...made }));
  const root = await rootOf(t, [...nights, { night: 3, ...made, ...wild(16) }]);
  const { nights: points, open, leftOut } = await trendIn(root);
  assert.deepEqual(
    points.map((point) => [point.night, point.open]),
    range(4).map((night) => [dateOf(night), night === 3 ? [16] : []]),
  );
  assert.deepEqual([open, leftOut.open, leftOut.unlike], [[], 0, 0]);
  assert.ok(points.every(({ time }) => Math.abs(Math.exp(time.log) - 10_000) < 200));
});

test('a size that scatters wildly in most runs is in no point; a night without any size is left out', async (t) => {
  const nights = range(3).map((night) => ({ night, ...made, ...wild(8) }));
  const root = await rootOf(t, [...nights, { night: 3, ...made, ...wild(8, 16, 32) }, { night: 4, ...made }]);
  const { nights: points, open, leftOut } = await trendIn(root);
  assert.deepEqual(
    points.map((point) => [point.night, point.open]),
    [0, 1, 2, 4].map((night) => [dateOf(night), []]),
  );
  assert.deepEqual([open, leftOut.open], [[8], 1]);
  assert.ok(points.every(({ time }) => Math.abs(Math.exp(time.log) - 10_000) < 200));
});

/** A night over sizes whose times differ by a factor of 60: its mean would jump if a size were left out. */
const wide = { sizes: [8, 4096, 32768], launches: 5, factor: (bytes: number) => 1 + bytes / 500 };

test('nights that lack one size or another show no change; a true one is found, as large as it is', async (t) => {
  const lacking = (night: number): number => wide.sizes[(night * 7) % 5] ?? 0;
  for (const by of [1, 1.2]) {
    const root = await rootOf(
      t,
      range(24).map((night) => ({
        ...{ night, ...wide, ...wild(lacking(night)) },
        factor: (bytes) => wide.factor(bytes) * (night < 14 ? 1 : by),
      })),
    );
    const { nights, changes, leftOut } = await trendIn(root);
    assert.equal(nights.length, 24);
    assert.ok(nights.filter(({ open }) => open.length > 0).length >= 12);
    assert.equal(leftOut.open, 0);
    assert.deepEqual(
      changes.map((change) => [change.night, Math.abs(change.shift - Math.log(by)) < 0.02]),
      by === 1 ? [] : [[dateOf(14), true]],
    );
  }
});

for (const [what, spoil] of Object.entries({
  'has wrong data': (cell) => ({ ...cell, verification: { ...cell.verification, wrongElements: 1 } }),
  'went another way': (cell) => ({ ...cell, evidence: { verdict: 'contradicted', reason: 'wrong device' } }),
  'was interrupted': (cell) => ({ ...cell, flags: [{ name: 'interrupted', level: 'disturbs', reason: '' }] }),
  failed: ({ figures: _, ...cell }) => ({ ...cell, status: 'failed', reason: 'a rank died' }),
} satisfies Record<string, (cell: OkCell) => object>))
  test(`a night in which one size ${what} is judged by the others`, async (t) => {
    const root = await rootOf(t, []);
    for (const night of range(3)) {
      const { line, set } = lineOfNight(night, night === 1 ? spoil : (cell) => cell);
      await appendFile(join(root, indexName), `${JSON.stringify(set)}\n${JSON.stringify(line)}\n`);
      await mkdir(join(root, line.folder));
      await writeFile(join(root, line.folder, 'run.json'), '');
      await utimes(join(root, line.folder, 'run.json'), 0, 0);
    }
    const { nights, leftOut } = await trendIn(root);
    assert.deepEqual(
      nights.map(({ open }) => open),
      [[], [4096], []],
    );
    assert.equal(leftOut.unlike, 0);
  });

/** History line of a night whose second size is changed. */
function lineOfNight(night: number, spoil: (cell: OkCell) => object) {
  const { record, cells } = syntheticRecord({
    ...wide,
    id: idOf(night),
    seed: night + 1,
    record: { startedAt: nightAt(night) },
  });
  const all = cells.map((cell, i) => (i === 1 ? (spoil(cell as OkCell) as CellRecord) : cell));
  return lineOf({ record, stamp: { bytes: 0, mtimeMs: 0 }, cells: all }, `night-${night}`);
}

test('a single size that is much slower than in earlier nights is named, also the night after, although its range hardly moves', async (t) => {
  const nights = range(6).map((night) => ({ night, ...made, sizes: [8, 16, 32, 64, 128, 256] }));
  const slow = { factor: (bytes: number) => (bytes === 32 ? 3 : 1) };
  const sizesOf = async (...later: SyntheticNight[]) =>
    (await trendIn(await rootOf(t, [...nights, ...later]))).sizes.map(({ x, ratio }) => [
      x,
      Math.round(ratio),
    ]);
  const last = { night: 6, ...made, sizes: [8, 16, 32, 64, 128, 256] };
  assert.deepEqual(await sizesOf(), []);
  assert.deepEqual(await sizesOf({ ...last, ...slow }), [[32, 3]]);
  assert.deepEqual(await sizesOf({ ...last, ...slow }, { ...last, ...slow, night: 7 }), [[32, 3]]);
});

test('with an anchor the ratio of the night is judged: a slower machine is no slower build', async (t) => {
  const suite = (arm: 'tonight' | 'anchor', night: number, turn: number): Partial<RunRecord> => ({
    suite: { id: `s${night}`, name: 'nightly', entry: 'small', arm, pass: 'first', turn },
  });
  const root = await rootOf(
    t,
    range(24).flatMap((night) => {
      const machine = night < 14 ? 1 : 1.2;
      const build = night < 18 ? 1 : 1.03;
      const made = { night, sizes: [8], sd: 0.001 };
      return [
        { ...made, turn: 0, factor: slower(machine * build), record: suite('tonight', night, 0) },
        { ...made, turn: 1, factor: slower(machine), record: suite('anchor', night, 1) },
      ];
    }),
  );
  const trend = await trendIn(root);
  assert.equal(trend.kind, 'ratio');
  assert.deepEqual(
    trend.changes.map(({ night, inAnchor }) => [night, inAnchor]),
    [[dateOf(18), false]],
  );
  assert.deepEqual(trend.nights[0]?.runs, [{ id: idOf(0), folder: trend.nights[0]?.runs[0]?.folder }]);
});

test('series are meant by words of their names, in any order; regimes by their own', async (t) => {
  const root = await rootOf(t, [{ night: 0, transports: testPlan().transports }]);
  const index = await openIndex(root);
  const meant = (requested: string, regime?: 'small') =>
    matchingGroups(index, { asked: requested, ...(regime === undefined ? {} : { regime }) }).length;
  assert.deepEqual(
    [meant(''), meant('sisci'), meant('socket allreduce'), meant('sock'), meant('sisci', 'small')],
    [4, 2, 2, 0, 1],
  );
  assert.deepEqual(
    ['out/2/cpu', '1n float32', 'r-', '4', 'emulated collective'].map((words) => meant(words)),
    [4, 4, 4, 0, 4],
  );
  const all = matchingGroups(index, { asked: '' });
  for (const { series } of all) {
    const named = matchingGroups(index, { asked: searchWords(series) }).map((one) => one.series);
    assert.deepEqual([...new Set(named)], [series], searchWords(series));
  }
});

test('names of groups are told as titles, transports that are paths too', () => {
  const title = (group: string) => nameOfGroup(group).title;
  assert.equal(
    title(
      'collective;collective=allreduce;dtype=float32;op=sum;root=-;inPlace=out;ranks=2;nodes=1;engine=cpu;transport=plugin:/opt/lib/x.so;medium=emulated/small',
    ),
    'allreduce float32 sum, cpu over plugin:/opt/lib/x.so (emulated), 2 ranks',
  );
  assert.equal(
    title(
      'collective;collective=broadcast;dtype=int8;op=-;root=3;inPlace=in;graph=1;ranks=16;nodes=2;engine=nccl;transport=ib;medium=hardware/large',
    ),
    'broadcast int8 root 3 in place, nccl[graph=1] over ib, 16 ranks on 2 nodes',
  );
  assert.equal(
    title(
      'p2p;operation=put;direction=bi;window=64;algorithm=ring;ranks=4;nodes=1;engine=cpu;transport=socket@ring;medium=hardware/all',
    ),
    'put bi window 64, cpu over socket@ring, 4 ranks',
  );
});

test('a point is a run, a day or a commit; five runs of one day are five points unless days are asked for', async (t) => {
  const root = await rootOf(
    t,
    range(5).map((turn) => ({
      ...{ night: 0, turn, sizes: [8] },
      record: turn === 4 ? {} : { tags: { commit: turn < 2 ? 'aaaa' : 'bbbb' } },
    })),
  );
  const counts = async (by: TrendQuery['by']) => {
    const {
      by: used,
      nights,
      leftOut,
    } = await trendIn(root, { asked: '', ...(by === undefined ? {} : { by }) });
    return [used, nights.length, leftOut.noCommit];
  };
  assert.deepEqual(await counts(null), ['run', 5, 0]);
  assert.deepEqual(await counts('day'), ['day', 1, 0]);
  assert.deepEqual(await counts('commit'), ['commit', 2, 1]);
  const months = await rootOf(
    t,
    range(4).map((night) => ({ night, sizes: [8] })),
  );
  assert.deepEqual([(await trendIn(months, { asked: '', by: null })).by], ['day']);
});

test('the smallest step that would have been found: none of few points, and a planted one of that size is found', async (t) => {
  const few = await trendIn(
    await rootOf(
      t,
      range(11).map((night) => ({ night, sizes: [8] })),
    ),
  );
  assert.equal(smallestStep(few), null);
  const quiet = await trendIn(
    await rootOf(
      t,
      range(24).map((night) => ({ night, sizes: [8] })),
    ),
  );
  const step = smallestStep(quiet);
  assert.ok(step !== null && step >= 0.02, `${step}`);
  const planted = await trendIn(
    await rootOf(
      t,
      range(24).map((night) => ({ night, sizes: [8], factor: slower(night < 21 ? 1 : 1 + 1.5 * step) })),
    ),
  );
  assert.deepEqual([quiet.changes.length, planted.changes.length], [0, 1]);
});
