import { addTo } from '../results/collections.ts';
import {
  type BlockRecord,
  type BlockRequest,
  type CellRecord,
  dataOf,
  measuredOf,
  measuredRows,
  type RunPlan,
  setSizes,
} from '../results/schema/index.ts';
import type { IsDue } from './costs.ts';
import { estimateRunS } from './sampler/estimate.ts';
import { schedule } from './schedule.ts';

type BlockKey = Pick<BlockRecord, 'point' | 'transport' | 'launch' | 'trial'>;

export interface RemainingWork {
  /**
   * Blocks (series of samples) still to be measured, in the order of the whole run. With adaptive sampling these are only the
   * first blocks of each configuration and launch.
   */
  blocks: BlockRequest[];
  /** Stored results of configurations that are complete or were skipped; they are not measured again. */
  kept: CellRecord[];
  /**
   * Configurations [point, transport] whose samples are complete but whose results were not stored. Their results are computed from
   * the stored samples; nothing is measured again.
   */
  underived: [point: number, transport: number][];
  /** Estimated seconds of the run that measures `blocks`, its start and end included; 0 if nothing is left to measure. */
  estimateS: number;
}

const configurationKey = (point: number, transport: number): string => `${point} ${transport}`;
const kindOf = ({ launch, trial }: Pick<BlockKey, 'launch' | 'trial'>): string => `${launch} ${trial}`;

/**
 * Finds what an interrupted run still has to measure. A configuration (a message size over one transport) that lacks samples is
 * measured again in all launches and groups, because its stored launches cannot be continued. It is kept if it was skipped, or has
 * all planned samples and results. With adaptive sampling only its stored result shows that it is complete.
 * @param cells newest stored result of each configuration and group; a result flagged `interrupted` counts as missing
 * @param blocks stored blocks of samples from which results are computed, in any order
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
    const place = configurationKey(cell.point, transports.get(cell.transport) ?? -1);
    if (!isTorn) addTo(lines, place, cell);
  }
  const sets = setSizes(plan).length;
  // A plan with adaptive sampling has only first blocks, so only a cell's stored line shows that the cell is complete.
  const isOpenEnded = plan.sampling.adaptive !== undefined;
  const lacking = blocksLacking(plan, blocks);
  const due = new Set<string>();
  const kept: CellRecord[] = [];
  const underived: RemainingWork['underived'] = [];
  for (const point of plan.points.keys()) {
    for (const transport of plan.transports.keys()) {
      const place = configurationKey(point, transport);
      const told = lines.get(place) ?? [];
      const isSkipped = told.length > 0 && told.every(({ status }) => status === 'skipped');
      const isBegun = isOpenEnded && told.length < sets;
      if (!isSkipped && (isBegun || lacking.has(place) || !told.every(hasFigures))) due.add(place);
      else if (told.length < sets) underived.push([point, transport]);
      else kept.push(...told);
    }
  }
  const isDue: IsDue = (point, transport) => due.has(configurationKey(point, transport));
  const estimateS = due.size === 0 ? 0 : estimateRunS(plan, isDue);
  return { blocks: schedule(plan, isDue), kept, underived, estimateS: Math.round(estimateS * 10) / 10 };
}

const hasFigures = (cell: CellRecord): boolean =>
  measuredRows(dataOf(cell.workload)).every(({ name }) => measuredOf(cell, name) !== null);

/**
 * Keys of the configurations that lack at least one planned block of samples, as configurationKey() makes them: index of the point
 * and index of the transport in the plan, "3 0". With adaptive sampling only blocks of the first launch are checked.
 */
function blocksLacking(plan: RunPlan, blocks: Iterable<BlockKey>): Set<string> {
  const there = new Map<string, Map<string, number>>();
  for (const block of blocks) {
    const place = configurationKey(block.point, block.transport);
    const counts = there.get(place) ?? new Map<string, number>();
    counts.set(kindOf(block), (counts.get(kindOf(block)) ?? 0) + 1);
    there.set(place, counts);
  }
  const lacking = new Set<string>();
  // A request gives one block per group of ranks. If it was interrupted, the blocks of some groups are missing.
  const sets = setSizes(plan).length;
  for (const request of schedule(plan)) {
    // If the budget was used up, a complete cell may have fewer launches than the plan.
    if (plan.sampling.adaptive !== undefined && request.launch > 0) continue;
    const place = configurationKey(request.point, request.transport);
    const counts = there.get(place);
    const left = counts?.get(kindOf(request)) ?? 0;
    if (left < sets) lacking.add(place);
    else counts?.set(kindOf(request), left - sets);
  }
  return lacking;
}
