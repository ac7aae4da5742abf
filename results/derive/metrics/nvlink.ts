import {
  type CellRecord,
  engineRow,
  type MetricsTick,
  type RunPlan,
  transportOf,
} from '../../schema/index.ts';
import type { MetricsSeries } from './load.ts';

/** NVLink bytes of a whole run, and the bytes that its operations over GPU peer-to-peer (transport p2p) had to move. */
export interface NvlinkTraffic {
  /** Bytes that all GPUs of all hosts sent over NVLink between their first and their last reading. */
  sentBytes: number;
  /** Lowest number of bytes that all operations over p2p, warm-up included, must move between ranks. */
  neededBytes: number;
}

const sentBy = /^gpu\d+\.nvlinkTxBytes$/;

/**
 * Returns the NVLink traffic of a run. The counters are read once a second: too rarely for a single cell, but enough to show for
 * the whole run if p2p used NVLink. In a run of engine nccl only p2p uses NVLink.
 * @returns null if the engine does not work on GPUs, no GPU's counter was read twice, no cell used p2p, or the bytes that one such
 * cell must move are unknown. Rejects if the metrics of a host cannot be read
 */
export async function nvlinkTraffic(
  plan: RunPlan,
  cells: readonly CellRecord[],
  hosts: readonly MetricsSeries[],
): Promise<NvlinkTraffic | null> {
  if (!engineRow(plan).onDevice) return null;
  const over = new Set(plan.transports.filter((t) => transportOf(t) === 'p2p').map(({ name }) => name));
  const needed = cells
    .filter((cell) => cell.status === 'ok' && over.has(cell.transport))
    .map((cell) => (cell.status === 'ok' ? (cell.traffic?.mustMoveBytes ?? null) : null));
  if (needed.length === 0 || needed.includes(null)) return null;
  const grown = await Promise.all(hosts.map(nvlinkBytesSent));
  const told = grown.filter((bytes) => bytes !== null);
  if (told.length === 0) return null;
  const sum = (values: readonly (number | null)[]) => values.reduce<number>((a, b) => a + (b ?? 0), 0);
  return { sentBytes: sum(told), neededBytes: sum(needed) };
}

/**
 * Returns the sum of the growth of all NVLink send counters of a host during the run, bytes; null if none was read twice. At a
 * reading that is lower than the previous one the counter was reset: this step counts as no growth.
 */
async function nvlinkBytesSent({ header, lines }: MetricsSeries): Promise<number | null> {
  const counters = header.channels.flatMap(({ name }, index) => (sentBy.test(name) ? [index] : []));
  const last = new Map<number, number>();
  let grown: number | null = null;
  const take = ({ values }: MetricsTick): void => {
    for (const index of counters) {
      const value = values[index];
      if (value === null || value === undefined) continue;
      const before = last.get(index);
      last.set(index, value);
      // A counter that decreases was reset, so this step counts as no growth.
      if (before !== undefined) grown = (grown ?? 0) + Math.max(0, value - before);
    }
  };
  for await (const line of lines()) if ('values' in line) take(line);
  return grown;
}
