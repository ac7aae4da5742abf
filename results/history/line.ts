import { createHash } from 'node:crypto';
import { mean } from 'simple-statistics';
import { addTo } from '../add-to.ts';
import { groupOf, xValueOf } from '../derive/cell-group.ts';
import { openReasonOf, sampleError } from '../derive/launches.ts';
import { varianceOf } from '../judge/difference.ts';
import { meanPerLaunch } from '../judge/launches.ts';
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
} from '../schema/index.ts';
import { type GroupLevel, recordOf } from './records.ts';

interface LineFigure {
  column: HistoryColumn;
  figure: GroupLevel;
  /** Of x without an interval: not in the figure, unless all are. */
  open: number[];
  flags: string[];
}

/**
 * What the index keeps of a run, and the line that tells what its figures are of.
 * @param folder relative to that of the index
 */
export function lineOf(
  record: RunRecord,
  cells: readonly CellRecord[],
  folder: string,
): { line: HistoryLine; set: HistorySet } {
  const { id, state, plan, suite, bundle, tags, label } = record;
  const ok = cells.filter((cell) => cell.status === 'ok');
  // Pairs of hosts are judged against each other, not over time.
  const measured = plan.pairs === undefined ? measuredIn(ok.filter(isTrue)) : [];
  const columns = measured.map(({ column }) => column);
  const set = { schemaVersion: 4 as const, set: shortHash(JSON.stringify(columns)), columns };
  const flags: Record<string, number[]> = {};
  for (const [index, one] of measured.entries())
    for (const flag of one.flags) flags[flag] = [...(flags[flag] ?? []), index];
  const open = Object.fromEntries(measured.flatMap((one, i) => (one.open.length > 0 ? [[i, one.open]] : [])));
  const line: HistoryLine = {
    schemaVersion: 4,
    folder,
    id,
    at: measuredAt(record),
    state,
    hosts: plan.hosts.map(({ name }) => name).sort(),
    ...(plan.imported === undefined && bundle === undefined ? {} : { imported: true }),
    ...(suite === undefined ? {} : { suite }),
    ...(tags?.commit === undefined ? {} : { commit: tags.commit }),
    ...(label === undefined ? {} : { label }),
    cells: {
      expected: plan.expected.cells,
      measured: ok.length,
      wrong: ok.filter(isWrong).length,
      contradicted: ok.filter(({ evidence }) => evidence.verdict === 'contradicted').length,
    },
    ...(Object.keys(flags).length === 0 ? {} : { flags }),
    ...(Object.keys(open).length === 0 ? {} : { open }),
    set: set.set,
    figures: measured.map(({ figure }) => recordOf(figure)).join(''),
  };
  return { line, set };
}

/** Another program told when it had measured, in a time zone that it did not tell: taken for UTC. */
function measuredAt({ startedAt, plan: { imported } }: RunRecord): string {
  const told = imported?.measuredAt ?? null;
  const hasZone = told !== null && /[zZ]$|[+-]\d\d:?\d\d$/.test(told);
  const time = told === null ? Number.NaN : Date.parse(hasZone ? told : `${told} UTC`);
  return Number.isNaN(time) ? startedAt : new Date(time).toISOString();
}

const isWrong = ({ verification }: OkCell): boolean => verification.wrongElements > 0;

/** Fit to be held against other nights: right data, by the way asked for, and whole. */
const isTrue = (cell: OkCell): boolean =>
  !isWrong(cell) &&
  cell.evidence.verdict !== 'contradicted' &&
  !cell.flags.some(({ name }) => name === 'interrupted');

function measuredIn(cells: readonly OkCell[]): LineFigure[] {
  const groups = new Map<string, OkCell[]>();
  for (const cell of cells) {
    const { key } = groupOf(cell);
    addTo(groups, key, cell);
  }
  return [...groups].flatMap(([group, members]) =>
    measuredRows(dataOf((members[0] as OkCell).workload)).flatMap(({ name }) =>
      measuredAs(group, name, members),
    ),
  );
}

function measuredAs(group: string, name: string, cells: readonly OkCell[]): LineFigure[] {
  const own = cells
    .map((cell) => ({ cell, x: xValueOf(cell), figure: measuredOf(cell, name) }))
    .filter((one): one is typeof one & { figure: MeasuredFigure } => one.figure !== null)
    .sort((a, b) => a.x - b.x);
  const [first] = own;
  if (first === undefined) return [];
  const { clock, sync, summary } = first.figure.method;
  const xs = own.map(({ x }) => x);
  const closed = own.filter(({ figure }) => openReasonOf(figure) === null);
  const told = closed.length > 0 ? closed : own;
  return [
    {
      column: {
        group,
        figure: name,
        like: shortHash(JSON.stringify([xs, clock, sync, summary])),
        points: xs.length,
      },
      figure: figureOf(
        told.map(({ figure }) => figure),
        first.cell.printed !== undefined,
      ),
      open: xs.filter((x) => !closed.some((one) => one.x === x)),
      flags: [...new Set(own.flatMap(({ cell }) => cell.flags.map((flag) => flag.name)))].sort(),
    },
  ];
}

/** Each launch is the mean over its sizes. A size that lost one leaves the launches that all have. */
function figureOf(all: readonly MeasuredFigure[], isForeign: boolean): GroupLevel {
  const launches = Math.min(...all.map(({ launchValues }) => launchValues.length));
  if (isForeign || launches === 0)
    return { log: mean(all.map(({ value }) => Math.log(value))), sd: 0, launches: 0 };
  const logs = all.map(({ launchValues }) => launchValues.map((value) => Math.log(value)));
  const means = meanPerLaunch(logs, launches);
  // As of every interval: no narrower than the samples allow, however well few launches agree.
  const floor = (Math.hypot(...all.map(sampleError)) / all.length) * Math.sqrt(launches);
  const sd = launches < 2 ? 0 : Math.max(floor, Math.sqrt(varianceOf(means)));
  return { log: mean(means), sd, launches };
}

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);
