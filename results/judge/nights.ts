import { moderateVariance, type VariancePrior } from '../derive/statistics/launch-interval.ts';
import { transportRow } from '../schema/index.ts';
import { sumVariances } from './difference.ts';

/** Degrees with which the assumed scatter between runs counts: by itself, and beside what few runs have shown. */
const assumedDegrees = { alone: 10, beside: 3 };
/** Assumed of a transport that no table knows, and where the best case is asked for. */
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

/** The scatter that runs showed, or more if few of them happened to be alike: the assumed scatter can only widen it. */
export function runScatter(shown: VariancePrior, transport: string | null): VariancePrior {
  const { variance } = defaultRunScatter(transport);
  const both = moderateVariance(shown.variance, shown.degrees, { variance, degrees: assumedDegrees.beside });
  return both.variance > shown.variance ? both : shown;
}

/**
 * The scatter between nights that the gate counts with: what was learned, moderated by what is assumed.
 * @param learned null = nothing was learned
 */
export const nightScatter = (learned: VariancePrior | null, transport: string | null): VariancePrior =>
  learned === null ? defaultRunScatter(transport) : runScatter(learned, transport);

/**
 * Scatter of a difference between figures of two nights: that of their launches, and that of both nights.
 * @param own of the difference, between launches alone
 * @param night of one night; null where both sides were measured in turns the same night
 */
export const withNights = (own: VariancePrior, night: VariancePrior | null): VariancePrior =>
  night === null ? own : sumVariances(own, { variance: 2 * night.variance, degrees: night.degrees });

/** Runs closer together are of one night, whatever the calendar says. */
const nightMs = 6 * 3600e3;

interface StartTime {
  /** As a date reads it. */
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

/** Fewest nights that say how nights differ, one run of each. */
const minNights = 3;

/** Whether the scatter of these runs is that between nights: several, and one run of each. */
export const showNights = (runs: readonly StartTime[]): boolean =>
  runs.length >= minNights && oncePerNight(runs).length === runs.length;

/** One run of each night if there are enough nights, else all of them. */
export function spreadOverNights<T extends StartTime>(runs: readonly T[]): readonly T[] {
  const nights = oncePerNight(runs);
  return nights.length >= minNights ? nights : runs;
}
