// Comparison of groups of ranks that worked at the same time: the slowest group, and the sum of the rates of all groups.
import { addTo } from '../results/collections.ts';
import type { FigureData, MeasuredFigure } from '../results/schema/index.ts';
import { chartedRow, figureText } from './rows.ts';
import {
  cellAt,
  figureOf,
  groupOfFigure,
  isOk,
  rateOf,
  type Series,
  type SeriesGroup,
  type SeriesRun,
  xsOf,
} from './series.ts';
import { formatPercent, formatRatio, plural } from './wording.ts';

/**
 * Time of one operation in one group of ranks (`name`), at one x value (for example one payload size). The other groups of the run
 * measured at the same time. `ranks` are numbered as in the run.
 */
export interface GroupTime {
  name: string;
  ranks: readonly number[];
  timeNs: number;
  interval: MeasuredFigure['interval'];
}

/**
 * Comparison of groups of ranks that worked at the same time, in one run at one x over one transport. It exists only if all groups
 * have a result. `members`: number of groups.
 */
export interface GroupComparison {
  run: SeriesRun;
  transport: string;
  x: number;
  members: number;
  slowest: GroupTime;
  fastest: GroupTime;
  /** Time of the slowest group divided by the time of the fastest group. */
  ratio: number;
  /** True if the slowest group's 95 % interval is above the intervals of all other groups. False if any group has no interval. */
  standsOut: boolean;
  /**
   * Sum of the workload's main rate (such as bus bandwidth) over all groups, in the unit that its description `of` has; null if the
   * workload has no such rate. A group whose rate is unknown counts as 0.
   */
  together: { of: FigureData; value: number } | null;
  /**
   * Smallest share, 0 to 1, of a group's time in which it ran at the same time as all other groups; a group whose share is not
   * recorded counts as 0.
   */
  overlap: number;
}

/**
 * Returns the comparisons of groups of ranks at each x, in order of runs and transports, then x. An x at which any group has no
 * result is left out. Empty if no run divides its ranks into groups.
 */
export function sideBySideOf(group: SeriesGroup): GroupComparison[] {
  const families = new Map<string, Series[]>();
  for (const one of group.series) {
    if (one.member === null) continue;
    const key = `${one.run.id}/${one.transport}`;
    addTo(families, key, one);
  }
  return [...families.values()].flatMap((family) =>
    xsOf(family).flatMap((x) => sideBySideAt(family, x, group) ?? []),
  );
}

function sideBySideAt(family: readonly Series[], x: number, group: SeriesGroup): GroupComparison | null {
  const charted = chartedRow(group.row);
  const there = family.flatMap((one) => {
    const cell = cellAt(one, x);
    const found = figureOf(cell, group);
    if (one.member === null || found === null || !isOk(cell)) return [];
    const { value: timeNs, interval } = found;
    const rate = charted === undefined ? null : rateOf(cell, groupOfFigure(group, charted), charted.name);
    return [{ ...one.member, timeNs, interval, rate, overlap: cell.overlap ?? 0 }];
  });
  const order = [...there].sort((a, b) => b.timeNs - a.timeNs);
  const [slowest, second] = order;
  const fastest = order.at(-1);
  const [first] = family;
  if (first === undefined || slowest === undefined || fastest === undefined || there.length < family.length)
    return null;
  const { interval } = slowest;
  const others = order.slice(1);
  return {
    run: first.run,
    transport: first.transport,
    x,
    members: there.length,
    slowest,
    fastest,
    ratio: slowest.timeNs / fastest.timeNs,
    standsOut:
      second !== undefined &&
      interval !== null &&
      others.every((one) => one.interval !== null && one.interval.high < interval.low),
    together:
      charted === undefined
        ? null
        : { of: charted, value: there.reduce((sum, one) => sum + (one.rate ?? 0), 0) },
    overlap: Math.min(...there.map(({ overlap }) => overlap)),
  };
}

/**
 * Returns one sentence per operation, run and transport, without a full stop, about the groups of ranks (`--groups`): the slowest
 * group and its time compared with the fastest, the sum of all rates at the largest x, and the smallest share of the time in which
 * all groups measured. Empty if no run divides its ranks into groups.
 * @param groups groups of series, one for each operation
 */
export function sideBySideSentences(groups: readonly SeriesGroup[]): string[] {
  return groups.flatMap((group) => {
    const all = sideBySideOf(group);
    const families = new Map<string, GroupComparison[]>();
    for (const one of all) {
      const key = `${one.run.id}/${one.transport}`;
      addTo(families, key, one);
    }
    const title = groups.length > 1 ? `${group.title}: ` : '';
    return [...families.values()].map((all) => title + sentenceOf(all, group));
  });
}

function sentenceOf(all: readonly GroupComparison[], group: SeriesGroup): string {
  const last = all.at(-1);
  if (last === undefined) return '';
  const { transport, members, together, x } = last;
  const overlap = Math.min(...all.map((one) => one.overlap));
  const sum =
    together === null
      ? []
      : [
          `together ${figureText(together.of.unit, together.value)} of ${together.of.title} at ${group.x.text(x)}, the sum of all groups`,
        ];
  return [
    `${plural(members, 'group')} at the same time over ${transport}: ${slowestOf(all, last, group)}`,
    ...sum,
    `side by side at least ${formatPercent(overlap)} of the time`,
  ].join('; ');
}

/**
 * Returns a text about the slowest group of ranks: the one whose interval lies above those of all other groups at the largest
 * number of sizes (x). If no interval lies above all others at any size, the text says so and names the slowest group at the
 * largest size.
 */
function slowestOf(
  all: readonly GroupComparison[],
  largest: GroupComparison,
  { x: axis }: SeriesGroup,
): string {
  const certain = all.filter(({ standsOut }) => standsOut);
  const times = new Map<string, GroupComparison[]>();
  for (const one of certain) addTo(times, one.slowest.name, one);
  const [name, mine] = [...times].sort((a, b) => b[1].length - a[1].length)[0] ?? [];
  const last = mine?.at(-1);
  if (name === undefined || mine === undefined || last === undefined) {
    const { slowest, fastest, x } = largest;
    return slowest.name === fastest.name
      ? `${slowest.name} alone`
      : `no group is slowest beyond its interval at any ${axis.noun} (at ${axis.text(x)} ${slowest.name} comes last)`;
  }
  const where =
    mine.length === all.length ? `every ${axis.noun}` : `${mine.length} of ${plural(all.length, axis.noun)}`;
  return `${name} (ranks ${last.slowest.ranks.join(', ')}) is slowest at ${where}, ${formatRatio(last.ratio)} the time of ${last.fastest.name} at ${axis.text(last.x)}`;
}

/** True if the run divides its ranks into groups and any group has a result; tables and legends then name the groups. */
export const hasMembers = (group: SeriesGroup): boolean =>
  group.series.some((one) => one.member !== null && one.slots.some(({ cell }) => isOk(cell)));
