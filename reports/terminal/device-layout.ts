import type { RunPlan } from '../../results/schema/index.ts';
import { column, type FigureColumns, type TableLayout, type TextColumn, widthOf } from './columns.ts';

/** Columns from which the table of a run chooses; narrow terminals show fewer of them. */
export interface CommonColumns {
  /**
   * Columns that identify a row: x and, if the ranks are divided into groups, the name of the group. `shape`: columns with the
   * options of the operation, such as the data type.
   */
  keys: TextColumn[];
  shape: TextColumn[];
  transport: TextColumn;
  medium: TextColumn;
  wrong: TextColumn;
  /** Columns of measured times and of values derived from the times. */
  figures: FigureColumns;
}

const enqueue = column('enqueue', 'enqueue', 8);
const chosen = column('chosen', 'algo/proto', 11, 'left');
const mark = column('evidence', '', 1, 'left', 1);

/**
 * Returns possible lists of columns for a table with a row per transport, widest first. From list to list, columns are dropped in
 * this order: rates except the main one, algorithm, enqueue time, interval, main rate, evidence mark.
 */
function stackedForms({ mainTime, spread, otherTimes, derived, mainRate }: FigureColumns): TextColumn[][] {
  return [
    [mainTime, spread, ...otherTimes, enqueue, ...derived, chosen, mark],
    [mainTime, spread, ...otherTimes, enqueue, ...mainRate, chosen, mark],
    [mainTime, spread, ...otherTimes, enqueue, ...mainRate, mark],
    [mainTime, spread, ...otherTimes, ...mainRate, mark],
    [mainTime, ...otherTimes, ...mainRate, mark],
    [mainTime, ...otherTimes, mark],
    [mainTime, ...otherTimes],
  ];
}
function besideForms({ mainTime, otherTimes, mainRate, ...rest }: FigureColumns): TextColumn[][] {
  return [
    ...stackedForms({ mainTime, otherTimes, mainRate, ...rest }).slice(1, 5),
    [mainTime, ...otherTimes, ...mainRate],
  ];
}

/**
 * Returns the table columns for engines that time operations on GPUs: latency on the GPUs, pipelined time and enqueue time. As many
 * columns are chosen as fit.
 * @param width width of the terminal in characters
 * @param common columns to choose from
 */
export function deviceLayout(plan: RunPlan, width: number, common: CommonColumns): TableLayout {
  const { keys, shape, transport, medium, wrong, figures } = common;
  const stacked = stackedForms(figures);
  const wide = [
    besideLayout([...keys, ...shape], [...(stacked[0] ?? []), wrong]),
    ...[
      [...keys, ...shape, transport, medium],
      [...keys, transport, medium],
    ].flatMap((lead) => stacked.slice(0, 2).map((form) => stackedLayout(lead, [...form, wrong]))),
  ];
  const tight = { ...medium, gap: 1 };
  const overs = [transport, { ...transport, width: Math.min(6, transport.width), gap: 1 }];
  const layouts = [
    ...(width >= 100 ? wide : []),
    ...besideForms(figures).map((each) => besideLayout(keys, each, [wrong])),
    ...overs.flatMap((over) =>
      stacked.slice(1).map((form) => stackedLayout([...keys, over, tight], [...form, wrong])),
    ),
  ];
  return fittingLayout(layouts, plan, width, common);
}

/** Layout with all transports on one line; `tail` are columns behind them. */
export const besideLayout = (
  lead: TextColumn[],
  each: TextColumn[],
  tail: TextColumn[] = [],
): TableLayout => ({ form: 'beside', lead, each, tail });

/** Layout with a line for each transport. */
export const stackedLayout = (lead: TextColumn[], each: TextColumn[]): TableLayout => ({
  form: 'stacked',
  lead,
  each,
  tail: [],
});

/**
 * Returns the first of the layouts that fits the width. If none does, returns the narrowest one, whose only results are the main
 * time and the number of wrong elements. If ranks are divided into groups, this layout has no column of the medium (hardware or
 * emulated), which the lines above the table name.
 */
export function fittingLayout(
  layouts: readonly TableLayout[],
  { transports }: RunPlan,
  width: number,
  { keys, transport, medium, wrong, figures: { mainTime } }: CommonColumns,
): TableLayout {
  const room = ({ form, lead, each, tail }: TableLayout): number =>
    form === 'stacked'
      ? widthOf([...lead, ...each])
      : widthOf(lead) +
        transports.length * (widthOf(each) + mainTime.gap) +
        tail.reduce((sum, one) => sum + one.gap + one.width, 0);
  const [size, group] = [keys.slice(0, 1), keys[1]];
  const short = { ...transport, width: 6, gap: 1 };
  const lead =
    group === undefined
      ? [...size, short, { ...medium, gap: 1 }]
      : [...size, { ...group, width: 6, gap: 1 }, short];
  const each = [
    { ...mainTime, gap: 1 },
    { ...wrong, gap: 1 },
  ];
  return layouts.find((one) => room(one) <= width) ?? stackedLayout(lead, each);
}
