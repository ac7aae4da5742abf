import { addTo } from '../results/collections.ts';
import { isOtherChoice } from '../results/derive/index.ts';
import {
  appliesFixedChoice,
  type CellRecord,
  engineRow,
  type FigureData,
  fixedText,
  headlineNames,
  type MeasuredFigure,
  measuredOf,
  parseSeriesName,
} from '../results/schema/index.ts';
import { cellAt, nameWith, type Series, type SeriesGroup, xsOf } from './series.ts';
import { logHalf } from './series-comparison.ts';
import { formatTime, joinWords, plusMinusLog } from './wording.ts';

/**
 * The fastest algorithm and protocol at one message size, and all others whose intervals overlap with the fastest one's. `timeNs`
 * and `interval` are those of the fastest one. Without an interval only the one with the lowest time is named.
 */
export interface FastestChoice {
  /** Names of algorithm and protocol, the fastest first; several names mean that the measurement cannot tell which is faster. */
  names: string[];
  timeNs: number;
  interval: MeasuredFigure['interval'];
}

export interface FastestRow {
  x: number;
  /**
   * The fastest algorithm and protocol by each main measured time; the key is its name, such as "latency". Null if no series
   * measured that time at this x. Series are left out where the library used another algorithm or protocol than was fixed.
   */
  by: Readonly<Record<string, FastestChoice | null>>;
}

/**
 * The results of one transport that was measured with several algorithms, protocols or kernel settings in one group of series.
 * `choices` is the number of these combinations, the library's own choice included if it was measured. Runs, loads, skews and
 * groups of ranks have a sweep each.
 */
export interface AlgorithmSweep {
  group: SeriesGroup;
  /**
   * Name of the transport, with load and skew: "socket". Group of ranks, run and rank count are added as in names of series:
   * "7f3a2c socket".
   */
  name: string;
  choices: number;
  /** The main measured times, such as latency, for which a fastest algorithm is known at some x; never empty. */
  sides: FigureData[];
  rows: FastestRow[];
}

export function sweepsOf(group: SeriesGroup): AlgorithmSweep[] {
  const families = new Map<string, Series[]>();
  for (const series of group.series) {
    const { transport, load, skew } = parseSeriesName(series.transport);
    const key = `${series.run.id}/${transport}/${load ?? ''}/${skew ?? ''}/${series.member?.name ?? ''}`;
    addTo(families, key, series);
  }
  return [...families.values()].flatMap((family) => {
    const first = family[0];
    if (first === undefined || family.length < 2) return [];
    if (family.every((series) => choiceText(series) === '')) return [];
    const names = headlineNames(group.row);
    const rows = xsOf(family).flatMap((x): FastestRow[] => {
      const by = Object.fromEntries(names.map((figure) => [figure, bestAt(family, x, figure)]));
      return names.every((figure) => by[figure] === null) ? [] : [{ x, by }];
    });
    const sides = group.row.figures.filter(({ name }) => rows.some(({ by }) => by[name] != null));
    const name = nameWith(first, { choice: [], settings: {} });
    return rows.length === 0 ? [] : [{ group, name, choices: family.length, sides, rows }];
  });
}

/** Returns algorithm, protocol and kernel settings that the run fixed for a series: "ring/LL"; '' if it fixed none. */
const choiceText = ({ transport }: Series): string =>
  fixedText({ ...parseSeriesName(transport), load: null, skew: null });

/**
 * Returns how a series is named that was measured without a fixed algorithm or protocol: "NCCL's choice", or "default" if the
 * engine uses no library.
 */
function unasked({ run }: Series): string {
  const { library, title } = engineRow(run.plan);
  return library === null ? 'default' : `${title}'s choice`;
}

/**
 * True if the engine used another algorithm or protocol than the run had fixed, so that the name of the series is wrong.
 * Composite workloads are not checked: they apply the fixed choice only to operations that support it. False for failed
 * configurations.
 */
function isNamedWrong({ run, transport: name }: Series, cell: CellRecord): boolean {
  const transport = run.plan.transports.find((one) => one.name === name);
  if (transport === undefined || cell.status !== 'ok' || !appliesFixedChoice(cell.workload)) return false;
  return isOtherChoice(transport, cell.choice);
}

