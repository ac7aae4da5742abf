import { median } from 'simple-statistics';
import { addTo } from '../../collections.ts';
import { collectiveNames, groupWord, type Job, type JobGroup, type JobItem } from '../../schema/index.ts';
import { countText, durationText } from '../../units.ts';
import type { TraceCall } from './calls.ts';
import { type CallMembers, groupSays, isJobGroup, layoutOf } from './groups.ts';
import { type TraceSpan, union } from './overlap.ts';
import type { MarkedSteps } from './steps.ts';

/** A call, with the time at which the host issued it and whether the host waited for its end. */
export interface HostTracedCall extends TraceCall {
  /** Time when the host issued the call, us; null if the trace does not contain it. */
  launchUs: number | null;
  /** True if the program waited for the end of the call before it did anything else. */
  isBlocking: boolean;
}

export interface TraceKernel extends TraceSpan {
  launchUs: number | null;
}

/**
 * Data of a trace about training steps; all times are in us on one clock. `steps` is null if the trace marks none. `computation`:
 * kernels, or operations of the host, that compute.
 */
export interface TraceSteps {
  steps: MarkedSteps | null;
  calls: readonly HostTracedCall[];
  computation: readonly TraceKernel[];
  /** Times at which the host ordered computation to wait for all calls issued so far. */
  waitsUs: readonly number[];
}

/** A job, with notices for the user in `says`, one sentence each; or, in `why`, the reason why there is no job. */
export type ImportedJob = { job: Omit<Job, 'name' | 'source'>; says: string[] } | { job: null; why: string };

/**
 * If a call starts within this time (us) after the end of another call of its group of ranks, it is assumed to have waited for that
 * call.
 */
const queuedUs = 50;
/** Shortest pause of computation, us, that counts as waiting for calls. Shorter pauses come from launching kernels. */
const minWaitUs = 200;

interface StepWindow extends TraceSpan {
  calls: JobTraceCall[];
}

interface JobTraceCall extends HostTracedCall {
  /** Division of all ranks into groups, each of which makes the call on its own; absent = all ranks make it together. */
  layout?: JobGroup;
  /** Earliest time, us, at which the call could have started if no other call had occupied its group of ranks. */
  readyUs: number;
}

const isCollective = ({ operation }: HostTracedCall) => collectiveNames.some((one) => one === operation);

const layoutIn = ({ members, ranks }: HostTracedCall, world: number): CallMembers => {
  if (members !== undefined) return layoutOf(members, world);
  return ranks === null || ranks === world ? 'all' : { why: `ranks of a group of ${ranks} are not listed` };
};

const wordOf = ({ layout }: JobTraceCall): string => (layout === undefined ? '' : groupWord(layout));

/**
 * Makes a job for replay from a trace with marked steps. Times are medians over the largest set of steps with equal calls. Time in
 * which neither host nor device waits for calls counts as computation. Returns the reason instead if steps, sizes or types are not
 * known, or if no step has a call that replay can repeat.
 * @param ranks number of all ranks
 */
export function jobOfSteps(traced: TraceSteps, ranks: number): ImportedJob {
  const { steps } = traced;
  if (steps === null)
    return { job: null, why: 'no range repeats, so that steps are not known (profile with profiler.step())' };
  const unsized = traced.calls.filter((call) => call.payloadBytes === null || call.dtype === 'unknown');
  if (unsized.length > 0)
    return {
      job: null,
      why: `${unsized.length} collectives have no size or type (profile with record_shapes=True)`,
    };
  const { calls, says } = joinedCalls(traced.calls, ranks);
  if (calls.length === 0 && says.length > 0) return { job: null, why: says.join('; ') };
  const all = windowsOf(steps, readyAt({ ...traced, calls }, ranks), traced);
  const alike = largestAlikeSet(all);
  const [first] = alike;
  if (first === undefined) return { job: null, why: 'no step has a collective' };
  const waits = first.calls.map((_, i) => waitsAfter(i, alike, traced));
  const times = alike.map((window) => gapsOf(window, waits, union(traced.computation)));
  const middle = (times[0] ?? []).map((_, i) => Math.round(median(times.map((one) => one[i] ?? 0)) * 1000));
  const stepNs = Math.round(median(alike.map(({ startUs, endUs }) => endUs - startUs)) * 1000);
  const found = waits.filter(Boolean).length;
  return {
    job: {
      type: 'job',
      schemaVersion: 1,
      ranks,
      hasTimes: true,
      stepNs,
      items: itemsOf(first.calls, waits, middle),
    },
    says: [
      `a job to replay: ${countText(first.calls.length)} collectives and ${durationText(middle.reduce((sum, ns) => sum + ns, 0))} of computation in a step of ${durationText(stepNs)}; ${alike.length === 1 ? 'one step' : `median of ${alike.length} steps`} of ${all.length}`,
      `in the job computation waits ${found === 1 ? 'once' : `${found} times`}: where the trace says so, where it pauses for a collective, and at the end of the step`,
      ...groupSays(
        first.calls.map(({ layout }) => layout),
        ranks,
      ),
      ...says,
    ],
  };
}

