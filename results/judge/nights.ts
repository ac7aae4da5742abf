import { moderateVariance, type VariancePrior } from '../derive/statistics/launch-interval.ts';
import { transportRow } from '../schema/index.ts';
import { sumVariances } from './difference.ts';

/**
 * Degrees of freedom of the scatter between runs that is assumed. `alone`: if no earlier run has shown the scatter; `beside`: if it
 * is combined with the scatter that a few runs show.
 */
const assumedDegrees = { alone: 10, beside: 3 };
/**
 * Standard deviation of log time that is assumed between runs of an unknown transport (0.04 is about 4 %). `smallestScatter` is the
 * smallest of all transports, for best-case estimates.
 */
const scatterOfUnknown = 0.04;
const smallestScatter = 0.01;

/**
 * Returns the variance of log time between runs, or nights, that is assumed if no earlier run has shown it.
 * @param transport null = the transport with the smallest variance; for an unknown name `scatterOfUnknown` is used
 */
export const defaultRunScatter = (transport: string | null): VariancePrior => {
  const sd = transport === null ? smallestScatter : (transportRow(transport)?.runScatter ?? scatterOfUnknown);
  return { variance: sd ** 2, degrees: assumedDegrees.alone };
};

/**
 * Returns the scatter between runs to be used, given the scatter that earlier runs show. A few runs may agree by chance; the
 * assumed scatter can therefore increase the result, but never reduce it.
 * @param shown scatter that earlier runs show
 * @param transport transport whose assumed scatter is combined with `shown`; null = the one with the smallest
 */
export function runScatter(shown: VariancePrior, transport: string | null): VariancePrior {
  const { variance } = defaultRunScatter(transport);
  const both = moderateVariance(shown.variance, shown.degrees, { variance, degrees: assumedDegrees.beside });
  return both.variance > shown.variance ? both : shown;
}

/**
 * Returns the scatter between nights that the gate uses: the scatter learned from earlier nights, combined with the assumed one.
 * @param learned null = there were too few earlier nights; the assumed scatter is then returned alone
 * @param transport null = the transport with the smallest assumed variance
 */
export const nightScatter = (learned: VariancePrior | null, transport: string | null): VariancePrior =>
  learned === null ? defaultRunScatter(transport) : runScatter(learned, transport);

/**
 * Returns the variance of a difference between figures of two nights: that of the launches, plus that of both nights.
 * @param own variance of the difference that launches alone cause
 * @param night variance of one night; null if both sides were measured in turns in the same night
 */
export const withNights = (own: VariancePrior, night: VariancePrior | null): VariancePrior =>
  night === null ? own : sumVariances(own, { variance: 2 * night.variance, degrees: night.degrees });

/** Length of a night in ms: a night is the 6 hours from its first run, even past midnight. A later run begins another night. */
const nightMs = 6 * 3600e3;

interface StartTime {
  /** Start of the run as ISO 8601 text. */
  startedAt: string;
}

/** Returns the first run of each night, oldest first; `runs` may be in any order. A night is the 6 hours from its first run. */
export function oncePerNight<T extends StartTime>(runs: readonly T[]): T[] {
  const msOf = ({ startedAt }: T): number => Date.parse(startedAt);
  const sorted = [...runs].sort((a, b) => msOf(a) - msOf(b));
  const firsts: T[] = [];
  for (const run of sorted) {
    const last = firsts.at(-1);
    if (last === undefined || msOf(run) - msOf(last) >= nightMs) firsts.push(run);
  }
  return firsts;
}

export const areOfOneNight = (runs: readonly StartTime[]): boolean => oncePerNight(runs).length < 2;

/** Lowest number of nights, with one run each, from which the variance of times between nights can be estimated. */
const minNights = 3;

/**
 * True if all runs are of different nights and there are at least three, so that they show how much times differ between nights.
 */
export const showNights = (runs: readonly StartTime[]): boolean =>
  runs.length >= minNights && oncePerNight(runs).length === runs.length;

/** Returns the first run of each night if there are at least `minNights` nights; otherwise all runs. */
export function spreadOverNights<T extends StartTime>(runs: readonly T[]): readonly T[] {
  const nights = oncePerNight(runs);
  return nights.length >= minNights ? nights : runs;
}
