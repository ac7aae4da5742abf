import { periodOf } from '../../record/steps.ts';
import { collectiveNames, type Job, type JobItem } from '../../schema/index.ts';
import { countText } from '../../units.ts';
import { ImportError } from '../imported-output.ts';
import type { TraceCall } from './calls.ts';
import { groupSays, isJobGroup, layoutOf } from './groups.ts';

/** One call of a trace that has the order of calls but no times. */
export type OrderedCall = Pick<TraceCall, 'operation' | 'dtype' | 'payloadBytes' | 'group'> & {
  /** True if the program waited for the end of the call before it did anything else. */
  isBlocking: boolean;
};

export interface OrderedTrace {
  /** Name of the kind of trace: "execution trace of PyTorch". */
  what: string;
  /** Number of ranks of the job; null if the trace does not say, then all calls count as made by all ranks. */
  ranks: number | null;
  calls: readonly OrderedCall[];
  /**
   * Ranks of each process group by name: their numbers in the whole job, ascending, otherwise the group's calls may be left out. A
   * group that is not listed has all ranks.
   */
  members: ReadonlyMap<string, readonly number[]>;
  /** Sentences about other parts of the trace that were left out. */
  leftOut: readonly string[];
}

interface CallItem {
  item: Extract<JobItem, { do: 'call' }>;
  isBlocking: boolean;
}

/**
 * Makes a job for replay from the sequence of calls that repeats (a step), or from all calls in order if none repeats.
 * @throws ImportError if no call has the size, type and group that a job needs
 */
export function jobOfOrderedTrace(trace: OrderedTrace): Omit<Job, 'name'> & { says: string[] } {
  const { what, calls, ranks } = trace;
  if (calls.length === 0) throw new ImportError(`no job to replay: the ${what} has no collectives`);
  const known = calls.map((call) => itemOf(call, trace)).filter((one) => one !== null);
  if (known.length === 0)
    throw new ImportError('no job to replay: no collective has a size, a type and a group');
  const period = periodOf(known.map(({ item }) => JSON.stringify(item)));
  const step = period === null ? known : known.slice(period.from, period.from + period.length);
  const of = period === null ? 'all of its calls' : `one of ${period.count} steps`;
  const left = calls.length - known.length;
  const without = left > 0 ? `; ${left} calls left out` : '';
  return {
    type: 'job',
    schemaVersion: 1,
    source: `${what}, ${of}, without times${without}`,
    ranks,
    hasTimes: false,
    stepNs: null,
    items: [
      ...step.flatMap(({ item, isBlocking }): JobItem[] => (isBlocking ? [item, { do: 'wait' }] : [item])),
      { do: 'wait' },
    ],
    says: [
      `a job to replay: ${countText(step.length)} collectives in their order, ${of}; the trace has no times`,
      ...groupSays(
        step.map(({ item }) => item.group),
        ranks ?? 0,
      ),
      ...(left > 0
        ? [`${countText(left)} calls are not in the job: without a size, a type or a group of it`]
        : []),
      ...trace.leftOut,
    ],
  };
}

function itemOf(call: OrderedCall, { ranks, members }: OrderedTrace): CallItem | null {
  const { operation, dtype, payloadBytes, group, isBlocking } = call;
  const collective = operation === 'send' ? 'sendrecv' : collectiveNames.find((one) => one === operation);
  const own = group === undefined ? undefined : members.get(group);
  const layout = own === undefined || ranks === null ? 'all' : layoutOf(own, ranks);
  if (collective === undefined || dtype === 'unknown' || !payloadBytes || layout === 'alone') return null;
  if (layout !== 'all' && !isJobGroup(layout)) return null;
  const item: CallItem['item'] = {
    ...{ do: 'call', collective, dtype, bytes: payloadBytes },
    ...(layout === 'all' ? {} : { group: layout }),
  };
  return { item, isBlocking };
}
