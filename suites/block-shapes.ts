// Chooses the number of samples of each cell before anything runs, from a rough estimate of the time of one operation. The estimate
// only limits the duration; the warm-up decides how many samples a small block has (BlockRequest.targetNs).
import {
  type BlockRequest,
  type BlockTrialName,
  type PointPlan,
  type RunPlan,
  skewNsOf,
  type TrialName,
  timedTrialNames,
  transportOf,
} from '../results/schema/index.ts';
import { planningOf } from './engines/index.ts';
import { longestSet, pointBytes } from './sets.ts';

/**
 * Shape of one block (samples of one configuration taken in a row): untimed warm-up operations, minimum and maximum number of
 * samples, target duration in ns (0 = none), operations per sample (`batch`; 0 = the ranks choose).
 */
export interface BlockShape {
  trial: BlockTrialName;
  warmup: number;
  minSamples: number;
  maxSamples: number;
  targetNs: number;
  batch: number;
}

export interface CellSampling {
  /** Blocks that one launch measures for the configuration; with adaptive sampling only its first block of each timing mode. */
  blocks: BlockShape[];
  /**
   * True if the buffers are so large that only one launch may hold them at a time. They are then freed before another launch
   * measures.
   */
  release: boolean;
}

export const paceOf = (plan: RunPlan) => planningOf(plan).pace;

/**
 * Target duration (ns) of a block of samples; later blocks of adaptive sampling have `laterTargetNs` instead. Blocks are short, and
 * blocks of different transports alternate, so that slow changes of the machine affect all transports alike.
 */
const blockTargetNs = 15_000_000;
const isolatedBlocks = 4;
const pipelinedBlocks = 2;
const samplesPerBlock = 25;
/**
 * Maximum number of samples per block if groups of ranks measure at the same time (--groups, without --iters). It is higher than
 * without groups, so that the groups overlap for most of a block even if they start at slightly different times.
 */
const samplesPerRound = 200;
/** Usual minimum number of samples in a block, so that a median can be computed. */
const minSamplesOfMedian = 3;
/**
 * Duration of an operation (ns) above which a block takes many times its target duration. In a run with neither adaptive sampling
 * nor --iters, a launch then has one block per timing mode: 3 isolated samples, 1 pipelined sample.
 */
const longOperationNs = 50_000_000;
/**
 * Approximate duration in ns of a pipelined sample (operations run back to back) if neither --batch nor the engine sets the number
 * of its operations.
 */
export const autoBatchNs = 50_000;
const largestBatch = 1_000;

/**
 * Estimated nanoseconds of one operation by the formula of the engine, with the delay of the last rank (--skew). With groups it is
 * the time of the largest group, multiplied by the highest number of groups that have ranks on one host.
 * @param transport index into plan.transports
 */
export function estimateOperationNs(plan: RunPlan, point: PointPlan, transport: number): number {
  if (plan.groups !== undefined) {
    const { plan: set, sharing } = longestSet(plan);
    return sharing * estimateOperationNs(set, point, transport);
  }
  const over = plan.transports[transport];
  return skewNsOf(over) + paceOf(plan).operationNs(plan, point, over === undefined ? '' : transportOf(over));
}

/**
 * Number of operations per sample of a pipelined block if --batch does not set it; 0 = the ranks choose. Groups that measure at the
 * same time need the same number, so with groups it is never 0.
 * @param operationNs estimated duration of one operation
 */
function chosenBatch(plan: RunPlan, operationNs: number): number {
  const batch = paceOf(plan).defaultBatch(operationNs);
  if (plan.groups === undefined || batch > 0) return batch;
  return Math.min(largestBatch, Math.max(1, Math.ceil(autoBatchNs / operationNs)));
}

/**
 * Number of pipelined samples with equal numbers of operations into which `iterations` operations are divided. Each sample gets the
 * highest number of operations, from the engine's default down to half of it, that divides `iterations`. If the engine lets the
 * ranks choose, the result is the highest number from 5 to 2 that is a divisor of `iterations` and less than `iterations`. 1 if
 * there is no such divisor.
 * @param operationNs estimated duration of one operation
 */
function exactGroups(plan: RunPlan, iterations: number, operationNs: number): number {
  const batch = paceOf(plan).defaultBatch(operationNs);
  if (batch === 0) return [5, 4, 3, 2].find((n) => iterations % n === 0 && iterations > n) ?? 1;
  for (let size = batch; size >= batch / 2; size--) if (iterations % size === 0) return iterations / size;
  return 1;
}

/**
 * Blocks of one launch for `--iters`: exactly `iterations` isolated samples, in up to `isolatedBlocks` blocks, then one block with
 * `iterations` pipelined operations. With --batch the pipelined operations are rounded up to whole samples.
 * @param iterations number of operations: the value of --iters
 * @param operationNs estimated duration of one operation
 */
