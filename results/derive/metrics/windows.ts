import { median } from 'simple-statistics';
import type { BlockRecord, CellRecord, OkCell, RunPlan } from '../../schema/index.ts';

/**
 * Returns the times of a cell's timed blocks, in the order of measuring, with the offsets to convert them to each host's clock.
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

/** Returns the time from the first start to the last end of a block's samples on any rank, ns. */
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
 * Returns the nanoseconds to add to each host's times to convert them to the clock of rank 0, to which all times of blocks refer.
 * All ranks of a machine have the same clock, so the first rank of each host is used.
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

/** A time span in which one cell was measured, on the clock of one host. */
export interface CellSpan {
  /** Index of the cell in the run's list of cells. */
  cell: number;
  fromNs: number;
  toNs: number;
}

/**
 * Returns the times in which cells of one attempt were measured on `host`, on that host's clock, in the order of their starts.
 * Times of groups that measure simultaneously overlap.
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
