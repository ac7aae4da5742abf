import { createHash } from 'node:crypto';
import { groupOf } from '../derive/cell-group.ts';
import type {
  CellRecord,
  HistoryFigure,
  HistoryLine,
  OkCell,
  RunRecord,
  TrialFigures,
} from '../schema/index.ts';

type TrialName = TrialFigures['trial'];

/** What the index keeps of a run. @param folder relative to that of the index, with / */
export function lineOf(record: RunRecord, cells: readonly CellRecord[], folder: string): HistoryLine {
  const { id, state, plan, suite } = record;
  const ok = cells.filter((cell) => cell.status === 'ok');
  // Pairs of hosts are judged against each other, not over time.
  const figures = plan.pairs === undefined ? figuresOf(ok.filter(isTrue)) : [];
  return {
    schemaVersion: 1,
    folder,
    id,
    at: measuredAt(record),
    state,
    hosts: plan.hosts.map(({ name }) => name).sort(),
    ...(plan.imported === undefined ? {} : { imported: true }),
    ...(suite === undefined ? {} : { suite }),
    cells: {
      expected: plan.expected.cells,
      measured: ok.length,
      wrong: ok.filter(isWrong).length,
      contradicted: ok.filter(({ evidence }) => evidence.verdict === 'contradicted').length,
    },
    set: shortHash(figures.map(({ group }) => group).join('\n')),
    figures,
  };
}

/** Another program told when it had measured, in a time zone that it did not tell: taken for UTC. */
function measuredAt({ startedAt, plan: { imported } }: RunRecord): string {
  const told = imported?.measuredAt ?? null;
  const time =
    told === null ? Number.NaN : Date.parse(/[zZ]$|[+-]\d\d:?\d\d$/.test(told) ? told : `${told} UTC`);
  return Number.isNaN(time) ? startedAt : new Date(time).toISOString();
}

const isWrong = ({ verification }: OkCell): boolean => verification.wrongElements > 0;

/** Fit to be held against other nights: right data, by the way asked for, and whole. */
const isTrue = (cell: OkCell): boolean =>
  !isWrong(cell) && cell.evidence.verdict !== 'contradicted' && !cell.flags.includes('interrupted');

function figuresOf(cells: readonly OkCell[]): HistoryFigure[] {
  const groups = new Map<string, OkCell[]>();
  for (const cell of cells) {
    const { key } = groupOf(cell);
    groups.set(key, [...(groups.get(key) ?? []), cell]);
  }
  return [...groups].flatMap(([group, members]) =>
    (['isolated', 'pipelined'] as const).flatMap((trial) => figureOf(group, trial, members)),
  );
}

function figureOf(group: string, trial: TrialName, cells: readonly OkCell[]): HistoryFigure[] {
  const measured = cells
    .flatMap((cell) => (cell[trial] === null ? [] : [{ cell, figures: cell[trial] }]))
    .sort((a, b) => a.cell.payloadBytes - b.cell.payloadBytes);
  const [first] = measured;
  if (first === undefined) return [];
  const all = measured.map(({ figures }) => figures);
  const launches = Math.min(...all.map(({ launchMediansNs }) => launchMediansNs.length));
  const { clock, sync, summary } = first.figures.method;
  const sizes = measured.map(({ cell }) => cell.payloadBytes);
  const flags = [...new Set(measured.flatMap(({ cell }) => cell.flags))].sort();
  return [
    {
      group,
      trial,
      like: shortHash(JSON.stringify([sizes, clock, sync, summary])),
      sizes: sizes.length,
      logNs: digits(mean(all.map(({ medianNs }) => Math.log(medianNs)))),
      launches: Array.from({ length: first.cell.printed === undefined ? launches : 0 }, (_, launch) =>
        digits(mean(all.map(({ launchMediansNs }) => Math.log(launchMediansNs[launch] as number)))),
      ),
      ...(flags.length === 0 ? {} : { flags }),
    },
  ];
}

const mean = (values: readonly number[]): number => values.reduce((sum, x) => sum + x, 0) / values.length;
/** One part in a million: no clock is better, and the index stays small. */
const digits = (log: number): number => Math.round(log * 1e6) / 1e6;
const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);
