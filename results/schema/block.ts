import { z } from 'zod';
import { type BlockTrialName, trialNames } from './names.ts';

/**
 * A sample of an isolated trial is used if no rank started later than this part of its time after the common start: 1/500 =
 * 0.2 %, a fifth of the default precision. The agent takes further samples by the same rule (native/measure/trial_loop.h).
 */
export const latenessDivisor = 500;

/** Wrong results of one rank in one block (samples of one configuration in one launch). */
export const wrongData = z.strictObject({
  rank: z.int(),
  /** Number of elements that differ from the expected result. `comparedElements`: number of all compared elements. */
  wrongElements: z.int().min(0),
  comparedElements: z.int().min(0),
  /**
   * The first wrong element. `wanted` and `got` are text, since 64-bit integers must stay exact. `note`: what the wrong value is,
   * such as data of another rank.
   */
  first: z
    .strictObject({
      iteration: z.int(),
      index: z.int(),
      wanted: z.string(),
      got: z.string(),
      note: z.string(),
    })
    .nullable(),
});
export const counters = z.strictObject({
  bytesSent: z.int(),
  bytesReceived: z.int(),
  messagesSent: z.int(),
  messagesReceived: z.int(),
  /** Number of sent messages in which each piece of data has a ready flag (protocol ll, as in NCCL); absent = none. */
  flaggedSent: z.int().optional(),
  /** Bytes that the TCP sockets of this rank received meanwhile; absent if not known, or if ranks share a process. */
  socketBytesReceived: z.int().optional(),
  /**
   * Number of the rank's TCP sockets that closed during the block. Their bytes are missing from `socketBytesReceived`. Absent if
   * none closed.
   */
  socketsGone: z.int().optional(),
});

/**
 * Work that one rank did on request at the same time as the measured operation (`--beside`). `aloneUnits`: flop or bytes done
 * just before the block; `timedUnits`: done during its timed samples.
 */
export const loadBlock = z.strictObject({
  workers: z.int(),
  aloneUnits: z.int(),
  aloneNs: z.int(),
  timedUnits: z.int(),
  timedNs: z.int(),
  /** Bytes and messages that the other work itself sent and received over its own transport. */
  moved: counters.omit({ flaggedSent: true, socketBytesReceived: true, socketsGone: true }),
});
/**
 * Raw samples of one block: one configuration and kind of trial in one launch, on all ranks. A line of `samples/blocks.ndjson`,
 * written when the block ends. Arrays are [rank][sample]; times are ns of CLOCK_MONOTONIC after `baseNs`.
 */
