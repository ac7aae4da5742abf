// Table of a run with several series, for terminals: one row per size; the values of one option (placement, operation) are columns.
import pc from 'picocolors';
import {
  type AxisData,
  type AxisValue,
  type CellRecord,
  fileKeyOf,
  flagText,
  type OkCell,
  type PointPlan,
  type RunPlan,
  type TransportPlan,
  titleOf,
  whatOf,
} from '../../results/schema/index.ts';
import { timesOnDevice, workloadRowOf, xOfPlan } from '../rows.ts';
import { isOk, xOfPoint } from '../series.ts';
import { shortTransport, wrap } from '../wording.ts';
import { briefFootLines } from './brief-foot.ts';
import { column, fit, headLine, line, type StyledText, type TextColumn, widthOf } from './columns.ts';
import { type FigureTexts, figureTexts } from './figures.ts';
import { footLines } from './foot.ts';
import { headLines } from './head.ts';
import { figuresOf, layoutFor, mediumText, widest, wrong, xShort } from './layout.ts';
import type { LiveTable, LiveTableOptions } from './live.ts';

/** A table in which the values of one axis (an option of the operation, such as the root) are columns. */
export interface TableGrid extends AxisValues {
  size: TextColumn;
  /** Columns that the table repeats for each value of that option, such as time and bandwidth. */
  each: TextColumn[];
}

/**
 * Maximum number of series, over all transports, for which the table has all columns. With more, it has only times, because all
 * columns would fill several screens.
 */
const maxDetailedSeries = 4;
/**
 * Values of an option become columns only if the number of cells that this takes is at most this multiple of the number of series;
 * with a higher ratio too many cells would be empty.
 */
const maxCellsPerSeries = 1.25;
const betweenSides = 2;

const isFlag = ({ words }: AxisData): boolean => words !== undefined;

interface AxisValues {
  axis: AxisData;
  values: AxisValue[];
}

/**
 * Returns the options (such as data type or root) of which a run's plan has several values, each with these values; x is no such
 * option. Empty if the plan has several workloads (kinds of operations).
 */
function varyingOptions(plan: RunPlan): AxisValues[] {
  const [row] = plan.workloads;
  if (row === undefined || plan.workloads.length > 1) return [];
  return row.axes
    .filter(({ role }) => role !== 'x')
    .map((axis) => ({ axis, values: [...new Set(plan.points.map(({ axes }) => axes[axis.name] ?? null))] }))
    .filter(({ values }) => values.length > 1);
}

/**
 * Returns the layout of a run's table in which the values of one option are columns. With at most four series over all transports
 * the option is a boolean one, such as in-place; with more it may be any, such as the root. Null if no such option has several
 * values, if its columns do not fit into the width, or if too many cells would be empty. Null also if ranks are divided into
 * groups.
 * @param width in characters
 */
export function gridOf(plan: RunPlan, width: number): TableGrid | null {
  const found = varyingOptions(plan);
  if (found.length === 0 || plan.groups !== undefined) return null;
  const keys = plan.points.map((point) => fileKeyOf(workloadRowOf(plan, point), point.axes));
  const series = new Set(keys).size;
  const isShort = series * plan.transports.length > maxDetailedSeries;
  const flag = found.find(({ axis }) => isFlag(axis));
  const byLength = found
    .filter(({ axis }) => axis.role === 'series' && !isFlag(axis))
    .sort((a, b) => b.values.length - a.values.length);
  const wanted = isShort ? [...byLength, ...(flag === undefined ? [] : [flag])] : [flag];
  const size = column('x', xOfPlan(plan).noun, widest(plan.points.map((p) => xShort(plan, p))));
  for (const one of wanted) {
    if (one === undefined || countWithout(plan, one.axis) * one.values.length > maxCellsPerSeries * series)
      continue;
    const each = sideColumns(plan, width - widthOf([size]), one, isShort);
    if (each !== null) return { ...one, size, each };
  }
  return null;
}

/**
 * Returns the number of series of a plan (over one transport), counting those which differ only in the given option as one. If the
 * option's values are columns, the table has this many parts (`GridBlock`) for each transport.
 */
const countWithout = (plan: RunPlan, { name }: AxisData): number =>
  new Set(plan.points.map((point) => fileKeyOf(workloadRowOf(plan, point), { ...point.axes, [name]: null })))
    .size;

/**
 * Returns the longest list of columns that fits into the width when repeated for each value of the option; null if not even times
 * fit.
 * @param room width for the columns of all values together, in characters
 * @param isShort true = only the column with the main time, because the table has many series
 */
