import {
  type Contradiction,
  contradictions,
  type Estimate,
  type FittedModel,
  type SeriesModel,
  type SizePoint,
  seriesModel,
  sizePoints,
} from '../results/models/index.ts';
import { type Ceiling, ceilingsOfSeries } from './ceiling.ts';
import type { Group, Series } from './series.ts';
import { figuresOf, isOk } from './series.ts';
import {
  formatBandwidth,
  formatBytes,
  formatBytesAbout,
  formatPercent,
  formatRatio,
  formatTime,
  joinWords,
  plural,
  shortTransport,
} from './wording.ts';

/** A series with what describes it; all of it is model, whatever is written of it says so. */
export interface Modelled {
  group: Group;
  series: Series;
  points: readonly SizePoint[];
  model: SeriesModel;
  /** What its saturation is held against. */
  ceiling: Ceiling | null;
}

/** Charts, tables and sentences ask for the same fits. */
const known = new WeakMap<Group, Modelled[]>();

/** Every series of a group that has sizes enough to try; of one launch or an import, too. */
export function modelsOf(group: Group): Modelled[] {
  const before = known.get(group);
  if (before !== undefined) return before;
  const found = group.series.flatMap((series): Modelled[] => {
    const cells = series.slots.flatMap(({ cell }) => (cell === null ? [] : [cell]));
    const points = sizePoints(cells, group.trial);
    if (points.length < 4) return [];
    const busFactor = cells.find(isOk)?.busFactor ?? 1;
    const ceiling = ceilingsOfSeries(series)[0] ?? null;
    return [{ group, series, points, model: seriesModel(points, busFactor), ceiling }];
  });
  known.set(group, found);
  return found;
}

/** "4.71 us", "4.71 us ±0.4 %". */
export function estimateText(estimate: Estimate, write: (value: number) => string): string {
  const { value, interval } = estimate;
  if (interval === null) return write(value);
  return `${write(value)} ±${formatPercent(Math.log(interval.high / interval.low) / 2)}`;
}

/** Saturation over the ceiling, "86 % of PCIe gen 3 x8: 7.88 GB/s"; empty without a ceiling. */
export function ceilingText({ model, ceiling }: Modelled): string {
  if (ceiling === null || model.status === 'none' || model.saturation === null) return '';
  return `${formatPercent(model.saturation.busGBps.value / ceiling.busGBps)} of ${ceiling.text}`;
}

/** "3 lines, off by 2.1 % at most". */
export function fitText({ segments, largestResidual }: FittedModel): string {
  return `${plural(segments.length, 'line')}, off by ${formatPercent(largestResidual.share)} at most`;
}

/** Why there are no parameters: "its times follow no lines (16 KiB is off by 22 %)". */
export function reasonText(model: Exclude<SeriesModel, FittedModel>): string {
  const { reason, largestResidual: miss } = model;
  if (miss === null) return reason;
  return `${reason} (${formatBytes(miss.bytes)} is off by ${formatPercent(miss.share)})`;
}

/** One per series, without a full stop, each beginning with the word that says what it is. */
export function modelSentences(groups: readonly Group[], micro: 'us' | 'µs' = 'us'): string[] {
  return groups.flatMap((group) =>
    modelsOf(group).map((modelled) => {
      const { series, model } = modelled;
      const title = groups.length > 1 ? `${group.title} over ` : '';
      const emulated = series.medium === 'emulated' ? ' (emulated)' : '';
      const what = `model of ${title}${series.name}${emulated}`;
      if (model.status === 'none') return `${what}: none, ${reasonText(model)}`;
      const ceiling = ceilingText(modelled);
      const saturation =
        model.saturation === null
          ? `no saturation (${model.saturationReason})`
          : `saturation at ${estimateText(model.saturation.busGBps, formatBandwidth)}${ceiling === '' ? '' : ` (${ceiling})`}, half of it from ${estimateText(model.saturation.halfBytes, formatBytesAbout)}`;
      const latency = estimateText(model.latencyNs, (ns) => formatTime(ns, micro));
      return `${what}: latency ${latency}, ${saturation}; ${fitText(model)}`;
    }),
  );
}

