// Formats and names that reports take from the rows of workloads. No other file of reports knows names of axes or figures.
import {
  type AxisUnit,
  dataOf,
  engineRow,
  type FigureData,
  type FigureUnit,
  type PointPlan,
  type RunPlan,
  type WorkloadData,
} from '../results/schema/index.ts';
import { countText, durationText } from '../results/units.ts';
import {
  formatBandwidth,
  formatBytes,
  formatBytesAbout,
  formatCount,
  formatRate,
  formatTime,
  sizeFlag,
  threeDigits,
} from './wording.ts';

/**
 * True if some latency of the run is the time between markers on devices; otherwise the host's clock takes all times. False for
 * imported runs: their only time is the printed one.
 */
export const timesOnDevice = (plan: RunPlan): boolean =>
  plan.imported === undefined &&
  engineRow(plan).onDevice &&
  !plan.points.every((point) => isTimedByHost(plan, point));

const isTimedByHost = (plan: RunPlan, { workload, axes }: PointPlan): boolean =>
  plan.workloads.some(
    (row) =>
      row.name === workload &&
      row.axes.some(({ name, timedByHost = [] }) => timedByHost.includes(axes[name] ?? null)),
  );

interface UnitFormat {
  /** Base of the powers at which a logarithmic axis has ticks. */
  base: 2 | 10;
  /** Exact text: "1 MiB". */
  text(value: number): string;
  /** Text for columns of tables: "1M". */
  short(value: number): string;
  /** Text with three digits, for interpolated values: "190 KiB". */
  about(value: number): string;
}

/** Format of the x axis of a workload. */
export interface XAxisFormat extends UnitFormat {
  unit: AxisUnit | null;
  /** Noun for sentences: "size" of "28 sizes". */
  noun: string;
  /** Axis title for charts: "message size". */
  title: string;
  /** Field name in the data of charts: "payloadBytes". */
  field: string;
}

/** Returns "8 B", or "batch 8" if the axis has no unit. */
export const namedX = ({ unit, noun, text }: XAxisFormat, x: number): string =>
  unit === '' ? `${noun} ${text(x)}` : text(x);

const percents = (value: number): string => `${threeDigits(value)} %`;

const unitWords: Record<AxisUnit, UnitFormat> = {
  B: { base: 2, text: formatBytes, short: sizeFlag, about: formatBytesAbout },
  ns: { base: 10, text: durationText, short: durationText, about: durationText },
  '%': { base: 10, text: percents, short: String, about: percents },
  '': { base: 10, text: formatCount, short: String, about: threeDigits },
};

/** Format for a workload without x axis: each of its series is a single point. */
const noX: XAxisFormat = {
  unit: null,
  noun: 'point',
  title: 'point',
  field: 'x',
  base: 10,
  text: () => 'its only point',
  short: () => '-',
  about: () => 'its only point',
};

/** Converts "payload_bytes" to "payloadBytes" for the data of charts. */
const camel = (column: string): string => column.replaceAll(/_(\w)/g, (_all, letter) => letter.toUpperCase());

export function xAxisFormat({ axes }: WorkloadData): XAxisFormat {
  const axis = axes.find(({ role }) => role === 'x');
  if (axis === undefined) return noX;
  const noun = axis.head ?? axis.name;
  return {
    ...unitWords[axis.unit],
    ...(axis.base === undefined ? {} : { base: axis.base }),
    unit: axis.unit,
    noun,
    title: axis.title ?? noun,
    field: camel(axis.column),
  };
}

/** Returns "8 B" if all values are equal, else "8 B to 1 GiB". */
export function rangeText({ text }: XAxisFormat, values: readonly number[], between = ' to '): string {
  const [low, high] = [Math.min(...values), Math.max(...values)].map(text);
  return low === high ? `${low}` : `${low}${between}${high}`;
}

/** Returns the noun for one operation of these workloads: "collective"; "operation" if they differ. */
export function nounOf(rows: readonly WorkloadData[]): string {
  const [noun, ...others] = new Set(rows.map((row) => row.noun));
  return noun === undefined || others.length > 0 ? 'operation' : noun;
}

/** Returns the workload row of a point or cell, as the run's plan stores it. */
export const workloadRowOf = ({ workloads }: RunPlan, { workload }: { workload: string }): WorkloadData =>
  dataOf(workload, workloads);

/** Returns the x axis of a plan's first point. Other points have the same workload, except in hand-written plans. */
export const xOfPlan = (plan: RunPlan): XAxisFormat => {
  const [first] = plan.points;
  return first === undefined ? noX : xAxisFormat(workloadRowOf(plan, first));
};

export const figureRow = ({ figures }: WorkloadData, name: string): FigureData | undefined =>
  figures.find((one) => one.name === name);

/** Returns the figures that are computed from other figures. */
export const derivedRows = ({ figures }: WorkloadData): FigureData[] =>
  figures.filter(({ from }) => from.length > 0);

/** Returns the derived figure used in sentences and narrow tables: bus bandwidth of a collective. */
export const chartedRow = (row: WorkloadData): FigureData | undefined =>
  derivedRows(row).find(({ isCharted }) => isCharted === true);

/** Formats a figure with its unit: "4.71 us", "7.10 GB/s", "1.20 M/s". */
export function figureText(unit: FigureUnit, value: number, micro: 'us' | 'µs' = 'us'): string {
  if (unit === '1') return countText(value);
  if (unit === 'GB/s') return formatBandwidth(value);
  return unit === 'ns' ? formatTime(value, micro) : formatRate(value);
}

const unitFields: Record<FigureUnit, string> = { ns: 'Ns', 'GB/s': 'GBps', '1/s': 'PerS', '1': '' };

/** Returns the field name in the data of charts: "busGBps". */
export const fieldOf = ({ name, column = name, unit }: FigureData): string =>
  camel(column) + unitFields[unit];

/** Returns the figure for the time of collectives in an operation that also computes: training steps and their replays. */
export const collectiveTimeRow = ({ figures }: WorkloadData): FigureData | undefined =>
  figures.find(
    ({ name, part }) =>
      (name === 'collective' && part === 'whole') || (name === 'collectives' && part === 'beside'),
  );

/** True if no profiler observes the point. A profiler slows steps down, so their times do not count. */
export const isUnobserved = ({ axes }: Pick<PointPlan, 'axes'>): boolean =>
  (axes.observed ?? 'none') === 'none';

export const isUnobservedSeries = ({
  slots,
}: {
  slots: readonly { point: Pick<PointPlan, 'axes'> }[];
}): boolean => slots.every(({ point }) => isUnobserved(point));
