// Operations measured with a concurrent load (`--beside`): how much operation and load slow each other, compared with the series of
// the same run without load.
import { type LoadOverlap, loadOverlap, type OverlapEstimate } from '../results/derive/index.ts';
import { engineRow, loadKinds, loadOf, parseSeriesName, seriesNameText } from '../results/schema/index.ts';
import { cellAt, isOk, type Series, type SeriesGroup, xsOf } from './series.ts';
import { formatPercent, formatRatio, formatTime, plural } from './wording.ts';

/**
 * How an operation and a concurrent load slow each other down, in one series (the one with the load) at one x. `found` has the
 * times with and without the load, the slowdown, the share of its speed that the load keeps, and the overlap.
 */
export interface OverlapPoint {
  series: Series;
  x: number;
  /** Number of threads of all ranks together that carry out the load; 0 if it is not recorded. */
  workers: number;
  found: LoadOverlap;
}

/**
 * Returns how much operation and load slow each other for each series with a concurrent load (`--beside`), in order of series, then
 * x. The reference is the same series without load; a series is left out if the run did not measure that. An x is left out unless
 * both series have a result there, and the progress of the load was recorded.
 */
export function overlapPoints(group: SeriesGroup): OverlapPoint[] {
  return group.series.flatMap((series) => {
    const parts = parseSeriesName(series.transport);
    if (parts.load === null) return [];
    const name = seriesNameText({ ...parts, load: null });
    const quiet = group.series.find(
      (one) => one.run === series.run && one.member === series.member && one.transport === name,
    );
    if (quiet === undefined) return [];
    return xsOf([series]).flatMap((x) => {
      const [before, after] = [cellAt(quiet, x), cellAt(series, x)];
      if (!isOk(before) || !isOk(after)) return [];
      const found = loadOverlap(before, after);
      return found === null ? [] : [{ series, x, workers: after.beside?.workers ?? 0, found }];
    });
  });
}

/**
 * Returns an estimate, such as a slowdown, with the ends of its 95 % interval: "2.1x (1.9x to 2.3x)". Without an interval, only the
 * value.
 * @param text formats the value and the ends of the interval
 */
const withEnds = ({ value, interval }: OverlapEstimate, text: (value: number) => string): string =>
  interval === null ? text(value) : `${text(value)} (${text(interval.low)} to ${text(interval.high)})`;

/**
 * Returns the kind and amount of the load: on CPUs the threads of all ranks together, "memory copies (2 threads)"; on GPUs the
 * amount per GPU, "computations (16 SMs each)", if one was requested. "" if the load is unknown.
 */
function loadText({ series, workers }: OverlapPoint): string {
  const load = loadOf(parseSeriesName(series.transport).load ?? '');
  if (load === null) return '';
  const { title, amount } = loadKinds[load.name];
  if (!engineRow(series.run.plan).onDevice) return `${title} (${plural(workers, 'thread')})`;
  return load.amount === null ? title : `${title} (${load.amount} ${amount.gpu} each)`;
}

export const slowdownText = ({ slowdown }: LoadOverlap): string => withEnds(slowdown, formatRatio);
export const keptText = ({ kept }: LoadOverlap): string => withEnds(kept, formatPercent);
export const overlapText = ({ overlap }: LoadOverlap): string =>
  withEnds(overlap, (share) => `${share < 0 ? '-' : ''}${formatPercent(share)}`);

/**
 * Returns one sentence per series with a concurrent load (`--beside`): at the largest x, how many times as long the operation
 * takes in the mean, which share of its speed the load keeps, and their overlap. Without full stops. A series that overlapPoints()
 * leaves out has no sentence.
 */
export function overlapSentences(groups: readonly SeriesGroup[]): string[] {
  return groups.flatMap((group) => {
    const all = overlapPoints(group);
    const title = groups.length > 1 ? `${group.title}, ` : '';
    return [...new Set(all.map(({ series }) => series))].flatMap((series) => {
      const last = all.filter((one) => one.series === series).at(-1);
      if (last === undefined) return [];
      const { found, x } = last;
      const how = found.trial === 'pipelined' ? 'back to back' : 'isolated';
      const times = `${formatTime(found.quietNs)} to ${formatTime(found.besideNs)}`;
      return [
        `${title}${series.name} at ${group.x.text(x)}, beside ${loadText(last)}: ${slowdownText(found)} its quiet mean time ${how}, ${times}; the load keeps ${keptText(found)} of its speed; overlap ${overlapText(found)}`,
      ];
    });
  });
}

/**
 * Returns the speed at which a concurrent load did its work, with three significant digits: "42.1 Gflop/s".
 * @param value speed in the unit `load.unit`
 */
export const loadRate = (value: number, { load }: LoadOverlap): string =>
  `${Number(value.toPrecision(3))} ${load.unit}`;
