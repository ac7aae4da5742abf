import { addTo, fieldsOf, isFields, type RecordFields } from '../../collections.ts';
import { bytesText, countText, durationText, percentText } from '../../units.ts';
import {
  ImportError,
  type ImportedOutput,
  type ImportedRow,
  type ImportHints,
  notPrinted,
  plainRow,
  ranksOf,
  shortenText,
} from '../imported-output.ts';
import type { ImportSource } from '../source.ts';
import { glooCall, isCommunication, ncclCall, type TraceCall, type TraceTimes } from './calls.ts';
import { rankList } from './groups.ts';
import {
  type HostTracedCall,
  type ImportedJob,
  jobOfSteps,
  type TraceKernel,
  type TraceSteps,
} from './job.ts';
import { hostOf } from './launches.ts';
import { lengthUs, type TraceSpan, uncoveredSpans, union } from './overlap.ts';
import type { RankTrace } from './ranks.ts';
import { type MarkedSteps, stepsOf, stepUs, type TraceMark } from './steps.ts';

/**
 * True for traces of torch.profiler (Kineto, Chrome's format). They are imported as a table of one process's collectives by size,
 * sentences about the share that collectives have in a step, and, if possible, a job for replay. Times of kernels include waiting
 * for other ranks.
 */
export const isKineto = (source: ImportSource): boolean => eventsOf(source).length > 0;

/**
 * Returns the events of a trace. Usually they are the list `traceEvents` of one object. In a file with one event per line, or one
 * that was cut off, each record is an event.
 */
function eventsOf({ records, isWhole }: ImportSource): RecordFields[] {
  const [first] = records;
  if (isFields(first) && Array.isArray(first.traceEvents)) return first.traceEvents.filter(isFields);
  const isCut = !isWhole || records.length > 1;
  return isCut ? records.filter(isFields).filter((one) => 'ph' in one && 'name' in one) : [];
}

/**
 * Imports a torch.profiler trace of one rank: a table of collectives by size, and a job for replay if the trace marks its steps and
 * has all sizes.
 * @throws ImportError if the trace has no collectives, or if the number of ranks is not known
 */
export function readKineto(source: ImportSource, hints: ImportHints): ImportedOutput {
  const trace = fieldsOf(source.records[0]);
  const job = fieldsOf(trace.distributedInfo);
  const events = eventsOf(source);
  const world = worldOf(job);
  const seen = callsIn(events, world);
  const ranks = ranksOf('a trace', ranksIn(seen.calls, world, hints), hints);
  const most = Math.max(world ?? 0, ...seen.calls.flatMap((call) => call.ranks ?? []));
  const mine = seen.calls.filter((call) => call.ranks === null || call.ranks === ranks);
  const sized = mine.filter(({ payloadBytes }) => payloadBytes !== null);
  const { backend } = seen;
  const found = jobOf(seen, most > 0 ? most : ranks, groupsOf(job));
  const host = typeof trace.host_name === 'string' ? [shortenText(trace.host_name, 100)] : [];
  const left = [
    ...(seen.calls.length > mine.length
      ? [
          `times by size are those of ${ranks} ranks; ${seen.calls.length - mine.length} operations of communicators of other sizes are left out (--ranks takes those)`,
        ]
      : []),
    ...unsizedNotices(mine),
    ...(ranks > 1 && sized.some((call) => call.ranks === null)
      ? [`the trace does not say which ranks take part in an operation: all ${ranks} are assumed`]
      : []),
    ...(seen.unknown > 0
      ? [`${seen.unknown} kernels of NCCL are left out: of an operation that is not known`]
      : []),
  ];
  return {
    ...notPrinted,
    series: `rank ${typeof job.rank === 'number' ? job.rank : '?'}`,
    program: `torch.profiler, ${typeof job.nccl_version === 'string' ? `NCCL ${shortenText(job.nccl_version, 20)}` : backend}`,
    engine: backend === 'NCCL' ? 'nccl' : 'gloo',
    ranks,
    // A trace contains one process; the hosts of the others are unknown.
    hosts: ranks === 1 ? host : [],
    statistic: 'median (a time really seen) over operations of one process, waiting for other ranks included',
    method: { clock: backend === 'NCCL' ? 'device' : 'host', sync: 'none', batch: 1 },
    rows: rowsOf(sized),
    complete: source.isWhole && source.strayLines === 0,
    conversions: [
      'time: microseconds x 1000 = nanoseconds',
      'message size: elements x bytes of the type; of gathers and scatters all parts together',
      ...(backend === 'NCCL'
        ? []
        : ['Gloo runs a reduce-scatter as an allreduce, and it is recorded as one']),
    ],
    unknown: ['reduction', 'root', 'in place or not', 'transport'],
    says: [
      ...host.map((name) => `traced on ${name}`),
      ...ofStep(seen, mine),
      ...(found.job === null ? [`no job to replay: ${found.why}`] : found.says),
    ],
    notices: left,
    ...(found.job === null ? {} : { job: found.job }),
  };
}

