// How many samples a cell gets: pure, decided before anything runs, from a crude estimate of one operation. The estimate
// only shapes the effort; how many samples a small block really takes is settled by its warm-up (BlockRequest.targetNs).
import {
  type BlockTrialName,
  type PointPlan,
  type RunPlan,
  type TrialName,
  timedTrialNames,
  transportOf,
} from '../results/schema/index.ts';
import { planningOf } from './engines/index.ts';
import { longestSet, pointBytes } from './sets.ts';

/** One block within a launch; see BlockRequest for the units. */
export interface BlockShape {
  trial: BlockTrialName;
  warmup: number;
  minSamples: number;
  maxSamples: number;
  targetNs: number;
  batch: number;
}

export interface CellSampling {
  /** Of one launch over one transport. */
  blocks: BlockShape[];
  /** The buffers are so large that only one launch may hold them at a time. */
  release: boolean;
}

export const paceOf = (plan: RunPlan) => planningOf(plan).pace;

/** Blocks are short so that drift of the machine hits all transports alike (stats.md on interleaving). */
const blockTargetNs = 15_000_000;
const isolatedBlocks = 4;
const pipelinedBlocks = 2;
const samplesPerBlock = 25;
/** Groups that work at the same time must do so long enough that their starts do not matter. */
const samplesPerRound = 200;
/** Fewest samples of a launch that still show a median. */
const fewestSamples = 3;
/** From here a single operation outlasts the target many times over: one block, fewest samples. */
const longOperationNs = 50_000_000;
/** One pipelined sample takes about this long when its batch is chosen by the ranks (measure/trial.h). */
export const autoBatchNs = 50_000;
const largestBatch = 1_000;

/** Rough time of one operation, ns; an engine's row says how it is estimated. */
export function estimateOperationNs(plan: RunPlan, point: PointPlan, transport: number): number {
  if (plan.groups !== undefined) {
    const { plan: set, sharing } = longestSet(plan);
    return sharing * estimateOperationNs(set, point, transport);
  }
  const over = plan.transports[transport];
  return paceOf(plan).operationNs(plan, point, over === undefined ? '' : transportOf(over));
}

/** Groups of ranks that work at the same time must do the same: left to themselves each would choose a batch of its own. */
function chosenBatch(plan: RunPlan, operationNs: number): number {
  const batch = paceOf(plan).defaultBatch(operationNs);
  if (plan.groups === undefined || batch > 0) return batch;
  return Math.min(largestBatch, Math.max(1, Math.ceil(autoBatchNs / operationNs)));
}

/** Groups that `iterations` operations are measured in, each the batch of one sample, none left over. */
function exactGroups(plan: RunPlan, iterations: number, operationNs: number): number {
  const batch = paceOf(plan).defaultBatch(operationNs);
  if (batch === 0) return [5, 4, 3, 2].find((n) => iterations % n === 0 && iterations > n) ?? 1;
  for (let size = batch; size >= batch / 2; size--) if (iterations % size === 0) return iterations / size;
  return 1;
}

/** Exactly `--iters` isolated samples and as many pipelined operations per launch. */
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

/** Blocks chosen from the time of one operation; `effort` 0 to 1 lowers the number of blocks of costly cells. */
function chosenBlocks(plan: RunPlan, operationNs: number, effort: number): BlockShape[] {
  const isLong = operationNs > longOperationNs;
  const warmup = isLong ? Math.min(1, plan.sampling.warmup) : plan.sampling.warmup;
  const blockNs = Math.max(blockTargetNs, fewestSamples * operationNs);
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
      minSamples: fewestSamples,
      maxSamples: isLong ? fewestSamples : maxSamples,
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
      minSamples: fewestSamples,
      maxSamples,
      batch: pipelinedBatch,
    });
  }
  return blocks;
}

/** Adaptive sampling begins with one block of each trial; what they show decides about more. */
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

/** Most samples of one launch: beyond them drift, not noise, decides (stats.md 2.2). */
export const maxLaunchSamples = 2_000;

/**
 * Longer than the first blocks, whose operations are not known yet: more of the time goes into samples. Of short operations
 * many blocks are taken, for what differs between them.
 */
const laterTargetNs = { short: 10_000_000, other: 25_000_000 };
const laterSamples = 100;
/** Operations that are shorter are warm at once: repeated warm-up costs nothing. */
const shortOperationNs = 1_000_000;
/** Untimed operations where another cell was measured in between (stats.md 2.2). */
const revisitWarmup = 2;

/** Blocks of it take little time: there can be many. */
export const isShort = (operationNs: number): boolean => operationNs <= shortOperationNs;

/** From here later blocks are counted in samples, not by time: a single operation warms what is to be warm. */
const countedOperationNs = 10_000_000;
export const isCounted = (operationNs: number): boolean => operationNs > countedOperationNs;

/**
 * A block of adaptive sampling.
 * @param operationNs measured, or estimated as long as nothing was
 * @param samples     where they are counted; null = the fewest
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
    minSamples: samples ?? fewestSamples,
    maxSamples: samples ?? (isLong ? fewestSamples : laterSamples),
  };
  if (trial === 'isolated') return { ...shape, batch: 1 };
  const batch = plan.sampling.batch > 0 ? plan.sampling.batch : chosenBatch(plan, operationNs);
  // Operations that long fill a sample; without a word the ranks would try some to find that out.
  return { ...shape, batch: isLong && batch === 0 ? 1 : batch };
}

/** What one launch measures at one point over one transport. @param effort 0 to 1 */
export function sampleCell(plan: RunPlan, point: PointPlan, transport: number, effort: number): CellSampling {
  const iterations = plan.sampling.iterations;
  const operationNs = estimateOperationNs(plan, point, transport);
  return {
    blocks:
      iterations !== null
        ? exactBlocks(plan, iterations, operationNs)
        : plan.sampling.adaptive !== undefined
          ? firstBlocks(plan, operationNs)
          : chosenBlocks(plan, operationNs, effort),
    release: pointBytes(plan, point) >= paceOf(plan).releasedBytes(plan.ranks),
  };
}

/** The one block of a point in a launch that tells what the engine chooses: it is verified, never timed. */
export const attestBlock: BlockShape = {
  trial: 'attest',
  warmup: 1,
  minSamples: 1,
  maxSamples: 1,
  targetNs: 0,
  batch: 1,
};