/**
 * Returns the calls that a job for replay can contain, and sentences: one about messages if there are any, and one for each reason
 * why calls were left out. A message needs only one call in the job, so only the sends or only the receives are kept, whichever are
 * more.
 * @param world number of all ranks
 */
function joinedCalls(
  all: readonly HostTracedCall[],
  world: number,
): { calls: HostTracedCall[]; says: string[] } {
  const leftOut = new Map<string, number>();
  const met = all.filter((call) => {
    const layout = layoutIn(call, world);
    const why =
      layout === 'alone'
        ? 'groups of one rank'
        : typeof layout === 'object' && 'why' in layout
          ? layout.why
          : null;
    if (why !== null) leftOut.set(why, (leftOut.get(why) ?? 0) + 1);
    return why === null;
  });
  const messages = met.filter((call) => !isCollective(call));
  const received = messages.filter(({ isReceive }) => isReceive === true).length;
  const receives = received > messages.length - received;
  return {
    calls: met.filter((call) => isCollective(call) || (call.isReceive === true) === receives),
    says: [
      ...(messages.length > 0
        ? [
            `${messages.length} sends and receives are in the job as exchanges round the ring of their group, one for each ${receives ? 'receive' : 'send'}`,
          ]
        : []),
      ...[...leftOut].map(
        ([why, calls]) => `not in the job: ${calls} calls (${why}); their time counts as computation`,
      ),
    ],
  };
}

/**
 * Returns the calls of a trace in the order in which the host issued them, each with its earliest possible start (`readyUs`).
 * @param world number of all ranks
 */
function readyAt({ calls, computation }: TraceSteps, world: number): JobTraceCall[] {
  const launched = computation
    .flatMap(({ launchUs, endUs }) => (launchUs === null ? [] : [{ launchUs, endUs }]))
    .sort((a, b) => a.launchUs - b.launchUs);
  let next = 0;
  let doneUs = Number.NEGATIVE_INFINITY;
  let reachedUs = Number.NEGATIVE_INFINITY;
  // Each group has a timeline of its own.
  const busyUntilUs = new Map<string, number>();
  return [...calls]
    .sort((a, b) => (a.launchUs ?? a.startUs) - (b.launchUs ?? b.startUs))
    .map((call) => {
      const launchUs = call.launchUs ?? call.startUs;
      const layout = layoutIn(call, world);
      const group = isJobGroup(layout) ? groupWord(layout) : '';
      const busyUs = busyUntilUs.get(group) ?? Number.NEGATIVE_INFINITY;
      for (; next < launched.length && (launched[next]?.launchUs ?? 0) <= launchUs; next += 1)
        doneUs = Math.max(doneUs, launched[next]?.endUs ?? 0);
      const isQueued = call.launchUs !== null && call.startUs - busyUs < queuedUs;
      const couldUs = isQueued ? Math.min(call.startUs, Math.max(launchUs, doneUs)) : call.startUs;
      reachedUs = Math.max(reachedUs, couldUs);
      busyUntilUs.set(group, Math.max(busyUs, call.endUs));
      return { ...call, readyUs: reachedUs, ...(isJobGroup(layout) ? { layout } : {}) };
    });
}

/**
 * Returns the time span of each step on the device, us. Devices lag behind the host: a step begins after the calls of the previous
 * step have ended, but at the latest when its own first call could start. If devices lag, the last step is left out. Steps may have
 * no calls.
 */
function windowsOf(
  { spans }: MarkedSteps,
  calls: readonly JobTraceCall[],
  { computation }: TraceSteps,
): StepWindow[] {
  const starts = spans.map(({ startUs }) => startUs);
  const own = starts.map((from, i) =>
    calls.filter((call) => {
      const at = call.launchUs ?? call.readyUs;
      return at >= from && at < (starts[i + 1] ?? Number.POSITIVE_INFINITY);
    }),
  );
  const lastOf = (i: number) => Math.max(...(own[i] ?? []).map(({ endUs }) => endUs));
  const begins = starts.map((at, i) => {
    const after = i === 0 ? at : Math.max(at, lastOf(i - 1));
    return Math.min(after, own[i]?.[0]?.readyUs ?? after);
  });
  const end = Math.max(
    lastOf(starts.length - 1),
    spans.at(-1)?.endUs ?? 0,
    computation.reduce((most, { endUs }) => Math.max(most, endUs), 0),
  );
  const all = starts.map(
    (_, i): StepWindow => ({ startUs: begins[i] ?? 0, endUs: begins[i + 1] ?? end, calls: own[i] ?? [] }),
  );
  // If devices lag behind, the last window also contains the end of the previous step, so it is left out.
  const lags = begins.some((at, i) => i > 0 && at > (starts[i] ?? 0));
  return lags && all.length > 1 ? all.slice(0, -1) : all;
}

