import { createHash } from 'node:crypto';
import { mean } from 'simple-statistics';
import { addTo } from '../../collections.ts';
import { groupOf, xValueOf } from '../../derive/cells/cell-group.ts';
import { openReasonOf, sampleError } from '../../derive/launches/launches.ts';
import { meanPerLaunch, varianceOf } from '../../judge/difference.ts';
import {
  type CellRecord,
  dataOf,
  type HistoryColumn,
  type HistoryLine,
  type HistorySet,
  type MeasuredFigure,
  measuredOf,
  measuredRows,
  type OkCell,
  type RunRecord,
} from '../../schema/index.ts';
import type { RecordStamp } from '../types.ts';
import { type GroupLevel, pointText, recordOf } from './figures.ts';

interface LineFigure {
  column: HistoryColumn;
  figure: GroupLevel;
  /**
   * Natural logarithm of the time in ns at each x value (for example payload bytes), in the order of `column.xs`. Null without a
   * usable time: not measured to its end, wrong data, another transport than requested, or samples or launches that span more than
   * a factor of four.
   */
  points: (number | null)[];
  flags: string[];
}

/**
 * Returns the line of a run for the index file runs.ndjson, and the line that describes its columns (the list of mean times in it).
 * @param folder path of the run relative to the folder of the index
 */
export function lineOf(
  { record, stamp, cells }: { record: RunRecord; stamp: RecordStamp; cells: readonly CellRecord[] },
  folder: string,
): { line: HistoryLine; set: HistorySet } {
  const { id, title, startedAt, state, plan, suite, bundle, label, tags, notes, summary } = record;
  const ok = cells.filter((cell) => cell.status === 'ok');
  // Runs of `collbench pairs` have no columns: their results compare hosts with each other, not with earlier nights.
  const measured = plan.pairs === undefined ? measuredColumns(cells) : [];
  const columns = measured.map(({ column }) => column);
  const set = { schemaVersion: 5 as const, set: shortHash(JSON.stringify(columns)), columns };
  const flags: Record<string, number[]> = {};
  for (const [index, one] of measured.entries())
    for (const flag of one.flags) flags[flag] = [...(flags[flag] ?? []), index];
  const line: HistoryLine = {
    schemaVersion: 5,
    folder,
    record: stamp,
    id,
    title,
    startedAt,
    at: measuredAt(record),
    state,
    hosts: plan.hosts.map(({ name }) => name).sort(),
    ...(plan.imported === undefined && bundle === undefined ? {} : { imported: true }),
    ...(suite === undefined ? {} : { suite }),
    ...(label === undefined ? {} : { label }),
    ...(tags === undefined ? {} : { tags }),
    ...(notes === undefined ? {} : { notes }),
    cells: {
      expected: plan.expected.cells,
      measured: summary?.cellsMeasured ?? ok.length,
      wrong: ok.filter(isWrong).length,
      contradicted: ok.filter(({ evidence }) => evidence.verdict === 'contradicted').length,
    },
    ...(Object.keys(flags).length === 0 ? {} : { flags }),
    set: set.set,
    figures: measured.map(({ figure }) => recordOf(figure)).join(''),
    points: measured.flatMap(({ points }) => points.map(pointText)).join(''),
  };
  return { line, set };
}

/**
 * Returns the time at which the run was measured, ISO 8601: its start. For an imported run it is the time that the other program
 * printed, taken as UTC if it has no time zone; if none was printed or it cannot be parsed, the start of the import.
 */
function measuredAt({ startedAt, plan: { imported } }: RunRecord): string {
  const told = imported?.measuredAt ?? null;
  const hasZone = told !== null && /[zZ]$|[+-]\d\d:?\d\d$/.test(told);
  const time = told === null ? Number.NaN : Date.parse(hasZone ? told : `${told} UTC`);
  return Number.isNaN(time) ? startedAt : new Date(time).toISOString();
}

const isWrong = ({ verification }: OkCell): boolean => verification.wrongElements > 0;

/**
 * True if the result can be compared with those of other nights: its data are correct, it used the requested transport, and its
 * measurement was not interrupted.
 */
const isUsable = (cell: OkCell): boolean =>
  !isWrong(cell) &&
  cell.evidence.verdict !== 'contradicted' &&
  !cell.flags.some(({ name }) => name === 'interrupted');

function measuredColumns(cells: readonly CellRecord[]): LineFigure[] {
  const groups = new Map<string, CellRecord[]>();
  for (const cell of cells) addTo(groups, groupOf(cell).key, cell);
  return [...groups].flatMap(([group, members]) =>
    measuredRows(dataOf((members[0] as CellRecord).workload)).flatMap(({ name }) =>
      measuredColumn(group, name, members),
    ),
  );
}

/**
 * Returns the mean of one measured time over the sizes of one size range, as a list of one column of the run index. Sizes whose
 * samples or launches span more than a factor of four count only if all do. Empty if no size was measured to its end with correct
 * data.
 * @param group key of series and size range
 * @param name name of the measured time, such as "latency"
 * @param cells results of all sizes in the range. A size that failed or has wrong data stays in the column, but without a time
 */
function measuredColumn(group: string, name: string, cells: readonly CellRecord[]): LineFigure[] {
  const usable = cells.filter((cell) => cell.status === 'ok').filter(isUsable);
  const own = usable
    .map((cell) => ({ cell, x: xValueOf(cell), figure: measuredOf(cell, name) }))
    .filter((one): one is typeof one & { figure: MeasuredFigure } => one.figure !== null)
    .sort((a, b) => a.x - b.x);
  const [first] = own;
  if (first === undefined) return [];
  const { clock, sync, summary } = first.figure.method;
  const isForeign = first.cell.printed !== undefined;
  const xs = [...new Set(cells.map(xValueOf))].sort((a, b) => a - b);
  const closed = own.filter(({ figure }) => openReasonOf(figure) === null);
  return [
    {
      column: { group, figure: name, like: shortHash(JSON.stringify([xs, clock, sync, summary])), xs },
      figure: figureOf(
        (closed.length > 0 ? closed : own).map(({ figure }) => figure),
        isForeign,
      ),
      points: xs.map((x) => {
        const found = closed.find((one) => one.x === x);
        return found === undefined ? null : figureOf([found.figure], isForeign).log;
      }),
      flags: [...new Set(own.flatMap(({ cell }) => cell.flags.map((flag) => flag.name)))].sort(),
    },
  ];
}

/**
 * Returns the mean of ln(time in ns) over sizes, with its standard deviation between launches. If sizes have different numbers of
 * launches, the lowest number is used for all.
 * @param all the measured time of each size
 * @param isForeign true for imported results, which have no launches: the standard deviation and the number of launches are then 0
 */
function figureOf(all: readonly MeasuredFigure[], isForeign: boolean): GroupLevel {
  const launches = Math.min(...all.map(({ launchValues }) => launchValues.length));
  if (isForeign || launches === 0)
    return { log: mean(all.map(({ value }) => Math.log(value))), sd: 0, launches: 0 };
  const logs = all.map(({ launchValues }) => launchValues.map((value) => Math.log(value)));
  const means = meanPerLaunch(logs, launches);
  // The standard deviation is never smaller than the scatter of samples implies, even if a few launches agree well. Intervals have
  // the same lower limit.
  const floor = (Math.hypot(...all.map(sampleError)) / all.length) * Math.sqrt(launches);
  const sd = launches < 2 ? 0 : Math.max(floor, Math.sqrt(varianceOf(means)));
  return { log: mean(means), sd, launches };
}

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);
