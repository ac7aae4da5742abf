import { sum } from 'simple-statistics';
import { groupSays } from '../import/traces/groups.ts';
import { lengthUs, union } from '../import/traces/overlap.ts';
import { bytesText, countText, durationText, joinWords, percentText, plural } from '../units.ts';
import type { Communicator, RecordedJob } from './communicators.ts';
import { isStart } from './functions.ts';
import type { RecordingJob } from './job.ts';
import { nameOf, numberingOf, type RankNumbering } from './job-ranks.ts';
import type { RecordedCall } from './read.ts';
import { byFunction, type FunctionTotal, totalsOf } from './totals.ts';
import { nearestRank, waitsOf } from './waits.ts';

/** Sentences that describe a recorded job, by topic. */
export interface RecordingSentences {
  /** Sentences about the calls and bytes of the functions that the job called. */
  calls: string[];
  /** Sentences about the times that ranks waited for each other. */
  waits: string[];
  /** Sentences about the share of the job's time that ranks spent in communication calls or, for NCCL, in its kernels. */
  share: string[];
  /** Sentences about repeated steps and CUDA graphs. */
  steps: string[];
}

/**
 * Returns sentences that describe a recorded job: its calls, waiting times, shares of time, steps and CUDA graphs.
 * @param found job for replay, which has the steps; null if no job can be made from the recording
 */
export function sentencesByTopic(recorded: RecordedJob, found: RecordingJob | null): RecordingSentences {
  const totals = totalsOf(recorded.communicators);
  const numberOf = numberingOf(recorded);
  const isOneOfMany = recorded.communicators.length > 1;
  return {
    calls: [askedSentence(totals)],
    waits: recorded.communicators.flatMap((one) => waitSentences(one, numberOf, isOneOfMany)),
    share: shareSentences(recorded, numberOf),
    steps: [...stepSentences(found), ...graphSentences(totals)],
  };
}

/** Returns the sentences of sentencesByTopic() as one list. */
export const sentencesOf = (recorded: RecordedJob, found: RecordingJob | null): string[] =>
  Object.values(sentencesByTopic(recorded, found)).flat();

const maxFunctions = 6;

function askedSentence(totals: readonly FunctionTotal[]): string {
  const all = byFunction(totals).filter(({ bytes }) => bytes > 0);
  const rest = all.length - maxFunctions;
  const words = all
    .slice(0, maxFunctions)
    .map(({ function: name, calls, bytes }) => `${name} ${bytesText(bytes)} in ${plural(calls, 'call')}`);
  if (rest > 0) words.push(plural(rest, 'more function'));
  return words.length === 0
    ? 'no call moved data'
    : `asked for, counts times sizes on all ranks together: ${words.join(', ')}`;
}

const maxRanks = 4;

/**
 * A rank is named as the cause of waiting if it causes more than this share of all waiting. In addition, waiting must exceed the
 * share `matters`, and the times of at least ten calls must be known.
 */
const straggles = 0.6;
/** A rank is named as the cause only if waiting is more than this share of the time inside collectives. */
const matters = 0.1;

function waitSentences(communicator: Communicator, numberOf: RankNumbering, isOneOfMany: boolean): string[] {
  const waits = waitsOf(communicator);
  if (waits === null) return [];
  const of = isOneOfMany ? ` of ${nameOf(communicator, numberOf)}` : '';
  const { members } = communicator;
  const inJob = (rank: number) => (members[rank] && numberOf(members[rank])) ?? rank;
  const spread = `arrival skew at collectives${of}: median ${durationText(nearestRank(waits.spreadsNs, 500))}, p95 ${durationText(nearestRank(waits.spreadsNs, 950))} (${countText(waits.calls)} calls)`;
  const ranks = waits.waitedNs.map((ns, rank) => ({ rank, ns, insideNs: waits.insideNs[rank] ?? 0 }));
  ranks.sort((a, b) => b.ns - a.ns);
  const waiting = ranks
    .slice(0, maxRanks)
    .filter(({ insideNs }) => insideNs > 0)
    .map(
      ({ rank, ns, insideNs }) => `rank ${inJob(rank)} ${percentText(ns / insideNs)} (${durationText(ns)})`,
    );
  const [waitedNs, most] = [sum(waits.waitedNs), Math.max(...waits.causedNs)];
  const last = waits.causedNs.indexOf(most);
  const isStraggler =
    waits.calls >= 10 && most > straggles * waitedNs && waitedNs > matters * sum(waits.insideNs);
  return [
    spread,
    ...(waiting.length === 0
      ? []
      : [`waiting for other ranks, share of the time inside collectives${of}: ${waiting.join(', ')}`]),
    ...(isStraggler
      ? [
          `rank ${inJob(last)} is a straggler${of}: ${percentText(most / waitedNs)} of this waiting was for it; it came last in ${percentText((waits.lastIn[last] ?? 0) / waits.calls)} of the calls`,
        ]
      : []),
  ];
}

/**
 * Returns one sentence: the share of their time that ranks of the communicator with most calls spent in calls or, for NCCL, in its
 * kernels. Empty if no time is known.
 * @param numberOf gives the rank in the job of a record's process
 */
