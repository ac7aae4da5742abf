import { mean, sampleStandardDeviation } from 'simple-statistics';
import { minHistoryPoints, type SeriesStep } from './changes.ts';
import { logChoose } from './exceedance.ts';

/** Two levels of time between which a series alternates: two states of the machine, whose switches are no changes. */
export interface SeriesModes {
  /** First night in which the series alternates, as an index; `to` is the index after the last one. */
  from: number;
  to: number;
  /** Mean log time (or log ratio) of the faster and of the slower mode. */
  fast: number;
  slow: number;
  /** Number of nights in the slower mode. `switches`: how often the series went from one mode to the other. */
  slowNights: number;
  switches: number;
}

/** Lowest number of nights, and lowest share of all nights, that each mode must have; fewer are single bad nights. */
const [minModeNights, minModeShare] = [3, 0.1];
/** Lowest number of switches between modes: a change and its repair are only two. */
const minSwitches = 4;
/**
 * Lowest number of switches if each level lasts several nights. With fewer, they count as changes: a slowdown and its repair, even
 * four times in a row, give seven or eight.
 */
const minLastingSwitches = 10;
/** Levels count as lasting several nights each if nights in random order would switch so rarely with at most this probability. */
const lastingP = 0.01;

/**
 * Returns the probability that nights in random order, `fast` of one level and `slow` of the other, have at most `stretches`
 * stretches of consecutive nights with equal level. Wald and Wolfowitz, "On a test whether two samples are from the same
 * population", Annals of Mathematical Statistics 11, 1940.
 * @param fast, slow numbers of nights, at least one each
 */
export function stretchesP(stretches: number, fast: number, slow: number): number {
  const all = logChoose(fast + slow, fast);
  const ways = (a: number, b: number): number =>
    a > fast || b > slow ? 0 : Math.exp(logChoose(fast - 1, a - 1) + logChoose(slow - 1, b - 1) - all);
  let p = 0;
  for (let count = 2; count <= stretches; count += 1) {
    const half = Math.floor(count / 2);
    p += count % 2 === 0 ? 2 * ways(half, half) : ways(half, half + 1) + ways(half + 1, half);
  }
  return Math.min(1, p);
}

/**
 * Returns the lowest distance, in standard deviations of the wider mode, at which two levels among this number of nights count as
 * modes. The best split of many nights with normal scatter has the distance 2.7, of evenly spread nights 3.5; with few nights it
 * may be larger by chance.
 */
const minSeparation = (nights: number): number => 5 * (1 + 12 / nights);

const countSwitches = (isSlow: readonly boolean[]): number =>
  isSlow.filter((slow, i) => i > 0 && slow !== isSlow[i - 1]).length;

/**
 * Returns how often nights switch between two levels (`switches`), and whether the levels are modes of the machine (`areModes`):
 * the nights switch four times or more, and either at random or too often to be changes.
 * @param nights log time of each night, oldest first
 * @param middle log time half-way between the levels
 */
function switchesBetween(nights: readonly number[], middle: number): { switches: number; areModes: boolean } {
  const isSlow = nights.map((log) => log > middle);
  const slow = isSlow.filter(Boolean).length;
  const switches = countSwitches(isSlow);
  if (switches < minSwitches) return { switches, areModes: false };
  if (stretchesP(switches + 1, nights.length - slow, slow) > lastingP) return { switches, areModes: true };
  // A single bad night is no level: a night counts with its neighbours if both of these have the other level.
  const lasting = isSlow.map((own, i) => {
    const [before, after] = [isSlow[i - 1] ?? own, isSlow[i + 1] ?? own];
    return before === after ? before : own;
  });
  return { switches, areModes: countSwitches(lasting) >= minLastingSwitches };
}

/**
 * Returns the two modes between which the nights from `from` to before `to` alternate: the division of their values into two parts
 * with the smallest sum of squares. Null if the nights have one level or are too few, or change to the second level and stay there.
 * @param z log times of the nights (or log ratios to the reference build), oldest first
 * @param isAlternating true if changes already showed that the levels return; they may then be closer together
 */
