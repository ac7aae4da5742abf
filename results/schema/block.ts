import { z } from 'zod';
import { type BlockTrialName, trialNames } from './names.ts';

/**
 * Raw samples of one block: one launch, one cell, one trial kind, all ranks. One line of `samples/blocks.ndjson`,
 * appended as it ends. Arrays are [rank][sample]; times are CLOCK_MONOTONIC nanoseconds relative to `baseNs`.
 */
export const wrongData = z.strictObject({
  rank: z.int(),
  /** Number of wrong elements on this rank in this block. `comparedElements` is the number of compared ones. */
  wrongElements: z.int().min(0),
  comparedElements: z.int().min(0),
  /** The first wrong element. Values are text, so that 64-bit integers stay exact. `note` describes the wrong value. */
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
  /** How many of the sent messages carried flags in their data (protocol ll); absent if none did. */
  flaggedSent: z.int().optional(),
  /** Bytes received by the rank's own TCP sockets during the block; absent if not known, or if ranks share a process. */
  socketBytesReceived: z.int().optional(),
  /**
   * Number of the rank's TCP sockets that closed during the block. Their bytes are missing from `socketBytesReceived`. Absent if
   * none closed.
   */
  socketsGone: z.int().optional(),
});

/** Work of one rank's concurrent load around one block: units done alone before it, and units done during timed samples. */
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

export const blockRecord = z.strictObject({
  /** Block number, counted from 0 in the order of measuring. The numbers therefore record the random order. */
  block: z.int().min(0),
  /** Index into plan.points and plan.transports. */
  point: z.int().min(0),
  transport: z.int().min(0),
  launch: z.int().min(0),
  /**
   * Number of the resumption or retry that measured the block, counted from 1; absent = the first start. Of each cell only the
   * blocks of its last attempt are used: samples of launches from two starts cannot be combined.
   */
  attempt: z.int().min(1).optional(),
  /** The group that measured the block; absent if plan.groups is absent. `[rank]` is then the number within the group. */
  group: z
    .strictObject({
      index: z.int().min(0),
      /** Number of the first block of the round: in a round each group measures one block, all at the same time. */
      round: z.int().min(0),
      /**
       * Nanoseconds to add to the block's times to get the clock common to all groups of the round. `uncertaintyNs` is its
       * largest error.
       */
      toCommonNs: z.int(),
      uncertaintyNs: z.int().min(0),
    })
    .optional(),
  trial: z.enum(trialNames),
  /** Algorithm that the engine chose; "" = the engine does not report it. */
  algorithm: z.string(),
  protocol: z.string().optional(),
  /** Number of connections made in this launch until now, by path type, summed over ranks: {"P2P/CUMEM": 48}. */
  paths: z.record(z.string(), z.int()).optional(),
  batch: z.int().min(1),
  baseNs: z.int(),
  /**
   * [rank] Several hosts: nanoseconds that were added to the times of its machine to get the clock of rank 0's machine.
   * `clockUncertaintyNs` is the largest error in either direction. Null where that machine itself keeps the clock.
   */
  clockOffsetNs: z.array(z.int().nullable()).optional(),
  clockUncertaintyNs: z.array(z.int().nullable()).optional(),
  /** `device`: start and end are marks on each rank's device (native/measure/trial.h). Absent = `host`. */
  clock: z.enum(['host', 'device']).optional(),
  /** Device clock only: nanoseconds that the marks themselves add to one sample. */
  markNs: z.int().optional(),
  /**
   * Isolated trials of workloads whose operations have parts: values by name [rank][sample], ns or counts; empty for ranks
   * without values.
   */
  columns: z.record(z.string(), z.array(z.array(z.int()))).optional(),
  /** [rank][sample] Device clock only: host time to enqueue one operation, ns. */
  enqueueNs: z.array(z.array(z.int())).optional(),
  /** [sample]: the common start all ranks agreed on (isolated), or the earliest start (pipelined). */
  commonStartNs: z.array(z.int()),
  startNs: z.array(z.array(z.int())),
  endNs: z.array(z.array(z.int())),
  /** [rank][sample] 1 if the rank started after the common start, else 0. */
  late: z.array(z.array(z.int())),
  /**
   * [rank][warm-up operation] Time of each warm-up operation, ns. In the first block of a launch the first one is the launch's
   * first call.
   */
  warmupNs: z.array(z.array(z.int())),
  windowNs: z.int(),
  /** [rank] Number of verified sample results. */
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
  /** Operations executed in the block (warm-up and timed), the same on all ranks. */
  operations: z.int(),
});
export type BlockRecord = z.infer<typeof blockRecord>;

/** True for an array of safe integers. A loop is used because a call per sample would take longer than parsing the samples. */
function areIntegers(one: unknown): boolean {
  if (!Array.isArray(one)) return false;
  for (const value of one) if (!Number.isSafeInteger(value)) return false;
  return true;
}
const areRows = (all: unknown): boolean => Array.isArray(all) && all.every(areIntegers);

/**
 * True if `blockRecord` accepts the value unchanged. Nearly all of a block is samples, which the schema would check one by one,
 * so this function checks them faster. A block that it rejects must be checked by the schema, which gives the reason.
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
  /** samples = clamp(targetNs / time of one operation, minSamples, maxSamples); 0 = maxSamples exactly. */
  targetNs: number;
  batch: number;
  checkEvery: number;
  check: boolean;
  /** True if another launch measures next and the buffers are large: their memory pages are then released. */
  release: boolean;
  /** True for the last block of this point over this transport: the cell's figures can then be derived. */
  completesCell: boolean;
  /** True if the launch has no further blocks: it must end before the next launch starts. */
  endsLaunch?: boolean;
}
