import {
  type CellRecord,
  engineRow,
  type MetricsTick,
  type RunPlan,
  transportOf,
} from '../../schema/index.ts';
import type { MetricsSeries } from './load.ts';

/** What went over NVLink in a whole run, against what its cells over p2p had to move. */
export interface NvlinkTraffic {
  /** Sent by all GPUs together between the first reading and the last, bytes. */
  sentBytes: number;
  /** By the blocks of all cells over p2p between ranks, at least; untimed operations included. */
  neededBytes: number;
}

const sentBy = /^gpu\d+\.nvlinkTxBytes$/;

/**
 * NVLink counters are asked for once a second, which is too rarely for a single cell, but tells for the run whether p2p
 * went that way. Nothing but p2p takes it in a run of engine nccl.
 * @returns null where no GPU told its counter twice, no cell went over p2p, or one of them does not know what it moved
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
  const grown = await Promise.all(hosts.map(grownOn));
  const told = grown.filter((bytes) => bytes !== null);
  if (told.length === 0) return null;
  const sum = (values: readonly (number | null)[]) => values.reduce<number>((a, b) => a + (b ?? 0), 0);
  return { sentBytes: sum(told), neededBytes: sum(needed) };
}

/** Growth of all such counters of a host; null where none was read twice. */
async function grownOn({ header, lines }: MetricsSeries): Promise<number | null> {
  const counters = header.channels.flatMap(({ name }, index) => (sentBy.test(name) ? [index] : []));
  const last = new Map<number, number>();
  let grown: number | null = null;
  const take = ({ values }: MetricsTick): void => {
    for (const index of counters) {
      const value = values[index];
      if (value === null || value === undefined) continue;
      const before = last.get(index);
      last.set(index, value);
      // A counter that runs backwards was reset.
      if (before !== undefined) grown = (grown ?? 0) + Math.max(0, value - before);
    }
  };
  for await (const line of lines()) if ('values' in line) take(line);
  return grown;
}
