import type { EngineName, LoadName, PointPlan, RunPlan, TransportPlan } from '../../results/schema/index.ts';
import type { PlanOptions } from '../options/plan-options.ts';
import type { EngineAbility } from '../workloads/index.ts';
import type { EngineOptions } from './flags.ts';
import type { SeriesChoice } from './series-choice.ts';

type EngineSettings = RunPlan['settings'];

/** How fast an engine is thought to be until it was measured: this shapes the effort of sampling, nothing else. */
export interface EnginePace {
  /** One start of all ranks, ns. */
  launchSetupNs: number;
  /** Whether starts are so cheap that adaptive sampling may open more of them. */
  affordsLaunches: boolean;
  /** Starts are so long, and on so few cores, that several at once save time (orchestration/session/open-ahead.ts). */
  startsTogether?: true;
  /** Once per launch, before the first operation of a point: a job is built and warmed up, ns. */
  pointSetupNs?(plan: RunPlan, point: PointPlan): number;
  /** Filling or verifying, bytes per ns. */
  verifyGBps: number;
  /** Rough time of one operation of all ranks together. @param transport as agents know it */
  operationNs(plan: RunPlan, point: PointPlan, transport: string): number;
  /** Operations of one pipelined sample where the command line says nothing; 0 = the ranks choose. */
  defaultBatch(operationNs: number): number;
  /** Operations of an isolated sample that share a pair of marks (native/measure/trial.cc); null = each has its own. */
  sharingMarks(operationNs: number): number | null;
  /** From so many bytes in the buffers of all ranks only one launch may hold them at a time. */
  releasedBytes(ranks: number): number;
}

/** Devices that ranks drive, one each. */
export interface EngineDevices {
  /** "GPU". */
  name: string;
  /** Those that settings name, in the order of the ranks; null = all of a machine. */
  namedIn(settings: EngineSettings): number[] | null;
  withNamed(settings: EngineSettings, devices: readonly (string | number)[]): EngineSettings;
}

/** Names of the options that a table of flags is about. */
export const keysOf = <K extends string>(flags: Readonly<Record<K, unknown>>): K[] =>
  Object.keys(flags).filter((key): key is K => key in flags);

/** Taken where nothing is said. */
export interface EngineDefaults {
  /** null = one for each device. */
  ranks: number | null;
  /** Transports on this machine alone, of which `pick` takes one once its devices are known. */
  here: readonly [string, ...string[]];
  pick(devices: number, options: PlanOptions): string;
  betweenHosts: string;
}

/** What is waited at least, ms: drivers of many devices take their time. */
export interface MinimumDeadlines {
  probeMs: number;
  launchMs: number;
}

/** By axis the values that an engine is limited to; `members` of collectives are no axis: who makes those inside a job. */
export type AxisLimits = Readonly<Record<string, readonly string[]>>;

/** An engine as planning knows it: what it has, what it understands, how fast it is thought to be. */
export interface PlanningEngine {
  readonly name: EngineName;
  /** Before the names of transports in the title of a run. */
  readonly over: string;
  /** What it can do for workloads, with the limits of axes that concern it. */
  readonly abilities: Readonly<Partial<Record<EngineAbility, AxisLimits>>>;
  /** In the order of listing; `plugin` stands for plugin:PATH. */
  readonly transports: readonly string[];
  /** Options that have no effect with another engine. */
  readonly options: readonly (keyof EngineOptions)[];
  /** Another option that does what an option of another engine does. */
  readonly instead: Partial<Record<keyof EngineOptions, string>>;
  readonly usual: EngineDefaults;
  readonly patience: MinimumDeadlines;
  readonly pace: EnginePace;
  /** null = ranks compute on CPUs. */
  readonly devices: EngineDevices | null;
  /** Algorithm that puts one rank behind the other; null = the engine cannot be told. */
  readonly ringAlgorithm: string | null;
  /** What can work beside its operations (native EngineEntry::loads). */
  readonly loads: readonly LoadName[];
  /** Words of the engine for all launches that differ from its defaults. */
  settings(options: PlanOptions): EngineSettings;
  /** Every choice within a transport is a series; `leftOut` says what cannot be, with the reason. */
  series(command: string, options: PlanOptions): { choices: SeriesChoice[]; leftOut: string[] };
  /** Whether one more launch per series tells what the engine chooses. */
  attests(options: PlanOptions): boolean;
  /** Variables that ranks need besides what the engine sets by itself. @param options what agents are told of the transport */
  variables(transport: string, options: TransportPlan['options']): Record<string, string>;
  /** Options that repeat a run on the same devices with the same library. */
  optionsOf(settings: EngineSettings): string[];
}
