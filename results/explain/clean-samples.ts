// Selects the samples of a block during which no TCP segment was sent again.
import { operationTimes } from '../derive/index.ts';
import type { BlockRecord } from '../schema/index.ts';

/** A reading of a counter that only grows: the value, and the time in ns on the clock of the block. */
export interface CounterReading {
  ns: number;
  value: number;
}

/** Longest time in ns from the start of a reading of the counters to the moment at which the counter's value is taken. */
const readNs = 200_000;

/** Readings of one host's counter, in order of time, on the clock of the block. */
export interface HostReadings {
  readings: readonly CounterReading[];
  /** Largest error of the times of the readings, ns; they come from another clock if the block's clock is that of another host. */
  uncertaintyNs: number;
}

/** Times in ns of the usable operations of a block that lie between the first and the last reading of every host. */
export interface SelectedTimes {
  all: number[];
  /** Times of the operations during which certainly no counter of a host grew. */
  clean: number[];
}

/**
 * Selects the operations of a block during which the counters of all hosts stayed as they were.
 * @param hosts readings of each host that took part. Operations before the first or after the last reading of a host are left out;
 * with an empty list all operations are
 */
export function cleanTimes(block: BlockRecord, hosts: readonly HostReadings[]): SelectedTimes {
  const spans = block.commonStartNs.map((startNs, sample) => ({
    fromNs: block.baseNs + startNs,
    toNs: block.baseNs + Math.max(...block.endNs.map((rank) => rank[sample] ?? startNs)),
  }));
  const perHost = hosts.map((host) => statesOf(spans, host));
  const isKnown = spans.map(
    (_, sample) => hosts.length > 0 && perHost.every((states) => states[sample] !== null),
  );
  const isClean = spans.map(
    (_, sample) => isKnown[sample] === true && perHost.every((states) => states[sample] === 'clean'),
  );
  return { all: timesOf(block, isKnown), clean: timesOf(block, isClean) };
}

/**
 * Returns for each span, in the same order, `clean` if the counter certainly did not grow in it, and `grown` if it may have grown;
 * null if the span is not between the first and the last reading.
 * @param spans in order of time
 */
function statesOf(
  spans: readonly { fromNs: number; toNs: number }[],
  { readings, uncertaintyNs }: HostReadings,
): ('clean' | 'grown' | null)[] {
  const grown = readings.flatMap(({ ns, value }, at) => {
    const before = readings[at - 1];
    if (before === undefined || value === before.value) return [];
    return [{ fromNs: before.ns - uncertaintyNs, toNs: ns + readNs + uncertaintyNs }];
  });
  const first = (readings[0]?.ns ?? Number.POSITIVE_INFINITY) + uncertaintyNs;
  const last = (readings.at(-1)?.ns ?? 0) - uncertaintyNs;
  let at = 0;
  return spans.map(({ fromNs, toNs }) => {
    if (fromNs < first || toNs > last) return null;
    while (at < grown.length && (grown[at]?.toNs ?? 0) <= fromNs) at += 1;
    const next = grown[at];
    return next === undefined || next.fromNs >= toNs ? 'clean' : 'grown';
  });
}

/** Returns the times of the usable ones among the chosen operations, ns. */
function timesOf(block: BlockRecord, isChosen: readonly boolean[]): number[] {
  const kept = <T>(samples: readonly T[]): T[] => samples.filter((_, sample) => isChosen[sample] === true);
  return operationTimes({
    ...block,
    commonStartNs: kept(block.commonStartNs),
    startNs: block.startNs.map(kept),
    endNs: block.endNs.map(kept),
    late: block.late.map(kept),
  }).ns;
}
