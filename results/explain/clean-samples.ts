// Selects the samples of a block during which no TCP segment was sent again.
import { headlines } from '../derive/index.ts';
import type { BlockRecord } from '../schema/index.ts';

/** A reading of a counter that only grows: the value, and the time in ns on the clock of the block. */
export interface CounterReading {
  ns: number;
  value: number;
}

/** Longest time in ns from the start of a reading of the counters to the moment at which the counter's value is taken. */
const readNs = 200_000;

/**
 * Returns the times in ns of the operations during which a counter certainly did not grow, and the number of operations (`known`)
 * that lie between the first and the last reading.
 * @param readings in order of time; operations before the first and after the last are left out
 */
export function cleanTimes(
  block: BlockRecord,
  readings: readonly CounterReading[],
): { ns: number[]; known: number } {
  const grown = readings.flatMap(({ ns, value }, at) => {
    const before = readings[at - 1];
    return before === undefined || value === before.value ? [] : [{ fromNs: before.ns, toNs: ns + readNs }];
  });
  const [first, last] = [readings[0]?.ns ?? Number.POSITIVE_INFINITY, readings.at(-1)?.ns ?? 0];
  let [at, known] = [0, 0];
  const isClean = block.commonStartNs.map((startNs, sample) => {
    const fromNs = block.baseNs + startNs;
    const toNs = block.baseNs + Math.max(...block.endNs.map((rank) => rank[sample] ?? startNs));
    if (fromNs < first || toNs > last) return false;
    known += 1;
    while (at < grown.length && (grown[at]?.toNs ?? 0) <= fromNs) at += 1;
    const next = grown[at];
    return next === undefined || next.fromNs >= toNs;
  });
  const kept = <T>(samples: readonly T[]): T[] => samples.filter((_, sample) => isClean[sample] === true);
  const { ns } = headlines({
    ...block,
    commonStartNs: kept(block.commonStartNs),
    startNs: block.startNs.map(kept),
    endNs: block.endNs.map(kept),
    late: block.late.map(kept),
  });
  return { ns, known };
}
