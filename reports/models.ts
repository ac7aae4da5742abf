import { addTo } from '../results/collections.ts';
import { switchReductionOf } from '../results/derive/cells/choices.ts';
import { contradictions, type ModelContradiction } from '../results/models/contradictions.ts';
import { type SizePoint, sizePoints } from '../results/models/points.ts';
import {
  type FittedModel,
  type ModelEstimate,
  type SeriesModel,
  seriesModel,
  worstResidual,
} from '../results/models/series-model.ts';
import { derivedOf, type FigureData } from '../results/schema/index.ts';
import { type CeilingLine, ceilingsOfSeries } from './ceiling.ts';
import { chartedRow, derivedRows } from './rows.ts';
import { figureOf, groupOfFigure, isOk, rateOf, type Series, type SeriesGroup } from './series.ts';
import {
  formatBandwidth,
  formatPercent,
  formatRatio,
  formatTime,
  joinWords,
  plural,
  plusMinusLog,
  shortTransport,
} from './wording.ts';

/**
 * A series with the model of time over message size that was fitted to its measured times (`points`), or with the reason why no
 * model fits (`model.status` is `none`). Texts must say of a value of the model that it is modelled.
 */
export interface SeriesWithModel {
  group: SeriesGroup;
  series: Series;
  points: readonly SizePoint[];
  model: SeriesModel;
  /**
   * The upper limit of bandwidth with which the model's saturation bandwidth is compared: that of the link, or if it is unknown
   * that of the copies of an emulated adapter; null if neither is known.
   */
  ceiling: CeilingLine | null;
}

/** Returns the times of a series over message size, as models need them. */
export const sizePointsOf = ({ figure }: SeriesGroup, { slots }: Series) =>
  sizePoints(
    slots.flatMap(({ cell }) => cell ?? []),
    figure,
  );

/** Cache of the results of modelsOf(); charts, tables and sentences use the same fitted models. */
const known = new WeakMap<SeriesGroup, SeriesWithModel[]>();

/**
 * Returns a model T = α + βS (time T of a message of S bytes) for each series with at least four sizes, or the reason why no model
 * fits. Empty for a merged group, and if bandwidthRow() finds no bandwidth.
 */
export function modelsOf(group: SeriesGroup): SeriesWithModel[] {
  const before = known.get(group);
  if (before !== undefined) return before;
  const found =
    bandwidthRow(group) === undefined || group.isMerged === true
      ? []
      : group.series.flatMap((series): SeriesWithModel[] => {
          const points = sizePointsOf(group, series);
          if (points.length < 4) return [];
          const busFactor = factorOf(group, series, bandwidthRow(group)?.name);
          const ceiling = ceilingsOfSeries(series)[0] ?? null;
          return [{ group, series, points, model: seriesModel(points, busFactor), ceiling }];
        });
  known.set(group, found);
  return found;
}

/**
 * Returns name and unit of the workload's main rate, if a model T = α + βS (time of a message of S bytes) can describe it: the
 * measured bandwidth approaches 1/β for long messages. Undefined if the group's x is not bytes, or if its workload has no main rate
 * in GB/s; such groups get no model.
 */
export function bandwidthRow({ row, x }: SeriesGroup): FigureData | undefined {
  const charted = chartedRow(row);
  return x.unit === 'B' && charted?.unit === 'GB/s' ? charted : undefined;
}

/**
 * Returns the factor by which a bandwidth differs from message size / time; for bus bandwidth that of the collective, such as
 * 2(n-1)/n for n ranks. It is taken from the first measured configuration of the series; 1 if unknown.
 * @param name name of the bandwidth; undefined = none
 */
export function factorOf({ figure }: SeriesGroup, { slots }: Series, name: string | undefined): number {
  const cell = slots.map((slot) => slot.cell).find(isOk);
  return cell === undefined || name === undefined ? 1 : (derivedOf(cell, name, figure)?.factor ?? 1);
}

/**
 * Formats a parameter of a model with half its 95 % interval, if it has one: "4.71 µs ±0.4 %".
 * @param write formats a value of this parameter
 */
export function estimateText(estimate: ModelEstimate, write: (value: number) => string): string {
  const { value, interval } = estimate;
  if (interval === null) return write(value);
  return `${write(value)} ${plusMinusLog(Math.log(interval.high / interval.low) / 2)}`;
}

/**
 * Returns the model's saturation bandwidth as a share of the upper limit (`ceiling`) that link or copies set: "86 % of PCIe gen 3
 * x8: 7.88 GB/s". Empty if no model fits, or if that limit or the saturation is unknown.
 */
function ceilingText({ model, ceiling }: SeriesWithModel): string {
  if (ceiling === null || model.status === 'none' || model.saturation === null) return '';
  return `${formatPercent(model.saturation.busGBps.value / ceiling.busGBps)} of ${ceiling.text}`;
}

/**
 * Returns the number of line segments of a model and its largest error, as a share of the measured time: "3 lines, off by 2.1 % at
 * most".
 */
function fitText({ segments, largestResidual }: FittedModel): string {
  return `${plural(segments.length, 'line')}, off by ${formatPercent(largestResidual.share)} at most`;
}

/** Returns why no model of time over size fits a series: "the fit misses 16 KiB by 22 % (limit 10 %)", or another reason. */
export function reasonText(model: Exclude<SeriesModel, FittedModel>, { x }: SeriesGroup): string {
  const { reason, largestResidual: miss } = model;
  if (miss === null) return reason;
  return `the fit misses ${x.text(miss.bytes)} by ${formatPercent(miss.share)} (limit ${formatPercent(worstResidual)})`;
}

