import { moderate, type VariancePrior } from '../derive/statistics/launch-interval.ts';
import { added } from './difference.ts';

/** Log time between nights where nothing was learned: 1 %, and little trust in it (stats.md 3.3 assumes as much). */
const assumed: VariancePrior = { variance: 0.01 ** 2, degrees: 10 };
/** What it counts for beside what was learned: two nights that happen to be alike show no more than that. */
const beside: VariancePrior = { ...assumed, degrees: 3 };

/**
 * The scatter between nights that the gate counts with: what was learned, moderated by what is assumed.
 * @param learned null = nothing was learned
 */
export const nightScatter = (learned: VariancePrior | null): VariancePrior =>
  learned === null ? assumed : moderate(learned.variance, learned.degrees, beside);

/**
 * Scatter of a difference between figures of two nights: that of their launches, and that of both nights.
 * @param own of the difference, between launches alone
 * @param night of one night; null where both sides were measured in turns the same night
 */
export const withNights = (own: VariancePrior, night: VariancePrior | null): VariancePrior =>
  night === null ? own : added(own, { variance: 2 * night.variance, degrees: night.degrees });
