import { z } from 'zod';
import { type BlockTrialName, trialNames } from './names.ts';

/**
 * Limit of lateness, as a divisor: a sample of an isolated trial is used only if no rank started later after the common start than
 * the sample's time divided by this (1/500 = 0.2 %, a fifth of the default precision). The agent takes further samples by the same
 * rule (native/measure/trial_loop.h).
 */
export const latenessDivisor = 500;

/**
 * A wrong element: operation (`iteration`) and position (`index`). `wanted` and `got` are text, because 64-bit integers must stay
 * exact. `note`: what the wrong value is, such as data of another rank; "" = not known.
 */
export const wrongElement = z.strictObject({
  iteration: z.int(),
  index: z.int(),
  wanted: z.string(),
  got: z.string(),
  note: z.string(),
});

/**
 * Comparison of the results of one rank in one block with the expected ones. `rank`: number in the whole run; in a search (`pairs
 * --bisect`), number in the launch.
 */
export const wrongData = z.strictObject({
  rank: z.int(),
  /**
   * Number of compared elements of the rank's results in the block that are not equal to the expected ones; 0 = all were right.
   * `comparedElements`: number of all elements that were compared.
   */
  wrongElements: z.int().min(0),
  comparedElements: z.int().min(0),
  /** The first wrong element; null = no element is wrong, or the first was not recorded. */
  first: wrongElement.nullable(),
});

/**
 * Bytes and messages that the transport of one rank counted during one block, for all operations of the block, warm-up included.
 */
export const counters = z.strictObject({
  bytesSent: z.int(),
  bytesReceived: z.int(),
  messagesSent: z.int(),
  messagesReceived: z.int(),
  /** Number of sent messages in which each piece of data has a ready flag (protocol `ll`, as in NCCL); absent = none. */
  flaggedSent: z.int().optional(),
  /**
   * Bytes that the TCP sockets of the rank received during the block, by the kernel's count; absent if not known, or if ranks share
   * a process.
   */
  socketBytesReceived: z.int().optional(),
  /**
   * Number of the rank's TCP sockets that closed during the block, so that their bytes are missing in `socketBytesReceived`. Absent
   * = none.
   */
  socketsGone: z.int().optional(),
});

/**
 * Load of one rank in one block: other work at the same time as the measured operation (`--beside`). `workers`: number of threads
 * or other workers that did it. `aloneUnits`: floating-point operations or bytes done in `aloneNs` just before the block.
 * `timedUnits`: done in `timedNs` during the timed samples.
 */
export const loadBlock = z.strictObject({
  workers: z.int(),
  aloneUnits: z.int(),
  aloneNs: z.int(),
  timedUnits: z.int(),
  timedNs: z.int(),
  /**
   * Bytes and messages that the load itself sent and received over its own transport, from before the load ran alone (`aloneNs`)
   * to the end of the block.
   */
  moved: counters.omit({ flaggedSent: true, socketBytesReceived: true, socketsGone: true }),
});
/**
 * Raw samples of one block on all ranks, one line of `samples/blocks.ndjson`, written when the block ends. Arrays of arrays are
 * [rank][sample]. Start and end times are ns after `baseNs`, on the clock of rank 0's host.
 */
