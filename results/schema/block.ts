import { z } from 'zod';
import { type BlockTrialName, trialNames } from './names.ts';

/** Elements of one rank that differed from the expected result in one block. */
export const wrongData = z.strictObject({
  rank: z.int(),
  /** Number of wrong elements of this rank's results in this block. `comparedElements` is the number of all compared ones. */
  wrongElements: z.int().min(0),
  comparedElements: z.int().min(0),
  /**
   * The first wrong element. `wanted` and `got` are text, so that 64-bit integers stay exact. `note` says what the wrong value
   * is.
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
export type WrongData = z.infer<typeof wrongData>;

export const counters = z.strictObject({
  bytesSent: z.int(),
  bytesReceived: z.int(),
  messagesSent: z.int(),
  messagesReceived: z.int(),
  /** Number of sent messages that carried a ready flag beside each piece of data (protocol ll); absent if none did. */
  flaggedSent: z.int().optional(),
  /** Bytes received by the rank's own TCP sockets during the block; absent if not known, or if ranks share a process. */
  socketBytesReceived: z.int().optional(),
  /**
   * Number of the rank's TCP sockets that closed during the block. Their bytes are missing from `socketBytesReceived`. Absent if
   * none closed.
   */
  socketsGone: z.int().optional(),
});

/**
 * Work of one rank's concurrent load around one block. `aloneUnits`: units done just before the block; `timedUnits`: during its
 * timed samples.
 */
export const loadBlock = z.strictObject({
  workers: z.int(),
  aloneUnits: z.int(),
  aloneNs: z.int(),
  timedUnits: z.int(),
  timedNs: z.int(),
  /** Bytes and messages that the load itself moved over its own transport during the block. */
  moved: counters.omit({ flaggedSent: true, socketBytesReceived: true, socketsGone: true }),
});
export type LoadBlock = z.infer<typeof loadBlock>;

/**
 * Raw samples of one block: one launch, one cell, one trial kind, all ranks. One line of `samples/blocks.ndjson`, appended when
 * the block ends. Arrays are [rank][sample]; times are CLOCK_MONOTONIC nanoseconds relative to `baseNs`.
 */
export const blockRecord = z.strictObject({
  /** Block number, counted from 0 in the order of measuring, which is random and only recorded by these numbers. */
  block: z.int().min(0),
  /** Index into plan.points. `transport` is the index into plan.transports. */
  point: z.int().min(0),
  transport: z.int().min(0),
  launch: z.int().min(0),
  /**
   * Number of the resumption or retry that measured the block, counted from 1; absent = the first start. Of each cell only the
   * blocks of its last attempt are used: samples of launches from two starts cannot be combined.
   */
  attempt: z.int().min(1).optional(),
  /**
   * The group of ranks that measured the block; absent if plan.groups is absent. `[rank]` is then the number within the group.
   */
  group: z
    .strictObject({
      index: z.int().min(0),
      /** Number of the round's first block. In a round each group measures one block, all groups at the same time. */
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
  /** Algorithm that the engine chose; "" = the engine does not report it. */
  algorithm: z.string(),
  protocol: z.string().optional(),
  /** Number of connections between ranks since the start of this launch, by path type, summed over ranks: {"P2P/CUMEM": 48}. */
  paths: z.record(z.string(), z.int()).optional(),
  batch: z.int().min(1),
  baseNs: z.int(),
  /**
   * [rank] Nanoseconds that were added to the rank's times to convert them to the clock of rank 0's machine. `clockUncertaintyNs`
   * is the largest error in either direction. Null for ranks on rank 0's machine. Absent with a single host.
   */
  clockOffsetNs: z.array(z.int().nullable()).optional(),
  clockUncertaintyNs: z.array(z.int().nullable()).optional(),
  /** `device`: start and end times are taken by each rank's device (native/measure/trial.h). Absent = `host`: by the CPU. */
  clock: z.enum(['host', 'device']).optional(),
  /** Device clock only: nanoseconds that recording the start and end marks adds to one sample. */
  markNs: z.int().optional(),
  /**
   * Times (ns) or counts of the parts of each operation, by name, [rank][sample]. Only for isolated trials of workloads whose
   * operations have parts. A rank without values has an empty array.
   */
  columns: z.record(z.string(), z.array(z.array(z.int()))).optional(),
  /** [rank][sample] Device clock only: host time to enqueue one operation, ns. */
  enqueueNs: z.array(z.array(z.int())).optional(),
  /** [sample] Isolated trial: the start time on which all ranks agreed. Pipelined trial: the earliest start of any rank. */
  commonStartNs: z.array(z.int()),
  startNs: z.array(z.array(z.int())),
  endNs: z.array(z.array(z.int())),
  /** [rank][sample] 1 if the rank started after the common start, else 0. */
  late: z.array(z.array(z.int())),
  /**
   * [rank][warm-up operation] Duration of each warm-up operation, ns. In the first block of a launch, the first value is the
   * duration of the launch's very first operation.
   */
  warmupNs: z.array(z.array(z.int())),
  windowNs: z.int(),
  /** [rank] Number of samples whose result was verified. */
  checks: z.array(z.int()),
  /** [rank] Nanoseconds spent between samples on filling and comparing data; absent = not known. */
  checkingNs: z.array(z.int()).optional(),
  wrong: z.array(wrongData),
  /** [rank] Bytes and messages that the transport reports for all operations of this block, timed and untimed. */
  counters: z.array(counters),
  /** Bytes that each network interface of the node received during the block, by name (rx_bytes of /sys/class/net). */
  interfaceBytes: z.record(z.string(), z.int()),
  /** [rank] Work of the concurrent load; absent if the run has no load. */
  beside: z.array(loadBlock).optional(),
  /** Number of operations executed in the block, warm-up and timed together. It is the same on all ranks. */
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
 * A request to measure one block; with groups, one block in each group at the same time. `suites/schedule.ts` orders the
 * requests, `orchestration/session/session.ts` carries them out.
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
  /** True for the last block of this point over this transport. After this block the cell's figures are derived. */
  completesCell: boolean;
  /** True for the launch's last block: the processes must end before the next launch starts. */
  endsLaunch?: boolean;
}
