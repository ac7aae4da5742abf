import { z } from 'zod';
import { latency, pipelined } from './common.ts';
import type { Workload } from './workload.ts';

export const nullAxes = z.strictObject({
  /** Time that one operation waits, ns. */
  waitNs: z.int().min(0),
});

/**
 * Workload without communication: it waits for a given time. It shows the overhead of measuring, and is the smallest example of a
 * workload.
 */
export const nullWorkload: Workload = {
  name: 'null',
  title: 'null',
  noun: 'operation',
  unitOfWork: 'wait',
  axes: [{ name: 'waitNs', unit: 'ns', role: 'x', head: 'wait', column: 'wait_ns' }],
  figures: [latency, pipelined],
  unitsPerOperation: () => 1,
  derive: () => [],
  payloadBytes: () => 0,
  minMovedBytes: () => 0,
  minMovedByAnyAlgorithm: () => 0,
  isPlainTransfer: () => true,
};
