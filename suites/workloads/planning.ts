import type {
  EngineName,
  PointContext,
  PointPlan,
  RunPlan,
  TransportRow,
  Workload,
} from '../../results/schema/index.ts';
import type { OptionRow } from '../options/option.ts';
import type { ParsedPlanOptions, PlanOptions } from '../options/plan-options.ts';
import type { WorkInput } from '../plan-input.ts';

/**
 * Abilities of engines that workloads use (native/engines/ability.h). An engine lists the abilities that it has, and a workload
 * those that it needs. So neither has to know the other.
 */
export type EngineAbility =
  | 'collectives'
  | 'messages'
  /** The engine runs a workload's computations on the device that holds its memory. */
  | 'computations'
  /** Kernels of a workload can load from and store to the memory of other ranks. */
  | 'stores'
  /** A workload can itself write work requests into the queues of the network adapter and ring its doorbell. */
  | 'puts'
  /** Devices can start operations in each other's memory without the host. */
  | 'oneSided'
  /** The engine runs steps of a training job in a framework. */
  | 'training'
  /** The engine runs steps of the user's own program. */
  | 'program'
  /** Operations end on the host, so a workload can measure the time of its own work with the host's clock. */
  | 'hostClock';

/** A command that measures: the word after `collbench`. */
export interface MeasuringCommand {
  name: string;
  /** Description of the command in one line, for help. */
  summary: string;
  /** True if only tests of collbench use the command; help and errors do not show it. */
  isForTests?: true;
}

/** Options that belong to all measuring commands but have no effect in some workloads. */
export type VectorOption = 'dtype' | 'op' | 'root' | 'inPlace' | 'min' | 'max' | 'factor' | 'step' | 'sizes';

/**
 * A value that a workload needs the engine to support in its collectives: a value of an axis, or of `members` (the ranks that
 * call a collective).
 */
export interface CollectiveValue {
  key: 'collective' | 'dtype' | 'op' | 'members';
  word: string;
}

/** Planning of a workload: one row of the table in index.ts. The command line, `makePlan` and estimates use these rows. */
export interface WorkloadPlanning {
  row: Workload;
  /** Abilities that an engine must have; all of them are required. */
  needs: readonly EngineAbility[];
  /** Abilities of which an engine needs at least one, besides `needs`. */
  either?: readonly EngineAbility[];
  /** Engine used if the command line names none; absent = the default engine of all commands. */
  usualEngine?: EngineName;
  /**
   * `takes` returns true if a transport can carry the workload; `lack` names the feature that other transports lack. Absent =
   * every transport can.
   */
  over?: { takes(transport: TransportRow): boolean; lack: string };
  commands: readonly MeasuringCommand[];
  /** Options of this workload in addition to those of every measuring command. Their values stay text until `points()`. */
  options: Readonly<Record<string, OptionRow<string> & { default: string }>>;
  /** Values of an option that `all` and `auto` leave out, by option; they are used only if the user names them. */
  onlyNamed?: Readonly<Record<string, readonly string[]>>;
  /** Name of the option whose value may be given directly after the command, without the option's name. */
  positional?: string;
  /** Options of every measuring command that have no effect in this workload. The command line rejects them. */
  ignores: readonly VectorOption[];
  /**
   * Axis values of collectives that the engine must support because the workload calls these collectives.
   * @param words options of the workload, by name
   */
  alsoAsks?(words: Record<string, string>): CollectiveValue[];
  /** Checks the options of the workload. @throws Refusal if options contradict each other or the command */
  requirePlannable?(
    command: string,
    options: PlanOptions,
    said: ParsedPlanOptions,
    ranks: number | null,
  ): void;
  /** Points in the order of measuring, and requested points that are not measured, with the reason. */
  points(input: WorkInput): Pick<RunPlan, 'points' | 'skipped'>;
  /** The point adapted to another number of ranks, for the same requested size. */
  pointFor(point: PointPlan, ranks: number): PointPlan;
  /** Words of the command line that measures only this point, starting with the command. */
  words(point: PointPlan): string[];
  /** The reason why the command cannot run with this number of ranks, as text that begins with "needs"; null if it can. */
  refuses(command: string, ranks: number): string | null;
  /** True if groups with these two numbers of ranks do the same work at a point, so that they may be measured together. Absent = always. */
  isAlike?(command: string, ranks: number, otherRanks: number): boolean;
  /** True if the operation has a root rank, so that option `--root` applies. Absent = never. */
  isRooted?(command: string): boolean;
  /** True if devices compute with the data, for example in a reduction. Absent = never. */
  isReducing?(command: string): boolean;
  /** Number of ranks that receive a result which is verified. */
  checkedRanks(place: PointContext): number;
  /** Bytes of all buffers of one launch, summed over all ranks. */
  bufferBytes(place: PointContext): number;
  /** Minimum number of bytes that all ranks together must send in one operation. */
  wireBytes(place: PointContext): number;
  /** Minimum number of bytes that one operation sends over the busiest link. */
  linkBytes(place: PointContext): number;
  /**
   * Part of the duration of one operation, in ns, that no transport can shorten, such as computations.
   * @param onGpus true if the ranks are GPUs
   */
  fixedNs(place: PointContext, onGpus?: boolean): number;
}
