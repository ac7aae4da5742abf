import { collectivePlanning } from './collective.ts';
import { controlpathPlanning } from './controlpath.ts';
import { kvPlanning } from './kv.ts';
import { matrixPlanning } from './matrix.ts';
import { moePlanning } from './moe.ts';
import { nullPlanning } from './null.ts';
import { onesidedPlanning } from './onesided.ts';
import { p2pPlanning } from './p2p.ts';
import type { MeasuringCommand, WorkloadPlanning } from './planning.ts';
import { replayPlanning } from './replay.ts';
import { scriptPlanning } from './script.ts';
import { stencilPlanning } from './stencil.ts';
import { trainPlanning } from './train.ts';

export type {
  EngineAbility,
  MeasuringCommand,
  VectorOption,
  WorkloadPlanning,
} from './planning.ts';

/** All workloads that can be measured (collectives, point-to-point, training, ...), with commands, options and estimates. */
export const plannings: readonly WorkloadPlanning[] = [
  collectivePlanning,
  matrixPlanning,
  moePlanning,
  p2pPlanning,
  onesidedPlanning,
  stencilPlanning,
  controlpathPlanning,
  kvPlanning,
  trainPlanning,
  replayPlanning,
  scriptPlanning,
  nullPlanning,
];

/**
 * Names of the measuring commands that may appear in help, errors, completion and suites. Commands that exist only for tests
 * are excluded.
 */
export const shownCommandNames: readonly string[] = plannings.flatMap(({ commands }) =>
  commands.filter(({ isForTests }) => isForTests !== true).map(({ name }) => name),
);

/**
 * Planning data of the point's workload.
 * @throws {RangeError} if it is no workload that can be measured, for example one that exists only in imported runs
 */
export function workloadPlanning({ workload }: { workload: string }): WorkloadPlanning {
  const found = plannings.find(({ row }) => row.name === workload);
  if (found === undefined) throw new RangeError(`${workload} is known from imported runs alone`);
  return found;
}

/** A command that measures, such as `allreduce`, together with the workload to which its operation belongs. */
export interface MeasuredCommand extends MeasuringCommand {
  workload: WorkloadPlanning;
}

const measuredCommands: ReadonlyMap<string, MeasuredCommand> = new Map(
  plannings.flatMap((workload) =>
    workload.commands.map((command) => [command.name, { ...command, workload }] as const),
  ),
);

/** The measuring command with this name (the word after `collbench`); undefined if there is none. */
export const findCommand = (name: string): MeasuredCommand | undefined => measuredCommands.get(name);

export const isMeasuring = (name: string): boolean => measuredCommands.has(name);

/**
 * The measuring command with this name. Code that already has the MeasuredCommand uses that instead of searching by name.
 * @throws {RangeError} if no workload has the command
 */
export function commandNamed(name: string): MeasuredCommand {
  const found = findCommand(name);
  if (found === undefined) throw new RangeError(`no workload has the command ${name}`);
  return found;
}
