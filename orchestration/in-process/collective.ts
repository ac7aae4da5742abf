import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { median } from 'simple-statistics';
import {
  medianInterval,
  operationTimes,
  singleLaunchInterval,
  timerQuantumNs,
} from '../../results/derive/index.ts';
import {
  type CollectiveName,
  collectives,
  type DtypeName,
  detailText,
  type Medium,
  type OpName,
  payloadOf,
  type TrialName,
} from '../../results/schema/index.ts';
import type { AgentMessage, ControllerMessage } from '../protocol.ts';
import { InProcessLaunch } from './in-process.ts';

type MeasuredMessage = Extract<AgentMessage, { type: 'measured' }>;
type MeasureMessage = Extract<ControllerMessage, { type: 'measure' }>;

export interface MeasureOptions {
  /**
   * Number of elements: of the whole vector (allreduce, broadcast, reduce, sendrecv), or of the part of one rank (all
   * other collectives).
   */
  count: number;
  /** Data type of the elements; default `float32`. */
  dtype?: DtypeName;
  /** Reduction operator, default `sum`; ignored by collectives that do not reduce. */
  op?: OpName;
  /** Root rank, default 0; ignored by collectives without a root rank. */
  root?: number;
  /** True to receive into the send buffer (in-place operation); default false. */
  inPlace?: boolean;
  /** Number of rank threads in this process; default 2, or 1 on a machine with a single core. */
  ranks?: number;
  /** Transport that moves the data: `socket` (default), `sisci`, or `plugin:/path/to/libnccl-net-x.so`. */
  transport?: string;
  /**
   * Options of the transport by name: interface, streams, bufferBytes, queue, link, fault, library, pathProof; default none. Which
   * of them exist depends on the transport.
   */
  transportOptions?: Record<string, string | number | boolean>;
  /**
   * Way in which a block is timed. `isolated` (default): latency of single operations, which all ranks start together.
   * `pipelined`: operations back to back, as nccl-tests measures.
   */
  trial?: TrialName;
  /** Number of blocks, measured one after another; default 1. Each block is passed to onBlock when it ends. */
  blocks?: number;
  /** Samples per block; default 20. */
  samples?: number;
  /** Untimed operations before each block; default 3. */
  warmup?: number;
  /** Operations in one pipelined sample; default 0 = as many as take 50 microseconds. */
  batch?: number;
  /**
   * Interval of verification in samples: the first, the last and every k-th sample are verified; 0 = none; default 10.
   */
  check?: number;
  seed?: number;
  /** Maximum seconds for connecting the ranks, and maximum seconds of a block without progress of any rank; default 30. */
  timeoutS?: number;
  signal?: AbortSignal;
  /**
   * Called in the event loop as each block ends, before the next begins. An error that it throws ends the measurement and rejects
   * the call.
   */
  onBlock?: (block: BlockResult) => void;
}

/** Result of one block: the samples that were measured without a break. `block`: its number, from 0. */
export interface BlockResult {
  block: number;
  /**
   * Nanoseconds of one operation for each sample, in order; samples that count as late are left out. Isolated: from the common
   * start to the end of the slowest rank. Pipelined: elapsed time of the slowest rank, divided by the number of operations in the
   * sample.
   */
  durationsNs: Float64Array;
  /**
   * Number of late samples: samples in which a rank started too long after the agreed common start. durationsNs leaves
   * them out.
   */
  late: number;
  /**
   * Raw values of each rank as it reported them, in the order of ranks: start and end times (ns), warm-up, counters, verification.
   */
  ranks: MeasuredMessage['ranks'];
}

export interface MeasureResult {
  collective: CollectiveName;
  transport: string;
  medium: Medium;
  /** Description of the transport for people: "TCP over lo", "softntb, link none". */
  detail: string;
  algorithm: string;
  ranks: number;
  /** Median of the durations of all samples in all blocks, nanoseconds; NaN if every sample was late. */
  medianNs: number;
  /**
   * 95 % interval of medianNs, ns. It holds for this launch only; another start of the ranks may give other times. Null if there
   * are too few samples for an interval (see `intervalReason`).
   */
  interval: { lowNs: number; highNs: number } | null;
  /** Reason why `interval` is null, as a text for people; null if there is an interval. */
  intervalReason: string | null;
  /**
   * Number of operations whose result (the whole output of one rank) was verified, summed over ranks and blocks.
   * `comparedElements` and `wrongElements` are sums over the same.
   */
  checks: number;
  wrongElements: number;
  comparedElements: number;
  blocks: BlockResult[];
}

/** Upper limit for deadlines in messages to ranks, milliseconds (about 11 days). */
const maxDeadlineMs = 1e9;

/**
 * Measures one collective with ranks as native threads of this process; the event loop stays free. The ranks are started for this
 * call and end with it. Nothing is stored; wrong data are counted in the result, not thrown.
 * @throws {RangeError} if an option is out of its range
 * @throws {NativeError} `unavailable` (transport cannot run here), `cancelled` (signal), `timeout`, `connection_lost`, ...
 */
