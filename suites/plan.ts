import {
  type CollectiveName,
  collectiveOf,
  type DtypeName,
  type EngineName,
  type GroupsPlan,
  type OpName,
  type PointPlan,
  type RunPlan,
  runPlan,
  type SamplingPlan,
  type TransportPlan,
} from '../results/schema/index.ts';
import { collectives, dtypeBytes } from './collectives.ts';
import { estimateRunS } from './estimate.ts';
import { schedule } from './schedule.ts';
import { setSizes } from './sets.ts';
import { generateSizes, planSizes, type SizeRule } from './sizes.ts';

/** What was asked for, checked word by word; `makePlan` multiplies it out. */
export interface PlanInput {
  command: string[];
  collective: CollectiveName;
  engine: EngineName;
  /** Words of the engine for all launches. */
  settings?: Record<string, string>;
  algorithm: string | null;
  ranks: number;
  /** The one machine, where `hosts` is absent. */
  host?: string;
  hosts?: RunPlan['hosts'];
  launcher?: string;
  /** All of one size, where the collective divides its data by ranks. */
  groups?: GroupsPlan;
  inProcess: boolean;
  transports: TransportPlan[];
  dtypes: readonly DtypeName[];
  /** Left out of account where nothing is reduced. */
  ops: readonly OpName[];
  /** Left out of account where there is no root. */
  roots: readonly number[] | 'all';
  inPlace: readonly boolean[];
  sizes: SizeRule;
  sampling: SamplingPlan;
  /** Between two readings of each machine; null or absent = none. */
  metricsIntervalUs?: number | null;
}

/** Points in the order of measuring; in-place and out-of-place of one size stand side by side. */
function makePoints(input: PlanInput): Pick<RunPlan, 'points' | 'skipped'> {
  const collective = collectives[input.collective];
  const ops = collective.reduces ? input.ops : [null];
  const ranks = Math.min(...setSizes(input));
  const allRoots = Array.from({ length: ranks }, (_, rank) => rank);
  const roots = !collective.rooted ? [null] : input.roots === 'all' ? allRoots : input.roots;
  const points: PointPlan[] = [];
  const skipped: RunPlan['skipped'] = [];
  for (const dtype of input.dtypes) {
    const requested = generateSizes(input.sizes, dtypeBytes[dtype]);
    const sizes = planSizes(collective, dtype, ranks, requested);
    skipped.push(...sizes.skipped.map((size) => ({ collective: input.collective, ...size })));
    for (const op of ops) {
      for (const root of roots) {
        for (const size of sizes.points) {
          for (const inPlace of input.inPlace) {
            points.push({ collective: input.collective, dtype, op, root, inPlace, ...size });
          }
        }
      }
    }
  }
  return { points, skipped };
}

/**
 * Smallest number of verified rank results a complete run has: every block verifies at least one sample, on every rank
 * that has a result. Sizes of 0 bytes have nothing to compare.
 */
function expectedChecks(plan: RunPlan): number {
  let checks = 0;
  for (const block of schedule(plan)) {
    const point = plan.points[block.point];
    if (!block.check || point === undefined || point.payloadBytes === 0) continue;
    checks += collectives[collectiveOf(point)].resultOn === 'the root' ? setSizes(plan).length : plan.ranks;
  }
  return checks;
}

/**
 * The plan of a run: complete enough to be carried out again by anybody who reads it.
 * @throws Refusal more sizes than `maximumSizes`
 */
export function makePlan(input: PlanInput): RunPlan {
  const draft: RunPlan = {
    schemaVersion: 1,
    command: input.command,
    engine: input.engine,
    settings: input.settings ?? {},
    algorithm: input.algorithm,
    ranks: input.ranks,
    hosts: input.hosts ?? [
      { name: input.host ?? 'localhost', ranks: Array.from({ length: input.ranks }, (_, rank) => rank) },
    ],
    ...(input.groups === undefined ? {} : { groups: input.groups }),
    ...(input.launcher === undefined ? {} : { launcher: input.launcher }),
    inProcess: input.inProcess,
    transports: input.transports,
    ...makePoints(input),
    sampling: input.sampling,
    ...(input.metricsIntervalUs == null ? {} : { metricsIntervalUs: input.metricsIntervalUs }),
    expected: { cells: 0, checks: 0 },
    estimateS: 0,
  };
  return runPlan.parse({
    ...draft,
    expected: {
      cells: draft.points.length * draft.transports.length * setSizes(draft).length,
      checks: expectedChecks(draft),
    },
    estimateS: Math.round(estimateRunS(draft) * 10) / 10,
  });
}
