import { type BlockRequest, engineOf, type RunPlan, transportOf } from '../../results/schema/index.ts';
import type { Deadlines } from '../deadlines.ts';
import type { LaunchRequest, MeasureRequest } from '../launch.ts';

/**
 * Values for the message that starts the ranks of a launch, in addition to those in the plan. `environment`: variables that the
 * ranks get in addition to those of their agent.
 */
export interface LaunchExtras {
  /** Number that identifies the launch in messages to the agents. */
  wire: number;
  /** Secret that data connections of the launch require. It is kept only in memory and in the pipe to the agent. */
  token: string;
  environment: Record<string, string>;
  deadlines: Pick<Deadlines, 'launchMs'>;
}

/**
 * Returns the message that asks agents to start the ranks of a launch; it is not sent. Its `localRanks` are all ranks of the
 * launch; the fleet reduces them to the ranks of each agent.
 * @param plan plan that has only the ranks of this launch, numbered from 0
 */
export function launchMessage(
  plan: RunPlan,
  request: Pick<BlockRequest, 'transport' | 'trial' | 'launch'>,
  { wire, token, environment, deadlines }: LaunchExtras,
): LaunchRequest {
  const transport = plan.transports[request.transport];
  return {
    type: 'launch',
    launch: wire,
    engine: engineOf(plan),
    transport: transport === undefined ? '' : transportOf(transport),
    options: { ...transport?.options, token },
    algorithm: plan.algorithm,
    settings: {
      ...plan.settings,
      ...transport?.settings,
      ...(request.trial === 'attest' ? { attest: '1' } : {}),
    },
    ranks: plan.ranks,
    localRanks: Array.from({ length: plan.ranks }, (_, rank) => rank),
    highPriority: plan.priority === 'high',
    leaveCpuQuota: plan.cpuQuota === 'leave',
    seed: plan.sampling.seed,
    environment,
    turn: request.launch,
    deadlineMs: deadlines.launchMs,
  };
}

export interface MeasureExtras {
  /** Number that identifies the launch in messages to the agents. */
  wire: number;
  block: number;
  /**
   * Number of operations that the launch has run before this block, warm-up included. The data of an operation depends on its
   * number, so that every operation uses different data.
   */
  firstIteration: number;
  deadlines: Pick<Deadlines, 'measureMs'>;
}

/**
 * Returns the message that asks the ranks of a launch to measure one block; it is not sent. Attest blocks, which only check the
 * algorithm that was used, run as pipelined trials.
 * @throws {RangeError} if the plan has no such point
 */
export function measureMessage(
  plan: RunPlan,
  request: BlockRequest,
  { wire, block, firstIteration, deadlines }: MeasureExtras,
): MeasureRequest {
  const point = plan.points[request.point];
  if (point === undefined) throw new RangeError(`the plan has no point ${request.point}`);
  const { workload, axes, script } = point;
  const { trial, warmup, minSamples, maxSamples, targetNs, batch, checkEvery, check, release } = request;
  return {
    type: 'measure',
    launch: wire,
    block,
    workload,
    axes,
    ...(script === undefined ? {} : { script }),
    trial: {
      kind: trial === 'attest' ? 'pipelined' : trial,
      firstIteration,
      warmup,
      minSamples,
      maxSamples,
      targetNs,
      batch,
      checkEvery,
      check,
    },
    release,
    deadlineMs: deadlines.measureMs,
  };
}
