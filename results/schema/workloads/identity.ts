import type { AxisData, AxisValue, WorkloadAxes, WorkloadData } from './data.ts';

/**
 * Properties that must be equal in two cells, perhaps of different runs, for them to measure the same. `ranks`, `nodes`: numbers
 * of ranks and hosts that carry out the operation. `transport`: name of the series in the plan.
 */
export interface MeasurementIdentity {
  workload: string;
  axes: WorkloadAxes;
  /** Settings of the measured library that change what is measured, by name: algorithm, protocol, graph. */
  requested: Record<string, string>;
  ranks: number;
  nodes: number;
  engine: string;
  transport: string;
  medium: string;
  group?: { rule: string; index: number } | undefined;
}

const escaped = (text: string): string => text.replaceAll('%', '%25').replaceAll(';', '%3B');
const plain = (text: string): string => text.replaceAll('%3B', ';').replaceAll('%25', '%');

/**
 * Returns the text for an axis value in an id: "-" for null, the texts in `axis.words` for false and true, otherwise the value as
 * text.
 */
function idText(axis: AxisData | undefined, value: AxisValue): string {
  if (value === null) return '-';
  if (typeof value === 'boolean') return axis?.words?.[value ? 1 : 0] ?? String(value);
  return String(value);
}

/**
 * Returns the [name, value] pairs of which an id consists, in this order: axes of the workload, settings sorted by name, ranks,
 * nodes, engine, transport, medium and, if there is one, group of ranks.
 */
function entries(row: WorkloadData, cell: MeasurementIdentity): [name: string, value: string][] {
  return [
    ...row.axes.map((axis): [string, string] => [axis.name, idText(axis, cell.axes[axis.name] ?? null)]),
    ...Object.entries(cell.requested).sort(([a], [b]) => (a < b ? -1 : 1)),
    ['ranks', String(cell.ranks)],
    ['nodes', String(cell.nodes)],
    ['engine', cell.engine],
    ['transport', cell.transport],
    ['medium', cell.medium],
    ...(cell.group === undefined
      ? []
      : [['group', `${cell.group.rule}/${cell.group.index}`] as [string, string]]),
  ];
}

const joined = (workload: string, parts: readonly (readonly [string, string])[]): string =>
  [workload, ...parts.map(([name, value]) => `${name}=${escaped(value)}`)].join(';');

const xName = (row: WorkloadData): string | undefined => row.axes.find(({ role }) => role === 'x')?.name;

/**
 * Returns the id of a cell, unique in a run and equal in all runs that measure the same. It consists of names with values, not of
 * positions:
 * "collective;collective=allreduce;dtype=float32;op=sum;root=-;inPlace=out;bytes=1048576;ranks=2;nodes=1;engine=cpu;transport=socket;medium=hardware"
 */
export const idOf = (row: WorkloadData, cell: MeasurementIdentity): string =>
  joined(cell.workload, entries(row, cell));

/**
 * Returns the key of a series: the id of any of its cells without the x value (message size). It is equal in all runs that
 * measure the series. For a workload without x axis it is the id.
 */
export const seriesKeyOf = (row: WorkloadData, cell: MeasurementIdentity): string =>
  joined(
    cell.workload,
    entries(row, cell).filter(([name]) => name !== xName(row)),
  );

/**
 * Splits an id of a cell or key of a series ("collective;dtype=float32;...") into values by name, in the order of the key; the
 * first text is the value of `workload`. Escapes such as "%3B" are decoded; "-" stands for null.
 */
export function partsOfKey(key: string): Map<string, string> {
  const [workload = '', ...parts] = key.split(';');
  return new Map([
    ['workload', workload],
    ...parts.map((part): [string, string] => {
      const cut = part.indexOf('=');
      return [part.slice(0, cut), plain(part.slice(cut + 1))];
    }),
  ]);
}

/**
 * Returns the values in an id of a cell or key of a series, in the order of the key, the name of the workload first. Names of files
 * and sentences are made from them. Absent values ("-") are left out.
 */
export const valuesOfKey = (key: string): string[] =>
  [...partsOfKey(key).values()].filter((value) => value !== '-');

/**
 * Returns the name of a job or program from an axis value that also has a hash: "resnet50" from "resnet50@3f2a1c09". A value
 * without hash is returned unchanged.
 */