export const blockRecord = z.strictObject({
  /** Number of the block, counted from 0 in the order of measuring, which is random and recorded only here. */
  block: z.int().min(0),
  /** Index of the axis values in plan.points. `transport`: index in plan.transports. */
  point: z.int().min(0),
  transport: z.int().min(0),
  launch: z.int().min(0),
  /**
   * Number of the resumption or repetition that measured the block, counted from 1; absent = the first start. Results use only
   * the last attempt of each configuration, since launches of different starts cannot be combined.
   */
  attempt: z.int().min(1).optional(),
  /**
   * Group of ranks that measured the block; absent if the run is not divided into groups. [rank] then counts within the group.
   */
  group: z
    .strictObject({
      index: z.int().min(0),
      /** Number of the first block that was measured at the same time. Groups of ranks measure one block each, simultaneously. */
      round: z.int().min(0),
      /**
       * Nanoseconds to add to the block's times to convert them to the common clock of all groups in the round. `uncertaintyNs`
       * is the largest error of this offset.
       */
      toCommonNs: z.int(),
      uncertaintyNs: z.int().min(0),
    })
    .optional(),
  trial: z.enum(trialNames),
  /** Algorithm that the measured library used: "Ring"; "" if it does not report it. */
  algorithm: z.string(),
  protocol: z.string().optional(),
  /** Number of connections between ranks since the launch by path type in NCCL's terms, over all ranks: {"P2P/CUMEM": 48}. */
  paths: z.record(z.string(), z.int()).optional(),
  /** Number of operations that are timed together as one sample. */
  batch: z.int().min(1),
  /** Instant that is subtracted from all stored start and end times, ns of CLOCK_MONOTONIC on the machine of rank 0. */
  baseNs: z.int(),
  /**
   * [rank] Nanoseconds that were added to the rank's times to convert them to the clock of rank 0's machine. `clockUncertaintyNs`
   * is the largest error in either direction. Null for ranks on rank 0's machine. Absent with a single host.
   */
  clockOffsetNs: z.array(z.int().nullable()).optional(),
  clockUncertaintyNs: z.array(z.int().nullable()).optional(),
  /** Clock of start and end times. `device`: each rank's GPU. Absent or `host`: the CPU's CLOCK_MONOTONIC. */
  clock: z.enum(['host', 'device']).optional(),
  /** Only for GPU times: ns that recording the start and end time stamps adds to one sample. */
  markNs: z.int().optional(),
  /**
   * Times (ns) or counts of the phases of each operation, by name: [rank][sample]. Only in isolated trials of workloads that have
   * phases, such as control paths. Empty array = the rank has none.
   */
  columns: z.record(z.string(), z.array(z.array(z.int()))).optional(),
  /** [rank][sample] Only for GPU times: time that the host needed to queue one operation, ns. */
  enqueueNs: z.array(z.array(z.int())).optional(),
  /**
   * [sample] Isolated trials: agreed start time of all ranks, with `--skew` of the last one. Pipelined: earliest start of any
   * rank. GPU times: latest start of any rank. ns after `baseNs`.
   */
  commonStartNs: z.array(z.int()),
  startNs: z.array(z.array(z.int())),
  endNs: z.array(z.array(z.int())),
  /** [rank][sample] 1 if the rank missed the agreed start time, else 0. */
  late: z.array(z.array(z.int())),
  /**
   * [rank][warm-up operation] Duration of each warm-up operation, ns. In the first block of a launch, the first value is the
   * duration of the launch's very first operation.
   */
  warmupNs: z.array(z.array(z.int())),
  /** Nanoseconds from rank 0's last announcement of a common start time to that time; 0 if none was announced. */
  windowNs: z.int(),
  /** [rank] Number of operations whose result was compared with the expected one. */
  checks: z.array(z.int()),
  /** [rank] Time between samples for filling buffers and comparing results, ns; absent = not known. */
  checkingNs: z.array(z.int()).optional(),
  wrong: z.array(wrongData),
  /** [rank] Bytes and messages that the transport counted for all operations of the block, warm-up included. */
  counters: z.array(counters),
  /** Bytes that each network interface received during the block, by name: rx_bytes in /sys/class/net. */
  interfaceBytes: z.record(z.string(), z.int()),
  /** [rank] What concurrent other work (`--beside`) did meanwhile; absent if the run has none. */
  beside: z.array(loadBlock).optional(),
  /** Number of operations of the block on each rank, warm-up and timed together. */
  operations: z.int(),
});
export type BlockRecord = z.infer<typeof blockRecord>;

/**
 * True if `one` is an array of safe integers. A loop, because a function call per sample takes longer than parsing the samples.
 */
function areIntegers(one: unknown): boolean {
  if (!Array.isArray(one)) return false;
  for (const value of one) if (!Number.isSafeInteger(value)) return false;
  return true;
}
const areRows = (all: unknown): boolean => Array.isArray(all) && all.every(areIntegers);

/**
 * True if `blockRecord` accepts the value unchanged. The schema would check sample by sample, which is slow; this function is
 * faster. If false, the schema must check the value, because only the schema gives the reason.
 */
export function isBlock(raw: unknown): raw is BlockRecord {
  if (typeof raw !== 'object' || raw === null) return false;
  const { commonStartNs, startNs, endNs, late, warmupNs } = raw as Partial<BlockRecord>;
  if (!areIntegers(commonStartNs) || ![startNs, endNs, late, warmupNs].every(areRows)) return false;
  const rest = { commonStartNs: [], startNs: [], endNs: [], late: [], warmupNs: [] };
  return blockRecord.safeParse({ ...raw, ...rest }).success;
}

/**
 * A request to measure one block, the samples of one configuration in one launch. Groups of ranks each measure one at
 * the same time. `suites` orders the requests, `orchestration` carries them out.
 */
export interface BlockRequest {
  point: number;
  transport: number;
  launch: number;
  trial: BlockTrialName;
  warmup: number;
  minSamples: number;
  maxSamples: number;
  /**
   * Wanted duration of all samples of the block together: number of samples = clamp(targetNs / time of one operation, minSamples,
   * maxSamples); 0 = exactly maxSamples.
   */
  targetNs: number;
  batch: number;
  checkEvery: number;
  check: boolean;
  /**
   * True if the ranks give the pages of large buffers back to the system after the block, because another launch measures next.
   */
  release: boolean;
  /** True for the last block of this configuration; afterwards its results are computed. */
  completesCell: boolean;
  /** True for the last block of the launch, after which the rank processes must end. */
  endsLaunch?: boolean;
  /** Number of a launch over the same transport whose rank processes must end before those of this block's launch start. */
  replaces?: number;
}
