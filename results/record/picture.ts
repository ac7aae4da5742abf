// Collects the data for a report page on a recorded job: totals, times that ranks waited for each other, and a section of the
// timeline.
import path from 'node:path';
import { type Communicator, jobOfRecords, type RecordedJob } from './communicators.ts';
import { requestedBytes } from './functions.ts';
import { jobOfRecording } from './job.ts';
import { nameOf, numberingOf, type RankNumbering } from './job-ranks.ts';
import { type RankRecord, type RecordedCall, readRecordsOf } from './read.ts';
import { type RecordingSentences, sentencesByTopic } from './sentences.ts';
import { type FunctionTotal, totalsOf } from './totals.ts';
import { waitsOf } from './waits.ts';

/**
 * A call on one rank, or its kernels, as a time span in ns on the job's common clock. `rank` is the rank in the job, or in the
 * communicator if that is not known; `bytes` is 0 if not known.
 */
export interface TimelineCall {
  rank: number;
  function: string;
  bytes: number;
  fromNs: number;
  untilNs: number;
}

export interface RankWaits {
  /**
   * Rank in the job; in the communicator if the rank in the job is not known. The times are sums in ns over the calls that all
   * ranks of the communicator made together: `insideNs` of this rank in the calls, `waitedNs` of this rank waiting for others,
   * `causedNs` of all others waiting for this rank.
   */
  rank: number;
  insideNs: number;
  waitedNs: number;
  causedNs: number;
  /** Number of calls in which this rank arrived last, so that the others waited for it. */
  lastIn: number;
}

export interface RecordingTimeline {
  /** File name of the recorded program: "python3.11" for a Python program, because the records do not name the script. */
  program: string;
  sentences: RecordingSentences;
  totals: FunctionTotal[];
  /**
   * Times that ranks waited for each other, for each communicator whose ranks are all recorded and made calls with known times
   * together; `calls`: number of these calls.
   */
  waits: { name: string; calls: number; ranks: RankWaits[] }[];
  /**
   * The calls that the report draws, on at most 16 ranks of the communicator with most calls, and at most 80 per rank. They are
   * those that overlap the time span of 12 successive calls in the middle of the first rank's calls. Empty if no call has a time.
   */
  stretch: TimelineCall[];
  /**
   * True if `stretch` shows kernels timed by device clocks. Each rank's device clock is aligned with the host's clock at the rank's
   * first timed call.
   */
  isOnDevice: boolean;
}

/**
 * Returns the data that a report shows of a recorded job.
 * @param folder folder with the files that `collbench record` wrote, one per process and communicator
 * @returns null if the files have no calls
 * @throws StoreError if a file is not a plain file; the error of the file system if `folder` does not exist
 */
export async function pictureOf(folder: string): Promise<RecordingTimeline | null> {
  const records = await readRecordsOf(folder, null);
  if (records.length === 0) return null;
  const recorded = jobOfRecords(records);
  const numberOf = numberingOf(recorded);
  const { stretch, isOnDevice } = stretchOf(recorded, numberOf);
  const program = programOf(records);
  return {
    program,
    sentences: sentencesByTopic(recorded, jobOfRecording(recorded, program)),
    totals: totalsOf(recorded.communicators),
    waits: recorded.communicators.flatMap((one) => waitsIn(one, numberOf)),
    stretch,
    isOnDevice,
  };
}

/** Returns the file name of the recorded program; "job" if the records do not name it. */
export const programOf = (records: readonly RankRecord[]): string =>
  path.basename(records[0]?.program ?? '') || 'job';

function waitsIn(communicator: Communicator, numberOf: RankNumbering): RecordingTimeline['waits'] {
  const waits = waitsOf(communicator);
  if (waits === null) return [];
  const { members } = communicator;
  const ranks = waits.waitedNs.map((waitedNs, rank) => ({
    rank: (members[rank] && numberOf(members[rank])) ?? rank,
    waitedNs,
    insideNs: waits.insideNs[rank] ?? 0,
    causedNs: waits.causedNs[rank] ?? 0,
    lastIn: waits.lastIn[rank] ?? 0,
  }));
  return [{ name: nameOf(communicator, numberOf), calls: waits.calls, ranks }];
}

/**
 * Highest number of ranks in the drawing; `maxCallsOfRank`: of calls per rank. More could not be distinguished. `callsOfFirst`:
 * number of calls of the first rank whose time span is drawn.
 */
const maxRanks = 16;
const callsOfFirst = 12;
const maxCallsOfRank = 80;

function stretchOf(
  { communicators }: RecordedJob,
  numberOf: RankNumbering,
): Pick<RecordingTimeline, 'stretch' | 'isOnDevice'> {
  const members = communicators[0]?.members ?? [];
  const isOnDevice = members.some(({ calls }) => calls.some(({ device }) => device !== null));
  const lines = members.slice(0, maxRanks).map((one) => spansOf(one, numberOf(one) ?? one.rank, isOnDevice));
  const [first = []] = lines;
  const middle = Math.max(0, Math.floor((first.length - callsOfFirst) / 2));
  const shown = first.slice(middle, middle + callsOfFirst);
  const fromNs = shown[0]?.fromNs ?? 0;
  const untilNs = shown.reduce((latest, one) => Math.max(latest, one.untilNs), fromNs);
  const isIn = (one: TimelineCall) => one.fromNs <= untilNs && one.untilNs >= fromNs;
  return { stretch: lines.flatMap((calls) => calls.filter(isIn).slice(0, maxCallsOfRank)), isOnDevice };
}

/**
 * Returns the calls of one rank that have a duration, as time spans in the order of their starts.
 * @param isOnDevice true = time spans of the calls' kernels on the GPU; false = of the calls on the host
 */
function spansOf({ calls }: RankRecord, rank: number, isOnDevice: boolean): TimelineCall[] {
  const origin = calls.find(({ device }) => device !== null);
  return calls
    .flatMap((call) => {
      const span = isOnDevice ? onDevice(call, origin) : { fromNs: call.startNs, ns: call.ns };
      if (span === null || span.ns <= 0) return [];
      const { fromNs, ns } = span;
      return [{ rank, function: call.function, bytes: requestedBytes(call), fromNs, untilNs: fromNs + ns }];
    })
    .sort((a, b) => a.fromNs - b.fromNs);
}

/**
 * Returns the time span of a call's kernels in ns on the host's clock; null if they were not timed, or if `origin` is undefined.
 * Device and host clocks are assumed to run at the same rate.
 * @param origin first call of the rank whose kernels were timed; they are assumed to start with the call
 */
function onDevice(
  { device }: RecordedCall,
  origin: RecordedCall | undefined,
): { fromNs: number; ns: number } | null {
  if (device === null || origin?.device == null) return null;
  return { fromNs: Number(device.atNs - origin.device.atNs) + origin.startNs, ns: device.ns };
}
