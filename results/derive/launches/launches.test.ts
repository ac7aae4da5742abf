import assert from 'node:assert/strict';
import { test } from 'node:test';
import { poolRuns } from '../../baseline/pool.ts';
import { type CellRecord, measuredOf, type OkCell, type RunRecord } from '../../schema/index.ts';
import { seededNormal, testBlock } from '../../testing/block.ts';
import { testPlan, testPoint } from '../../testing/plan.ts';
import { deriveCell } from '../cells/cell.ts';
import { logVariance, tInterval } from '../statistics/launch-interval.ts';
import { launchFigure, launchInflation, launchValuesOf, refineIntervals } from './launches.ts';

const near = (actual: number, wanted: number) =>
  assert.ok(Math.abs(actual - wanted) < 1e-6 * Math.abs(wanted), `${actual} is not ${wanted}`);

test('worked by hand: three launches, t with two degrees of freedom on the logarithms', () => {
  // Logs 0, 0.01, 0.02: mean 0.01, sd 0.01, half = 4.302653 * 0.01 / sqrt(3) = 0.0248414.
  const interval = tInterval([1000, 1000 * Math.exp(0.01), 1000 * Math.exp(0.02)]);
  near(interval.centreNs, 1000 * Math.exp(0.01));
  near(interval.lowNs, 1000 * Math.exp(0.01 - 0.02484138));
  near(interval.highNs, 1000 * Math.exp(0.01 + 0.02484138));
});

test('a prior is weighted by its degrees of freedom', () => {
  // (4 * 0.0004 + 1 * 0.0000) / 5 = 0.00032 with 5 degrees: t = 2.5705818.
  const interval = tInterval([1000, 1000], { variance: 0.0004, degrees: 4 });
  near(interval.highNs, 1000 * Math.exp(2.5705818 * Math.sqrt(0.00032 / 2)));
});

test('one launch has no interval between launches', () => {
  assert.throws(() => tInterval([1000]), /at least 2, got 1/);
});

/** One cell per size, with launches whose log medians scatter by `sd`. */
function cellsOf(sizes: number[], sd: number, seed: number, launches = 2): OkCell[] {
  const normal = seededNormal(seed);
  const points = sizes.map((bytes) => testPoint({ count: bytes / 4 }));
  const plan = testPlan({ points, sampling: { ...testPlan().sampling, launches } });
  return points.map((_, point) => {
    const blocks = Array.from({ length: launches }, (_, launch) =>
      testBlock(new Array(20).fill(10_000 * Math.exp(sd * normal())), { point, launch, block: launch }),
    );
    const cell = deriveCell(plan, point, 0, blocks);
    assert.equal(cell.status, 'ok');
    return cell;
  });
}

const smallSizes = [8, 16, 32, 64, 128, 256, 512, 1024, 2048];

test('four launches have an interval of their own, which the other sizes of a series narrow', () => {
  const plain = cellsOf(smallSizes, 0.01, 42, 4);
  const refined = refineIntervals(plain);
  for (const [i, cell] of refined.entries()) {
    assert.equal(measuredOf(plain[i], 'latency')?.interval?.basis, 't');
    assert.equal(measuredOf(cell, 'latency')?.interval?.basis, 'moderated-t');
    assert.equal(measuredOf(cell, 'latency')?.value, measuredOf(plain[i], 'latency')?.value);
  }
  assert.deepEqual(refineIntervals(refined), refined, 'refining twice changes nothing');
});

for (const launches of [2, 3]) {
  test(`${launches} launches have an interval only where other sizes show how launches differ`, () => {
    const reason = `${launches} launches: an interval needs 4, or 5 sizes of one size range`;
    const none = (cells: readonly CellRecord[]) => {
      for (const cell of cells) {
        const figure = measuredOf(cell as OkCell, 'latency');
        assert.deepEqual([figure?.interval, figure?.intervalReason], [null, reason]);
      }
    };
    const plain = cellsOf(smallSizes, 0.01, 42, launches);
    none(plain);
    none(refineIntervals(plain.slice(0, 4)));
    const helped = refineIntervals(plain.slice(0, 5)).map((cell) => measuredOf(cell, 'latency'));
    for (const figure of helped) assert.notEqual(figure?.intervalReason, reason);
    assert.ok(helped.filter((figure) => figure?.interval?.basis === 'moderated-t').length >= 4);
  });
}

test('three launches whose other sizes do not differ at all have their own interval', () => {
  const steady = cellsOf(smallSizes, 0, 42, 3);
  const [moving] = cellsOf([4096], 0.01, 42, 3);
  const figure = measuredOf(refineIntervals([...steady, moving as OkCell]).at(-1), 'latency');
  assert.equal(figure?.interval?.basis, 't');
});

test('without enough other sizes of its regime a cell keeps its own interval', () => {
  const cells: CellRecord[] = cellsOf([8, 16, 1048576, 67108864], 0.01, 42);
  assert.deepEqual(refineIntervals(cells), cells);
});

