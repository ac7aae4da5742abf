import { addTo } from '../results/add-to.ts';
import {
  type BlockRecord,
  type BlockRequest,
  type CellRecord,
  dataOf,
  measuredOf,
  measuredRows,
  type RunPlan,
} from '../results/schema/index.ts';
import type { IsDue } from './costs.ts';
import { estimateRunS } from './estimate.ts';
import { schedule } from './schedule.ts';
import { setSizes } from './set-sizes.ts';

type BlockKey = Pick<BlockRecord, 'point' | 'transport' | 'launch' | 'trial'>;

export interface RemainingWork {
  /** In the order the whole run would have had them; of adaptive sampling the first of each cell. */
  blocks: BlockRequest[];
  /** Cells with a line of their own that stays as it is. */
  kept: CellRecord[];
  /** Cells [point, transport] whose blocks are all there and whose figures are not: they are derived, not measured. */
  underived: [point: number, transport: number][];
  /** Seconds that `blocks` are thought to take. */
  estimateS: number;
}

const placeOf = (point: number, transport: number): string => `${point} ${transport}`;
const kindOf = ({ launch, trial }: Pick<BlockKey, 'launch' | 'trial'>): string => `${launch} ${trial}`;

/**
 * What is still to be measured of a run that was left. The cell is the unit: launches are the replication, and those of
 * another start cannot complete a cell, so a cell with any block missing is measured anew with all its launches, and with
 * all groups, which worked at the same time.
 * A cell stays when it was skipped, or when every block that the plan asks for (launch by launch, trial by trial, as
 * often as asked) is there and its line has figures of both trials. Of adaptive sampling these are the first blocks of the
 * first launch.
 * @param cells   last line of each cell, of every group; an `interrupted` one counts as no line
 * @param blocks  those in use, in any order
 */
export function remainingWork(
  plan: RunPlan,
  cells: Iterable<CellRecord>,
  blocks: Iterable<BlockKey>,
): RemainingWork {
  const transports = new Map(plan.transports.map(({ name }, index) => [name, index]));
  const lines = new Map<string, CellRecord[]>();
  for (const cell of cells) {
    const isTorn = cell.status === 'ok' && cell.flags.some(({ name }) => name === 'interrupted');
    const place = placeOf(cell.point, transports.get(cell.transport) ?? -1);
    if (!isTorn) addTo(lines, place, cell);
  }
  const sets = setSizes(plan).length;
  // Of adaptive sampling the plan knows the first blocks only: that a cell was done with, its line alone tells.
  const isOpenEnded = plan.sampling.adaptive !== undefined;
  const lacking = blocksLacking(plan, blocks);
  const due = new Set<string>();
  const kept: CellRecord[] = [];
  const underived: RemainingWork['underived'] = [];
  for (const point of plan.points.keys()) {
    for (const transport of plan.transports.keys()) {
      const place = placeOf(point, transport);
      const told = lines.get(place) ?? [];
      const isSkipped = told.length > 0 && told.every(({ status }) => status === 'skipped');
      const isBegun = isOpenEnded && told.length < sets;
      if (!isSkipped && (isBegun || lacking.has(place) || !told.every(hasFigures))) due.add(place);
      else if (told.length < sets) underived.push([point, transport]);
      else kept.push(...told);
    }
  }
  const isDue: IsDue = (point, transport) => due.has(placeOf(point, transport));
  const estimateS = due.size === 0 ? 0 : estimateRunS(plan, isDue);
  return { blocks: schedule(plan, isDue), kept, underived, estimateS: Math.round(estimateS * 10) / 10 };
}

const hasFigures = (cell: CellRecord): boolean =>
  measuredRows(dataOf(cell.workload)).every(({ name }) => measuredOf(cell, name) !== null);

/** Cells of which some block that the plan asks for is not there. */
function blocksLacking(plan: RunPlan, blocks: Iterable<BlockKey>): Set<string> {
  const there = new Map<string, Map<string, number>>();
  for (const block of blocks) {
    const place = placeOf(block.point, block.transport);
    const counts = there.get(place) ?? new Map<string, number>();
    counts.set(kindOf(block), (counts.get(kindOf(block)) ?? 0) + 1);
    there.set(place, counts);
  }
  const lacking = new Set<string>();
  // A round is a block of every group: one that was torn lacks some.
  const sets = setSizes(plan).length;
  for (const request of schedule(plan)) {
    // Where the budget ended, a cell has fewer launches than the plan says and is complete all the same.
    if (plan.sampling.adaptive !== undefined && request.launch > 0) continue;
    const place = placeOf(request.point, request.transport);
    const counts = there.get(place);
    const left = counts?.get(kindOf(request)) ?? 0;
    if (left < sets) lacking.add(place);
    else counts?.set(kindOf(request), left - sets);
  }
  return lacking;
}
