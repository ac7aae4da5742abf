import type { EngineName, LoadName, PointPlan, RunPlan, TransportPlan } from '../../results/schema/index.ts';
import type { PlanOptions } from '../options/plan-options.ts';
import type { EngineAbility } from '../workloads/index.ts';
import type { EngineOptions } from './options.ts';
import type { SeriesChoice } from './series-choice.ts';

type EngineSettings = RunPlan['settings'];

/** Estimated speed of an engine before it is measured. The estimates determine only how many samples are taken. */
export interface EnginePace {
  /** Nanoseconds to start all rank processes once. */
  launchSetupNs: number;
  /** True if a start of all ranks is so cheap that adaptive sampling may add launches. */
  affordsLaunches: boolean;
  /**
   * True if starting several launches at once saves time, because each start is long and uses few cores
   * (orchestration/session/open-ahead.ts).
   */
  startsTogether?: true;
  /** Nanoseconds before the first operation of a point, once per launch: for example to build and warm up a training job. */
  pointSetupNs?(plan: RunPlan, point: PointPlan): number;
  /** Speed of filling buffers or verifying results, bytes per ns. */
  verifyGBps: number;
  /**
   * Estimated nanoseconds of one operation of all ranks together.
   * @param transport name of the transport in the agent protocol
   */
  operationNs(plan: RunPlan, point: PointPlan, transport: string): number;
  /**
   * Number of operations in a pipelined sample if the command line does not set it; 0 = the ranks choose.
   * @param operationNs estimated duration of one operation
   */
  defaultBatch(operationNs: number): number;
  /**
   * Number of isolated operations that are timed together by one pair of time stamps (native/measure/trial.cc); null = each
   * operation has its own pair.
   */
  sharingMarks(operationNs: number): number | null;
  /** Size of the buffers of all ranks together, in bytes, from which only one launch may hold its buffers at a time. */
  releasedBytes(ranks: number): number;
}

/** The devices of an engine; each rank drives one. */
export interface EngineDevices {
  /** Name of the device kind in texts, for example "GPU". */
  name: string;
  /** Device numbers that the settings name, in the order of the ranks; null = all devices of a machine. */
  namedIn(settings: EngineSettings): number[] | null;
  withNamed(settings: EngineSettings, devices: readonly (string | number)[]): EngineSettings;
}

/** Option names of a table of options, with their types. */
export const keysOf = <K extends string>(flags: Readonly<Record<K, unknown>>): K[] =>
  Object.keys(flags).filter((key): key is K => key in flags);

/** Values that an engine uses for options that are not given. */
export interface EngineDefaults {
  /** Default number of ranks; null = one for each device. */
  ranks: number | null;
  /** Transports used if all ranks are on this machine. `pick` chooses one of them when the number of devices is known. */
  here: readonly [string, ...string[]];
  pick(devices: number, options: PlanOptions): string;
  betweenHosts: string;
}

/** Lower limits of timeouts for this engine, in milliseconds, because drivers take long to start many devices. */
export interface MinimumDeadlines {
  probeMs: number;
  launchMs: number;
}

/** Allowed values by name of the axis. The extra key `members` limits which ranks of a job call a collective together. */
export type AxisLimits = Readonly<Record<string, readonly string[]>>;

/** Properties of an engine that planning needs: its abilities, options and estimated speed. */
export interface PlanningEngine {
  readonly name: EngineName;
  /** Text before the names of transports in the title of a run: "NCCL over " gives "NCCL over socket". */
  readonly over: string;
  /** Abilities that the engine offers to workloads, each with the allowed values of the axes that it limits. */
  readonly abilities: Readonly<Partial<Record<EngineAbility, AxisLimits>>>;
  /** Transports in the order in which help lists them; `plugin` stands for plugin:PATH. */
  readonly transports: readonly string[];
  /** Names of the options that only this engine uses; other engines reject them. */
  readonly options: readonly (keyof EngineOptions)[];
  /** This engine's options that have the same effect as an option of another engine. The key is the other engine's option. */
  readonly instead: Partial<Record<keyof EngineOptions, string>>;
  readonly usual: EngineDefaults;
  readonly patience: MinimumDeadlines;
  readonly pace: EnginePace;
  /** Devices that ranks drive; null = ranks compute on CPUs. */
  readonly devices: EngineDevices | null;
  /** Algorithm that arranges the ranks in a ring; null = the engine has no such choice. */
  readonly ringAlgorithm: string | null;
  /** Concurrent loads that the engine supports (native EngineEntry::loads). */
  readonly loads: readonly LoadName[];
  /** Settings of the engine for all launches; only settings that differ from the engine's defaults. */
  settings(options: PlanOptions): EngineSettings;
  /**
   * Series of a command, one per combination of algorithm, protocol and other choices. `leftOut` has one line with the reason
   * for each combination that is impossible.
   */
  series(command: string, options: PlanOptions): { choices: SeriesChoice[]; leftOut: string[] };
  /** True if each series needs an extra launch that finds out which algorithm the engine chooses by itself. */
  attests(options: PlanOptions): boolean;
  /**
   * Environment variables for the ranks, in addition to those that the engine sets by itself.
   * @param options transport options as sent to the agents
   */
  variables(transport: string, options: TransportPlan['options']): Record<string, string>;
  /** Command-line options with which a run uses the same devices and the same library as the run with these settings. */
  optionsOf(settings: EngineSettings): string[];
}