export const nameInValue = (value: string): string => value.replace(/@[\da-f]+$/, '');

/**
 * Returns the text for an axis value in titles, with its `titlePrefix`; "" if titles do not show the value, as for null. @param
 * value axis value, or its text from an id
 */
function titleText(axis: AxisData, value: AxisValue): string {
  if (value === null || value === '-') return '';
  const isTrue = value === true || (axis.words !== undefined && value === axis.words[1]);
  if (axis.titleWords !== undefined) return axis.titleWords[isTrue ? 1 : 0];
  if (axis.untitled === 'all') return '';
  if (axis.untitled?.some((one) => String(one) === String(value)) === true) return '';
  return `${axis.titlePrefix ?? ''}${value}`;
}

/**
 * Returns the text for a value of an axis with boolean values, where reports show it next to the text for the other value: "out of
 * place", "in place"; "eager", "compiled". Null if the axis values are no booleans.
 */
export function flagText({ words, titleWords }: AxisData, value: AxisValue): string | null {
  if (words === undefined) return null;
  const [no, yes] = titleWords ?? words;
  if (value === true) return yes;
  return no || (yes === words[1] ? words[0] : `${words[0]}${yes.replace(words[1], ' of')}`);
}

/**
 * Returns the title of a series for readers, with the texts for boolean axis values after a comma: "allreduce float32 sum",
 * "broadcast int8 root 0, in place". If the workload has no axis with role `what`, the title begins with that of the workload.
 * @param axes axis values by name, or the texts for them in an id (partsOfKey())
 * @param comma separator before the text for each boolean axis value; null = these texts are left out
 * @param isOwn true = the title of the workload is left out if words other than those for boolean values remain
 */
export function titleOf(
  row: WorkloadData,
  axes: WorkloadAxes | ReadonlyMap<string, string>,
  comma: string | null = ', ',
  isOwn = false,
): string {
  const valueAt = (name: string): AxisValue =>
    (axes instanceof Map ? axes.get(name) : (axes as WorkloadAxes)[name]) ?? null;
  const texts = row.axes
    .filter(({ role }) => role !== 'x')
    .map((axis) => ({ isFlag: axis.titleWords !== undefined, text: titleText(axis, valueAt(axis.name)) }))
    .filter(({ text }) => text !== '');
  const hasWhat = row.axes.some(({ role }) => role === 'what');
  const words = texts.filter((one) => !one.isFlag).map(({ text }) => text);
  if (!hasWhat && !(isOwn && words.length > 0)) words.unshift(row.title);
  if (comma === null) return words.join(' ');
  return [words.join(' '), ...texts.filter((one) => one.isFlag).map(({ text }) => text)].join(comma);
}

/**
 * Returns a short key of a series for charts, tables and names of files: "allreduce-float32-sum-out", "broadcast-int8-r0-in". It
 * has only the axis values, so that series of several transports may have the same key.
 */
export function fileKeyOf(row: WorkloadData, axes: WorkloadAxes): string {
  const parts = row.axes.flatMap((axis) => {
    const value = axes[axis.name] ?? null;
    if (axis.role === 'x' || axis.untitled === 'all' || value === null) return [];
    return [`${axis.keyPrefix ?? ''}${idText(axis, value)}`];
  });
  const hasWhat = row.axes.some(({ role }) => role === 'what');
  return [...(hasWhat ? [] : [row.name]), ...parts].join('-');
}

/**
 * Returns the noun for the operation in sentences: "allreduce". If the workload has only one operation, it is the title of the
 * workload.
 */
export function whatOf(row: WorkloadData, axes: WorkloadAxes): string {
  const axis = row.axes.find(({ role }) => role === 'what');
  return axis === undefined ? row.title : String(axes[axis.name] ?? row.title);
}

/**
 * Returns the x axis of a workload (for collectives `bytes`) and its value in `axes`, in the unit of the axis; null if the
 * workload has no x axis or the value is missing or no number.
 */
export function xOf(row: WorkloadData, axes: WorkloadAxes): { axis: AxisData; value: number } | null {
  const axis = row.axes.find(({ role }) => role === 'x');
  const value = axis === undefined ? null : axes[axis.name];
  return axis === undefined || typeof value !== 'number' ? null : { axis, value };
}
