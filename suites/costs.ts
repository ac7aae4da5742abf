// Estimated durations, in seconds, of blocks, points and runs. All are known before anything is measured.
import { loadSetting, type PointPlan, type RunPlan, workloadOf } from '../results/schema/index.ts';
import {
  attestBlock,
  autoBatchNs,
  type BlockShape,
  estimateOperationNs,
  paceOf,
  sampleCell,
} from './block-shapes.ts';

/**
 * Estimated ns of a block without its operations and without verification per sample: the ranks agree on the block, and buffers are
 * prepared.
 */
const blockOverheadNs = 3_000_000;
/** Extra ns of a block with concurrent load, because the load is also measured alone before the block (native/agent/load.cc). */
const loadAloneNs = 30_000_000;

/** Estimated or measured speed, from which the duration of a block (samples of one configuration in one launch) is predicted. */
export interface BlockPace {
  /** Nanoseconds of one operation. */
  operationNs: number;
  /** Factor on the estimated time of filling buffers and verifying results; 1 = as estimated. */
  checks: number;
  /** Nanoseconds that a block takes besides its operations and their verification. */
  overheadNs: number;
}

/**
 * Estimated speed of a configuration before the run, from which the duration of its blocks is predicted.
 * @param transport index into plan.transports
 */
export function plannedPace(plan: RunPlan, point: PointPlan, transport: number): BlockPace {
  const isLoaded = plan.transports[transport]?.settings?.[loadSetting] !== undefined;
  return {
    operationNs: estimateOperationNs(plan, point, transport),
    checks: 1,
    overheadNs: blockOverheadNs + (isLoaded ? loadAloneNs : 0),
  };
}

/**
 * Estimated nanoseconds of one block (samples of one configuration in one launch), verification of its results included. The last
 * parameter is the measured speed; absent = the speed estimated by plannedPace().
 * @param transport index into plan.transports
 */
export function estimateBlockNs(
  plan: RunPlan,
  point: PointPlan,
  transport: number,
  block: BlockShape,
  { operationNs, checks, overheadNs }: BlockPace = plannedPace(plan, point, transport),
): number {
  const { sharingMarks } = paceOf(plan);
  const sharing = block.trial === 'isolated' ? sharingMarks(operationNs) : null;
  const batch = sharing ?? (block.batch > 0 ? block.batch : Math.max(1, autoBatchNs / operationNs));
  const wanted = block.targetNs > 0 ? block.targetNs / (operationNs * batch) : block.maxSamples;
  const samples = Math.min(block.maxSamples, Math.max(block.minSamples, wanted));
  const checkNs = checks * estimateCheckNs(plan, point, samples, batch);
  return overheadNs + (block.warmup + samples * batch) * operationNs + checkNs;
}

/**
 * Estimated nanoseconds to fill buffers and verify results in a block of `samples` samples with `batch` operations each; 0
 * if verification is off.
 */
export function estimateCheckNs(plan: RunPlan, point: PointPlan, samples: number, batch: number): number {
  const { check } = plan.sampling;
  const checks = check === 0 ? 0 : Math.min(samples, Math.max(2, samples / check));
  const { payloadBytes } = workloadOf(point.workload);
  return (
    (checks * batch * 2 * payloadBytes({ axes: point.axes, ranks: plan.ranks })) / paceOf(plan).verifyGBps
  );
}

/**
 * Returns true if one point (message size and other parameters) still has to be measured over one transport. `point` and
 * `transport` are indices into plan.points and plan.transports.
 */
export type IsDue = (point: number, transport: number) => boolean;

/** Estimated seconds to start all rank processes of one launch on an idle machine. */
export const startS = (plan: RunPlan): number => paceOf(plan).launchSetupNs / 1e9;

/** Seconds from the start of the `collbench` process until it reads its command line. Source: `npm run bench:start`. */
const processStartS = 0.3;
/** Seconds to start the agents and inspect the hosts, used if the time was not measured. Source: `npm run bench:start`. */
const usualPreparingS = 0.3;
/**
 * Seconds from the last sample to the end of the run, in which ranks and agents stop, the system load is evaluated and the report
 * is written: `wholeEndS` per run, plus `cellEndS` per configuration.
 */
const [wholeEndS, cellEndS] = [0.9, 0.02];

/** Estimated seconds from the last block to the end of the run. */
export const endS = ({ points, transports }: RunPlan): number =>
  wholeEndS + cellEndS * points.length * transports.length;

/**
 * Estimated seconds of a run without its blocks and launches: start of the process, start of the agents, end of the run.
 * @param slowdown factor by which a busy machine lengthens all times except `preparingS`; 1 = idle machine
 * @param preparingS measured seconds to start the agents and inspect the hosts; absent = the usual time times `slowdown`
 */
export const overheadS = (plan: RunPlan, slowdown = 1, preparingS = slowdown * usualPreparingS): number =>
  slowdown * (processStartS + endS(plan)) + preparingS;

/**
 * Estimated seconds to start all launches of the plan over the transports on which something is still to be measured, including
 * attest launches (extra launches that show what the engine chooses).
 * @param isDue returns true for the points and transports still to be measured
 */
export function launchesS(plan: RunPlan, isDue: IsDue = () => true): number {
  const { launches, attest } = plan.sampling;
  return startsS(plan, launches + (attest === true ? 1 : 0), isDue);
}

/**
 * Estimated seconds to start all rank processes `starts` times over each transport on which something is still to be measured.
 * @param isDue returns true for the points and transports still to be measured; a transport without such a point is not counted
 */
export function startsS(plan: RunPlan, starts: number, isDue: IsDue): number {
  const opened = plan.transports.filter((_, transport) =>
    plan.points.some((_, point) => isDue(point, transport)),
  );
  return startS(plan) * starts * opened.length;
}

/**
 * Estimated seconds of a run with a fixed number of blocks: starts of launches, and blocks. Start and end of the run (overheadS())
 * are not included.
 * @param effort 1 = the usual number of blocks; lower = fewer blocks, first of slow operations; 0 = one block per timing mode
 * @param isDue returns true for the points and transports to count
 */
export function estimateFixedS(plan: RunPlan, effort: number, isDue: IsDue = () => true): number {
  const points = [...plan.points.keys()].map((point) => estimatePointS(plan, point, effort, isDue));
  return launchesS(plan, isDue) + points.reduce((sum, one) => sum + one, 0);
}

/**
 * Estimated seconds of all blocks of one point (message size and other parameters) over all transports, in all launches, attest
 * launches included. The starts of launches are not included; what a launch does before it can measure the point is.
 * @param index index into plan.points
 * @param effort 1 = the usual number of blocks; lower = fewer blocks, first of slow operations; 0 = one block per timing mode
 * @param isDue returns true for the points and transports to count
 * @throws {RangeError} if the plan has no such point
 */
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

/** Time in seconds into which a run with a fixed number of blocks is fitted: its effort is lowered (see affordableEffort()). */
const runBudgetS = 180;

/**
 * Highest effort with which launches and blocks take at most 3 min by estimate: 1, 0.5, 0.25 or 0. Effort 1 = the usual number of
 * blocks per launch; lower = fewer blocks, first of slow operations; 0 = one block per timing mode, even if that takes longer.
 */
export function affordableEffort(plan: RunPlan): number {
  return [1, 0.5, 0.25].find((effort) => estimateFixedS(plan, effort) <= runBudgetS) ?? 0;
}