function sideColumns(
  plan: RunPlan,
  room: number,
  { axis, values }: AxisValues,
  isShort: boolean,
): TextColumn[] | null {
  const { mainTime, spread, arrivals, otherTimes, derived, mainRate } = figuresOf(plan, timesOnDevice(plan));
  const full = [
    [mainTime, spread, ...arrivals, ...otherTimes, ...derived, wrong],
    [mainTime, spread, ...arrivals, ...derived, wrong],
    [mainTime, spread, ...arrivals, ...mainRate, wrong],
    [mainTime, ...mainRate, wrong],
    [mainTime, wrong],
  ];
  const widest = Math.max(mainTime.width, ...values.map((value) => sideTitle(axis, value).length));
  const fits = (columns: readonly TextColumn[]) => values.length * (widthOf(columns) + betweenSides) <= room;
  return [...(isShort ? [] : full), [{ ...mainTime, width: widest }], [mainTime]].find(fits) ?? null;
}

/**
 * Planned configurations over one transport that differ only in x and in the option shown as columns: consecutive rows of the table
 * below one title.
 */
interface GridBlock {
  title: string;
  transport: TransportPlan;
  /**
   * For each x, the indices of the plan's points, in the order of the option's values; undefined where the plan has no point for a
   * value.
   */
  rows: Map<number, (number | undefined)[]>;
}

function blocksOf(plan: RunPlan, { axis, values }: TableGrid): GridBlock[] {
  const blocks = new Map<string, GridBlock>();
  for (const [index, point] of plan.points.entries()) {
    const others = { ...point.axes, [axis.name]: null };
    const row = workloadRowOf(plan, point);
    for (const transport of plan.transports) {
      const title = titleOf(row, others) || whatOf(row, point.axes);
      const over = plan.transports.length > 1 ? ` over ${shortTransport(transport.name)}` : '';
      const key = title + over;
      const block: GridBlock = blocks.get(key) ?? { title: key, transport, rows: new Map() };
      const x = xOfPoint(plan, point);
      const places: (number | undefined)[] = block.rows.get(x) ?? values.map(() => undefined);
      places[values.indexOf(point.axes[axis.name] ?? null)] = index;
      block.rows.set(x, places);
      blocks.set(key, block);
    }
  }
  return [...blocks.values()];
}

/** Returns the title above the columns of one value of an option: "prod", "root 1", "out of place". */
function sideTitle(axis: AxisData, value: AxisValue): string {
  const { name, titlePrefix = '' } = axis;
  return flagText(axis, value) ?? (value === null ? `no ${name}` : `${titlePrefix}${value}`);
}

class GridRows {
  private readonly cells = new Map<string, CellRecord>();
  private readonly options: LiveTableOptions;
  private readonly grid: TableGrid;
  private readonly texts: FigureTexts;
  readonly blocks: GridBlock[];

  constructor(options: LiveTableOptions, grid: TableGrid) {
    this.options = options;
    this.grid = grid;
    this.texts = figureTexts(options, pc.createColors(options.color));
    this.blocks = blocksOf(options.plan, grid);
  }

  add(cells: readonly CellRecord[]): void {
    for (const cell of cells) this.cells.set(`${cell.point} ${cell.transport}`, cell);
  }

  private cellsOf(block: GridBlock, places: readonly (number | undefined)[]): (CellRecord | undefined)[] {
    return places.map((place) => this.cells.get(`${place} ${block.transport.name}`));
  }

  /**
   * Returns the table row of one part of the table (`block`) and one x as lines, with the reason of each failure below; empty if
   * none of its points has been measured.
   * @param places indices of the row's points in the plan, in the order of the option's values
   */
  text(block: GridBlock, places: readonly (number | undefined)[]): string[] {
    const { size, each } = this.grid;
    const { plan, columns: width } = this.options;
    const point = plan.points[places.find((place) => place !== undefined) ?? 0] as PointPlan;
    const cells = this.cellsOf(block, places);
    if (cells.every((cell) => cell === undefined)) return [];
    const all = [size, ...cells.flatMap((_, side) => columnsWithKeys(each, side))];
    const values = cells.map((cell, side) => {
      const found = isOk(cell) ? this.figures(cell) : { [each[0]?.key ?? '']: '-' };
      return Object.entries(found).map(([key, value]) => [`${key} ${side}`, value] as const);
    });
    const whys = cells.flatMap((cell) =>
      cell === undefined || isOk(cell) ? [] : [`${cell.status}: ${cell.reason}`],
    );
    return [
      line(all, { x: xShort(plan, point), ...Object.fromEntries(values.flat()) }),
      ...[...new Set(whys)].map((why) => fit(`${' '.repeat(size.width)}   ${why}`, width)),
    ];
  }

