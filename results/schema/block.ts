import { z } from 'zod';
import { type BlockTrialName, trialNames } from './names.ts';

/**
 * Raw samples of one block: one launch, one cell, one trial kind, all ranks. One line of `samples/blocks.ndjson`,
 * appended as it ends. Arrays are [rank][sample]; times are CLOCK_MONOTONIC nanoseconds relative to `baseNs`.
 */
export const wrongData = z.strictObject({
  rank: z.int(),
  /** Wrong elements on this rank in this block, and how many were compared. */
  wrongElements: z.int().min(0),
  comparedElements: z.int().min(0),
  /** First wrong element; values as text so that 64-bit integers survive. `note` says what it looks like. */
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
  /** Of the messages sent, those that carried flags in their data (protocol ll); absent where none did. */
  flaggedSent: z.int().optional(),
  /** What the rank's own TCP sockets received meanwhile; absent where that is not known, or ranks share a process. */
  socketBytesReceived: z.int().optional(),
  /** Its TCP sockets that closed meanwhile: what they received is not among these bytes; absent where none did. */
  socketsGone: z.int().optional(),
});

/** What the load of one rank did around one block: units of work by itself, and while samples were timed. */
export const loadBlock = z.strictObject({
  workers: z.int(),
  aloneUnits: z.int(),
  aloneNs: z.int(),
  timedUnits: z.int(),
  timedNs: z.int(),
  /** Over a transport of its own, in the whole block. */
  moved: counters.omit({ flaggedSent: true, socketBytesReceived: true, socketsGone: true }),
});
export type LoadBlock = z.infer<typeof loadBlock>;

export const blockRecord = z.strictObject({
  /** Numbers count from 0 in the order of measuring: the realised random order is this order. */
  block: z.int().min(0),
  /** Index into plan.points and plan.transports. */
  point: z.int().min(0),
  transport: z.int().min(0),
  launch: z.int().min(0),
  /**
   * Which going on of the run measured it, from 1; absent = the first start. Of each cell only the blocks of its last
   * attempt are used: the others are superseded, since launches of two starts make no sample of one.
   */
  attempt: z.int().min(1).optional(),
  /** Which of plan.groups measured it; absent where there are none. `[rank]` then counts within the group. */
  group: z
    .strictObject({
      index: z.int().min(0),
      /** Number of the first of the blocks that were measured at the same time, one per group. */
      round: z.int().min(0),
      /** Added to times of this block, what gives the clock that all groups of the round share; wrong by as much at most. */
      toCommonNs: z.int(),
      uncertaintyNs: z.int().min(0),
    })
    .optional(),
  trial: z.enum(trialNames),
  /** What the engine took; "" = it did not say. */
  algorithm: z.string(),
  protocol: z.string().optional(),
  /** Connections made so far in this launch by the way they go, summed over ranks: {"P2P/CUMEM": 48}. */
  paths: z.record(z.string(), z.int()).optional(),
  batch: z.int().min(1),
  baseNs: z.int(),
  /**
   * [rank] several hosts: what was added to the times of its machine to get those of the machine of rank 0, ns, and by how
   * much that may be wrong either way; null where that machine keeps the clock itself.
   */
  clockOffsetNs: z.array(z.int().nullable()).optional(),
  clockUncertaintyNs: z.array(z.int().nullable()).optional(),
  /** `device`: start and end are marks on each rank's device (native/measure/trial.h); absent = `host`. */
  clock: z.enum(['host', 'device']).optional(),
  /** device: what the marks of one sample add to it, ns. */
  markNs: z.int().optional(),
  /** Isolated, of workloads whose operations have parts: by name [rank][sample], ns or counts; empty where a rank has none. */
  columns: z.record(z.string(), z.array(z.array(z.int()))).optional(),
  /** [rank][sample] device: host time to queue one operation, ns. */
  enqueueNs: z.array(z.array(z.int())).optional(),
  /** [sample]: the common start all ranks agreed on (isolated), or the earliest start (pipelined). */
  commonStartNs: z.array(z.int()),
  startNs: z.array(z.array(z.int())),
  endNs: z.array(z.array(z.int())),
  /** [rank][sample] 1 where the rank missed the common start. */
  late: z.array(z.array(z.int())),
  /** [rank][warm-up operation], ns; the first of the first block of a launch is the first call. */
  warmupNs: z.array(z.array(z.int())),
  windowNs: z.int(),
  /** [rank]; verified sample results and what was wrong. */
  checks: z.array(z.int()),
  /** [rank]: time between the samples for filling and comparing; absent = not known. */
  checkingNs: z.array(z.int()).optional(),
  wrong: z.array(wrongData),
  /** [rank]: what the transport says it moved during the timed and untimed operations of this block. */
  counters: z.array(counters),
  /** Bytes each network interface of the node received meanwhile, by name (rx_bytes of /sys/class/net). */
  interfaceBytes: z.record(z.string(), z.int()),
  /** [rank] what worked beside it; absent = nothing did. */
  beside: z.array(loadBlock).optional(),
  /** Operations executed in the block (warm-up and timed), the same on all ranks. */
  operations: z.int(),
});
export type BlockRecord = z.infer<typeof blockRecord>;

/** A loop: a call for each of so many samples would take longer than reading them. */
function areIntegers(one: unknown): boolean {
  if (!Array.isArray(one)) return false;
  for (const value of one) if (!Number.isSafeInteger(value)) return false;
  return true;
}
const areRows = (all: unknown): boolean => Array.isArray(all) && all.every(areIntegers);

/**
 * Whether `blockRecord` takes it as it is. Nearly all of a block are samples, each of which the schema would judge by itself.
 * What this refuses the schema has to judge, and say why.
 */
export function isBlock(raw: unknown): raw is BlockRecord {
  if (typeof raw !== 'object' || raw === null) return false;
  const { commonStartNs, startNs, endNs, late, warmupNs } = raw as Partial<BlockRecord>;
  if (!areIntegers(commonStartNs) || ![startNs, endNs, late, warmupNs].every(areRows)) return false;
  const rest = { commonStartNs: [], startNs: [], endNs: [], late: [], warmupNs: [] };
  return blockRecord.safeParse({ ...raw, ...rest }).success;
}

/** One block to be measured (with groups: one in each, at the same time), as `suites/schedule.ts` orders them and `orchestration/session/session.ts` carries them out. */
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
  /** Another launch measures next and the buffers are large: give their pages back. */
  release: boolean;
  /** The last block of this point over this transport: its figures can be derived now. */
  completesCell: boolean;
  /** The launch has nothing more to measure: end it before the next one is opened. */
  endsLaunch?: boolean;
}