test('moderated intervals of two launches cover the truth and are far narrower', () => {
  let covered = 0;
  let all = 0;
  let width = 0;
  let plainWidth = 0;
  for (let seed = 1; seed <= 60; seed += 1) {
    const plain = cellsOf(smallSizes, 0.01, seed * 7717);
    for (const cell of refineIntervals(plain)) {
      const figure = measuredOf(cell, 'latency');
      if (figure?.interval == null) continue;
      const { low, high } = figure.interval;
      const before = tInterval(figure.launchValues);
      all += 1;
      if (low <= 10_000 && high >= 10_000) covered += 1;
      width += Math.log(high / low);
      plainWidth += Math.log(before.highNs / before.lowNs);
    }
  }
  // A size of two launches that is noisier than the others may have no interval, although its samples are exact.
  assert.ok(all > 0.8 * 60 * smallSizes.length, String(all));
  assert.ok(covered / all > 0.93, `covered ${covered} of ${all}`);
  assert.ok(width < 0.6 * plainWidth, `${width} of ${plainWidth}`);
});

test('variance of logarithms', () => {
  near(logVariance([1, Math.E]), 0.5);
});

test('launches side by side: the cell says so, and they count twice as far apart for its interval and for other sizes', () => {
  const normal = seededNormal(3);
  const levels = Array.from({ length: 4 }, () => Math.exp(0.01 * normal()));
  /** Launches of 20 ms with pauses of `gapMs` between them. */
  const cellOf = (gapMs: number): OkCell => {
    const blocks = levels.map((level, launch) =>
      testBlock(new Array(20).fill(10_000 * level), {
        launch,
        block: launch,
        baseNs: launch * (20 + gapMs) * 1e6,
      }),
    );
    const cell = deriveCell(testPlan(), 0, 0, blocks);
    assert.equal(cell.status, 'ok');
    return cell;
  };
  const [close, apart] = [cellOf(1), cellOf(20)];
  const isMarked = (cell: OkCell) => cell.flags.some(({ name }) => name === 'launches-close');
  assert.deepEqual([isMarked(close), isMarked(apart)], [true, false]);
  const width = (cell: CellRecord | undefined) => {
    const { low = 1, high = 1 } = measuredOf(cell, 'latency')?.interval ?? {};
    return Math.log(high / low);
  };
  near(width(close), 2 * width(apart));
  near(width(refineIntervals([close])[0]), 2 * width(refineIntervals([apart])[0]));
  const deviation = (cell: OkCell) =>
    Math.sqrt(logVariance(launchValuesOf(cell, measuredOf(cell, 'latency') ?? assert.fail())));
  near(deviation(close), 2 * deviation(apart));
  assert.equal(measuredOf(close, 'latency')?.value, measuredOf(apart, 'latency')?.value);
});

test('launches that resemble the launch before them count for fewer, and widen the interval', () => {
  const normal = seededNormal(7);
  /** Launch medians of eight sizes; neighbours have this correlation. */
  const tableOf = (correlation: number, launches: number) =>
    Array.from({ length: 8 }, () => {
      let z = normal();
      return Array.from({ length: launches }, () => {
        z = correlation * z + Math.sqrt(1 - correlation ** 2) * normal();
        return 10_000 * Math.exp(0.05 * z);
      });
    });
  const apart = tableOf(0, 32);
  const alike = tableOf(0.6, 32);
  assert.ok(launchInflation(apart) < 1.5);
  // (1 + 0.6) / (1 - 0.6) = 4.
  const inflation = launchInflation(alike);
  assert.ok(inflation > 2.5 && inflation < 6, `${inflation}`);
  assert.equal(launchInflation(tableOf(0.6, 11)), 1, 'too few launches show it');
  assert.equal(launchInflation([new Array(32).fill(10_000)]), 1, 'launches that do not differ');
  const widthOf = ([own = [], ...others]: number[][]) => {
    const { interval } = launchFigure(own, others, null);
    return Math.log((interval?.high ?? 1) / (interval?.low ?? 1));
  };
  assert.ok(widthOf(alike) > 1.4 * widthOf(apart));
});

test('runs of one launch each, as of a gate, are marked alike where they follow one another at once', () => {
  /** Runs of 20 ms with pauses of `gapMs` between them. */
  const pooledOf = (gapMs: number) => {
    const runs = [0, 1, 2].map((run) => {
      const plan = testPlan();
      const block = testBlock(new Array(20).fill(10_000 + run), { baseNs: run * (20 + gapMs) * 1e6 });
      return { record: { plan } as RunRecord, cells: [deriveCell(plan, 0, 0, [block])] };
    });
    const [cell] = poolRuns(runs).cells;
    return cell?.status === 'ok' && cell.flags.some(({ name }) => name === 'launches-close');
  };
  assert.deepEqual([pooledOf(1), pooledOf(20)], [true, false]);
});
