import type { EngineName, LoadName, PointPlan, RunPlan, TransportPlan } from '../../results/schema/index.ts';
import type { CauseRow } from '../explain/causes.ts';
import type { PlanOptions } from '../options/plan-options.ts';
import type { EngineAbility, MeasuredCommand } from '../workloads/index.ts';
import type { EngineOptions } from './options.ts';
import type { RejectedChoice, SeriesChoice } from './series-choice.ts';

type EngineSettings = RunPlan['settings'];

/** Estimated speed of an engine. Planning computes from it how many samples to take and how long a run will take. */
export interface EnginePace {
  /** Nanoseconds of one launch: the start of all rank processes. */
  launchSetupNs: number;
  /** True if a start of all ranks takes so little time that adaptive sampling may add launches. */
  affordsLaunches: boolean;
  /**
   * True if several launches of a run should be started at the same time, because each start takes long and uses few cores. Absent
   * = one after the other.
   */
  startsTogether?: true;
  /**
   * Nanoseconds that each launch needs before it can measure a point, for example to build and warm up a training job. Absent = 0.
   */
  pointSetupNs?(plan: RunPlan, point: PointPlan): number;
  /** Speed of filling buffers and of verifying results, in GB of payload per s (1 GB/s = 1 byte per ns). */
  verifyGBps: number;
  /**
   * Estimated nanoseconds of one operation, such as one collective call of all ranks, without the delay of --skew.
   * @param transport name of the transport as agents receive it, such as "socket"
   */
  operationNs(plan: RunPlan, point: PointPlan, transport: string): number;
  /**
   * Number of operations in a pipelined sample if the user sets none; 0 = the ranks choose.
   * @param operationNs estimated nanoseconds of one operation
   */
  defaultBatch(operationNs: number): number;
  /**
   * Number of isolated operations of this estimated duration (ns) that share one pair of time stamps on the device; null = each
   * operation has its own pair, or the device takes no time stamps.
   */
  sharingMarks(operationNs: number): number | null;
  /**
   * Size in bytes of the buffers of one launch, all ranks together, at and above which only one launch may hold its buffers at a
   * time.
   * @param ranks number of ranks of the launch
   */
  releasedBytes(ranks: number): number;
}

/**
 * Kind of device, such as GPU, if each rank of an engine drives one. Its functions read and write device numbers in the settings.
 */
export interface EngineDevices {
  /** Name of the device kind in texts, for example "GPU". */
  name: string;
  /**
   * Device numbers that the settings list, in the order of the ranks; null = the settings list none, so all devices of a machine
   * are used.
   */
  namedIn(settings: EngineSettings): number[] | null;
  /** Returns the settings with the device list `devices` (numbers in the order of the ranks); unchanged if ranks use no devices. */
  withNamed(settings: EngineSettings, devices: readonly (string | number)[]): EngineSettings;
}

/** Keys of a table of options, as the union of its key names instead of `string[]`. */
export const keysOf = <K extends string>(flags: Readonly<Record<K, unknown>>): K[] =>
  Object.keys(flags).filter((key): key is K => key in flags);

/** Number of ranks and transport that an engine uses if the user does not give them. */
export interface EngineDefaults {
  /** Default number of ranks; null = one for each device (GPU). */
  ranks: number | null;
  /**
   * Names of the transports from which `pick` chooses one if all ranks are on this machine and the user names no transport. `pick`
   * gets the number of devices (GPUs) of this machine, and the user's options: `nccl` considers `gpus` and `shareGpu`. Between
   * hosts the default is `betweenHosts`.
   */
  here: readonly [string, ...string[]];
  pick(devices: number, options: PlanOptions): string;
  betweenHosts: string;
}

/**
 * Lower limits, in ms, of two timeouts: `probeMs` for probing a host, `launchMs` for starting all ranks of a launch. Drivers and
 * frameworks start slowly.
 */
export interface MinimumDeadlines {
  probeMs: number;
  launchMs: number;
  /**
   * Second lower limit for starting the ranks: this times the number of all ranks, as each connects to many others. The higher one
   * of the two limits applies. Absent = 0.
   */
  launchMsPerRank?: number;
}

/**
 * Values that an engine supports, by name of the axis (a parameter such as `dtype`); an axis without entry is not limited. The
 * extra key `members`, which is no axis, says which ranks of a replayed job can call a collective: all together, or also groups.
 */
export type AxisLimits = Readonly<Record<string, readonly string[]>>;

/** Planning data of an engine (the library whose operations are measured): abilities, options, estimated speed. */
export interface PlanningEngine {
  readonly name: EngineName;
  /** Text before the names of transports in the title of a run: "NCCL over " makes the title "NCCL over socket". */
  readonly titlePrefix: string;
  /**
   * Abilities that the engine offers to workloads, such as collectives. Each ability has the axis values that the engine supports;
   * an engine does not have the abilities that are missing.
   */
  readonly abilities: Readonly<Partial<Record<EngineAbility, AxisLimits>>>;
  /** Transports in the order in which help lists them; `plugin` stands for plugin:PATH. */
  readonly transports: readonly string[];
  /**
   * Keys of the engine-specific options that this engine uses. The command line rejects other engine-specific options with this
   * engine.
   */
  readonly options: readonly (keyof EngineOptions)[];
  readonly usual: EngineDefaults;
  readonly patience: MinimumDeadlines;
  readonly pace: EnginePace;
  /** Kind of device, such as GPU, of which each rank drives one; null = ranks compute on CPUs. */
  readonly devices: EngineDevices | null;
  /** Value of --algo with which `collbench pairs` measures rings of ranks; null = rings use the algorithm of the run. */
  readonly ringAlgorithm: string | null;
  /** Kinds of concurrent load (computing, copying, traffic) that the engine can run during measured operations, for --beside. */
  readonly loads: readonly LoadName[];
  /** True if the host starts each operation, so that it can start one rank late on purpose (--skew). */
  readonly delaysRanks: boolean;
  /** Causes of lost time for which `collbench explain` has experiments; absent = none. */
  readonly causes?: readonly CauseRow[];
  /**
   * Returns the engine options as agents receive them in all launches: texts by name of the setting. Options with the default value
   * are left out, and options that make series, such as --algo: their values are in the settings of each series.
   */
  settings(options: PlanOptions): EngineSettings;
  /**
   * Returns the series of a command, one per combination of algorithm, protocol and other choices. `leftOut` has the combinations
   * that are impossible, with the reasons.
   * @throws Refusal if no combination is possible
   */
  series(
    command: MeasuredCommand,
    options: PlanOptions,
  ): { choices: SeriesChoice[]; leftOut: RejectedChoice[] };
  /** True if each series needs an `attest` launch: an extra launch that finds out which algorithm the engine chooses by itself. */
  attests(options: PlanOptions): boolean;
  /**
   * Environment variables for the rank processes, by name, in addition to those that the native engine sets by itself; {} = none.
   * @param transport name of the transport as agents receive it
   * @param options options of the transport as agents receive them
   */
  variables(transport: string, options: TransportPlan['options']): Record<string, string>;
  /**
   * Options of a command line, to be printed for users, each with its value as one text: "--engine nccl", "--gpus 0,1". With them a
   * run uses the same engine, devices and library (or Python and program) as the run with these settings. Empty for engine cpu, the
   * default.
   */
  optionsOf(settings: EngineSettings): string[];
}