function shareSentences({ communicators }: RecordedJob, numberOf: RankNumbering): string[] {
  const shares = communicators.slice(0, 1).flatMap(({ source, members }) =>
    members.map((one) => ({
      rank: numberOf(one) ?? one.rank,
      share: source === 'nccl' ? deviceShare(one.calls) : hostShare(one.calls),
    })),
  );
  const known = shares.flatMap(({ rank, share }) => (share === null ? [] : [{ rank, share }]));
  if (known.length === 0) return [];
  const least = known.reduce((a, b) => (b.share < a.share ? b : a));
  const most = known.reduce((a, b) => (b.share > a.share ? b : a));
  const isOne = known.length === 1 || least.rank === most.rank;
  const what =
    communicators[0]?.source === 'nccl'
      ? 'inside kernels of NCCL where they were timed'
      : `inside recorded calls between ${isOne ? 'its' : 'their'} first and last call`;
  return [
    isOne
      ? `rank ${most.rank} was ${percentText(most.share)} of its time ${what}`
      : `ranks were ${percentText(least.share)} (rank ${least.rank}) to ${percentText(most.share)} (rank ${most.rank}) of their time ${what}`,
  ];
}

function hostShare(calls: readonly RecordedCall[]): number | null {
  const spans = calls.map(({ startNs, ns }) => ({ startUs: startNs, endUs: startNs + ns }));
  const from = spans.reduce((least, { startUs }) => Math.min(least, startUs), Number.POSITIVE_INFINITY);
  const until = spans.reduce((most, { endUs }) => Math.max(most, endUs), 0);
  // Calls of Gloo overlap, so the length of their union is used.
  return until > from ? lengthUs(union(spans)) / (until - from) : null;
}

/**
 * Returns the share of time, 0 to 1, in which communication kernels of a rank ran, over pairs of successive calls that both have
 * kernel times; null if there are none.
 */
function deviceShare(calls: readonly RecordedCall[]): number | null {
  let [busyNs, passedNs] = [0, 0];
  let before: { atNs: bigint; ns: number } | null = null;
  for (const { device } of calls) {
    if (device !== null && before !== null && device.atNs >= before.atNs) {
      const distanceNs = Number(device.atNs - before.atNs);
      busyNs += Math.min(before.ns, distanceNs);
      passedNs += distanceNs;
    }
    before = device;
  }
  return passedNs > 0 ? busyNs / passedNs : null;
}

function stepSentences(found: RecordingJob | null): string[] {
  if (found === null) return [];
  const { steps, job } = found;
  const groups = job.items.flatMap((item) => (item.do === 'call' ? [item.group] : []));
  const calls = groups.length;
  if (steps === 0) return ['no sequence of calls repeats: replay takes the whole job as one step'];
  const time = job.stepNs === null ? '' : `, ${durationText(job.stepNs)} each (median)`;
  if (calls === 1)
    return [
      `${countText(steps)} calls that are alike follow each other${time}: how many make a step is unknown, and replay takes each as one`,
      ...groupSays(groups, job.ranks ?? 0),
    ];
  return [
    `${countText(steps)} steps of ${plural(calls, 'call')} were recognised by their sizes${time}`,
    ...groupSays(groups, job.ranks ?? 0),
  ];
}

const graphSentences = (totals: readonly FunctionTotal[]): string[] => {
  const graph = totals.reduce((all, { graph }) => all + graph, 0);
  return graph === 0
    ? []
    : [
        `${countText(graph)} calls are of CUDA graphs; replays are seen only where NCCL reports their kernels`,
      ];
};

/**
 * Returns sentences on the limits of a recording: lost calls and times, calls left out, records without end, calls without device
 * times or sizes, ranks without a record (at most three communicators), different clocks of several hosts. The notices of the job
 * for replay follow.
 * @param found job for replay; null if no job can be made from the recording
 */
export function noticesOf(recorded: RecordedJob, found: RecordingJob | null): string[] {
  const { records, communicators, hosts } = recorded;
  const numberOf = numberingOf(recorded);
  const lost = records.reduce((all, { lostCalls }) => all + lostCalls, 0);
  const lostTimes = records.reduce((all, { lostDeviceTimes }) => all + lostDeviceTimes, 0);
  const leftOut = records.reduce((all, one) => all + one.leftOut, 0);
  const cut = records.filter(({ isWhole }) => !isWhole).length;
  const starts = records.reduce((all, { calls }) => all + calls.filter(isStart).length, 0);
  const untimed = records.filter((one) => one.source === 'nccl').flatMap(({ calls }) => calls);
  const timed = untimed.filter(({ device }) => device !== null).length;
  const partial = communicators.filter(({ members, ranks }) => members.length < ranks);
  return [
    ...(lost > 0
      ? [`${countText(lost)} calls were lost: the job called faster than they could be written`]
      : []),
    ...(lostTimes > 0 ? [`times of ${countText(lostTimes)} kernels were lost`] : []),
    ...(leftOut > 0 ? [`${countText(leftOut)} calls are left out: too many of one process`] : []),
    ...(cut > 0
      ? [
          `${plural(cut, 'record')} of ${records.length} end without a last line: the process was killed, and at most its last second is missing`,
        ]
      : []),
    ...(untimed.length > timed
      ? [
          `${countText(timed)} of ${countText(untimed.length)} calls of NCCL have device times: the others were not timed, so that recording costs little`,
        ]
      : []),
    ...(starts > 0
      ? [`${countText(starts)} starts of persistent requests: their sizes are not recorded`]
      : []),
    ...partial
      .slice(0, 3)
      .map((one) => `${nameOf(one, numberOf)}: ${one.members.length} of ${one.ranks} ranks left a record`),
    ...(hosts.length > 1
      ? [
          `ranks of ${joinWords(hosts)} are compared by the wall clocks of these hosts: spreads below their difference mean nothing`,
        ]
      : []),
    ...(found?.notices ?? []),
  ];
}