/** What contradicts itself in the times of one run, as findings: one per series and kind. */
export interface ModelFinding {
  series: Series;
  group: Group;
  kind: string;
  why: string;
  sizes: number[];
}

export function modelFindings(groups: readonly Group[]): ModelFinding[] {
  const places = new Map<string, { group: Group; series: Series }[]>();
  for (const group of groups)
    for (const series of group.series) {
      const key = `${series.key}/${group.trial}`;
      places.set(key, [...(places.get(key) ?? []), { group, series }]);
    }
  return [...places.values()].flatMap((place) => {
    const measured = place.map(({ group, series }) => {
      const cells = series.slots.flatMap(({ cell }) => (cell === null ? [] : [cell]));
      const { dtype = '', op = null, root = null, inPlace = false } = cells[0] ?? {};
      const points = sizePoints(cells, group.trial);
      return { collective: group.collective, dtype, op, root, inPlace, points };
    });
    const found = contradictions(measured).flatMap((contradiction): ModelFinding[] => {
      const at = place[measured.findIndex(({ points }) => points === contradiction.series.points)];
      return at === undefined ? [] : [{ ...at, ...contradictionWords(contradiction) }];
    });
    return [...found, ...place.flatMap(({ group, series }) => aboveLink(group, series))];
  });
}

function contradictionWords({
  kind,
  parts,
  at,
}: Contradiction): Pick<ModelFinding, 'kind' | 'why' | 'sizes'> {
  const sizes = at.map(({ bytes }) => bytes);
  const worst = at.reduce((a, b) => (b.timeNs / b.otherNs > a.timeNs / a.otherNs ? b : a));
  const [time, other] = [formatTime(worst.timeNs, 'µs'), formatTime(worst.otherNs, 'µs')];
  const ratio = formatRatio(worst.timeNs / worst.otherNs);
  const where = at.length > 1 ? `; most at ${formatBytes(worst.bytes)}` : '';
  const words = {
    dip: {
      kind: 'dip',
      why: `takes ${time} where ${formatBytes(worst.otherBytes)} takes ${other}${where}: a switch of algorithm or protocol in the wrong place, or a disturbance`,
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
  return { ...words[kind], sizes };
}

/**
 * Bandwidth no link has: then the time is wrong, not the link good. Looked for only where all that bus bandwidth counts
 * must pass one link: a rank per host, or two ranks on an emulated one, and no switch that adds up on the way.
 */
function aboveLink(group: Group, series: Series): ModelFinding[] {
  const { hosts, ranks } = series.run.plan;
  const passes = series.medium === 'emulated' ? ranks === 2 : hosts.length > 1 && hosts.length === ranks;
  const link = ceilingsOfSeries(series).find((c) => c.of === 'link');
  if (!passes || link === undefined) return [];
  const above = series.slots.flatMap(({ cell, payloadBytes }) => {
    const figures = figuresOf(cell, group.trial);
    if (figures === null || !isOk(cell) || /nvls|collnet/i.test(cell.algorithm)) return [];
    // Only what no interval excuses.
    const least = figures.interval === null ? 1 : figures.medianNs / figures.interval.highNs;
    return figures.busGBps * least > link.busGBps ? [{ bytes: payloadBytes, gbps: figures.busGBps }] : [];
  });
  if (above.length === 0) return [];
  const most = Math.max(...above.map(({ gbps }) => gbps));
  return [
    {
      group,
      series,
      kind: 'faster than the link',
      why: `up to ${formatBandwidth(most)} over ${link.text}: a time or the rate of the link is wrong (${shortTransport(series.transport)})`,
      sizes: above.map(({ bytes }) => bytes),
    },
  ];
}