  /**
   * Returns the values of a configuration as texts by column key. If the table shows only times, and data were wrong, "WRONG"
   * replaces the time.
   */
  private figures(cell: OkCell): Record<string, StyledText | string> {
    const found = this.texts.figures(cell);
    const { each } = this.grid;
    const [only] = each;
    if (only === undefined || each.length > 1 || cell.verification.wrongElements === 0) return found;
    const { red } = pc.createColors(this.options.color);
    return { [only.key]: { text: 'WRONG', paint: red } };
  }

  heads(): string[] {
    const { axis, values, size, each } = this.grid;
    const wide = widthOf(each) + betweenSides;
    const across = (texts: readonly string[]) =>
      texts.map((text) => fit(text, wide - betweenSides).padStart(wide)).join('');
    const titles = values.map((value) => sideTitle(axis, value));
    if (each.length > 1) {
      const heads = values.map((_, side) => columnsWithKeys(each, side));
      return [(' '.repeat(size.width) + across(titles)).trimEnd(), headLine([size, ...heads.flat()])];
    }
    // The table has only times; the head of the run says which time.
    const head = size.head.padStart(size.width);
    if (titles.every((title) => title.length <= wide - betweenSides)) return [head + across(titles)];
    const name = `${' '.repeat(size.width + betweenSides)}${(axis.titlePrefix ?? axis.name).trim()}`;
    return [name, head + across(values.map((value) => `${value ?? 'none'}`))];
  }

  /**
   * Returns the lines of those table rows that the measurement of this point has completed; empty while the rows with this point
   * lack others.
   * @param point index of the point in the plan
   */
  finished(point: number): string[] {
    return this.blocks.flatMap((block) =>
      [...block.rows.values()]
        .filter((places) => places.includes(point))
        .filter((places) => places.every((place) => place === undefined || this.has(block, place)))
        .flatMap((places) => this.text(block, places)),
    );
  }

  private has(block: GridBlock, place: number): boolean {
    return this.cells.has(`${place} ${block.transport.name}`);
  }
}

/** Returns the columns for one value of the option, with keys that are unique in the row. @param side index of the value */
const columnsWithKeys = (columns: readonly TextColumn[], side: number): TextColumn[] =>
  columns.map((one, i) => ({ ...one, key: `${one.key} ${side}`, gap: i === 0 ? betweenSides : one.gap }));

export function gridTable(options: LiveTableOptions, grid: TableGrid): LiveTable {
  const { plan } = options;
  const width = Math.max(40, options.columns);
  const colours = pc.createColors(options.color);
  const rows = new GridRows({ ...options, columns: width }, grid);
  const isLive = rows.blocks.length === 1;
  const headOf = ({ title, transport }: GridBlock): string => {
    const medium = transport.medium === 'emulated' ? `  ${mediumText(transport)}` : '';
    return fit(title + medium, width);
  };
  const [over = '', ...below] = rows.heads();
  const heads = [colours.bold(over), ...below.map(colours.dim)];
  return {
    isLive,
    head: () => {
      const lines = headLines(options, width, layoutFor(plan, width), colours);
      return `${[...lines, '', ...heads].join('\n')}\n`;
    },
    row: (point, cells) => {
      rows.add(cells);
      return rows
        .finished(point)
        .map((text) => `${text}\n`)
        .join('');
    },
    whole: (cells) => {
      rows.add(cells);
      const parts = rows.blocks.map((block) => {
        const inOrder = [...block.rows].sort(([a], [b]) => a - b);
        const lines = inOrder.flatMap(([, places]) => rows.text(block, places));
        return isLive || lines.length === 0 ? lines : [colours.bold(headOf(block)), ...lines];
      });
      return parts
        .filter((lines) => lines.length > 0)
        .map((lines) => lines.map((text) => `${text}\n`).join(''))
        .join(isLive ? '' : '\n');
    },
    foot: (input) => {
      const rest = 'Times alone. Intervals and rates: the report, or collbench export RUN.';
      const notes = grid.each.length === 1 ? [rest] : [];
      const lines =
        options.isBrief === true
          ? briefFootLines(options, input, width, colours, notes)
          : [
              ...notes.flatMap((note) => ['', ...wrap(note, width)]),
              ...footLines(options, input, width, colours),
            ];
      return `${lines.join('\n')}\n`;
    },
  };
}