export function modesOf(
  z: readonly number[],
  from: number,
  to: number,
  isAlternating = false,
): SeriesModes | null {
  const sorted = z.slice(from, to).sort((a, b) => a - b);
  const n = sorted.length;
  // Two modes are searched among as many nights as a change needs.
  if (n < minHistoryPoints) return null;
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
  const { switches, areModes } = switchesBetween(z.slice(from, to), (fast + slow) / 2);
  if (!(isAlternating || isApart) || !areModes) return null;
  return { from, to, fast, slow, slowNights: n - at, switches };
}

/** Two levels count as equal if they differ by less than this part of the distance between the two modes. */
const sameLevel = 1 / 3;

/**
 * Returns only those of the `steps` (possible changes found by findChanges()) that are changes. Steps that go back and forth
 * between two levels, four times in a row or more, are switches between two modes of the machine if the nights alternate at random,
 * or if they switch ten times or more between levels that last.
 * @param z log times of the nights (or log ratios to the reference build), oldest first
 */
export function withoutSwitches(z: readonly number[], steps: readonly SeriesStep[]): SeriesStep[] {
  const starts = [0, ...steps.map(({ at }) => at), z.length];
  const levels = starts.slice(1).map((end, i) => mean(z.slice(starts[i], end)));
  /** Mean, by index of the step, of the two levels between which a step and its neighbours alternate; absent for other steps. */
  const middles = new Map<number, number>();
  for (let i = minSwitches - 1; i < steps.length; i += 1) {
    const own = levels.slice(i - minSwitches + 1, i + 2);
    const [even, odd] = [own.filter((_, k) => k % 2 === 0), own.filter((_, k) => k % 2 === 1)];
    const distance = Math.abs(mean(even) - mean(odd));
    const spread = (part: readonly number[]): number => Math.max(...part) - Math.min(...part);
    if (Math.max(spread(even), spread(odd)) > sameLevel * distance) continue;
    for (let k = i - minSwitches + 1; k <= i; k += 1) middles.set(k, (mean(even) + mean(odd)) / 2);
  }
  const isSwitch = steps.map(() => false);
  for (let first = 0; first < steps.length; first += 1) {
    const middle = middles.get(first);
    if (middle === undefined) continue;
    let end = first + 1;
    while (middles.has(end)) end += 1;
    if (switchesBetween(z.slice(starts[first], starts[end + 1]), middle).areModes)
      isSwitch.fill(true, first, end);
    first = end;
  }
  return steps.filter((_, i) => isSwitch[i] !== true);
}

const modesAt = (modes: readonly SeriesModes[], index: number): SeriesModes | undefined =>
  modes.find(({ from, to }) => index >= from && index < to);

const levelIn = ({ fast, slow }: SeriesModes, log: number): number => (log > (fast + slow) / 2 ? slow : fast);

/**
 * Returns the level (log time) of the mode to which a night belongs; null if the series does not alternate in that night.
 * @param index index of the night
 * @param log log time of the night
 */
export function modeLevelAt(modes: readonly SeriesModes[], index: number, log: number): number | null {
  const own = modesAt(modes, index);
  return own === undefined ? null : levelIn(own, log);
}

/**
 * True if a night is in the slower one of two modes; false if it is in the faster one, or if the series does not alternate in that
 * night.
 * @param index index of the night
 * @param log log time of the night
 */
export const isInSlowMode = (modes: readonly SeriesModes[], index: number, log: number): boolean =>
  modesAt(modes, index) !== undefined && modeLevelAt(modes, index, log) === modesAt(modes, index)?.slow;

/**
 * Returns the log times of nights with those of the slower mode moved to the level of the faster one, so that a switch of modes
 * does not appear as a change. All other nights stay unchanged.
 * @param logs log times of the nights
 * @param first index in the series of the first of these nights
 */
export const withoutModes = (logs: readonly number[], modes: readonly SeriesModes[], first = 0): number[] =>
  logs.map((log, i) => {
    const own = modesAt(modes, first + i);
    return own === undefined ? log : log - levelIn(own, log) + own.fast;
  });
