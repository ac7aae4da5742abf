// Decides which requested blocks fit into the time budget of the adaptive sampler, at the speed of the run so far.
import { addTo } from '../../results/collections.ts';
import type { BlockRequest, RunPlan, SamplingPlan } from '../../results/schema/index.ts';
import { briefBlock } from '../block-shapes.ts';
import { endS } from '../costs.ts';
import type { BegunCells } from './begun-cells.ts';
import { CellInProgress } from './cell.ts';
import type { LaunchStarts } from './launch-starts.ts';
import type { RunPace } from './pace.ts';
import type { SamplingSlot } from './slots.ts';

/**
 * If the user set no budget, first launches may take up to this many times the default budget, so that even on a busy machine every
 * message size is measured at least once.
 */
const busyTimes = 2;

export type AdaptivePlan = NonNullable<SamplingPlan['adaptive']>;

/**
 * Seconds after the start of the run by which the first launch of every configuration and the end of the run (reports) must be
 * done. Twice the budget if the budget is only a default.
 */
export const firstLaunchesS = ({ budgetS, isLimit }: AdaptivePlan): number =>
  isLimit === true ? budgetS : busyTimes * budgetS;

/**
 * Share of the budget, at most, that is kept free for the end of the run (stopping ranks, writing the report) when the sampler
 * decides on the first launch of a point. On a busy machine the estimated end may be far too long, and a missing point is worse
 * than a run that ends a little late.
 */
const maxEndShare = 1 / 4;

export class BlocksInTime {
  private readonly plan: RunPlan;
  private readonly adaptive: AdaptivePlan;
  private readonly cells: BegunCells;
  private readonly starts: LaunchStarts;
  private readonly pace: RunPace;
  /** Seconds of the time budget that are kept for the end of the run: stopping ranks and writing the report. */
  private readonly endS: number;

  constructor(
    plan: RunPlan,
    adaptive: AdaptivePlan,
    { cells, starts, pace, endS }: { cells: BegunCells; starts: LaunchStarts; pace: RunPace; endS: number },
  ) {
    this.plan = plan;
    this.adaptive = adaptive;
    this.cells = cells;
    this.starts = starts;
    this.pace = pace;
    this.endS = endS;
  }

  /**
   * Returns those blocks of a slot that are expected to end in time (limitS()) at the speed of the run so far, possibly shortened.
   * The first blocks of a timing mode are always among them if another mode of the configuration has been measured. Empty = the
   * caller must skip the slot. The first slot of a run is never cut, so that every run measures something. A further launch of a
   * point measures either all its transports or none, because transports are compared.
   * @param later slots of the pass that are measured afterwards
   * @param atS seconds since the start of the run
   */
  slotInTime({ blocks }: SamplingSlot, later: readonly SamplingSlot[], atS: number): readonly BlockRequest[] {
    if (this.starts.count === 0) return blocks;
    const kept = this.blocksInTime(blocks, later, atS);
    const isFirst = blocks.some((block) => this.cells.begunBy(block) !== undefined);
    return isFirst || kept.length === blocks.length ? kept : [];
  }

  /** Expected seconds to measure `blocks` at the speed of the run so far, and to start their launches that do not run yet. */
  slotS(blocks: readonly BlockRequest[]): number {
    return blocks.reduce((sum, block) => sum + this.pace.blockS(block), this.starts.neededS(blocks));
  }

  /**
   * Returns those of the requested blocks that are expected to end in time (limitS()). If time is scarce (isCrowded()), the first
   * blocks of long operations are shortened. The first blocks of a configuration are kept or dropped together, so that no
   * configuration has only some of its timing modes.
   * @param later slots of the pass that are measured afterwards
   * @param atS seconds since the start of the run
   */
  blocksInTime(
    requested: readonly BlockRequest[],
    later: readonly SamplingSlot[],
    atS: number,
  ): BlockRequest[] {
    const blocks = this.isCrowded(requested, later, atS)
      ? requested.map((block) =>
          this.cells.begunBy(block) === undefined ? block : briefBlock(this.plan, block),
        )
      : [...requested];
    const groups = new Map<BlockRequest | CellInProgress, BlockRequest[]>();
    for (const block of blocks) addTo(groups, this.cells.begunBy(block) ?? block, block);
    const begun = [...groups.keys()].filter((key) => key instanceof CellInProgress && key.spentS.size > 0);
    let untilS = begun.reduce((sum, key) => sum + this.slotS(groups.get(key) ?? []), atS);
    const kept = new Set(begun.flatMap((key) => groups.get(key) ?? []));
    for (const [key, group] of groups) {
      const limitS = Math.min(...group.map((block) => this.limitS(block)));
      const groupS = this.slotS(group);
      if (begun.includes(key) || untilS + groupS > limitS) continue;
      untilS += groupS;
      for (const block of group) kept.add(block);
    }
    return kept.size === blocks.length
      ? blocks
      : this.cells.withReleases(blocks.filter((block) => kept.has(block)));
  }

  /**
   * True if the first blocks among `blocks` and those of the later slots of the pass are together expected to end after limitS().
   * False if none of `blocks` can be shortened, because nothing could then be done about it.
   * @param later slots of the pass that are measured afterwards
   * @param atS seconds since the start of the run
   */
  private isCrowded(blocks: readonly BlockRequest[], later: readonly SamplingSlot[], atS: number): boolean {
    const isFirst = (block: BlockRequest) => this.cells.begunBy(block) !== undefined;
    const first = blocks.find((block) => isFirst(block) && briefBlock(this.plan, block) !== block);
    if (first === undefined) return false;
    const laterBlocks = later.flatMap((slot) => slot.blocks);
    return atS + this.slotS([...blocks, ...laterBlocks].filter(isFirst)) > this.limitS(first);
  }

  /**
   * Time at which a block must end, seconds since the start of the run. Time for the end of the run is kept free. If the user set
   * no budget, the first blocks of a configuration may end later (firstLaunchesS()), so that a busy machine leaves no point out.
   * `attest` blocks, which only show what the engine chooses, get half of the budget.
   */
  private limitS(block: BlockRequest): number {
    const { budgetS } = this.adaptive;
    if (block.trial === 'attest') return budgetS / 2;
    const isFirst = this.cells.begunBy(block) !== undefined;
    if (!isFirst) return budgetS - this.endS;
    return (
      firstLaunchesS(this.adaptive) - Math.min(this.endS, Math.max(endS(this.plan), maxEndShare * budgetS))
    );
  }
}
