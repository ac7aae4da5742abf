// Seconds that blocks, points and runs are thought to take, before anything is measured.
import { loadSetting, type PointPlan, type RunPlan, workloadOf } from '../results/schema/index.ts';
import {
  attestBlock,
  autoBatchNs,
  type BlockShape,
  estimateOperationNs,
  paceOf,
  sampleCell,
} from './sampling.ts';

/** What a block costs beside its operations: agreeing, fresh data, verifying. */
const blockOverheadNs = 3_000_000;
/** Of blocks beside a load: it is measured alone first (native/agent/load.cc). */
const loadAloneNs = 30_000_000;

/** Nanoseconds one block takes, data checks included. */
export function estimateBlockNs(
  plan: RunPlan,
  point: PointPlan,
  transport: number,
  block: BlockShape,
): number {
  const operationNs = estimateOperationNs(plan, point, transport);
  const { sharingMarks, verifyGBps } = paceOf(plan);
  const sharing = block.trial === 'isolated' ? sharingMarks(operationNs) : null;
  const batch = sharing ?? (block.batch > 0 ? block.batch : Math.max(1, autoBatchNs / operationNs));
  const wanted = block.targetNs > 0 ? block.targetNs / (operationNs * batch) : block.maxSamples;
  const samples = Math.min(block.maxSamples, Math.max(block.minSamples, wanted));
  const checks = plan.sampling.check === 0 ? 0 : Math.max(2, samples / plan.sampling.check);
  const checkNs =
    (Math.min(samples, checks) *
      batch *
      2 *
      workloadOf(point.workload).payloadBytes({ axes: point.axes, ranks: plan.ranks })) /
    verifyGBps;
  const isLoaded = plan.transports[transport]?.settings?.[loadSetting] !== undefined;
  const aloneNs = isLoaded ? loadAloneNs : 0;
  return blockOverheadNs + aloneNs + (block.warmup + samples * batch) * operationNs + checkNs;
}

/** Whether a cell, by its indices into plan.points and plan.transports, is to be measured. */
export type IsDue = (point: number, transport: number) => boolean;

/** Seconds that one start of all ranks takes. */
export const startS = (plan: RunPlan): number => paceOf(plan).launchSetupNs / 1e9;

/** Seconds until this process reads its command line. Source: `npm run bench:start`. */
const processStartS = 0.3;
/** Seconds of starting the agents and reading the machines, unless they were measured. Source: the same. */
const usualPreparingS = 0.3;
/** Seconds of the end: launches and agents stop, readings are looked at, the report is written; and of each cell in it. */
const [wholeEndS, cellEndS] = [0.8, 0.006];

/** Seconds between the last block and the end of the run. */
export const endS = ({ points, transports }: RunPlan): number =>
  wholeEndS + cellEndS * points.length * transports.length;

/**
 * Seconds of a run that pass without a block or a launch.
 * @param slowdown how many times as long everything takes, because the machine is busy
 * @param preparingS measured seconds of starting the agents and reading the machines
 */
export const overheadS = (plan: RunPlan, slowdown = 1, preparingS = slowdown * usualPreparingS): number =>
  slowdown * (processStartS + endS(plan)) + preparingS;

/** Seconds that starting all launches of the plan takes. */
export function launchesS(plan: RunPlan, isDue: IsDue = () => true): number {
  const { launches, attest } = plan.sampling;
  return startsS(plan, launches + (attest === true ? 1 : 0), isDue);
}

/** Seconds that starting all launches takes that a run may have beyond those of the plan. */
export function furtherLaunchesS(plan: RunPlan, isDue: IsDue = () => true): number {
  const { launches, adaptive } = plan.sampling;
  return startsS(plan, Math.max(0, (adaptive?.maxLaunches ?? launches) - launches), isDue);
}

/** Seconds of so many starts of each transport that has a cell to measure. */
function startsS(plan: RunPlan, starts: number, isDue: IsDue): number {
  const opened = plan.transports.filter((_, transport) =>
    plan.points.some((_, point) => isDue(point, transport)),
  );
  return startS(plan) * starts * opened.length;
}

/** Seconds the fixed blocks of a run take with this effort: all of them, or those of the cells that are due. */
export function estimateFixedS(plan: RunPlan, effort: number, isDue: IsDue = () => true): number {
  const points = [...plan.points.keys()].map((point) => estimatePointS(plan, point, effort, isDue));
  return launchesS(plan, isDue) + points.reduce((sum, one) => sum + one, 0);
}

/** Seconds of one point, starts of launches left out. */
export function estimatePointS(
  plan: RunPlan,
  index: number,
  effort: number,
  isDue: IsDue = () => true,
): number {
  const { launches, attest } = plan.sampling;
  const point = plan.points[index];
  if (point === undefined) throw new RangeError(`no point ${index} in the plan`);
  const setupNs = paceOf(plan).pointSetupNs?.(plan, point) ?? 0;
  let ns = 0;
  for (const transport of plan.transports.keys()) {
    if (!isDue(index, transport)) continue;
    ns += launches * setupNs;
    for (const block of sampleCell(plan, point, transport, effort).blocks)
      ns += launches * estimateBlockNs(plan, point, transport, block);
    if (attest === true) ns += estimateBlockNs(plan, point, transport, attestBlock);
  }
  return ns / 1e9;
}

/** A default run should not outlast a cup of tea: what is left after the costly sizes got their fewest samples. */
const runBudgetS = 180;

/** The largest effort whose run stays within the budget; 0 (fewest samples) where none does. */
export function affordableEffort(plan: RunPlan): number {
  return [1, 0.5, 0.25].find((effort) => estimateFixedS(plan, effort) <= runBudgetS) ?? 0;
}
