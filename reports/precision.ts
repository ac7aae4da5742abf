// Sentences about the width of intervals, and about adaptive sampling, which measures until intervals are as narrow as requested.
import { outlookOf, widthsOf } from '../results/derive/launches/outlook.ts';
import { intervalZ, sequentialZ } from '../results/derive/statistics/interval.ts';
import {
  allMeasuredFigures,
  type MeasuredFigure,
  type OkCell,
  type RunPlan,
  type SamplingPlan,
  type StopReason,
  stopReasons,
} from '../results/schema/index.ts';
import {
  formatCount,
  formatDuration,
  formatPercent,
  halfWidth,
  percentText,
  plural,
  plusMinusHalf,
} from './wording.ts';

/**
 * Returns the planned number of launches: "3 launches". With adaptive sampling, which may add launches, the range: "3 to 6
 * launches".
 */
export function launchesText(sampling: SamplingPlan): string {
  const count = launchCountText(sampling);
  return `${count} ${count === '1' ? 'launch' : 'launches'}`;
}

/** Returns the planned number of launches without a noun: "4", "4 to 12". */
export function launchCountText({ launches, adaptive }: SamplingPlan): string {
  const most = adaptive?.maxLaunches ?? launches;
  return most > launches ? `${launches} to ${most}` : formatCount(launches);
}

/**
 * Texts that say why the interval of a value is wider than requested. The key is the reason for which sampling of that value
 * stopped. There is one text for a single value and one for several.
 */
const stopWords: Record<StopReason, readonly [one: string, several: string]> = {
  // The value's own launches agreed, so its sampling stopped as precise. Other sizes then showed that launches vary more.
  precise: ['varies between launches, as other sizes show', 'vary between launches, as other sizes show'],
  launches: ['varies between launches', 'vary between launches'],
  budget: ['ran out of time', 'ran out of time'],
  samples: ['hit the sample limit of a launch', 'hit the sample limit of a launch'],
  noise: ['varies within a launch', 'vary within a launch'],
};

/**
 * Returns how many values have intervals as narrow as requested: "precision: 40 of 56 values within ±1 % (12 ran out of time, 4
 * vary between launches)". Empty unless sampling was adaptive and there are measured values.
 */
export function precisionSentence(cells: readonly OkCell[], plan: RunPlan): string {
  const { adaptive } = plan.sampling;
  const figures = cells.flatMap(allMeasuredFigures);
  if (adaptive === undefined || figures.length === 0) return '';
  const isWide = (f: MeasuredFigure) =>
    f.interval === null || halfWidth(f.value, f.interval) > adaptive.precision * 1.001;
  const wide = figures.filter(isWide);
  const reached = figures.length - wide.length;
  const told = `precision: ${reached === 0 ? 'none' : formatCount(reached)} of ${plural(figures.length, 'value')} within ±${formatPercent(adaptive.precision)}`;
  if (wide.length === 0) return told;
  // Sampling of these values stopped as precise, but they have no interval: too few launches, and no other sizes from which the
  // variance is known.
  const isWithout = (f: MeasuredFigure) => f.interval === null && f.stopped === 'precise';
  const without = wide.filter(isWithout).length;
  const reasons = stopReasons.flatMap((reason) => {
    const count = wide.filter((f) => f.stopped === reason && !isWithout(f)).length;
    return count === 0 ? [] : [`${formatCount(count)} ${stopWords[reason][count === 1 ? 0 : 1]}`];
  });
  if (without > 0) reasons.push(`${formatCount(without)} without an interval`);
  return `${told} (${[...reasons, ...interruptedWords(wide)].join(', ')})`;
}

/**
 * Returns how many measured values reached the requested precision, and the median half width of their 95 % intervals: "precision:
 * ...; typical ±0.8 %". A part is left out if it is unknown; '' if both are.
 */
export const briefPrecision = (cells: readonly OkCell[], plan: RunPlan): string =>
  [precisionSentence(cells, plan), typicalWidth(cells, plan)].filter((part) => part !== '').join('; ');

/**
 * Returns the median half width of the 95 % intervals of all measured values: "typical ±0.8 %"; '' for imported runs and if there
 * is no interval.
 */
