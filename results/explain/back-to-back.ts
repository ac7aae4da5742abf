// Times of operations back to back, in which no rank waits for the others before it starts.
import { headlines } from '../derive/index.ts';
import type { BlockRecord } from '../schema/index.ts';

/** Sum of times in ns of operations, and their number. */
export interface TimeSum {
  ns: number;
  operations: number;
}

/**
 * Adds up the times of a block's operations, those of its samples that count. The mean over operations back to back has all the
 * time in which ranks are stopped; a median has none if fewer than half of the operations are.
 */
export function timeSumOf(block: BlockRecord): TimeSum {
  const { ns } = headlines(block);
  const sum = ns.reduce((total, one) => total + one, 0);
  return { ns: sum * block.batch, operations: ns.length * block.batch };
}

/** Mean time of an operation in ns over several sums; null without operations. */
export function meanNsOf(sums: readonly TimeSum[]): number | null {
  const operations = sums.reduce((total, one) => total + one.operations, 0);
  return operations === 0 ? null : sums.reduce((total, { ns }) => total + ns, 0) / operations;
}