/**
 * Returns one sentence about the model of each series that has at least four sizes, without a full stop: latency, saturation and
 * error, or why no model fits. It begins with "model of" or "no model of". In order of `modelsOf()` of each group.
 */
export function modelSentences(groups: readonly SeriesGroup[]): string[] {
  return groups.flatMap((group) =>
    modelsOf(group).map((modelled) => {
      const { series, model } = modelled;
      const title = groups.length > 1 ? `${group.title} over ` : '';
      const emulated = series.medium === 'emulated' ? ' (emulated)' : '';
      const what = `model of ${title}${series.name}${emulated}`;
      if (model.status === 'none') return `no ${what}: ${reasonText(model, group)}`;
      const ceiling = ceilingText(modelled);
      const saturation =
        model.saturation === null
          ? `no saturation (${model.saturationReason})`
          : `saturation at ${estimateText(model.saturation.busGBps, formatBandwidth)}${ceiling === '' ? '' : ` (${ceiling})`}, half of it from ${estimateText(model.saturation.halfBytes, group.x.about)}`;
      const latency = estimateText(model.latencyNs, formatTime);
      return `${what}: latency ${latency}, ${saturation}; ${fitText(model)}`;
    }),
  );
}

/**
 * A contradiction that points to a wrong measurement, a disturbance or a bad choice of algorithm: a message takes longer than a
 * larger one, an operation longer than others that do the same together, in place longer than out of place, or a bandwidth exceeds
 * that of the link. `kind`: its name in a few words; `why`: a text with the values. `xs`: the message sizes at which it occurs in
 * the series.
 */
export interface ModelFinding {
  series: Series;
  group: SeriesGroup;
  kind: string;
  why: string;
  xs: number[];
}

export function modelFindings(groups: readonly SeriesGroup[]): ModelFinding[] {
  const places = new Map<string, { group: SeriesGroup; series: Series }[]>();
  for (const group of groups)
    for (const series of group.series) {
      const key = `${series.key}/${group.figure}`;
      addTo(places, key, { group, series });
    }
  return [...places.values()].flatMap((place) => {
    const measured = place.map(({ group, series }) => {
      const axes = series.slots.find(({ cell }) => cell !== null)?.cell?.axes ?? {};
      return { what: group.what, axes, points: sizePointsOf(group, series) };
    });
    const found = contradictions(measured).flatMap((contradiction): ModelFinding[] => {
      const at = place[measured.findIndex(({ points }) => points === contradiction.series.points)];
      return at === undefined ? [] : [{ ...at, ...contradictionWords(contradiction, at.group) }];
    });
    return [...found, ...place.flatMap(({ group, series }) => aboveLink(group, series))];
  });
}

function contradictionWords(
  { kind, parts, at }: ModelContradiction,
  { x }: SeriesGroup,
): Pick<ModelFinding, 'kind' | 'why' | 'xs'> {
  const xs = at.map(({ bytes }) => bytes);
  const worst = at.reduce((a, b) => (b.timeNs / b.otherNs > a.timeNs / a.otherNs ? b : a));
  const [time, other] = [formatTime(worst.timeNs), formatTime(worst.otherNs)];
  const ratio = formatRatio(worst.timeNs / worst.otherNs);
  const where = at.length > 1 ? `; most at ${x.text(worst.bytes)}` : '';
  const words = {
    dip: {
      kind: 'dip',
      why: `takes ${time} where ${x.text(worst.otherBytes)} takes ${other}${where}: a badly placed switch of algorithm or protocol, or a disturbance`,
    },
    parts: {
      kind: 'slower than its parts',
      why: `takes ${ratio} of what ${joinWords(parts)} ${parts.length > 1 ? 'take together' : 'takes'} (${time} against ${other})${where}`,
    },
    'in-place': {
      kind: 'slower in place',
      why: `takes ${ratio} of out of place (${time} against ${other})${where}`,
    },
  };
  return { ...words[kind], xs };
}

/**
 * Finds bandwidths above that of the link, even at the low end of their interval; they mean that a time or the link's rate is
 * wrong. It checks only runs in which all counted bytes pass one link: several hosts with one rank each, or two ranks on an
 * emulated link. Algorithms in which the switch reduces data are left out. Returns at most one finding, with all such sizes.
 */
function aboveLink(group: SeriesGroup, series: Series): ModelFinding[] {
  const { hosts, ranks } = series.run.plan;
  const passes = series.medium === 'emulated' ? ranks === 2 : hosts.length > 1 && hosts.length === ranks;
  const link = ceilingsOfSeries(series).find((c) => c.of === 'link');
  const perLink = derivedRows(group.row).find(({ isPerLink }) => isPerLink === true);
  if (!passes || link === undefined || perLink === undefined) return [];
  const by = groupOfFigure(group, perLink);
  const above = series.slots.flatMap(({ cell, x }) => {
    const found = figureOf(cell, by);
    const gbps = rateOf(cell, by, perLink.name);
    if (found === null || gbps === null || !isOk(cell) || switchReductionOf(cell.choice) !== null) return [];
    // A bandwidth counts only if the low end of its interval is above the link.
    const least = found.interval === null ? 1 : found.value / found.interval.high;
    return gbps * least > link.busGBps ? [{ x, gbps }] : [];
  });
  if (above.length === 0) return [];
  const most = Math.max(...above.map(({ gbps }) => gbps));
  return [
    {
      group,
      series,
      kind: 'faster than the link',
      why: `up to ${formatBandwidth(most)} over ${link.text}: a time or the rate of the link is wrong (${shortTransport(series.transport)})`,
      xs: above.map(({ x }) => x),
    },
  ];
}
