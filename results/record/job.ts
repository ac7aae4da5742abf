import {
  collectives,
  dtypeBytes,
  groupWord,
  type Job,
  type JobGroup,
  type JobItem,
} from '../schema/index.ts';
import { countText, plural } from '../units.ts';
import type { Communicator, RecordedJob } from './communicators.ts';
import {
  collectiveOf,
  dtypeOf,
  functionRow,
  isMessage,
  isWait,
  libraryText,
  payloadBytes,
  sourceName,
} from './functions.ts';
import { type JobRanks, worldOf } from './job-ranks.ts';
import type { RankRecord, RecordedCall } from './read.ts';
import { type CallPeriod, periodOf } from './steps.ts';
import { medianOf } from './waits.ts';

/**
 * The job for replay that was made from the calls of one rank of a recorded program. It has the calls of one step: a sequence of
 * calls that the program repeats, such as a training iteration. Its times are medians over the recorded steps.
 */
export interface RecordingJob {
  job: Job;
  /**
   * Number of repeated steps found in the recording. 0 = no sequence of calls repeats; the job then has all recorded calls, or the
   * first 20,000.
   */
  steps: number;
  notices: string[];
}

/**
 * Maximum number of calls in a job that has no repeated step, because replay accepts no more. A notice says how many further
 * calls of the recording are cut off.
 */
const maxItems = 20_000;

/** A call on one communicator, which has `ranks` ranks. */
interface MemberCall {
  call: RecordedCall;
  ranks: number;
  /** Groups of ranks, each of which makes the call on its own; undefined = all ranks of the job make it together. */
  group: JobGroup | undefined;
}

interface CallContext {
  call: RecordedCall;
  item: Extract<JobItem, { do: 'call' }>;
  /** Nanoseconds since the previous call of the step that were spent in calls that replay leaves out: waits, receives, barriers. */
  otherNs: number;
  /**
   * True for calls of Gloo: their recorded times last until the operation is complete. The program may compute during that time
   * only if the call returned earlier (`call.isIssue`).
   */
  isBeside: boolean;
  /** True if the program waited for the completion of earlier operations before this call. */
  waitsBefore: boolean;
}

/** Returns the communicator whose first member made the most calls that replay can repeat; null if there is no such call. */
export function mainOf({ communicators }: RecordedJob): Communicator | null {
  const weight = ({ members }: Communicator) =>
    members[0]?.calls.filter((call) => itemOf(call, members[0] as RankRecord) !== null).length ?? 0;
  const [most] = [...communicators].sort((a, b) => weight(b) - weight(a));
  return most === undefined || weight(most) === 0 ? null : most;
}

/**
 * Makes the job that `collbench replay` runs from the calls of one rank, the first of mainOf(): the calls of one step, with the
 * computation between them; all its calls if no step repeats. Null if replay supports none of the calls.
 * @param name short name of the job
 */
export function jobOfRecording(recorded: RecordedJob, name: string): RecordingJob | null {
  const main = mainOf(recorded);
  const [first] = main?.members ?? [];
  if (main === null || first === undefined) return null;
  const world = worldOf(recorded, main);
  const [mine, others] = callsOf(recorded, main, first, world);
  const places = placesOf(mine, main.source);
  const keys = places.map(
    ({ item: { collective, bytes, dtype, root, group } }) =>
      `${collective} ${bytes} ${dtype} ${root} ${group === undefined ? '' : groupWord(group)}`,
  );
  const found = periodOf(keys);
  const period = found === null ? null : fromLongestGap(places, found);
  const barriers = mine.filter(({ call }) => functionRow(call).operation === 'barrier').length;
  const cut = period === null ? Math.max(0, places.length - maxItems) : 0;
  const notices = [
    ...(cut > 0
      ? [
          `the job to replay has only the first ${countText(maxItems)} of ${countText(places.length)} calls: no sequence of them repeats`,
        ]
      : []),
    ...(barriers > 0 ? [`replay leaves out ${plural(barriers, 'barrier')}`] : []),
    ...(mine.some(({ call }) => collectiveOf(call) === 'alltoallv')
      ? [`replay gives every rank the bytes that rank ${first.rank} had in alltoallv`]
      : []),
    ...(others > 0
      ? [
          `replay leaves out ${others} calls on communicators whose ranks are not known, or are at no equal distance`,
        ]
      : []),
    ...(mine.some(({ call }) => isMessage(call))
      ? ['messages are replayed as an exchange round the ring of ranks']
      : []),
    ...(main.source === 'mpi'
      ? []
      : [
          `replay lets computations of a step go on while its collectives run: ${sourceName(main.source)} does not say which ones wait`,
        ]),
  ];
  const inStep =
    period === null ? places.slice(0, maxItems) : places.slice(period.from, period.from + period.length);
  const timed = timesOf(places, period, main.source);
  const steps = period?.count ?? 0;
  const of =
    steps > 0
      ? `the median of ${timed.steps} of ${steps} steps`
      : `${cut > 0 ? `the first ${countText(maxItems)}` : 'all'} calls: no sequence of them repeats`;
  return {
    steps,
    notices,
    job: {
      type: 'job',
      schemaVersion: 1,
      name,
      source: `collbench record of ${libraryText(first)}, rank ${first.rank} of ${main.ranks}; ${of}`,
      ranks: world.ranks,
      hasTimes: timed.gapsNs !== null,
      stepNs: timed.stepNs,
      items: itemsOf(inStep, timed.gapsNs, main.source),
    },
  };
}

