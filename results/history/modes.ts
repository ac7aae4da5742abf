import { mean, sampleStandardDeviation } from 'simple-statistics';
import { changeRules, type SeriesStep } from './changes.ts';

/** Two levels of time between which a series alternates: two states of the machine, and no changes. */
export interface SeriesModes {
  /** Nights of the series that alternate: indices from `from` to before `to`. */
  from: number;
  to: number;
  /** Mean log time (or log ratio) of the faster and of the slower mode. */
  fast: number;
  slow: number;
  /** Number of nights in the slower mode; `switches`: how often the series went from one mode to the other. */
  slowNights: number;
  switches: number;
}

/** Lowest number of nights in which modes are searched: as many as a change needs. */
const minNights = changeRules.left + changeRules.scan.right;
/** Lowest number, and lowest share, of the nights in a mode; fewer are single bad nights. */
const [minModeNights, minModeShare] = [3, 0.1];
/** Lowest number of switches: a step and its repair are two changes. */
const minSwitches = 4;
/**
 * Lowest distance of the modes in standard deviations within the wider mode. The best split of many nights with normal scatter has 2.7,
 * of evenly spread ones 3.5; of few nights by chance more.
 */
const minSeparation = (nights: number): number => 5 * (1 + 12 / nights);

/**
 * Returns the two modes between which the nights from `from` to before `to` alternate, by the split into two parts with the
 * smallest sum of squares. Null if the nights have one level, or stay at the second one.
 * @param isAlternating true if changes already showed that the levels return
 */
export function modesOf(
  z: readonly number[],
  from: number,
  to: number,
  isAlternating = false,
): SeriesModes | null {
  const sorted = z.slice(from, to).sort((a, b) => a - b);
  const n = sorted.length;
  if (n < minNights) return null;
  const fewest = Math.max(minModeNights, Math.ceil(minModeShare * n));
  const total = sorted.reduce((sum, value) => sum + value, 0);
  let [best, at, sum] = [Number.NEGATIVE_INFINITY, 0, 0];
  for (let k = 1; k <= n - fewest; k += 1) {
    sum += sorted[k - 1] as number;
    if (k < fewest) continue;
    const explained = (total - sum) ** 2 / (n - k) + sum ** 2 / k;
    if (explained > best) [best, at] = [explained, k];
  }
  const [fast, slow] = [mean(sorted.slice(0, at)), mean(sorted.slice(at))];
  const scatter = Math.max(...[sorted.slice(0, at), sorted.slice(at)].map(sampleStandardDeviation));
  const isApart = slow - fast >= minSeparation(n) * scatter;
  const middle = (fast + slow) / 2;
  let switches = 0;
  for (let i = from + 1; i < to; i += 1)
    if ((z[i] as number) > middle !== (z[i - 1] as number) > middle) switches += 1;
  if (!(isAlternating || isApart) || switches < minSwitches) return null;
  return { from, to, fast, slow, slowNights: n - at, switches };
}

/** Two levels are the same if they differ by less than this part of the step between the two modes. */
const sameLevel = 1 / 3;

/**
 * Returns the steps that are changes. Steps that go back and forth between the same two levels, four times in a row or more, are
 * switches between two modes of the machine.
 */
export function withoutSwitches(z: readonly number[], steps: readonly SeriesStep[]): SeriesStep[] {
  const starts = [0, ...steps.map(({ at }) => at), z.length];
  const levels = starts.slice(1).map((end, i) => mean(z.slice(starts[i], end)));
  const isSwitch = steps.map(() => false);
  for (let i = minSwitches - 1; i < steps.length; i += 1) {
    const own = levels.slice(i - minSwitches + 1, i + 2);
    const [even, odd] = [own.filter((_, k) => k % 2 === 0), own.filter((_, k) => k % 2 === 1)];
    const distance = Math.abs(mean(even) - mean(odd));
    const spread = (part: readonly number[]): number => Math.max(...part) - Math.min(...part);
    if (Math.max(spread(even), spread(odd)) > sameLevel * distance) continue;
    isSwitch.fill(true, i - minSwitches + 1, i + 1);
  }
  return steps.filter((_, i) => isSwitch[i] !== true);
}

const modesAt = (modes: readonly SeriesModes[], index: number): SeriesModes | undefined =>
  modes.find(({ from, to }) => index >= from && index < to);

const levelIn = ({ fast, slow }: SeriesModes, log: number): number => (log > (fast + slow) / 2 ? slow : fast);

/** Returns the level of the mode to which a night belongs; null if the series has one level there. */
export function modeLevelAt(modes: readonly SeriesModes[], index: number, log: number): number | null {
  const own = modesAt(modes, index);
  return own === undefined ? null : levelIn(own, log);
}

/**
 * Returns the log values of nights without the difference of the modes: nights of the slower one are moved to the faster one, so
 * that a switch is no change. @param first index of the first of these nights in the series
 */
export const withoutModes = (logs: readonly number[], modes: readonly SeriesModes[], first = 0): number[] =>
  logs.map((log, i) => {
    const own = modesAt(modes, first + i);
    return own === undefined ? log : log - levelIn(own, log) + own.fast;
  });
