// Computes mean times of operations back to back (pipelined), in which no rank waits for the others before it starts.
import { operationTimes } from '../derive/index.ts';
import type { BlockRecord } from '../schema/index.ts';

/** Sum of the times of operations, ns, and their number. */
export interface TimeSum {
  ns: number;
  operations: number;
}

/**
 * Adds up the times of a block's operations, from its usable samples. The mean over operations back to back contains all the time
 * in which ranks were stopped; a median contains none of it if fewer than half of the operations were stopped.
 */
export function timeSumOf(block: BlockRecord): TimeSum {
  const { ns } = operationTimes(block);
  const sum = ns.reduce((total, one) => total + one, 0);
  return { ns: sum * block.batch, operations: ns.length * block.batch };
}

/** Returns the mean time of an operation in ns over several sums; null without operations. */
export function meanNsOf(sums: readonly TimeSum[]): number | null {
  const operations = sums.reduce((total, one) => total + one.operations, 0);
  return operations === 0 ? null : sums.reduce((total, { ns }) => total + ns, 0) / operations;
}