/**
 * Returns the largest set of steps with equal calls: the same operations, data types, payloads and groups in the same order,
 * whatever their times. Of two equally large sets the one that begins later. Steps without calls are left out; empty if no step has
 * calls.
 */
function largestAlikeSet(windows: readonly StepWindow[]): StepWindow[] {
  const byCalls = new Map<string, StepWindow[]>();
  for (const window of windows.filter(({ calls }) => calls.length > 0)) {
    const key = window.calls
      .map((one) => `${one.operation} ${one.dtype} ${one.payloadBytes} ${wordOf(one)}`)
      .join();
    addTo(byCalls, key, window);
  }
  return [...byCalls.values()].reverse().sort((a, b) => b.length - a.length)[0] ?? [];
}

const endOf = (calls: readonly JobTraceCall[]) => Math.max(...calls.map(({ endUs }) => endUs));

/**
 * True if, in more than half of the steps, computation waits after call `i` for the end of this call and all earlier ones.
 * @param windows steps with equal calls
 */
function waitsAfter(
  i: number,
  windows: readonly StepWindow[],
  { waitsUs, computation }: TraceSteps,
): boolean {
  const busy = union(computation);
  const yes = windows.filter(({ calls, endUs }) => {
    const [call, next] = [calls[i], calls[i + 1]];
    if (call === undefined) return false;
    if (next === undefined || call.isBlocking) return true;
    const from = call.launchUs ?? call.startUs;
    const until = next.launchUs ?? next.startUs;
    if (waitsUs.some((at) => at >= from && at < Math.min(until, endUs))) return true;
    const done = endOf(calls.slice(0, i + 1));
    if (next.readyUs < done) return false;
    const pause = busy.length === 0 ? null : pauseAt(busy, done);
    if (pause === null || pause.endUs - pause.startUs < minWaitUs) return false;
    return done - Math.max(pause.startUs, call.startUs) >= 0.8 * (pause.endUs - pause.startUs);
  });
  return yes.length * 2 > windows.length;
}

/**
 * Returns the pause of computation around an instant, us; null if a computation runs at that instant. Before the first computation
 * the pause begins at minus infinity, after the last it ends at `atUs`.
 * @param busy times of computation, in order and without overlaps
 */
function pauseAt(busy: readonly TraceSpan[], atUs: number): TraceSpan | null {
  let [low, high] = [0, busy.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((busy[middle] as TraceSpan).startUs < atUs) low = middle + 1;
    else high = middle;
  }
  const before = busy[low - 1]?.endUs ?? Number.NEGATIVE_INFINITY;
  return before >= atUs ? null : { startUs: before, endUs: busy[low]?.startUs ?? atUs };
}

/**
 * Returns the computation times of a step, us: before each call, before the wait after a call if there is one, and after the last
 * call.
 * @param waits for each call, whether computation waits after it for its end
 * @param busy times of computation, in order and without overlaps
 */
function gapsOf(
  { startUs, endUs, calls }: StepWindow,
  waits: readonly boolean[],
  busy: readonly TraceSpan[],
) {
  const gaps: number[] = [];
  let nowUs = startUs;
  const computeUntil = (us: number) => {
    gaps.push(Math.max(0, us - nowUs));
    nowUs = Math.max(nowUs, us);
  };
  for (const [i, call] of calls.entries()) {
    computeUntil(call.readyUs);
    if (!waits[i]) continue;
    const done = endOf(calls.slice(0, i + 1));
    const pause = busy.length === 0 ? { startUs: nowUs } : pauseAt(busy, done);
    computeUntil(Math.min(done, pause?.startUs ?? done));
    nowUs = Math.max(nowUs, done);
  }
  computeUntil(endUs);
  return gaps;
}

function itemsOf(
  calls: readonly JobTraceCall[],
  waits: readonly boolean[],
  gapsNs: readonly number[],
): JobItem[] {
  const items: JobItem[] = [];
  const gaps = gapsNs.values();
  const compute = () => {
    const ns = gaps.next().value ?? 0;
    if (ns > 0) items.push({ do: 'compute', ns });
  };
  for (const [i, { operation, dtype, payloadBytes, layout }] of calls.entries()) {
    const collective = operation === 'send' ? 'sendrecv' : collectiveNames.find((one) => one === operation);
    compute();
    if (collective !== undefined && dtype !== 'unknown')
      items.push({
        ...{ do: 'call', collective, dtype, bytes: payloadBytes ?? 0 },
        ...(layout === undefined ? {} : { group: layout }),
      });
    if (!waits[i]) continue;
    compute();
    items.push({ do: 'wait' });
  }
  compute();
  return items;
}
