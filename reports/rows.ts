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
  capitalise,
  formatBandwidth,
  formatBytes,
  formatBytesAbout,
  formatCount,
  formatRate,
  formatTime,
  sizeFlag,
  threeDigits,
  valueRange,
} from './wording.ts';

/**
 * True if at least one point of the run has a latency that is measured between time markers on the GPUs. If false, the host's clock
 * measures all times. Always false for imported runs, whose only times are those that the other program printed.
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
  /** Returns the exact text of a value: "1 MiB". */
  text(value: number): string;
  /** Returns a short text of a value, for table columns: "1M". */
  short(value: number): string;
  /** Returns a text with three digits, for values between measured ones: "190 KiB". */
  about(value: number): string;
}

/** How values on a workload's x axis, such as message sizes, are named and written. */
export interface XAxisFormat extends UnitFormat {
  unit: AxisUnit | null;
  /** Singular noun for a value of the axis in sentences: "size", as in "28 sizes". */
  noun: string;
  /** Axis title for charts: "message size". */
  title: string;
  /** Field name in the data of charts: "payloadBytes". */
  field: string;
}

/**
 * Returns an x value as text that names the axis if the value has no unit: "8 B", "batch 8". "its only point" for a workload
 * without x axis.
 */
export const namedX = ({ unit, noun, text }: XAxisFormat, x: number): string =>
  unit === '' ? `${noun} ${text(x)}` : text(x);

const percents = (value: number): string => `${threeDigits(value)} %`;

const unitWords: Record<AxisUnit, UnitFormat> = {
  B: { base: 2, text: formatBytes, short: sizeFlag, about: formatBytesAbout },
  ns: { base: 10, text: durationText, short: durationText, about: durationText },
  '%': { base: 10, text: percents, short: String, about: percents },
  '': { base: 10, text: formatCount, short: String, about: threeDigits },
};

/** Format of x for a workload without x axis, of which each series has a single configuration. */
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

/** Converts a column name with underscores, "payload_bytes", to the field name "payloadBytes" that the data of charts use. */
function camel(column: string): string {
  const [first = '', ...others] = column.split('_');
  return first + others.map(capitalise).join('');
}

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

/**
 * Returns the range of some x values: "8 B to 1 GiB"; "8 B" if all are equal.
 * @param between text between the lowest and the highest value
 */
export function rangeText({ text }: XAxisFormat, values: readonly number[], between = ' to '): string {
  return valueRange(values, text, between);
}

/**
 * Returns the noun for one operation of the given workloads, such as "collective"; "operation" if their nouns differ or `rows` is
 * empty.
 */
export function nounOf(rows: readonly WorkloadData[]): string {
  const [noun, ...others] = new Set(rows.map((row) => row.noun));
  return noun === undefined || others.length > 0 ? 'operation' : noun;
}

/**
 * Returns the description of the workload (axes and figures) to which a point or configuration belongs: as the run's plan stores
 * it, or else as this version defines it.
 * @throws RangeError if neither has a workload of this name
 */
export const workloadRowOf = ({ workloads }: RunPlan, { workload }: { workload: string }): WorkloadData =>
  dataOf(workload, workloads);

/**
 * Returns the format of the x axis of a plan's first point. If the plan has no points, returns the format for a workload without x
 * axis. All points of a plan have the same workload, except in hand-written plans.
 */
export const xOfPlan = (plan: RunPlan): XAxisFormat => {
  const [first] = plan.points;
  return first === undefined ? noX : xAxisFormat(workloadRowOf(plan, first));
};

export const figureRow = ({ figures }: WorkloadData, name: string): FigureData | undefined =>
  figures.find((one) => one.name === name);

/** Returns descriptions of the values of a workload that are computed from measured times: bandwidths, for example. */
export const derivedRows = ({ figures }: WorkloadData): FigureData[] =>
  figures.filter(({ from }) => from.length > 0);

/**
 * Returns the description of a workload's main rate, which sentences and narrow tables use: for collectives the bus bandwidth.
 * Undefined if it has none.
 */
export const chartedRow = (row: WorkloadData): FigureData | undefined =>
  derivedRows(row).find(({ isCharted }) => isCharted === true);

/**
 * Formats a measured or derived value with its unit: "4.71 µs", "7.10 GB/s", "1.20 M/s"; a count (unit '1') is written without
 * unit.
 * @param value value in `unit`
 */
export function figureText(unit: FigureUnit, value: number): string {
  if (unit === '1') return countText(value);
  if (unit === 'GB/s') return formatBandwidth(value);
  return unit === 'ns' ? formatTime(value) : formatRate(value);
}

const unitFields: Record<FigureUnit, string> = { ns: 'Ns', 'GB/s': 'GBps', '1/s': 'PerS', '1': '' };

/** Returns the name of the field, with unit, in which chart data have a measured or derived value: "busGBps". */
export const fieldOf = ({ name, column = name, unit }: FigureData): string =>
  camel(column) + unitFields[unit];

/**
 * Returns descriptions of further times within an operation that all ranks record, such as the time until the first KV-cache page
 * has arrived.
 */
export const sideTimes = ({ figures }: WorkloadData): FigureData[] =>
  figures.filter(({ unit, acrossRanks }) => unit === 'ns' && acrossRanks !== undefined);

/**
 * Returns the description of the time that collectives take within an operation that also computes, as training steps and their
 * replays do. Undefined for other workloads.
 */
export const collectiveTimeRow = ({ figures }: WorkloadData): FigureData | undefined =>
  figures.find(
    ({ name, part }) =>
      (name === 'collective' && part === 'whole') || (name === 'collectives' && part === 'beside'),
  );

/**
 * True if the point is measured without a profiler. A profiler slows operations down, so times measured under it are no
 * results.
 */
export const isUnobserved = ({ axes }: Pick<PointPlan, 'axes'>): boolean =>
  (axes.observed ?? 'none') === 'none';

export const isUnobservedSeries = ({
  slots,
}: {
  slots: readonly { point: Pick<PointPlan, 'axes'> }[];
}): boolean => slots.every(({ point }) => isUnobserved(point));