/** Returns a sentence for each reason why operations have no payload size, with the number of these operations. */
function unsizedNotices(calls: readonly HostTracedCall[]): string[] {
  const counts = new Map<string, number>();
  for (const { payloadBytes, typeName, elements } of calls.filter((call) => call.payloadBytes === null)) {
    const why =
      payloadBytes === null && typeName !== undefined && elements > 0
        ? `of data type ${shortenText(typeName, 40)}, which is not known`
        : 'without sizes (profile with record_shapes=True)';
    counts.set(why, (counts.get(why) ?? 0) + 1);
  }
  return [...counts].map(([why, count]) => `${count} operations are left out: ${why}`);
}

/** Returns the ranks of the process groups that the trace lists, by group name. Groups without a usable list are left out. */
function groupsOf({ pg_config: listed }: RecordFields): ReadonlyMap<string, readonly number[]> {
  const groups = Array.isArray(listed) ? listed.filter(isFields) : [];
  return new Map(
    groups.flatMap(({ pg_name: name, ranks }): [string, readonly number[]][] => {
      const members = rankList(ranks);
      return members === null || members.length === 0 ? [] : [[String(name), members]];
    }),
  );
}

/**
 * Makes a job for replay from the steps of a trace, with the calls on all communicators; or gives the reason why there is none,
 * such as calls of Gloo in groups of fewer than all ranks.
 * @param groups ranks of the process groups, by group name
 */
function jobOf(
  { traced, backend }: ScanState,
  ranks: number,
  groups: ReadonlyMap<string, readonly number[]>,
): ImportedJob {
  const others = [...groups.values()].filter((members) => members.length !== ranks);
  if (backend === 'Gloo' && others.length > 0)
    return {
      job: null,
      why: `the trace has ${groups.size} groups, and of a call of Gloo it does not say which one`,
    };
  const calls = traced.calls.map((call) => {
    const members = call.members ?? groups.get(call.group ?? '');
    return members === undefined ? call : { ...call, members };
  });
  return jobOfSteps({ ...traced, calls }, ranks);
}

/**
 * Returns calls, steps and rank number of one trace, so that they can be combined with those of other ranks. With --ranks, the
 * calls on communicators of another size are left out; the result may then be empty.
 * @throws ImportError if the trace has no collectives
 */
export function rankTrace(source: ImportSource, hints: ImportHints): RankTrace {
  const job = fieldsOf(fieldsOf(source.records[0]).distributedInfo);
  const seen = callsIn(eventsOf(source), worldOf(job));
  const calls = seen.calls.filter(
    ({ ranks }) => hints.ranks === null || ranks === null || ranks === hints.ranks,
  );
  return { rank: typeof job.rank === 'number' ? job.rank : null, calls, steps: seen.steps };
}

interface ScanState {
  backend: 'NCCL' | 'Gloo';
  calls: HostTracedCall[];
  /**
   * Times in which kernels of collectives or messages ran, those of unknown operations included. `computation` has the times of all
   * other kernels; it is empty if the calls are those of Gloo.
   */
  communication: TraceSpan[];
  computation: TraceSpan[];
  steps: MarkedSteps | null;
  /** Number of NCCL kernels whose operation collbench does not know. */
  unknown: number;
  traced: TraceSteps;
}

/** Longest duration of an event that is accepted, us: one day. */
const longestUs = 86_400e6;

function spanOf({ ts, dur }: RecordFields): TraceTimes | null {
  if (typeof ts !== 'number' || typeof dur !== 'number') return null;
  if (!Number.isFinite(ts) || dur < 0 || dur > longestUs) return null;
  return { startUs: ts, endUs: ts + dur, durUs: dur };
}

/** A time span of the host, us, that PyTorch marked with the name of an operation: "nccl:all_reduce". */
interface HostRange extends TraceSpan {
  args: RecordFields;
  /** Number of communication kernels of NCCL that the host launched in this time span. */
  kernels: number;
}

/**
 * Returns an object whose with() adds to a kernel's event the names and sizes that the trace has only in the host's event. The call
 * that launched the kernel is found by its correlation id. The host's event is the one with the external id of this call, or the
 * one that contains the call on the same thread. Sizes are added only if the host's event launched a single communication kernel.
 */
