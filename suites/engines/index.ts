import {
  type CollectiveName,
  collectiveNames,
  type EngineName,
  engineNames,
  engineOf,
  isEngineName,
  type RunPlan,
} from '../../results/schema/index.ts';
import type { CauseRow } from '../explain/causes.ts';
import { cpu } from './cpu/index.ts';
import { cuda } from './cuda/index.ts';
import type { PlanningEngine } from './engine.ts';
import { mpi } from './mpi.ts';
import { nccl } from './nccl/index.ts';
import { nvshmem } from './nvshmem/index.ts';
import { commandsOf } from './offers.ts';
import { script } from './script.ts';
import { tensorflow } from './tensorflow.ts';
import { torch } from './torch/index.ts';
import { toy } from './toy.ts';

export type { PlanningEngine } from './engine.ts';
export { rejectionTexts } from './named-series.ts';
export { commandsOf, offerOf } from './offers.ts';
export { filterChoicesByGroups as amongRanks, type SeriesChoice } from './series-choice.ts';

/** Planning data of each engine: abilities, options, estimated speed. Help and tests use it, too. */
export const planningEngines: Readonly<Record<EngineName, PlanningEngine>> = {
  cpu,
  nccl,
  nvshmem,
  mpi,
  cuda,
  torch,
  tensorflow,
  script,
  toy,
};

/**
 * Possible causes of lost time for which `collbench explain` has experiments with this engine; empty if the engine has none, or
 * exists only in imported runs.
 */
export const causesOf = (engine: string): readonly CauseRow[] =>
  isEngineName(engine) ? (planningEngines[engine].causes ?? []) : [];

/**
 * Abilities, options and estimated speed of the engine that a plan uses.
 * @throws {RangeError} if the engine exists only in imported runs
 */
export const planningOf = (plan: Pick<RunPlan, 'engine'>): PlanningEngine => planningEngines[engineOf(plan)];

/** Names of the engines for whose planning data `has` returns true, for example those with an ability. */
export const enginesWith = (has: (engine: PlanningEngine) => boolean): EngineName[] =>
  engineNames.filter((name) => has(planningEngines[name]));

/** Collectives that an engine can measure, in the same order as in the list of all collectives. */
export const collectivesOf = (engine: EngineName): CollectiveName[] => {
  const commands = commandsOf(planningEngines[engine]);
  return collectiveNames.filter((name) => commands.includes(name));
};
