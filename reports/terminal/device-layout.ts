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
  const { mainTime: latency } = figures;
  const stacked = stackedForms(figures);
  const repeated = plan.transports.length;
  if (width >= 100) {
    const everything = [...(stacked[0] ?? []), wrong];
    const room = widthOf([...keys, ...shape]) + repeated * (widthOf(everything) + latency.gap);
    if (room <= width) return { form: 'beside', lead: [...keys, ...shape], each: everything, tail: [] };
    for (const lead of [
      [...keys, ...shape, transport, medium],
      [...keys, transport, medium],
    ]) {
      for (const form of stacked.slice(0, 2)) {
        const each = [...form, wrong];
        if (widthOf([...lead, ...each]) <= width) return { form: 'stacked', lead, each, tail: [] };
      }
    }
  }
  for (const each of besideForms(figures)) {
    const room = widthOf(keys) + repeated * (widthOf(each) + latency.gap) + wrong.gap + wrong.width;
    if (room <= width) return { form: 'beside', lead: keys, each, tail: [wrong] };
  }
  const tight = { ...medium, gap: 1 };
  for (const over of [transport, { ...transport, width: Math.min(6, transport.width), gap: 1 }]) {
    for (const form of stacked.slice(1)) {
      const lead = [...keys, over, tight];
      const each = [...form, wrong];
      if (widthOf([...lead, ...each]) <= width) return { form: 'stacked', lead, each, tail: [] };
    }
  }
  const short = { ...transport, width: 6, gap: 1 };
  const each = [
    { ...latency, gap: 1 },
    { ...wrong, gap: 1 },
  ];
  return { form: 'stacked', lead: narrowestColumns(keys, [short, tight]), each, tail: [] };
}

/**
 * Returns the columns that identify a row in a narrow terminal. If ranks are divided into groups, the medium (hardware or emulated)
 * has no column; the head of the table names it.
 * @param keys column of x, and the column of the group if there are groups
 */
export function narrowestColumns(
  keys: readonly TextColumn[],
  [transport, medium]: [TextColumn, TextColumn],
): TextColumn[] {
  const [size, group] = [keys.slice(0, 1), keys[1]];
  return group === undefined
    ? [...size, transport, medium]
    : [...size, { ...group, width: 6, gap: 1 }, transport];
}