function rangesOf(events: readonly RecordFields[]): { with(kernel: RecordFields): RecordFields } {
  const byThread = new Map<string, HostRange[]>();
  const byId = new Map<unknown, HostRange>();
  const launches = new Map<unknown, RecordFields>();
  for (const event of events) {
    const { cat, name, args, pid, tid } = event;
    const has = fieldsOf(args);
    if (cat === 'user_annotation' && String(name).startsWith('nccl:')) {
      const span = spanOf(event);
      if (span === null) continue;
      const range = { ...span, args: { ...has, range: String(name).slice(5) }, kernels: 0 };
      const thread = `${pid} ${tid}`;
      byThread.set(thread, [...(byThread.get(thread) ?? []), range]);
      if (has['External id'] !== undefined) byId.set(has['External id'], range);
    } else if (cat === 'cuda_runtime' && has.correlation !== undefined) launches.set(has.correlation, event);
  }
  const rangeOf = (kernel: RecordFields): HostRange | undefined => {
    const launch = launches.get(fieldsOf(kernel.args).correlation);
    if (launch === undefined) return undefined;
    const at = Number(launch.ts);
    return (
      byId.get(fieldsOf(launch.args)['External id']) ??
      byThread
        .get(`${launch.pid} ${launch.tid}`)
        ?.findLast(({ startUs, endUs }) => startUs <= at && at <= endUs)
    );
  };
  const communication = events.filter((event) => event.cat === 'kernel' && isCommunication(event));
  for (const kernel of byThread.size === 0 ? [] : communication) {
    const range = rangeOf(kernel);
    if (range !== undefined) range.kernels += 1;
  }
  return {
    with(kernel) {
      const has = fieldsOf(kernel.args);
      const range = 'In msg nelems' in has ? undefined : rangeOf(kernel);
      if (range === undefined) return kernel;
      // A host's event with several kernels does not say how much each of them moves.
      const { 'Input Dims': _, ...unsized } = range.args;
      return { ...kernel, args: { ...(range.kernels === 1 ? range.args : unsized), ...has } };
    },
  };
}

/**
 * Collects the calls, computations and steps of a trace.
 * @param world number of ranks of the job; null = not known
 * @throws ImportError if the trace has no collectives
 */
function callsIn(events: readonly RecordFields[], world: number | null): ScanState {
  const host = hostOf(events);
  const ranges = rangesOf(events);
  const [kernels, gloo]: [HostTracedCall[], HostTracedCall[]] = [[], []];
  const [communication, computation]: [TraceSpan[], TraceKernel[]] = [[], []];
  const marks: TraceMark[] = [];
  for (const event of events) {
    const span = event.ph === 'X' ? spanOf(event) : null;
    if (span === null) continue;
    const name = String(event.name);
    if (event.cat === 'kernel' && isCommunication(event)) {
      communication.push(span);
      const call = ncclCall(ranges.with(event), span, world);
      if (call !== null) kernels.push({ ...call, ...host.issued(event) });
    } else if (event.cat === 'kernel') {
      computation.push({ ...span, launchUs: host.launchUs(event) });
    } else if (event.cat === 'user_annotation' && name.startsWith('gloo:')) {
      const call = glooCall(event, span, world ?? 1);
      if (call !== null) gloo.push({ ...call, launchUs: null, isBlocking: false });
    } else if (event.cat === 'user_annotation' && !name.startsWith('nccl:')) {
      marks.push({ ...span, name: shortenText(name, 60), thread: `${event.pid} ${event.tid}` });
    }
  }
  if (kernels.length + gloo.length === 0 && communication.length > 0)
    throw new ImportError(
      `the trace has ${communication.length} kernels of NCCL, and of none it says which operation it is`,
      ['  looked for: "Collective name" at the kernel, a range "nccl:..." around its launch'],
    );
  if (kernels.length + gloo.length === 0)
    throw new ImportError('the trace has no collectives', [
      '  looked for: kernels of NCCL (profile with ProfilerActivity.CUDA), ranges "gloo:..."',
    ]);
  const steps = stepsOf(marks);
  const calls = kernels.length > 0 ? kernels : gloo;
  const busy = kernels.length > 0 ? computation : host.operations;
  const traced = { steps, calls, computation: busy, waitsUs: host.waitsUs };
  return kernels.length > 0
    ? {
        backend: 'NCCL',
        calls: kernels,
        communication,
        computation,
        steps,
        unknown: communication.length - kernels.length,
        traced,
      }
    : { backend: 'Gloo', calls: gloo, communication: [...gloo], computation: [], steps, unknown: 0, traced };
}