function exactBlocks(plan: RunPlan, iterations: number, operationNs: number): BlockShape[] {
  const { warmup, batch } = plan.sampling;
  const parts = Math.min(isolatedBlocks, Math.ceil(iterations / samplesPerBlock));
  const blocks: BlockShape[] = [];
  for (let part = 0; part < parts; part++) {
    const samples = Math.floor(iterations / parts) + (part < iterations % parts ? 1 : 0);
    blocks.push({
      trial: 'isolated',
      warmup,
      minSamples: samples,
      maxSamples: samples,
      targetNs: 0,
      batch: 1,
    });
  }
  const groups = exactGroups(plan, iterations, operationNs);
  const samples = batch > 0 ? Math.ceil(iterations / batch) : groups;
  blocks.push({
    trial: 'pipelined',
    warmup,
    minSamples: samples,
    maxSamples: samples,
    targetNs: 0,
    batch: batch > 0 ? batch : iterations / groups,
  });
  return blocks;
}

/**
 * Blocks that one launch measures for a configuration in a run with neither --iters nor adaptive sampling, isolated ones first,
 * chosen from the estimated time of one operation. For operations longer than `longOperationNs` there is one block per timing mode,
 * with 3 isolated samples and 1 pipelined sample.
 * @param operationNs estimated duration of one operation
 * @param effort 1 = the usual number of blocks; lower = fewer blocks, first of slow operations; 0 = one block per timing mode
 */
function chosenBlocks(plan: RunPlan, operationNs: number, effort: number): BlockShape[] {
  const isLong = operationNs > longOperationNs;
  const warmup = isLong ? Math.min(1, plan.sampling.warmup) : plan.sampling.warmup;
  const blockNs = Math.max(blockTargetNs, minSamplesOfMedian * operationNs);
  const affordable = Math.floor(((isolatedBlocks * blockTargetNs * 2) / blockNs) * effort);
  const isolated = isLong ? 1 : Math.max(1, Math.min(isolatedBlocks, affordable));
  const block = { warmup, targetNs: blockTargetNs };
  const pipelinedBatch = plan.sampling.batch > 0 ? plan.sampling.batch : chosenBatch(plan, operationNs);
  const maxSamples = plan.groups === undefined ? samplesPerBlock : samplesPerRound;
  const blocks: BlockShape[] = [];
  for (let i = 0; i < isolated; i++) {
    blocks.push({
      ...block,
      trial: 'isolated',
      minSamples: minSamplesOfMedian,
      maxSamples: isLong ? minSamplesOfMedian : maxSamples,
      batch: 1,
    });
  }
  if (isLong) {
    const batch = pipelinedBatch > 0 ? pipelinedBatch : 2;
    blocks.push({ ...block, trial: 'pipelined', minSamples: 1, maxSamples: 1, batch });
    return blocks;
  }
  for (let i = 0; i < (isolated > 1 ? pipelinedBlocks : 1); i++) {
    blocks.push({
      ...block,
      trial: 'pipelined',
      minSamples: minSamplesOfMedian,
      maxSamples,
      batch: pipelinedBatch,
    });
  }
  return blocks;
}

/**
 * First blocks of a launch with adaptive sampling, one per timing mode. The sampler decides from their results how many blocks
 * follow.
 * @param operationNs estimated duration of one operation
 */
function firstBlocks(plan: RunPlan, operationNs: number): BlockShape[] {
  return timedTrialNames.map((trial) => {
    const shape = shapeOf(plan, trial, operationNs);
    const isLong = operationNs > longOperationNs;
    return {
      ...shape,
      warmup: isLong ? shape.warmup : plan.sampling.warmup,
      targetNs: blockTargetNs,
      maxSamples: Math.min(shape.maxSamples, samplesPerBlock),
    };
  });
}

/**
 * Maximum number of samples of one launch, per configuration and timing mode, with adaptive sampling. With so many samples noise is
 * averaged out; the remaining error comes from slow changes of the machine, which more samples do not reduce.
 */
export const maxLaunchSamples = 2_000;
/** Maximum number of samples of one configuration and timing mode in all launches together, if sampling may add launches. */
const maxSamples = 12_000;

/**
 * Maximum number of samples that one of `launches` launches takes per configuration and timing mode, with adaptive sampling: 2000.
 * If the plan allows additional launches, 12 000 divided by `launches`, at most 2000: errors of samples average out over launches.
 */
export const launchSamples = ({ sampling }: RunPlan, launches: number): number =>
  sampling.launches < (sampling.adaptive?.maxLaunches ?? 0)
    ? Math.min(maxLaunchSamples, Math.ceil(maxSamples / launches))
    : maxLaunchSamples;

