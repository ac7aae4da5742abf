// What rows of workloads say, as reports write it: nobody else here knows names of axes or figures.
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
 * Whether any latency of the run is that between marks on devices; else the host's clock takes it. Imported runs have the one
 * time that their program printed, whatever it is.
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
  /** Ticks of a logarithmic axis are powers of it. */
  base: 2 | 10;
  /** Exactly: "1 MiB". */
  text(value: number): string;
  /** For columns of tables: "1M". */
  short(value: number): string;
  /** To three digits, of what was interpolated: "190 KiB". */
  about(value: number): string;
}

/** The axis along x. */
export interface XAxisFormat extends UnitFormat {
  unit: AxisUnit | null;
  /** For sentences: "size" of "28 sizes". */
  noun: string;
  /** For charts: "message size". */
  title: string;
  /** In the data of charts: "payloadBytes". */
  field: string;
}

/** "8 B", "batch 8": what is a bare number is named. */
export const namedX = ({ unit, noun, text }: XAxisFormat, x: number): string =>
  unit === '' ? `${noun} ${text(x)}` : text(x);

const percents = (value: number): string => `${threeDigits(value)} %`;

const unitWords: Record<AxisUnit, UnitFormat> = {
  B: { base: 2, text: formatBytes, short: sizeFlag, about: formatBytesAbout },
  ns: { base: 10, text: durationText, short: durationText, about: durationText },
  '%': { base: 10, text: percents, short: String, about: percents },
  '': { base: 10, text: formatCount, short: String, about: threeDigits },
};

/** Of a workload without x each series is one point. */
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

/** "payload_bytes" is payloadBytes in data of charts. */
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

/** "8 B", "8 B to 1 GiB". */
export function rangeText({ text }: XAxisFormat, values: readonly number[], between = ' to '): string {
  const [low, high] = [Math.min(...values), Math.max(...values)].map(text);
  return low === high ? `${low}` : `${low}${between}${high}`;
}

/** What one operation of these workloads is called: "collective". */
export function nounOf(rows: readonly WorkloadData[]): string {
  const [noun, ...others] = new Set(rows.map((row) => row.noun));
  return noun === undefined || others.length > 0 ? 'operation' : noun;
}

/** The row of a point or a cell, as its run has stored it. */
export const workloadRowOf = ({ workloads }: RunPlan, { workload }: { workload: string }): WorkloadData =>
  dataOf(workload, workloads);

/** The axis along x of the first point of a plan: the others are of the same workload but in plans made by hand. */
export const xOfPlan = (plan: RunPlan): XAxisFormat => {
  const [first] = plan.points;
  return first === undefined ? noX : xAxisFormat(workloadRowOf(plan, first));
};

export const figureRow = ({ figures }: WorkloadData, name: string): FigureData | undefined =>
  figures.find((one) => one.name === name);

/** Figures made of others. */
export const derivedRows = ({ figures }: WorkloadData): FigureData[] =>
  figures.filter(({ from }) => from.length > 0);

/** The derived figure that stands for all in sentences and narrow tables: bus bandwidth of a collective. */
export const chartedRow = (row: WorkloadData): FigureData | undefined =>
  derivedRows(row).find(({ isCharted }) => isCharted === true);

/** "4.71 us", "7.10 GB/s", "1.20 M/s". */
export function figureText(unit: FigureUnit, value: number, micro: 'us' | 'µs' = 'us'): string {
  if (unit === '1') return countText(value);
  if (unit === 'GB/s') return formatBandwidth(value);
  return unit === 'ns' ? formatTime(value, micro) : formatRate(value);
}

const unitFields: Record<FigureUnit, string> = { ns: 'Ns', 'GB/s': 'GBps', '1/s': 'PerS', '1': '' };

/** In the data of charts: "busGBps". */
export const fieldOf = ({ name, column = name, unit }: FigureData): string =>
  camel(column) + unitFields[unit];

/** Time that the collectives of an operation take, where it computes, too: of training steps and their replays. */
export const collectiveTimeRow = ({ figures }: WorkloadData): FigureData | undefined =>
  figures.find(
    ({ name, part }) =>
      (name === 'collective' && part === 'whole') || (name === 'collectives' && part === 'beside'),
  );

/** Whether nothing that disturbs looked on: times of steps under a profiler are no times of steps. */
export const isUnobserved = ({ axes }: Pick<PointPlan, 'axes'>): boolean =>
  (axes.observed ?? 'none') === 'none';

export const isUnobservedSeries = ({
  slots,
}: {
  slots: readonly { point: Pick<PointPlan, 'axes'> }[];
}): boolean => slots.every(({ point }) => isUnobserved(point));
