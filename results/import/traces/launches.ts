import { fieldsOf, type RecordFields } from '../../collections.ts';
import type { HostTracedCall, TraceKernel } from './job.ts';

/**
 * Events of the host in a torch.profiler trace, found by the ids that link a kernel to its host event. Times are in us. `waitsUs`:
 * times at which the host called `wait` of a collective, which may only make the GPU's computation wait.
 */
export interface HostTrace {
  /**
   * Returns when the host issued the collective of a kernel, and whether it waited for the collective's end. Without such an event
   * in the trace these are null and false.
   */
  issued(kernel: RecordFields): Pick<HostTracedCall, 'launchUs' | 'isBlocking'>;
  /** Returns when the host launched the kernel; null if the trace has no launch event with the kernel's correlation id. */
  launchUs(kernel: RecordFields): number | null;
  waitsUs: number[];
  /** Time spans of the host's tensor operations (aten::...); calls of collectives are left out. */
  operations: TraceKernel[];
}

const record = 'record_param_comms';
const isLaunch = (cat: unknown) => cat === 'cuda_runtime' || cat === 'cuda_driver';
const isComputing = (name: unknown) => /^aten::/.test(String(name));

export function hostOf(events: readonly RecordFields[]): HostTrace {
  const records = new Map<unknown, { atUs: number; isBlocking: boolean }>();
  const launches = new Map<unknown, number>();
  const waitsUs: number[] = [];
  const operations: TraceKernel[] = [];
  for (const { ph, cat, name, ts, dur, args } of events) {
    if (ph !== 'X' || typeof ts !== 'number' || !Number.isFinite(ts)) continue;
    const fields = fieldsOf(args);
    if (isLaunch(cat)) launches.set(fields.correlation, ts);
    else if (cat === 'cpu_op' && name === record) {
      if (fields['Collective name'] === 'wait') waitsUs.push(ts);
      const isBlocking = fields['Is asynchronized op'] === false;
      records.set(fields['External id'], { atUs: ts, isBlocking });
    } else if (cat === 'cpu_op' && isComputing(name) && typeof dur === 'number' && dur >= 0)
      operations.push({ startUs: ts, endUs: ts + dur, launchUs: null });
  }
  records.delete(undefined);
  launches.delete(undefined);
  return {
    issued: ({ args }) => {
      const found = records.get(fieldsOf(args)['External id']);
      return { launchUs: found?.atUs ?? null, isBlocking: found?.isBlocking ?? false };
    },
    launchUs: ({ args }) => launches.get(fieldsOf(args).correlation) ?? null,
    waitsUs,
    operations,
  };
}