/**
 * Returns the calls of one process in time order, and a number of calls that were left out. The calls are those on all
 * communicators of the library of `main` whose ranks form a group that a job can have. The number counts the process's collectives
 * on other communicators of this library with more than one rank. If the process has several ranks of a communicator, only the
 * calls of `rank` are returned.
 * @param world its groupOf() gives the group of ranks that form a communicator: undefined = all ranks, null = no group that a job
 * can have
 */
function callsOf(
  { communicators }: RecordedJob,
  main: Communicator,
  { pid, host, rank }: RankRecord,
  world: JobRanks,
): [MemberCall[], number] {
  let others = 0;
  const mine = communicators.flatMap((communicator): MemberCall[] => {
    const { source, members, ranks } = communicator;
    const here = members.filter((one) => one.pid === pid && one.host === host && source === main.source);
    const calls = (here.length > 1 ? here.filter((one) => one.rank === rank) : here).flatMap(
      (one) => one.calls,
    );
    const group = world.groupOf(communicator);
    if (group !== null) return calls.map((call) => ({ call, ranks, group }));
    if (ranks > 1) others += calls.filter((call) => collectiveOf(call) !== null).length;
    return [];
  });
  return [mine.sort((a, b) => a.call.startNs - b.call.startNs), others];
}

/**
 * Returns a recorded call in the form that replay reads; a message becomes a sendrecv. The data type is uint8 if the recorded one
 * is unknown or its size does not divide the bytes. Null if replay does not support the call, or if the call moves no data.
 */
function itemOf(call: RecordedCall, { ranks }: Pick<RankRecord, 'ranks'>): CallContext['item'] | null {
  const collective = isMessage(call) ? 'sendrecv' : collectiveOf(call);
  const bytes = payloadBytes(call, { ranks });
  if (collective === null || bytes === 0) return null;
  const dtype = dtypeOf(call);
  const known = dtype !== 'unknown' && bytes % dtypeBytes[dtype] === 0 ? dtype : 'uint8';
  return {
    do: 'call',
    collective,
    dtype: known,
    ...(call.root !== null && collectives[collective].rooted ? { root: call.root } : {}),
    bytes,
  };
}

function placesOf(calls: readonly MemberCall[], source: Communicator['source']): CallContext[] {
  const places: CallContext[] = [];
  let [otherNs, waitsBefore] = [0, false];
  for (const { call, ranks, group } of calls) {
    const item = itemOf(call, { ranks });
    if (item === null) {
      otherNs += call.ns;
      waitsBefore ||= isWait(call);
      continue;
    }
    const isBeside = source === 'gloo';
    places.push({
      isBeside,
      call,
      item: group === undefined ? item : { ...item, group },
      otherNs,
      waitsBefore,
    });
    [otherNs, waitsBefore] = [0, false];
  }
  return places;
}

/**
 * Shifts the repeated sequence of calls so that it starts after its longest pause, because a step most probably starts there. A
 * shifted sequence has one repetition fewer. The period is returned unchanged if it already starts there.
 */
function fromLongestGap(places: readonly CallContext[], period: CallPeriod): CallPeriod {
  const gaps = Array.from({ length: period.length }, (_, place) => {
    const all = [];
    for (let at = period.from + place; at < period.from + period.length * period.count; at += period.length)
      if (at > 0) all.push(hostGap(places, at, true));
    return medianOf(all);
  });
  const longest = gaps.indexOf(Math.max(...gaps));
  if (longest === 0) return period;
  return { ...period, from: period.from + longest, count: period.count - 1 };
}

