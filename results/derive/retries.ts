// Which cells are measured again because they were disturbed, and which of the two measurements counts: pure.
import {
  type CellRecord,
  measuredOf,
  measuredRows,
  type Retry,
  type RunPlan,
  workloadOf,
} from '../schema/index.ts';

type RetriedCell = Retry['cells'][number];

/** Flags that a second measurement of the same run would earn as well. */
const lasting = ['oversubscribed', 'timer-limited', 'link-downgraded', 'groups-apart'];

/** Flags that speak against the figures and may be gone later. */
export const passingFlags = (cell: CellRecord): string[] =>
  cell.status !== 'ok'
    ? []
    : cell.flags.flatMap(({ name, level }) =>
        level === 'disturbs' && !lasting.includes(name) ? [name] : [],
      );

/** Cells to be measured again, of all groups where any was disturbed; their outcome is `open`. @param cells of one run */
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
 * The second measurement replaces the first only if it was quiet: what decides are the machines, never the figure, so that good
 * luck is not selected.
 * @param again  cells of the second measurement, with their flags
 * @returns cells in the order of `cells`, and what became of each
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