function bestAt(family: readonly Series[], x: number, figure: string): FastestChoice | null {
  const measured = family
    .flatMap((series) => {
      const cell = cellAt(series, x);
      const found = cell === null || isNamedWrong(series, cell) ? null : measuredOf(cell, figure);
      const name = choiceText(series) || unasked(series);
      return found === null ? [] : [{ name, timeNs: found.value, interval: found.interval }];
    })
    .sort((a, b) => a.timeNs - b.timeNs);
  const fastest = measured[0];
  if (fastest === undefined) return null;
  const { timeNs, interval } = fastest;
  // Without intervals no tie can be shown; the text then says "no interval".
  const tied = measured.filter(
    (m) => m === fastest || (interval !== null && m.interval !== null && m.interval.low <= interval.high),
  );
  return { names: tied.map((m) => m.name), timeNs, interval };
}

/**
 * A range of consecutive x (message sizes), both ends included, at which the same algorithms and protocols have the lowest
 * measured time. An x without results does not end a range.
 */
export interface FastestRange {
  first: number;
  last: number;
  /** The fastest algorithm and protocol at each x of the range that has a result, in ascending x; never empty. */
  best: FastestChoice[];
}

export function fastestRanges(rows: readonly FastestRow[], side: string): FastestRange[] {
  const stretches: FastestRange[] = [];
  const winners = (best: FastestChoice | undefined) => JSON.stringify(best?.names.toSorted());
  for (const { x, by } of rows) {
    const best = by[side] ?? null;
    if (best === null) continue;
    const before = stretches.at(-1);
    if (before === undefined || winners(before.best[0]) !== winners(best)) {
      stretches.push({ first: x, last: x, best: [best] });
    } else {
      before.last = x;
      before.best.push(best);
    }
  }
  return stretches;
}

/** Returns the names of the fastest algorithm and protocol: "ring/LL", "tie: ring/LL, tree/LL" or "ring/LL (no interval)". */
export function winnersText({ names, interval }: FastestChoice): string {
  if (names.length > 1) return `tie: ${names.join(', ')}`;
  return `${names[0] ?? ''}${interval === null ? ' (no interval)' : ''}`;
}

/**
 * Returns the time of the fastest algorithm: "5.90 µs ±0.8 %". For several sizes it is the times at the first and the last of
 * them (one time if both print alike), with the widest interval of all: "5.90 µs to 6.60 µs ±1.1 %". No interval is written if one
 * is missing; '-' if `best` is empty.
 * @param best fastest algorithms of consecutive message sizes, in order
 */
export function fastestTimeText(best: readonly FastestChoice[]): string {
  const [first, last] = [best[0], best.at(-1)];
  if (first === undefined || last === undefined) return '-';
  const halves = best.map((b) => logHalf(b.interval)).filter((h) => h !== null);
  const spread = halves.length < best.length ? '' : ` ${plusMinusLog(Math.max(...halves))}`;
  const [low, high] = [formatTime(first.timeNs), formatTime(last.timeNs)];
  return best.length === 1 || low === high ? `${low}${spread}` : `${low} to ${high}${spread}`;
}

/** Returns a range of message sizes (or other x values) as text for terminals: "8", "8 to 4K". */
export function rangeOfSizesText({ x }: SeriesGroup, { first, last }: FastestRange): string {
  return first === last ? x.short(first) : `${x.short(first)} to ${x.short(last)}`;
}

/**
 * Returns which algorithm is the fastest in which range of sizes, by the workload's first main time that was measured: "fastest
 * over socket by latency: ring/LL (8 to 4K) and tie: ring/LL, tree/LL (8K to 1G)". Each run, transport, load and group that was
 * measured with several choices gets one sentence without a full stop. With several groups of series, the group's title is the
 * prefix.
 */
export function fastestChoiceSentences(groups: readonly SeriesGroup[]): string[] {
  return groups.flatMap((group) =>
    sweepsOf(group).map(({ name, rows, sides: [side] }) => {
      const parts = fastestRanges(rows, side?.name ?? '').map(
        (stretch) =>
          `${stretch.best[0] === undefined ? '' : winnersText(stretch.best[0])} (${rangeOfSizesText(group, stretch)})`,
      );
      const title = groups.length > 1 ? `${group.title}: ` : '';
      return `${title}fastest over ${name} by ${side?.title}: ${joinWords(parts)}`;
    }),
  );
}
