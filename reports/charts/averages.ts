import { sum } from 'simple-statistics';
import type { FigureData } from '../../results/schema/index.ts';
import { factorOf } from '../models.ts';
import { ranksPanels } from '../panels.ts';
import { chartedRow, derivedRows, fieldOf, nounOf } from '../rows.ts';
import {
  figureOf,
  groupOfFigure,
  isRepeated,
  type Series,
  type SeriesGroup,
  xPhrase,
  xsOf,
} from '../series.ts';
import { type ChartSize, ink } from '../theme.ts';
import { formatBandwidth, joinEnds, plural } from '../wording.ts';
import { barView } from './bars.ts';
import type { ChartFigure, ChartRow } from './chart.ts';
import { seriesEncoding } from './legend.ts';
import { screenForms } from './screen-forms.ts';
import { type ChartSpec, topLevel } from './spec.ts';

/**
 * Average time and bandwidth of one operation over one transport with one rank count. The averages are over the message sizes in
 * `bytes` (ascending), which all series with this rank count measured, so that transports can be compared. `meanBytes` and
 * `meanTimeNs` are plain means over these sizes; `rates` are the bandwidths computed from the two.
 */
export interface AverageFigure {
  group: SeriesGroup;
  series: Series;
  /** Name of the operation "allreduce", or the group's title with the options if another group has the same operation. */
  what: string;
  /** Title of the operation with its options, without the rank count. */
  title: string;
  groupKey: string;
  ranks: number;
  bytes: readonly number[];
  meanBytes: number;
  meanTimeNs: number;
  rates: { of: FigureData; GBps: number }[];
}

/** True if the x axis of a group of series is bytes and its workload has bandwidths in GB/s. Only then can they be averaged. */
export const hasAverages = ({ x, row }: SeriesGroup): boolean =>
  x.unit === 'B' && bandwidthsOf(row).length > 0;

export const bandwidthsOf = (row: SeriesGroup['row']): FigureData[] =>
  derivedRows(row).filter(({ unit }) => unit === 'GB/s');

/**
 * Averages times over message sizes and derives bandwidths from the averages: mean bytes over mean time, which equals all bytes
 * over all time. The last line of nccl-tests averages rates instead, so that a size of a few microseconds counts as much as one of
 * a second (Hoefler and Belli 2015, rule 3). Each rank count is averaged separately, over the sizes that all its series measured;
 * without such sizes it has no averages. Series without any time, and groups of series without bandwidths, are left out.
 */
export function averagesOf(groups: readonly SeriesGroup[]): AverageFigure[] {
  return groups.filter(hasAverages).flatMap((whole) => {
    const [first] = bandwidthsOf(whole.row);
    const seen = first === undefined ? whole : groupOfFigure(whole, first);
    return ranksPanels(seen).flatMap((panel) => {
      const group = {
        ...panel,
        series: panel.series.filter(({ slots }) =>
          slots.some(({ x, cell }) => x > 0 && figureOf(cell, panel) !== null),
        ),
      };
      const bytes = commonSizes(group);
      if (bytes.length === 0) return [];
      return group.series.map((series): AverageFigure => {
        const slots = series.slots.filter(({ x }) => bytes.includes(x));
        const time = sum(slots.map(({ cell }) => figureOf(cell, group)?.value ?? 0));
        const moved = sum(slots.map(({ x }) => x));
        return {
          group,
          series,
          what: operationLabel(whole, groups),
          title: whole.title,
          groupKey: whole.key,
          ranks: series.run.plan.ranks,
          bytes,
          meanBytes: moved / bytes.length,
          meanTimeNs: time / bytes.length,
          rates: bandwidthsOf(group.row).map((of) => ({
            of,
            GBps: (moved / time) * factorOf(group, series, of.name),
          })),
        };
      });
    });
  });
}

/**
 * Returns the name under which a chart shows an average: "allreduce", or "allreduce, 3 ranks" if the averages in `all` have
 * different rank counts.
 */
export const averageName = ({ what, ranks }: AverageFigure, all: readonly AverageFigure[]): string =>
  new Set(all.map((one) => one.ranks)).size === 1 ? what : `${what}, ${plural(ranks, 'rank')}`;

/**
 * Returns the operation's name ("allreduce") if only one group of series has this operation, else the group's title, which adds the
 * options.
 */
function operationLabel(group: SeriesGroup, groups: readonly SeriesGroup[]): string {
  return groups.filter((g) => g.what === group.what).length === 1 ? group.what : group.title;
}

function commonSizes(group: SeriesGroup): number[] {
  const isThere = (series: Series, bytes: number) =>
    series.slots.some(({ x, cell }) => x === bytes && figureOf(cell, group) !== null);
  return xsOf(group.series).filter(
    (bytes) => bytes > 0 && group.series.every((series) => isThere(series, bytes)),
  );
}

/**
 * Draws bars of the average bandwidths, one bar per operation and transport, with one panel for each kind of bandwidth that differs
 * from the others. Returns one chart per rank count, in ascending order; empty if there are no averages.
 */
