import type { EngineName, LoadName, PointPlan, RunPlan, TransportPlan } from '../../results/schema/index.ts';
import type { PlanOptions } from '../options/plan-options.ts';
import type { EngineAbility } from '../workloads/index.ts';
import type { EngineOptions } from './flags.ts';
import type { SeriesChoice } from './series-choice.ts';

type EngineSettings = RunPlan['settings'];

/** Estimated speed of an engine before it is measured. The estimates only determine how much is sampled. */
export interface EnginePace {
  /** Nanoseconds to start all ranks once. */
  launchSetupNs: number;
  /** Whether starts are so cheap that adaptive sampling may add launches. */
  affordsLaunches: boolean;
  /** True if several starts at once save time, because each is long and uses few cores (orchestration/session/open-ahead.ts). */
  startsTogether?: true;
  /** Nanoseconds before the first operation of a point, once per launch: for example to build and warm up a training job. */
  pointSetupNs?(plan: RunPlan, point: PointPlan): number;
  /** Speed of filling or verifying buffers, bytes per ns. */
  verifyGBps: number;
  /**
   * Estimated nanoseconds of one operation of all ranks together.
   * @param transport name of the transport in the agent protocol
   */
  operationNs(plan: RunPlan, point: PointPlan, transport: string): number;
  /** Operations per pipelined sample if the command line names none; 0 = the ranks choose. */
  defaultBatch(operationNs: number): number;
  /**
   * Number of isolated operations that share a pair of time stamps (native/measure/trial.cc); null = each operation has its own
   * pair.
   */
  sharingMarks(operationNs: number): number | null;
  /** Buffer size, bytes of all ranks, from which only one launch may hold buffers at a time. */
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

/** Option names of a table of flags, with their types. */
export const keysOf = <K extends string>(flags: Readonly<Record<K, unknown>>): K[] =>
  Object.keys(flags).filter((key): key is K => key in flags);

/** An engine's values for options that are not given. */
export interface EngineDefaults {
  /** Number of ranks; null = one for each device. */
  ranks: number | null;
  /** Usual transports if all ranks are on this machine. `pick` chooses one of them when the number of devices is known. */
  here: readonly [string, ...string[]];
  pick(devices: number, options: PlanOptions): string;
  betweenHosts: string;
}

/** Minimum timeouts in milliseconds. Drivers take long to start many devices. */
export interface MinimumDeadlines {
  probeMs: number;
  launchMs: number;
}

/** Allowed values by axis. `members` limits which ranks of a job call a collective together; it is no axis. */
export type AxisLimits = Readonly<Record<string, readonly string[]>>;

/** An engine as planning needs it: its abilities, options and estimated speed. */
export interface PlanningEngine {
  readonly name: EngineName;
  /** Text before the transport names in the title of a run, for example "NCCL over ". */
  readonly over: string;
  /** Abilities that the engine offers to workloads, each with the axis values it allows. */
  readonly abilities: Readonly<Partial<Record<EngineAbility, AxisLimits>>>;
  /** Transports in the order of listing; `plugin` means plugin:PATH. */
  readonly transports: readonly string[];
  /** Options that have no effect with other engines. */
  readonly options: readonly (keyof EngineOptions)[];
  /** Options of this engine with the same effect as an option of another engine, which is the key. */
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
  /** Engine settings of all launches that differ from the engine's defaults. */
  settings(options: PlanOptions): EngineSettings;
  /**
   * Series of a command, one per choice of algorithm, protocol and so on. `leftOut` has one line with the reason for each
   * impossible choice.
   */
  series(command: string, options: PlanOptions): { choices: SeriesChoice[]; leftOut: string[] };
  /** Whether an extra launch per series finds out which algorithm the engine chooses. */
  attests(options: PlanOptions): boolean;
  /**
   * Environment variables of the ranks besides those that the engine sets by itself.
   * @param options transport options as the agents get them
   */
  variables(transport: string, options: TransportPlan['options']): Record<string, string>;
  /** Command-line options that repeat a run on the same devices with the same library. */
  optionsOf(settings: EngineSettings): string[];
}
