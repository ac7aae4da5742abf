import { moderateVariance, type VariancePrior } from '../derive/statistics/launch-interval.ts';
import { transportRow } from '../schema/index.ts';
import { sumVariances } from './difference.ts';

/** Degrees of freedom of the assumed scatter between runs: alone, and combined with what few runs have shown. */
const assumedDegrees = { alone: 10, beside: 3 };
/** Assumed scatter of an unknown transport; and the smallest assumption, for best-case estimates. */
const scatterOfUnknown = 0.04;
const smallestScatter = 0.01;

/**
 * Scatter of log time that is assumed between runs, or nights, if no earlier run has shown it.
 * @param transport null = the best of all transports
 */
export const defaultRunScatter = (transport: string | null): VariancePrior => {
  const sd = transport === null ? smallestScatter : (transportRow(transport)?.runScatter ?? scatterOfUnknown);
  return { variance: sd ** 2, degrees: assumedDegrees.alone };
};

/** Scatter that runs have shown. If few of them agreed by chance, the assumed scatter widens it but never narrows it. */
export function runScatter(shown: VariancePrior, transport: string | null): VariancePrior {
  const { variance } = defaultRunScatter(transport);
  const both = moderateVariance(shown.variance, shown.degrees, { variance, degrees: assumedDegrees.beside });
  return both.variance > shown.variance ? both : shown;
}

/**
 * Scatter between nights for the gate: the learned scatter, moderated by the assumed one.
 * @param learned null if nothing was learned
 */
export const nightScatter = (learned: VariancePrior | null, transport: string | null): VariancePrior =>
  learned === null ? defaultRunScatter(transport) : runScatter(learned, transport);

/**
 * Scatter of a difference between figures of two nights: of their launches and of both nights.
 * @param own scatter of the difference between launches alone
 * @param night scatter of one night; null if both sides were measured in turns in the same night
 */
export const withNights = (own: VariancePrior, night: VariancePrior | null): VariancePrior =>
  night === null ? own : sumVariances(own, { variance: 2 * night.variance, degrees: night.degrees });

/** Runs closer than this count as the same night, whatever their dates. */
const nightMs = 6 * 3600e3;

interface StartTime {
  /** Start as a date text. */
  startedAt: string;
}

/** The first run of each night, oldest first. */
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

/** Minimum number of nights, with one run each, that show the scatter between nights. */
const minNights = 3;

/** True if the scatter of these runs is that between nights: at least three runs, each in another night. */
export const showNights = (runs: readonly StartTime[]): boolean =>
  runs.length >= minNights && oncePerNight(runs).length === runs.length;

/** One run of each night if there are enough nights; otherwise all runs. */
export function spreadOverNights<T extends StartTime>(runs: readonly T[]): readonly T[] {
  const nights = oncePerNight(runs);
  return nights.length >= minNights ? nights : runs;
}