export function averages(groups: readonly SeriesGroup[]): ChartFigure[] {
  const all = averagesOf(groups);
  const counts = [...new Set(all.map(({ ranks }) => ranks))].sort((a, b) => a - b);
  return counts.map((ranks) => {
    const figure = averagesWith(
      groups,
      all.filter((one) => one.ranks === ranks),
    );
    const count = plural(ranks, 'rank');
    return counts.length === 1
      ? figure
      : { ...figure, name: `${figure.name}-${ranks}-ranks`, title: `${figure.title}, ${count}` };
  });
}

function averagesWith(groups: readonly SeriesGroup[], all: readonly AverageFigure[]): ChartFigure {
  const [first] = all;
  const noun = nounOf(groups.map(({ row }) => row));
  // A panel is left out only if its values equal those of another panel for all operations. If only some operations had bars in it,
  // the others would look unmeasured.
  const isNew = (name: string): boolean =>
    all.some(({ group, rates }) => rates.some(({ of }) => of.name === name) && !isRepeated(group, name));
  const bars = all.flatMap((one) =>
    one.rates
      .filter(({ of }) => isNew(of.name))
      .map(({ of, GBps }) => ({
        ...barOf(one, noun),
        measure: of.title,
        gbps: GBps,
        text: formatBandwidth(GBps),
      })),
  );
  return {
    name: 'averages',
    title: `Averages per ${noun}`,
    caption:
      first === undefined
        ? ''
        : `Mean message size over mean time: all bytes moved over all time taken, ${xPhrase(
            first.group.x,
            all.flatMap(({ bytes }) => bytes),
          )}, the same for every transport. Large messages take most of the time and so count most${otherMeaning(first.group)}.`,
    rows: all.map(({ series, what, ranks, bytes, meanBytes, meanTimeNs, rates }) => ({
      [noun]: what,
      ranks,
      series: series.label,
      medium: series.medium,
      sizes: bytes.length,
      firstBytes: bytes[0] ?? null,
      lastBytes: bytes.at(-1) ?? null,
      meanBytes,
      meanTimeNs,
      ...Object.fromEntries(rates.map(({ of, GBps }) => [fieldOf(of), GBps])),
    })),
    spec: (size) => spec(bars, all, noun, size),
  };
}

/**
 * Returns the warning that another benchmark, such as nccl-tests, prints an average bandwidth that is computed in another way; ''
 * if no other benchmark has the workload's figures.
 */
function otherMeaning({ row }: SeriesGroup): string {
  const known = row.figures.find(({ sameAs }) => sameAs !== undefined)?.sameAs;
  return known === undefined
    ? ''
    : `; ${known}’ “Avg bus bandwidth” averages the rates instead and is another figure`;
}

/** Returns the names of the bars' quantities in one phrase: "algorithm and bus bandwidth". */
const measuresOf = (bars: readonly ChartRow[]): string =>
  joinEnds([...new Set(bars.map(({ measure }) => String(measure)))]);

function barOf({ group, series, what, rates }: AverageFigure, noun: string): ChartRow {
  const charted = chartedRow(group.row);
  const rate = rates.find(({ of }) => of.name === charted?.name);
  const text = rate === undefined ? '' : `: ${formatBandwidth(rate.GBps)} ${rate.of.title}`;
  return {
    [noun]: what,
    series: series.label,
    medium: series.medium,
    tip: `${series.label}, ${what}${text}`,
  };
}

function spec(bars: ChartRow[], all: readonly AverageFigure[], noun: string, size: ChartSize): ChartSpec {
  const series = [...new Map(all.map((one) => [one.series.label, one.series])).values()];
  const wide = size === 'wide';
  const isOne = new Set(bars.map(({ measure }) => measure)).size === 1;
  const { color, strokeDash } = seriesEncoding(series, screenForms[size], 'square');
  const x = {
    field: 'gbps',
    type: 'quantitative',
    scale: { zero: true, nice: true },
    axis: { title: isOne ? `${bars[0]?.measure} (GB/s)` : 'bandwidth (GB/s)', tickCount: 4 },
  };
  const mark = {
    mark: { type: 'bar', strokeWidth: 1.2, aria: true },
    encoding: {
      x,
      color,
      stroke: { ...color, legend: null },
      fillOpacity: { condition: { test: "datum.medium === 'emulated'", value: 0.35 }, value: 1 },
      strokeDash,
      description: { field: 'tip' },
    },
  };
  const view = barView({
    field: noun,
    names: series.map(({ label }) => label),
    step: 16,
    axis: { title: null, labelLimit: wide ? 170 : 110 },
    marks: [mark],
    end: x,
    label: { dx: 4, fontSize: 10, color: ink.text },
  });
  const title = `Average ${measuresOf(bars)} per ${noun} and transport`;
  // With a single panel the wide and the narrow form differ only in properties that one compiled view can switch.
  if (isOne) return topLevel(title, { data: { values: bars }, ...view }, { width: wide ? 500 : 190 });
  const measure = { field: 'measure', type: 'nominal', sort: null };
  const header = { labelOrient: 'top', labelAngle: 0, labelAnchor: 'start' };
  return topLevel(title, {
    data: { values: bars },
    facet: wide ? { column: measure } : { row: { ...measure, header } },
    spec: { width: wide ? 245 : 190, ...view },
  });
}