export async function measureCollective(
  collective: CollectiveName,
  options: MeasureOptions,
): Promise<MeasureResult> {
  const ranks = natural('ranks', options.ranks ?? Math.min(2, availableParallelism()), 1);
  const transport = options.transport ?? 'socket';
  const deadlineMs = Math.min(maxDeadlineMs, Math.ceil((options.timeoutS ?? 30) * 1000));
  const launch = await InProcessLaunch.open(
    {
      type: 'launch',
      launch: 0,
      engine: 'cpu',
      transport,
      options: { token: randomBytes(16).toString('hex'), ...options.transportOptions },
      algorithm: null,
      ranks,
      localRanks: Array.from({ length: ranks }, (_, rank) => rank),
      seed: options.seed ?? 0,
      environment: {},
      deadlineMs,
    },
    options.signal,
  );
  try {
    const blocks: BlockResult[] = [];
    let firstIteration = 0;
    for (let block = 0; block < natural('blocks', options.blocks ?? 1, 1); block++) {
      const request = requestOf(collective, ranks, options, block, firstIteration, deadlineMs);
      const measured = await launch.measure(request);
      firstIteration += Math.max(...measured.ranks.map((rank) => rank.operations));
      const result = blockOf(measured, request.trial.kind);
      blocks.push(result);
      options.onBlock?.(result);
    }
    return summary(collective, transport, launch, blocks);
  } finally {
    await launch.stop();
  }
}

function requestOf(
  collective: CollectiveName,
  ranks: number,
  options: MeasureOptions,
  block: number,
  firstIteration: number,
  deadlineMs: number,
): MeasureMessage {
  const { reduces, rooted } = collectives[collective];
  const dtype = options.dtype ?? 'float32';
  const samples = natural('samples', options.samples ?? 20, 1);
  const check = natural('check', options.check ?? 10, 0);
  return {
    type: 'measure',
    launch: 0,
    block,
    workload: 'collective',
    axes: {
      collective,
      dtype,
      op: reduces ? (options.op ?? 'sum') : null,
      root: rooted ? natural('root', options.root ?? 0, 0) : null,
      inPlace: options.inPlace ?? false,
      bytes: payloadOf(collective, options.dtype ?? 'float32', natural('count', options.count, 0), ranks),
    },
    trial: {
      kind: options.trial ?? 'isolated',
      firstIteration,
      warmup: natural('warmup', options.warmup ?? 3, 0),
      minSamples: samples,
      maxSamples: samples,
      targetNs: 0,
      batch: options.trial === 'pipelined' ? natural('batch', options.batch ?? 0, 0) : 1,
      checkEvery: check,
      check: check > 0,
    },
    release: false,
    deadlineMs,
  };
}

function blockOf({ block, ranks }: MeasuredMessage, trial: TrialName): BlockResult {
  const [first] = ranks;
  const { ns, late } = operationTimes({
    trial,
    batch: first?.batch ?? 1,
    commonStartNs: first?.commonStartNs ?? [],
    startNs: ranks.map(({ startNs }) => startNs),
    endNs: ranks.map(({ endNs }) => endNs),
    late: ranks.map((rank) => rank.late),
  });
  return { block, durationsNs: Float64Array.from(ns), late, ranks };
}

/** Returns the 95 % interval of the median over the samples of all blocks, by the same rules as for a run with a single launch. */
function intervalOf(blocks: readonly BlockResult[]): Pick<MeasureResult, 'interval' | 'intervalReason'> {
  const ns = blocks.flatMap(({ durationsNs }) => [...durationsNs]);
  const halfQuantum = timerQuantumNs / (2 * (blocks[0]?.ranks[0]?.batch ?? 1));
  const sizes = blocks.map(({ durationsNs }) => durationsNs.length);
  const { interval, reason } = singleLaunchInterval(medianInterval(ns, halfQuantum, sizes), ns.length);
  return {
    interval: interval === null ? null : { lowNs: interval.low, highNs: interval.high },
    intervalReason: reason,
  };
}

function summary(
  collective: CollectiveName,
  transport: string,
  launch: InProcessLaunch,
  blocks: BlockResult[],
): MeasureResult {
  const all = blocks.flatMap((block) => block.ranks);
  const sum = (of: (rank: MeasuredMessage['ranks'][number]) => number) =>
    all.reduce((total, rank) => total + of(rank), 0);
  const [ready] = launch.ready.ranks;
  return {
    collective,
    transport,
    medium: ready?.medium === 'emulated' ? 'emulated' : 'hardware',
    detail: detailText(ready?.detail ?? {}),
    algorithm: all[0]?.algorithm ?? '',
    ranks: launch.ready.ranks.length,
    medianNs: medianOf(blocks.flatMap((block) => [...block.durationsNs])),
    ...intervalOf(blocks),
    checks: sum((rank) => rank.checks),
    wrongElements: sum((rank) => rank.wrong.wrongElements),
    comparedElements: sum((rank) => rank.wrong.comparedElements),
    blocks,
  };
}

const medianOf = (values: number[]): number => (values.length === 0 ? Number.NaN : median(values));

function natural(name: string, value: number, least: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new RangeError(`${name} must be a whole number from ${least}, got ${value}`);
}
