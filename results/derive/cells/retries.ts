// Selects disturbed cells for a second measurement, and decides which of the two measurements counts. The functions read and write
// no files.
import {
  type CellRecord,
  measuredOf,
  measuredRows,
  type Retry,
  type RunPlan,
  type RunRecord,
  workloadOf,
} from '../../schema/index.ts';
import { plural } from '../../units.ts';

type RetriedCell = Retry['cells'][number];

/** Names of flags (warnings) whose cause lasts, so that measuring again in the same run would give the same flag. */
const lasting = ['oversubscribed', 'shared-gpu', 'mps', 'timer-limited', 'link-downgraded', 'groups-apart'];

/**
 * Returns the names of a result's flags that may be absent when the measurement is repeated, such as "cpu-busy", and that make its
 * times doubtful; empty if the configuration was not measured.
 */
const passingFlags = (cell: CellRecord): string[] =>
  cell.status !== 'ok'
    ? []
    : cell.flags.flatMap(({ name, level }) =>
        level === 'disturbs' && !lasting.includes(name) ? [name] : [],
      );

/**
 * Returns which configurations to measure again because a temporary cause, such as a busy CPU, disturbed them, in the order of the
 * plan. With groups of ranks, one disturbed group is enough; `figures` has only the first group's values. The outcome of all is
 * `open`, since nothing was measured again yet.
 * @param cells results of one run
 */
export function disturbedCells(plan: RunPlan, cells: readonly CellRecord[]): RetriedCell[] {
  return plan.points.flatMap((_, point) =>
    plan.transports.flatMap(({ name }, transport) => {
      const own = cells.filter((cell) => cell.point === point && cell.transport === name);
      const flags = [...new Set(own.flatMap(passingFlags))];
      return flags.length === 0
        ? []
        : [{ point, transport, flags, outcome: 'open' as const, figures: figuresOf(own[0], undefined) }];
    }),
  );
}

function figuresOf(first: CellRecord | undefined, second: CellRecord | undefined): RetriedCell['figures'] {
  if (first === undefined) return {};
  return Object.fromEntries(
    measuredRows(workloadOf(first.workload)).map(({ name }) => [
      name,
      { first: measuredOf(first, name)?.value ?? null, second: measuredOf(second, name)?.value ?? null },
    ]),
  );
}

/**
 * Replaces disturbed first results by second ones that are complete and undisturbed in all groups of ranks. Only flags decide,
 * never the measured times, since otherwise lucky results would be selected.
 * @param cells first results of the run
 * @param again results of the second measurement, with their flags
 * @param retried the configurations that were measured again
 * @returns `cells`: results in the order of the argument; `retried`: each with its outcome `open` (incomplete), `replaced` or
 * `disturbed`, and the figures of both measurements
 */
export function withRetried(
  plan: RunPlan,
  cells: readonly CellRecord[],
  again: readonly CellRecord[],
  retried: readonly RetriedCell[],
): { cells: CellRecord[]; retried: RetriedCell[] } {
  const groups = plan.groups?.members.length ?? 1;
  const outcomes = retried.map((one): RetriedCell => {
    const isIt = ({ point, transport }: CellRecord): boolean =>
      point === one.point && transport === plan.transports[one.transport]?.name;
    const second = again.filter(isIt);
    const isWhole =
      second.length === groups &&
      second.every((cell) => cell.status === 'ok' && cell.flags.every(({ name }) => name !== 'interrupted'));
    const isQuiet = second.every((cell) => passingFlags(cell).length === 0);
    return {
      ...one,
      outcome: !isWhole ? 'open' : isQuiet ? 'replaced' : 'disturbed',
      figures: figuresOf(cells.find(isIt), second[0]),
    };
  });
  const isReplaced = (cell: CellRecord): boolean =>
    outcomes.some(
      ({ point, transport, outcome }) =>
        outcome === 'replaced' && point === cell.point && plan.transports[transport]?.name === cell.transport,
    );
  const secondOf = (cell: CellRecord): CellRecord =>
    again.find(
      (one) =>
        one.point === cell.point &&
        one.transport === cell.transport &&
        one.group?.index === cell.group?.index,
    ) ?? cell;
  return { cells: cells.map((cell) => (isReplaced(cell) ? secondOf(cell) : cell)), retried: outcomes };
}

type RetryResult = Pick<RunRecord, 'retries' | 'plan'>;

/**
 * Returns the last repetition of each configuration, by "POINT TRANSPORT" (index of the point, name of the transport). A run that
 * was resumed may have repeated a configuration more than once.
 */
function lastRetries({ retries = [], plan }: RetryResult): Map<string, RetriedCell> {
  const all = retries.flatMap(({ cells }) => cells);
  return new Map(all.map((one) => [`${one.point} ${plan.transports[one.transport]?.name}`, one]));
}

/**
 * Returns a function that is true for configurations that were chosen to be measured again, whichever of the two results was kept,
 * and even if the second measurement was not completed.
 */
export function isRetriedCell(
  record: RetryResult,
): (cell: Pick<CellRecord, 'point' | 'transport'>) => boolean {
  const retried = lastRetries(record);
  return ({ point, transport }) => retried.has(`${point} ${transport}`);
}

/**
 * Returns a summary of the repeated measurements: "5 disturbed configurations measured again: 4 replaced by the second measurement,
 * 1 still disturbed (first measurement kept)". It also says how many were left out because the budget was spent. "" if none was
 * measured again or left out.
 */
export function retriedSentence(record: RetryResult): string {
  const cells = [...lastRetries(record).values()];
  const leftOut = record.retries?.at(-1)?.leftOut ?? 0;
  if (cells.length === 0)
    return leftOut === 0
      ? ''
      : `${plural(leftOut, 'disturbed configuration')} not measured again: the budget was spent`;
  const parts = (
    [
      ['replaced', 'replaced by the second measurement'],
      ['disturbed', 'still disturbed (first measurement kept)'],
      ['open', 'not completed (first measurement kept)'],
    ] as const
  ).flatMap(([outcome, words]) => {
    const count = cells.filter((cell) => cell.outcome === outcome).length;
    return count === 0 ? [] : [`${count} ${words}`];
  });
  if (leftOut > 0) parts.push(`${leftOut} more left out: the budget was spent`);
  return `${plural(cells.length, 'disturbed configuration')} measured again: ${parts.join(', ')}`;
}

/** Character printed after values of configurations that were measured again; a line below the table explains it. */
export const retriedMark = '*';

/**
 * Returns the line below a table that explains `retriedMark`: the mark and retriedSentence(). If no cell was measured again, only
 * that sentence, which is "" if no disturbed cell was left out either.
 */
export function retriedLegend(record: RetryResult): string {
  const sentence = retriedSentence(record);
  return lastRetries(record).size === 0 ? sentence : `${retriedMark} ${sentence}`;
}
