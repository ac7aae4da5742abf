import { type BlockRequest, engineOf, type RunPlan, transportOf } from '../../results/schema/index.ts';
import type { Deadlines } from '../deadlines.ts';
import type { LaunchRequest, MeasureRequest } from '../launch.ts';

/** What a launch gets beside its plan. */
export interface LaunchExtras {
  /** Number on the wire: unique for the agents. */
  wire: number;
  /** Opens data listeners: lives in memory and on the pipe to the agent, nowhere else. */
  token: string;
  environment: Record<string, string>;
  deadlines: Pick<Deadlines, 'launchMs'>;
}

/** @param plan of the group, where the launch is one (results/derive planOfGroup) */
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
    seed: plan.sampling.seed,
    environment,
    turn: request.launch,
    deadlineMs: deadlines.launchMs,
  };
}

export interface MeasureExtras {
  /** Number of the launch on the wire. */
  wire: number;
  block: number;
  /** Operations of the launch so far: numbering goes on over blocks, so that data differ in every one. */
  firstIteration: number;
  deadlines: Pick<Deadlines, 'measureMs'>;
}

/** @throws {RangeError} the plan has no such point */
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