/**
 * Target duration (ns) of the blocks after a launch's first blocks: `short` for operations of at most 1 ms, `other` for longer
 * operations. Short operations get many short blocks, because their times differ from block to block.
 */
const laterTargetNs = { short: 10_000_000, other: 25_000_000 };
const laterSamples = 100;
/**
 * Longest duration (ns) of a short operation. Warm-up of short operations takes almost no time, so their samples can be spread over
 * many small blocks, each with its own warm-up.
 */
const shortOperationNs = 1_000_000;
/**
 * Maximum number of warm-up operations before a later block of operations from 1 to 10 ms. Warm-up is needed, because other
 * configurations were measured since the previous block.
 */
const revisitWarmup = 2;

/** True if an operation is so short (at most 1 ms) that it is measured in many short blocks of samples. */
export const isShort = (operationNs: number): boolean => operationNs <= shortOperationNs;

/**
 * Duration of an operation (ns) above which it is counted: the blocks after a launch's first blocks have a fixed number of samples
 * instead of a target time, and at most one warm-up operation.
 */
const countedOperationNs = 10_000_000;
export const isCounted = (operationNs: number): boolean => operationNs > countedOperationNs;

/**
 * Shape of a block of one timing mode (`trial`: isolated or pipelined) with adaptive sampling, after the first blocks of a launch.
 * @param operationNs measured time of one operation, or the estimate if none is measured yet
 * @param samples exact number of samples, for counted operations (isCounted()); null = between minimum and maximum, limited by time
 */
export function shapeOf(
  plan: RunPlan,
  trial: TrialName,
  operationNs: number,
  samples: number | null = null,
): BlockShape {
  const isLong = operationNs > longOperationNs;
  const most = isCounted(operationNs) ? 1 : isShort(operationNs) ? plan.sampling.warmup : revisitWarmup;
  const shape = {
    trial,
    warmup: Math.min(most, plan.sampling.warmup),
    targetNs: isShort(operationNs) ? laterTargetNs.short : laterTargetNs.other,
    minSamples: samples ?? minSamplesOfMedian,
    maxSamples: samples ?? (isLong ? minSamplesOfMedian : laterSamples),
  };
  if (trial === 'isolated') return { ...shape, batch: 1 };
  const batch = plan.sampling.batch > 0 ? plan.sampling.batch : chosenBatch(plan, operationNs);
  // One long operation is a sample; with batch 0 the ranks would run extra operations to choose a batch.
  return { ...shape, batch: isLong && batch === 0 ? 1 : batch };
}

/**
 * Blocks (each a series of samples) that one launch measures for one point (message size) over one transport; with adaptive
 * sampling only the first blocks. A series with --skew has only isolated blocks.
 * @param transport index into plan.transports
 * @param effort 1 = the usual number of blocks; lower = fewer blocks, first of slow operations; 0 = one block per timing mode.
 * Ignored with --iters and with adaptive sampling
 */
export function sampleCell(plan: RunPlan, point: PointPlan, transport: number, effort: number): CellSampling {
  const iterations = plan.sampling.iterations;
  const operationNs = estimateOperationNs(plan, point, transport);
  const blocks =
    iterations !== null
      ? exactBlocks(plan, iterations, operationNs)
      : plan.sampling.adaptive !== undefined
        ? firstBlocks(plan, operationNs)
        : chosenBlocks(plan, operationNs, effort);
  const isSkewed = skewNsOf(plan.transports[transport]) > 0;
  return {
    // Operations back to back have no common start, so no rank can be late at it.
    blocks: isSkewed ? blocks.filter(({ trial }) => trial === 'isolated') : blocks,
    release: pointBytes(plan, point) >= paceOf(plan).releasedBytes(plan.ranks),
  };
}

/**
 * If the operations of the block are long by estimate (above 10 ms), returns a copy of the block with one sample and at most one
 * warm-up operation; otherwise the block itself. So a busy machine still measures every message size once.
 */
export function briefBlock<T extends BlockRequest>(plan: RunPlan, block: T): T {
  const point = plan.points[block.point];
  if (point === undefined || !isCounted(estimateOperationNs(plan, point, block.transport))) return block;
  return { ...block, warmup: Math.min(1, block.warmup), minSamples: 1, maxSamples: 1 };
}

/**
 * The only block of each point (message size) in an `attest` launch: an extra launch that shows which algorithm the engine chooses.
 * Its results are verified; its times are not used.
 */
export const attestBlock: BlockShape = {
  trial: 'attest',
  warmup: 1,
  minSamples: 1,
  maxSamples: 1,
  targetNs: 0,
  batch: 1,
};