const startOf = (places: readonly CallContext[], at: number): number => places[at]?.call.startNs ?? 0;

interface StepGaps {
  /** Nanoseconds of computation before each call of the step; null if not known. */
  gapsNs: number[] | null;
  stepNs: number | null;
  steps: number;
}

function timesOf(
  places: readonly CallContext[],
  period: CallPeriod | null,
  source: Communicator['source'],
): StepGaps {
  if (period === null) {
    const gaps =
      source === 'nccl' ? null : places.slice(0, maxItems).map((_, at) => hostGap(places, at, false));
    return { gapsNs: gaps, stepNs: null, steps: 0 };
  }
  const { from, length, count } = period;
  const starts = Array.from({ length: count }, (_, step) => from + step * length);
  const lengths = starts.slice(1).map((at) => startOf(places, at) - startOf(places, at - length));
  const stepNs = lengths.length === 0 ? null : medianOf(lengths);
  const gapsOf = source === 'nccl' ? deviceGaps : hostGaps;
  // The pause before a step's first call belongs to the step. The first call of the job has no pause before it.
  const gaps = starts
    .filter((at) => at > 0)
    .map((at) => gapsOf(places, at, length))
    .filter((all) => all !== null);
  if (gaps.length === 0) return { gapsNs: null, stepNs, steps: 0 };
  const gapsNs = Array.from({ length }, (_, place) => medianOf(gaps.map((all) => all[place] ?? 0)));
  return { gapsNs, stepNs, steps: gaps.length };
}

/**
 * Returns the nanoseconds of computation before a call: from the end of the previous call to the start of this one, minus calls
 * that replay leaves out; at least 0. If the program may compute while the previous operation runs (`isBeside`), the time counts
 * from the start of the previous call. Before the first call of a step (`isFirst`), computation starts when all operations of the
 * previous step have ended.
 * @param at index of the call in `places`
 */
function hostGap(places: readonly CallContext[], at: number, isFirst: boolean): number {
  const [before, place] = [places[at - 1], places[at]];
  if (before === undefined || place === undefined) return 0;
  const goesOn = before.call.isIssue && before.isBeside && !isFirst;
  return Math.max(
    0,
    place.call.startNs - before.call.startNs - (goesOn ? 0 : before.call.ns) - place.otherNs,
  );
}

const hostGaps = (places: readonly CallContext[], at: number, length: number): number[] =>
  Array.from({ length }, (_, place) => hostGap(places, at + place, place === 0));

/**
 * If the pause between two kernels is at most this long, in ns, the later one probably waited for the earlier one. The computation
 * time between them is then not known and counts as 0.
 */
const closeNs = 10_000;

/**
 * Returns the nanoseconds of computation before each call of one step, from the times of kernels. Before the first call it is the
 * time since the end of the previous step's last kernel. Before others it is the time since the start of the last kernel that had a
 * pause before it, because computation continues while collectives run. It is 0 if the pause before the call is at most `closeNs`.
 * Null if a kernel was not timed.
 * @param at index of the step's first call in `places`
 * @param length number of calls of the step
 */
function deviceGaps(places: readonly CallContext[], at: number, length: number): number[] | null {
  const gaps: number[] = [];
  let anchorNs = 0n;
  for (let i = at; i < at + length; i += 1) {
    const [before, own] = [places[i - 1]?.call.device, places[i]?.call.device];
    if (before == null || own == null) return null;
    const idleNs = Number(own.atNs - before.atNs) - before.ns;
    if (i === at) gaps.push(Math.max(0, idleNs));
    else gaps.push(idleNs <= closeNs ? 0 : Number(own.atNs - anchorNs));
    if (i === at || idleNs > closeNs) anchorNs = own.atNs;
  }
  return gaps;
}

function itemsOf(
  places: readonly CallContext[],
  gapsNs: readonly number[] | null,
  source: Communicator['source'],
): JobItem[] {
  const items: JobItem[] = [];
  places.forEach((place, at) => {
    const gap = gapsNs?.[at] ?? 0;
    if (place.waitsBefore && at > 0 && items.at(-1)?.do !== 'wait') items.push({ do: 'wait' });
    if (gap > 0) items.push({ do: 'compute', ns: Math.round(gap) });
    items.push(place.item);
    if (source !== 'nccl' && !place.call.isIssue) items.push({ do: 'wait' });
  });
  if (items.at(-1)?.do !== 'wait') items.push({ do: 'wait' });
  return items;
}
