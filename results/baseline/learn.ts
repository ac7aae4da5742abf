import { mean, median } from 'simple-statistics';
import type { ComparableRun } from '../compare/compare-runs.ts';
import { headlinesOf } from '../compare/families.ts';
import { levelVariance } from '../compare/run-scatter.ts';
import { seriesTitle } from '../compare/titles.ts';
import { groupOf, regimeText, xValueOf } from '../derive/cells/cell-group.ts';
import { launchValuesOf } from '../derive/launches/launches.ts';
import { medianShare } from '../derive/statistics/launch-interval.ts';
import { meanPerLaunch, squaresOf } from '../judge/difference.ts';
import { type BaselineGroup, measuredOf, type OkCell } from '../schema/index.ts';
import { samplingText } from './scatter.ts';

/**
 * Highest degrees of freedom of a learned variance. With more, tonight's own launches would hardly have weight. The error rates of
 * the gate in docs/truth.md are simulated with as many.
 */
const maxDegrees = 20;

/**
 * Natural logarithms of the launches' median times of one series in one size range, as [night][size][launch]. All nights have the
 * same message sizes in the same order. `xs`: x values of these sizes, ascending, which need not be their order in `nights`.
 */
interface NightTable {
  group: { key: string; title: string };
  xs: number[];
  nights: number[][][];
}

/**
 * Computes three variances of log time of an unchanged build for each series and size range. `cell`: between launches, at a single
 * size. `group`: between launches, of the mean over the size range. `night`: between nights, beyond what differences between
 * launches explain, at least 0. All have at most `maxDegrees` degrees of freedom. `launches` of the result is the lowest number of
 * launches of any used size in any night.
 * @param nights at least two runs of the same suite entry. A size that is missing or has one launch in a night is left out, and so
 * is a range in which no size remains.
 * @throws {RangeError} with fewer runs, or if they were sampled in different ways
 */
export function learnScatter(entry: string, nights: readonly ComparableRun[]): BaselineGroup[] {
  if (nights.length < 2)
    throw new RangeError(`scatter is learned from two runs or more, got ${nights.length}`);
  const ways = new Set(nights.map(({ record }) => samplingText(record.plan.sampling)));
  const [sampling = '', other] = ways;
  if (other !== undefined) {
    throw new RangeError(`${entry}: the runs used different sampling: ${sampling}; ${other}`);
  }
  return tablesOf(nights).flatMap(({ group, xs, nights: table }) => {
    const launches = Math.min(...table.flatMap((night) => night.map((size) => size.length)));
    if (launches < 2) return [];
    const means = table.map(launchMeans);
    const within = means.reduce((sum, night) => sum + squaresOf(night), 0);
    const degrees = means.reduce((sum, night) => sum + night.length - 1, 0);
    const between = levelVariance(means.map(mean)).variance;
    const perLaunch = within / degrees;
    return [
      {
        entry,
        key: group.key,
        title: group.title,
        cell: { variance: cellVariance(table), degrees: Math.min(degrees, maxDegrees) },
        group: { variance: perLaunch, degrees: Math.min(degrees, maxDegrees) },
        night: {
          variance: Math.max(0, between - perLaunch / launches),
          degrees: Math.min(means.length - 1, maxDegrees),
        },
        launches,
        holdsFor: { xs, sampling },
      },
    ];
  });
}

const launchMeans = (night: readonly (readonly number[])[]): number[] =>
  meanPerLaunch(night, Math.min(...night.map((size) => size.length)));

/**
 * Returns the variance between launches at a single size: pooled over nights for each size, then the median over sizes. Each size's
 * variance is divided by medianShare() first, because the median of variances of few launches is too small by this factor.
 * @param nights log launch medians as [night][size][launch]
 */
function cellVariance(nights: readonly (readonly (readonly number[])[])[]): number {
  const sizes = nights[0]?.length ?? 0;
  const perSize = Array.from({ length: sizes }, (_, size) => {
    const all = nights.map((night) => night[size] as readonly number[]);
    const degrees = all.reduce((sum, launches) => sum + launches.length - 1, 0);
    return { variance: all.reduce((sum, launches) => sum + squaresOf(launches), 0) / degrees, degrees };
  });
  return median(perSize.map(({ variance, degrees }) => variance / medianShare(degrees)));
}

/**
 * Returns the log launch medians of all series and size ranges, for those message sizes that every night measured in two launches
 * or more.
 */
function tablesOf(nights: readonly ComparableRun[]): NightTable[] {
  const byKey = new Map<string, Map<string, OkCell>[]>();
  for (const [n, { cells }] of nights.entries()) {
    for (const cell of cells) {
      if (cell.status !== 'ok') continue;
      const { key } = groupOf(cell);
      const table = byKey.get(key) ?? nights.map(() => new Map<string, OkCell>());
      table[n]?.set(cell.id, cell);
      byKey.set(key, table);
    }
  }
  return [...byKey].flatMap(([key, table]) => {
    const first = table[0]?.values().next().value;
    const ids = [...(table[0]?.keys() ?? [])].filter((id) => table.every((night) => night.has(id)));
    if (first === undefined) return [];
    const names = headlinesOf(first.workload, groupOf(first));
    const usable = ids.filter((id) => table.every((night) => launchesOf(night.get(id), names).length > 1));
    if (usable.length === 0) return [];
    const xs = usable.flatMap((id) => table[0]?.get(id) ?? []).map(xValueOf);
    const values = table.map((night) => usable.map((id) => launchesOf(night.get(id), names)));
    return [
      {
        group: { key, title: `${seriesTitle(first)}, ${regimeText[groupOf(first).regime]}` },
        xs: xs.sort((a, b) => a - b),
        nights: values,
      },
    ];
  });
}

/** Returns the log launch medians of the first time in `names` ("latency", "pipelined") that the cell has; empty if it has none. */
function launchesOf(cell: OkCell | undefined, names: readonly string[]): number[] {
  const [first] = names.flatMap((name) => measuredOf(cell, name) ?? []);
  return cell === undefined || first === undefined ? [] : launchValuesOf(cell, first).map(Math.log);
}