export const blockRecord = z.strictObject({
  /** Number of the block in the run, counted from 0 in the order of measuring. This order is random and recorded only here. */
  block: z.int().min(0),
  /** Index, in plan.points, of the axis values that were measured. `transport`: index in plan.transports. */
  point: z.int().min(0),
  transport: z.int().min(0),
  launch: z.int().min(0),
  /**
   * Number of the resumption or repetition of the run that measured the block, counted from 1; absent = the first start. Results of
   * a configuration use only its last attempt, since launches of different starts cannot be combined.
   */
  attempt: z.int().min(1).optional(),
  /**
   * Group of ranks (or pair or ring of `collbench pairs`) that measured the block; absent if all ranks measured together. [rank] in
   * arrays then counts within the group.
   */
  group: z
    .strictObject({
      index: z.int().min(0),
      /**
       * Number of the round, in which each group of ranks measured one block at the same time: the lowest block number (`block`)
       * among these blocks.
       */
      round: z.int().min(0),
      /**
       * Nanoseconds to add to the block's times to convert them to the clock that all groups of the round share. `uncertaintyNs`:
       * largest error of this offset.
       */
      toCommonNs: z.int(),
      uncertaintyNs: z.int().min(0),
    })
    .optional(),
  trial: z.enum(trialNames),
  /**
   * Algorithm that the measured library used in this block, as it names it: "Ring"; "" if the library does not report it.
   * `protocol`: the same for its protocol, absent if not reported.
   */
  algorithm: z.string(),
  /** Protocol that the measured library used in this block: "LL128"; absent if the library does not report it. */
  protocol: z.string().optional(),
  /**
   * Number of connections that the ranks have made since the start of the launch, by path type, summed over all ranks:
   * {"P2P/CUMEM": 48} in NCCL's terms, {"UCX/tcp/eth0": 1} for UCX (endpoint configurations). Absent = not reported.
   */
  paths: z.record(z.string(), z.int()).optional(),
  /** Number of operations that each sample times together. */
  batch: z.int().min(1),
  /**
   * Earliest start, which was subtracted from all start and end times before they were stored: ns of CLOCK_MONOTONIC on the host of
   * rank 0; 0 without samples.
   */
  baseNs: z.int(),
  /**
   * [rank] Nanoseconds that were added to the rank's times to convert them to the clock of rank 0's host. `clockUncertaintyNs`:
   * largest error of this offset in either direction. Null for ranks on the host of rank 0. Absent if all ranks are on one host.
   */
  clockOffsetNs: z.array(z.int().nullable()).optional(),
  clockUncertaintyNs: z.array(z.int().nullable()).optional(),
  /**
   * Clock that start and end times come from. `device`: that of each rank's GPU, converted to the CPU's clock by the common start.
   * Absent or `host`: CLOCK_MONOTONIC of the CPU.
   */
  clock: z.enum(['host', 'device']).optional(),
  /**
   * Nanoseconds by which recording the start and end time stamps on a GPU lengthens one sample, the lowest value of all ranks;
   * absent unless `clock` is `device`.
   */
  markNs: z.int().optional(),
  /**
   * By name of the phase of an operation: its times (ns) or counts, [rank][sample]. Present only in isolated trials of workloads
   * with phases, such as control paths. An empty inner array means that the rank recorded none.
   */
  columns: z.record(z.string(), z.array(z.array(z.int()))).optional(),
  /**
   * [rank][sample] Time that the rank's CPU thread needed to queue one operation on the GPU, ns; absent unless `clock` is
   * `device`.
   */
  enqueueNs: z.array(z.array(z.int())).optional(),
  /**
   * [sample] Common start of the ranks, in ns after `baseNs`. Isolated trials: the start time on which all ranks agreed; with
   * `--skew`, the due start of the last rank. Pipelined trials: the earliest start of any rank. Times of a GPU clock: the latest
   * start of any rank.
   */
  commonStartNs: z.array(z.int()),
  startNs: z.array(z.array(z.int())),
  endNs: z.array(z.array(z.int())),
  /**
   * [rank][sample] 1 if the rank missed the agreed start time, else 0. Always 0 in pipelined trials and for times of a GPU clock.
   */
  late: z.array(z.array(z.int())),
  /**
   * [rank][warm-up operation] Duration of each warm-up operation, ns. In the first block of a launch, the first value is the
   * duration of the first operation after the start of the processes.
   */
  warmupNs: z.array(z.array(z.int())),
  /**
   * Time in ns from rank 0's announcement of a common start until that start, for the last announcement in the block; 0 if rank 0
   * announced none.
   */
  windowNs: z.int(),
  /** [rank] Number of operations of the block whose result the rank compared with the expected one. */
  checks: z.array(z.int()),
  /** [rank] Time that the rank spent between samples on filling buffers and comparing results, ns; absent = not known. */
  checkingNs: z.array(z.int()).optional(),
  wrong: z.array(wrongData),
  /** [rank] Bytes and messages that the rank's transport counted for all operations of the block, warm-up included. */
  counters: z.array(counters),
  /**
   * Bytes that each network interface received during the block (rx_bytes in /sys/class/net), by name: "eth0", or "gpu01/eth0" with
   * several hosts.
   */
  interfaceBytes: z.record(z.string(), z.int()),
  /** [rank] Other work (`--beside`) that the rank did just before and during the block; absent if the run has no such work. */
  beside: z.array(loadBlock).optional(),
  /** Number of operations of the block on each rank, warm-up and timed ones together. */
  operations: z.int(),
});
export type BlockRecord = z.infer<typeof blockRecord>;

/**
 * True if `one` is an array of safe integers; false for anything else. A plain loop is used, because a function call per sample
 * would take longer than parsing the samples.
 */
function areIntegers(one: unknown): boolean {
  if (!Array.isArray(one)) return false;
  for (const value of one) if (!Number.isSafeInteger(value)) return false;
  return true;
}
const areRows = (all: unknown): boolean => Array.isArray(all) && all.every(areIntegers);

/**
 * True if the schema `blockRecord` accepts the value unchanged; nothing is thrown. Checking each sample by the schema is slow;
 * this function is faster. After false, the caller should let the schema check the value, because only the schema gives the
 * reason.
 */
export function isBlock(raw: unknown): raw is BlockRecord {
  if (typeof raw !== 'object' || raw === null) return false;
  const { commonStartNs, startNs, endNs, late, warmupNs } = raw as Partial<BlockRecord>;
  if (!areIntegers(commonStartNs) || ![startNs, endNs, late, warmupNs].every(areRows)) return false;
  const rest = { commonStartNs: [], startNs: [], endNs: [], late: [], warmupNs: [] };
  return blockRecord.safeParse({ ...raw, ...rest }).success;
}

/**
 * Request to measure one block; each group of ranks measures such a block at the same time. `suites` decides on the order of
 * requests, `orchestration` carries them out. `point`, `transport`: indices in plan.points and plan.transports. `warmup`: number
 * of untimed operations before the samples. `batch`: operations that a sample times together, 0 = the ranks choose.
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
   * Duration in ns that all samples of the block together should take: number of samples = clamp(targetNs / time of one sample,
   * minSamples, maxSamples). 0 = take exactly maxSamples. For each late sample of an isolated block a further one may be taken.
   */
  targetNs: number;
  batch: number;
  /**
   * N: results of the first, the last and every N-th sample are verified; 0 = only the first and the last. Nothing is verified if
   * `check` is false.
   */
  checkEvery: number;
  check: boolean;
  /**
   * True if the ranks give the memory pages of large buffers back to the operating system after the block, because their launch
   * does not go on with large buffers.
   */
  release: boolean;
  /**
   * True if the block is the last one of its configuration, so that the results of the configuration are computed afterwards.
   * Always false with adaptive sampling, which decides after each block.
   */
  completesCell: boolean;
  /** True if the block is the last one of its launch, so that the rank processes must end afterwards; absent = false. */
  endsLaunch?: boolean;
  /**
   * Number of an earlier launch over the same transport, whose rank processes must end before those of this block's launch start;
   * absent = none.
   */
  replaces?: number;
}
