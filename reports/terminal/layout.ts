import {
  type AxisData,
  type AxisValue,
  arrivalFigures,
  detailText,
  measuredRows,
  type PointPlan,
  type RunPlan,
  skewNsOf,
  type TransportPlan,
} from '../../results/schema/index.ts';
import { derivedRows, sideTimes, timesOnDevice, workloadRowOf, xAxisFormat, xOfPlan } from '../rows.ts';
import { xOfPoint } from '../series.ts';
import { columnNames, widestName } from './column-names.ts';
import { column, type FigureColumns, line, type TableLayout, type TextColumn, widthOf } from './columns.ts';
import { besideLayout, deviceLayout, fittingLayout, stackedLayout } from './device-layout.ts';

/**
 * Column with half the width of the interval of the main time. One space before it is enough, because only wide intervals, of which
 * both ends are printed, use its full width (columnSpread).
 */
const spread = column('spread', '±', 7, 'right', 1);
const p95 = column('p95', 'p95', 8);
export const wrong = column('wrong', 'wrong', 5);

/**
 * Returns the number of characters of the longest text in a column. All texts follow from the plan, so the width is known before
 * the run.
 * @param least minimum result
 */
export function widest(values: readonly string[], least = 1): number {
  return values.reduce((w, v) => Math.max(w, v.length), least);
}

export function mediumText(t: TransportPlan): string {
  return t.medium === 'emulated' ? 'EMULATED' : t.medium;
}

/**
 * Returns one line per transport of a plan, with name, details and medium in columns. Names and details that are too long are cut.
 * @param names names of the transports, in the order of the plan
 * @param width width available for the lines, in characters
 * @param paint colours the medium of an emulated transport; default: no colour
 */
export function transportLines(
  { transports }: RunPlan,
  names: readonly string[],
  width: number,
  paint: (text: string) => string = String,
): string[] {
  const name = column('name', '', Math.min(widest(names, 0), Math.floor(width / 3)), 'left');
  const details = transports.map((t) => detailText(t.detail));
  const room = Math.max(8, width - name.width - 12);
  const columns = [
    name,
    column('detail', '', Math.min(widest(details, 0), room), 'left'),
    column('medium', '', widest(transports.map(mediumText), 0), 'left'),
  ];
  return transports.map((t, i) => {
    const medium = { text: mediumText(t), ...(t.medium === 'emulated' ? { paint } : {}) };
    return line(columns, { name: names[i], detail: details[i], medium });
  });
}

/** Returns the x of a planned point, mostly its message size, in the short form for a table column: "1M". */
export const xShort = (plan: RunPlan, point: PointPlan): string =>
  xAxisFormat(workloadRowOf(plan, point)).short(xOfPoint(plan, point));

export const axisText = (value: AxisValue | undefined): string => String(value ?? '-');

/**
 * Returns the axes (options of operations) that have a column in the table: those of all workloads of the plan for which a column
 * head is defined, without x, each once.
 */
function axesOf(plan: RunPlan): AxisData[] {
  const all = plan.workloads.flatMap(({ axes }) => axes);
  return all.filter(
    ({ name, role, head }, i) =>
      role !== 'x' && head !== undefined && all.findIndex((one) => one.name === name) === i,
  );
}

/**
 * Returns the columns that describe a planned point besides x: its options such as data type. If any point has `count`, the number
 * of elements that NCCL takes as argument, a column for it comes first.
 */
function shapeOf(plan: RunPlan): TextColumn[] {
  const counts = plan.points.flatMap(({ count }) => (count === undefined ? [] : [String(count)]));
  const axes = axesOf(plan).map(({ name, head = name, isNumber = false }, i) => {
    const width = widest(plan.points.map(({ axes: at }) => axisText(at[name])));
    return column(name, head, width, isNumber ? 'right' : 'left', i === 0 ? 2 : 1);
  });
  return counts.length === 0 ? axes : [column('count', 'count', widest(counts)), ...axes];
}

export function figuresOf(plan: RunPlan, isOnDevice: boolean): FigureColumns {
  const [row] = plan.workloads;
  const [headline, ...others] = row === undefined ? [] : measuredRows(row);
  const derived = row === undefined ? [] : derivedRows(row);
  const charted = derived.filter(({ isCharted }) => isCharted === true).slice(0, 1);
  const rate = ({ name, head }: { name: string; head: string }) => column(name, head, 9);
  const isSkewed = plan.transports.some((over) => skewNsOf(over) > 0);
  const arrivals = [
    ...(row === undefined ? [] : sideTimes(row)),
    ...(row?.figures ?? []).filter(({ name }) => arrivalFigures.some((one) => isSkewed && one.name === name)),
  ];
  // On the host the column shows the first main time that a configuration has, so its head is just "time".
  const first = isOnDevice && headline !== undefined ? rate(headline) : column('time', 'time', 9);
  return {
    // If disturbed configurations are measured again, a second mark may follow the time, which needs one more character.
    mainTime: plan.sampling.retryFlagged === true ? { ...first, width: first.width + 1 } : first,
    spread,
    arrivals: arrivals.map(({ name, head }) => column(name, head, 8)),
    otherTimes: others.map(({ name, head }) => column(name, head, 8)),
    derived: derived.map(rate),
    mainRate: charted.map(rate),
  };
}

export function layoutFor(plan: RunPlan, width: number): TableLayout {
  const onDevice = timesOnDevice(plan);
  const size = column('x', xOfPlan(plan).noun, widest(plan.points.map((p) => xShort(plan, p))));
  const { names } = columnNames(plan);
  const transport = column('transport', 'over', Math.min(widestName, widest(names)), 'left');
  const medium = column('medium', 'medium', 8, 'left', 1);
  const members = plan.groups?.members.map(({ name }) => name) ?? [];
  const group = members.length === 0 ? [] : [column('group', 'group', Math.min(18, widest(members)), 'left')];
  const keys = [size, ...group];
  const shape = shapeOf(plan);
  const figures = figuresOf(plan, onDevice);
  const common = { keys, shape, transport, medium, wrong, figures };
  if (onDevice) return deviceLayout(plan, width, common);
  const { mainTime, arrivals, otherTimes, derived, mainRate } = figures;
  const everything = [mainTime, spread, p95, ...arrivals, ...otherTimes, ...derived, wrong];
  const optional = [[], otherTimes, [...otherTimes, p95]];
  const wide = [
    besideLayout([...keys, ...shape], everything),
    ...optional.map((without) =>
      stackedLayout(
        [...keys, ...shape, transport, medium],
        everything.filter((one) => !without.includes(one)),
      ),
    ),
  ];
  // If a workload has no rates, its other measured times take their place.
  const rate = [arrivals, mainRate, otherTimes].find((some) => some.length > 0) ?? [];
  const eight = { ...size, width: Math.max(size.width, Math.min(9, width - 71 - widthOf(group))) };
  const narrow = [
    [mainTime, spread, ...rate, wrong],
    [mainTime, spread, wrong],
    [mainTime, wrong],
  ];
  const layouts = [
    ...(width >= 100 ? wide : []),
    besideLayout([eight, ...group], [mainTime, spread, ...rate], [wrong]),
    ...narrow.map((each) => stackedLayout([...keys, transport, medium], each)),
  ];
  return fittingLayout(layouts, plan, width, common);
}
