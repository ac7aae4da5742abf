import { z } from 'zod';
import { latency, pipelined } from '../common.ts';
import type { Workload } from '../workload.ts';

export const nullAxes = z.strictObject({
  /** How long one operation does nothing. */
  waitNs: z.int().min(0),
});

/** Does nothing for a given time: shows what measuring itself adds, and that a workload is no more than its own folders. */
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
  leastMovedBytes: () => 0,
  leastMovedAnyhow: () => 0,
  isPlainTransfer: () => true,
};
