import { median } from 'simple-statistics';
import { addTo } from '../../add-to.ts';
import { collectiveNames, groupWord, type Job, type JobGroup, type JobItem } from '../../schema/index.ts';
import { countText, durationText } from '../../units.ts';
import type { TraceCall } from './calls.ts';
import { type CallMembers, groupSays, isJobGroup, layoutOf } from './groups.ts';
import { type TraceSpan, union } from './overlap.ts';
import type { MarkedSteps } from './steps.ts';

/** A call with what the host did for it. */
export interface HostTracedCall extends TraceCall {
  /** When the host issued it; null where the trace does not say. */
  launchUs: number | null;
  /** The program asked for its end at once. */
  isBlocking: boolean;
}

export interface TraceKernel extends TraceSpan {
  launchUs: number | null;
}

/** What a trace says of steps, all in one clock. */
export interface TraceSteps {
  steps: MarkedSteps | null;
  calls: readonly HostTracedCall[];
  computation: readonly TraceKernel[];
  /** When the host asked that computation waits for the calls so far. */
  waitsUs: readonly number[];
}

/** A job, or why there is none; and what people have to know of it, a sentence each. */
export type ImportedJob = { job: Omit<Job, 'name' | 'source'>; says: string[] } | { job: null; why: string };

/** A call that starts so soon after another one was in its way. */
const queuedUs = 50;
/** Shorter pauses of computation are launches, not waits. */
const leastWaitUs = 200;

interface StepWindow extends TraceSpan {
  calls: JobTraceCall[];
}

interface JobTraceCall extends HostTracedCall {
  /** Absent: all ranks. */
  layout?: JobGroup;
  /** When it could start, had no other call been in its way. */
  readyUs: number;
}

const isCollective = ({ operation }: HostTracedCall) => collectiveNames.some((one) => one === operation);

const layoutIn = ({ members, ranks }: HostTracedCall, world: number): CallMembers => {
  if (members !== undefined) return layoutOf(members, world);
  return ranks === null || ranks === world ? 'all' : { why: `ranks of a group of ${ranks} are not listed` };
};

const wordOf = ({ layout }: JobTraceCall): string => (layout === undefined ? '' : groupWord(layout));

/**
 * One step as a job: the median over the steps of equal calls that the trace has most of. Computation is all time that does
 * not wait for calls, the host's included.
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
  const alike = mostAlike(all);
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

/** What the job has of the calls, and what it leaves out, a sentence each. Messages are those of one side. */
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

/** Calls in order, with when each could start. */
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

/** Devices run behind the host: a step begins when the calls of the one before have ended, and before its own first one. */
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
  // Where devices lag, the last step has the end of the one before it, too.
  const lags = begins.some((at, i) => i > 0 && at > (starts[i] ?? 0));
  return lags && all.length > 1 ? all.slice(0, -1) : all;
}

/** Steps that ask for the same; of two such lists the later one where both are as frequent. */
function mostAlike(windows: readonly StepWindow[]): StepWindow[] {
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

/** Whether computation waits for call `i` and those before it, in most of the steps. */
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
    if (pause === null || pause.endUs - pause.startUs < leastWaitUs) return false;
    return done - Math.max(pause.startUs, call.startUs) >= 0.8 * (pause.endUs - pause.startUs);
  });
  return yes.length * 2 > windows.length;
}

/** Where nothing computes around an instant; null where something does, or it is not known. */
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

/** Computation before each call, and before the wait behind it where there is one, and behind all, us. */
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