/**
 * Returns the number of ranks whose calls are imported: the one that the user chose, if a communicator has it; otherwise the
 * communicator size with most calls, of several the largest; if no call has a size, `world`. Null if not known.
 * @param world number of ranks of the job; null = not known
 */
function ranksIn(calls: readonly TraceCall[], world: number | null, hints: ImportHints): number | null {
  const sizes = calls.flatMap(({ ranks }) => ranks ?? []);
  if (hints.ranks !== null && sizes.includes(hints.ranks)) return hints.ranks;
  const times = (size: number) => sizes.filter((one) => one === size).length;
  const [most] = [...new Set(sizes)].sort((a, b) => times(b) - times(a) || b - a);
  return most ?? world;
}

function rowsOf(calls: readonly TraceCall[]): ImportedRow[] {
  const byPoint = new Map<string, TraceCall[]>();
  for (const call of calls) {
    const key = `${call.operation} ${call.dtype} ${call.payloadBytes} ${call.name}`;
    addTo(byPoint, key, call);
  }
  return [...byPoint.values()].map(rowOf).sort((a, b) => a.payloadBytes - b.payloadBytes);
}

function rowOf(same: readonly TraceCall[]): ImportedRow {
  const [first] = same as [TraceCall];
  const times = same.map(({ durUs }) => durUs).sort((a, b) => a - b);
  /**
   * Returns the percentile `mille` / 10 of the times in us by the nearest-rank method, so the result is a time that really
   * occurred.
   */
  const seenAt = (mille: number) =>
    times[Math.max(0, Math.ceil((mille * times.length) / 1000) - 1)] as number;
  const at = (mille: number) => Math.round(seenAt(mille) * 1000);
  const median = at(500);
  return {
    ...plainRow,
    operation: first.operation,
    variant: first.name,
    dtype: first.dtype,
    payloadBytes: first.payloadBytes ?? 0,
    count: first.count,
    trial: 'isolated',
    timeNs: median > 0 ? median : null,
    reason: median > 0 ? null : 'a time of 0 ns',
    minNs: at(1),
    maxNs: at(1000),
    p95Ns: times.length >= 20 ? at(950) : null,
    p99Ns: times.length >= 100 ? at(990) : null,
    samples: times.length,
    printed: {
      dur: String(seenAt(500)),
      elements: String(first.elements),
      records: String(times.length),
    },
  };
}

/**
 * Returns sentences about the time that collectives take per step. Sums from the start of the first step on, also after the last
 * one, are divided by the number of steps: devices lag behind the host, so the ends of a single step are not sharp. Without steps,
 * one sentence says so.
 * @param calls calls of the selected number of ranks, for number and bytes; the time is that of all communication in the trace
 */
function ofStep({ steps, communication, computation }: ScanState, calls: readonly TraceCall[]): string[] {
  if (steps === null) return ['no range repeats: steps are not known (profile with profiler.step())'];
  const n = steps.spans.length;
  const start = steps.spans[0]?.startUs ?? 0;
  const since = <T extends TraceSpan>(spans: readonly T[]): T[] =>
    spans.filter(({ startUs }) => startUs >= start);
  const total = union(since(communication));
  const alone = uncoveredSpans(total, union(computation));
  const mine = since(calls);
  const bytes = mine.reduce((all, { payloadBytes }) => all + (payloadBytes ?? 0), 0);
  const each = (us: number) => durationText((us * 1000) / n);
  const [totalUs, aloneUs] = [lengthUs(total), lengthUs(alone)];
  const hidden = totalUs > 0 ? `, ${percentText(1 - aloneUs / totalUs)} hidden behind other kernels` : '';
  return [
    `${countText(n)} steps (${steps.name}), ${durationText(stepUs(steps) * 1000)} from start to start`,
    `collectives of a step: ${countText(mine.length / n)} of ${bytesText(Math.round(bytes / n))} together, ${each(totalUs)}${computation.length > 0 ? `, ${each(aloneUs)} of it exposed${hidden}` : ''}`,
    'the time of a collective includes waiting for the slowest rank: the least of equal size is nearest to what moving takes',
  ];
}

/** Returns the number of ranks of the job that a trace states; null if it states none, or not a positive whole number. */
function worldOf({ world_size: size }: RecordFields): number | null {
  return Number.isSafeInteger(size) && (size as number) >= 1 ? (size as number) : null;
}
