// Decides if there are enough samples for the tail of a distribution, which the median does not show (Hoefler and Belli, SC 2015,
// rule 8), and explains a missing p95.
import type { MeasuredFigure } from '../../schema/index.ts';

/**
 * Lowest number of samples of a figure from which the 5th and the 95th percentile are computed; `samplesForP99`: from which the
 * 99th is.
 */
export const samplesForP95 = 20;
export const samplesForP99 = 100;

const rangeText = (values: readonly number[]): string =>
  [...new Set([Math.min(...values), Math.max(...values)])].join(' to ');

/**
 * Returns why some figures have no p95 (95th percentile), as a clause for each reason (few samples, samples that are batches,
 * imported figures): "needs 20 samples; 4 of 24 took 9 to 15" says that 4 of 24 figures have only 9 to 15 samples. Empty if all
 * have a p95.
 * @param figures figures of one name, with and without p95
 */
export function missingP95Reasons(figures: readonly MeasuredFigure[]): string[] {
  const missing = figures.filter(({ p95 }) => p95 === null);
  const batched = missing.filter(({ batch }) => batch > 1);
  const few = missing.filter(({ batch, samples }) => batch <= 1 && samples > 0 && samples < samplesForP95);
  const unknown = missing.length - batched.length - few.length;
  const samples = rangeText(few.map((one) => one.samples));
  const batches = rangeText(batched.map((one) => one.batch));
  const of = figures.length;
  return [
    ...(few.length > 0 ? [`needs ${samplesForP95} samples; ${few.length} of ${of} took ${samples}`] : []),
    ...(batched.length > 0
      ? [`needs samples of one operation; ${batched.length} of ${of} took batches of ${batches}`]
      : []),
    ...(unknown > 0 ? [`is not known of imported figures (${unknown} of ${of})`] : []),
  ];
}