export function typicalWidth(cells: readonly OkCell[], plan: RunPlan): string {
  const widths = plan.imported === undefined ? widthsOf(cells) : null;
  return widths === null ? '' : `typical ${plusMinusHalf(widths.typical)}`;
}

function interruptedWords(wide: readonly MeasuredFigure[]): string[] {
  const count = wide.filter((f) => f.stopped === undefined).length;
  return count === 0 ? [] : [`${formatCount(count)} interrupted`];
}

/**
 * Returns the half widths of the run's 95 % intervals: "typical interval ±4.2 % (best ±1.1 %, worst ±12 %; 3 of 20 figures without
 * one)". The parentheses are left out if only one figure has an interval. Empty for imported runs and if no figure has an interval.
 */
export function typicalInterval(cells: readonly OkCell[], plan: RunPlan): string {
  const widths = widthsOf(cells);
  if (widths === null || plan.imported !== undefined) return '';
  const { typical, best, worst, figures } = widths;
  const all = cells.flatMap(allMeasuredFigures).length;
  const missing =
    figures === all ? '' : `; ${formatCount(all - figures)} of ${plural(all, 'figure')} without one`;
  const range = figures < 2 ? '' : ` (best ${plusMinusHalf(best)}, worst ${plusMinusHalf(worst)}${missing})`;
  return `typical interval ${plusMinusHalf(typical)}${range}`;
}

/**
 * Returns the half widths of the intervals: "typical interval ±4.2 % (best ±1.1 %, worst ±12 %); ±1 % is out of reach: results vary
 * by 6 % from launch to launch; ...". If a requested precision was not reached, it adds why, and the launches and time that
 * narrower intervals would need, as far as these can be estimated. Empty for imported runs and if no figure has an interval.
 */
export function intervalsSentence(cells: readonly OkCell[], plan: RunPlan): string {
  const typical = typicalInterval(cells, plan);
  return typical === '' ? '' : [typical, ...outlookWords(cells, plan)].join('; ');
}

/**
 * Formats a requested half width of an interval with as few digits as possible: "±1 %". Measured half widths are formatted by
 * plusMinusHalf().
 * @param share half width divided by the value
 */
const around = (share: number): string => `±${percentText(share)}`;

function outlookWords(cells: readonly OkCell[], plan: RunPlan): string[] {
  const outlook = outlookOf(cells, plan);
  if (outlook === null) return [];
  const { wanted, limit, offer } = outlook;
  const why =
    limit.by === 'launches'
      ? `results vary by ${percentText(limit.deviation)} from launch to launch`
      : `the samples of one launch leave ${plusMinusHalf(intervalZ * limit.deviation)}`;
  const isAttainable = offer?.precision === wanted;
  return [
    ...(isAttainable ? [why] : [`${around(wanted)} is out of reach: ${why}`]),
    ...(offer === null
      ? []
      : [
          `${around(offer.precision)} would take about ${plural(offer.launches, 'launch', 'launches')} (${formatDuration(offer.seconds)}): --precision ${Number((offer.precision * 100).toPrecision(3))}% --launches ${offer.launches} --budget ${budgetText(offer.seconds)}`,
        ]),
  ];
}

/**
 * Formats a number of seconds, plus a fifth as reserve, as value of `--budget`. The result is rounded up to 10 s, or to minutes
 * above 90 s, and is at least "10s".
 */
function budgetText(seconds: number): string {
  const cautious = seconds * 1.2;
  return cautious <= 90 ? `${Math.max(10, Math.ceil(cautious / 10) * 10)}s` : `${Math.ceil(cautious / 60)}m`;
}

/**
 * Returns the report's explanation of when adaptive sampling stopped, with a space before it; '' if the numbers of samples were
 * fixed in advance or `plan` is undefined.
 */
export function precisionText(plan: RunPlan | undefined): string {
  const adaptive = plan?.sampling.adaptive;
  if (adaptive === undefined) return '';
  return ` Blocks were measured, launch by launch, until the interval of a configuration was within ±${formatPercent(adaptive.precision)} at two looks that follow one another (samples grow by a quarter between looks), until more samples could not help because launches differ by more or noise within them does not average out, or until the time of the configuration was spent. The interval within a launch is taken at z = ${sequentialZ}, and the one between launches is never narrower than what the samples allow, which compensates for the repeated checks.`;
}
