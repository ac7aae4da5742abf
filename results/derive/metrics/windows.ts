import { median } from 'simple-statistics';
import type { BlockRecord, CellRecord, OkCell, RunPlan } from '../../schema/index.ts';

/**
 * Returns when one configuration was timed, one time span per block in the order of `blocks`, ns on the clock of rank 0, and each
 * host's clock offset to rank 0. Blocks without samples and those of the trial `attest` are left out. `attempt` (the resumption or
 * repetition of the run) is that of the first block; absent = its first start.
 */
export function windowsOf(
  plan: RunPlan,
  blocks: readonly BlockRecord[],
): Pick<OkCell, 'windows' | 'clocks' | 'attempt'> {
  const timed = blocks.filter((block) => block.trial !== 'attest' && block.commonStartNs.length > 0);
  const windows = timed.map((block) => ({
    ...windowOf(block),
    operations: block.commonStartNs.length * block.batch,
  }));
  const attempt = blocks[0]?.attempt;
  return { windows, ...clocksOf(plan, timed), ...(attempt === undefined ? {} : { attempt }) };
}

/** Returns first start and last end of a block's operations on any rank, ns on the clock of rank 0. The block must have samples. */
export const windowOf = ({
  baseNs,
  startNs,
  endNs,
}: Pick<BlockRecord, 'baseNs' | 'startNs' | 'endNs'>): { fromNs: number; toNs: number } => ({
  fromNs: baseNs + least(startNs),
  toNs: baseNs + most(endNs),
});

const least = (times: readonly number[][]): number =>
  times.reduce((a, rank) => rank.reduce((b, ns) => Math.min(b, ns), a), Number.POSITIVE_INFINITY);
const most = (times: readonly number[][]): number =>
  times.reduce((a, rank) => rank.reduce((b, ns) => Math.max(b, ns), a), Number.NEGATIVE_INFINITY);

/**
 * Returns the nanoseconds to add to each host's times to convert them to the clock of rank 0, to which all times of blocks refer:
 * the median over the blocks, with the largest error of any block. All ranks of a host have the same clock, so its first rank is
 * used. A host whose offset is not known is absent, except that of rank 0, whose offset is 0.
 */
function clocksOf(plan: RunPlan, blocks: readonly BlockRecord[]): Pick<OkCell, 'clocks'> {
  const clocks: NonNullable<OkCell['clocks']> = {};
  for (const { name, ranks } of plan.hosts) {
    const offsets = blocks.flatMap(({ clockOffsetNs }) => clockOffsetNs?.[ranks[0] ?? -1] ?? []);
    const doubts = blocks.flatMap(({ clockUncertaintyNs }) => clockUncertaintyNs?.[ranks[0] ?? -1] ?? []);
    if (ranks.includes(0)) clocks[name] = { offsetNs: 0, uncertaintyNs: 0 };
    if (offsets.length === 0) continue;
    clocks[name] = { offsetNs: median(offsets), uncertaintyNs: Math.max(0, ...doubts) };
  }
  return { clocks };
}

/** A time span in which one configuration was measured, ns on the clock of one host. */
export interface CellSpan {
  /** Index of the configuration in the run's list of results. */
  cell: number;
  fromNs: number;
  toNs: number;
}

/**
 * Returns the time spans in which configurations were measured, on the clock of `host`, sorted by start. Results of other attempts,
 * or without an offset of the host's clock, are left out. Spans of groups of ranks that measure at the same time overlap.
 * @param attempt resumption or repetition of the run; undefined = the first start
 */
export function spansOfHost(
  host: string,
  attempt: number | undefined,
  cells: readonly CellRecord[],
): CellSpan[] {
  const spans = cells.flatMap((cell, index) => {
    if (cell.status !== 'ok' || cell.attempt !== attempt) return [];
    const offsetNs = cell.clocks?.[host]?.offsetNs;
    if (offsetNs === undefined) return [];
    return (cell.windows ?? []).map(({ fromNs, toNs }) => ({
      cell: index,
      fromNs: fromNs - offsetNs,
      toNs: toNs - offsetNs,
    }));
  });
  return spans.sort((a, b) => a.fromNs - b.fromNs);
}
