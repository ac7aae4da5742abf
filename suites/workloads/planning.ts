import type {
  DtypeName,
  EngineName,
  PointContext,
  PointPlan,
  RunPlan,
  TransportRow,
  Workload,
} from '../../results/schema/index.ts';
import type { NeededWorkOf } from '../explain/variants.ts';
import type { OptionRow } from '../options/option.ts';
import type { ParsedOptions } from '../options/parsed-options.ts';
import type { PlanOptions } from '../options/plan-options.ts';
import type { WorkInput } from '../plan-input.ts';

/**
 * Abilities of engines (measured libraries) that workloads need. An engine lists the abilities that it has, and a workload lists
 * those that it needs, so that neither has to know the other.
 */
export type EngineAbility =
  | 'collectives'
  | 'messages'
  /** The engine runs a workload's computations on the device in whose memory the data are. */
  | 'computations'
  /** Kernels of a workload can load from and store to the memory of other ranks. */
  | 'stores'
  /** A workload can itself write work requests into the queues of the network adapter and ring its doorbell. */
  | 'puts'
  /** Devices can start operations in each other's memory without the host. */
  | 'oneSided'
  /** The engine runs steps of a training job in a framework such as PyTorch. */
  | 'training'
  /** The engine runs steps of the user's own training program. */
  | 'program'
  /** Operations are complete when the host's call returns, so a workload can measure its own steps with the host's clock. */
  | 'hostClock';

/** A command that measures. Its name is the word after `collbench`. */
export interface MeasuringCommand {
  name: string;
  /** Description of the command in one line, for help. */
  summary: string;
  /** True if only tests of collbench use the command; help and errors do not show it. */
  isForTests?: true;
}

/** Options that all measuring commands share. Workloads on which an option has no effect reject it. */
export type VectorOption = 'dtype' | 'op' | 'root' | 'inPlace' | 'min' | 'max' | 'factor' | 'step' | 'sizes';

/**
 * A value that the engine's collectives must support because the workload uses it. `key` is an axis, or `members` for the ranks
 * that call a collective; `word` is the value.
 */
export interface CollectiveValue {
  key: 'collective' | 'dtype' | 'op' | 'members';
  word: string;
}

/**
 * Planning data of a workload (such as collectives or training steps): its commands and options, the points to measure, and
 * estimates of bytes and time.
 */
export interface WorkloadPlanning {
  /** The workload's name and its axes, figures and payload, as stored runs use them. */
  row: Workload;
  /** Abilities that an engine must have to measure the workload; all of them are required. */
  needs: readonly EngineAbility[];
  /** Abilities of which an engine must have at least one, in addition to all of `needs`. Absent = `needs` alone decides. */
  either?: readonly EngineAbility[];
  /** Engine that measures if --engine is not given; absent = `cpu`, the default of that option. */
  usualEngine?: EngineName;
  /** Bytes of the largest message if neither --max nor --sizes is given; absent = the default of --max. */
  usualMaxBytes?: number;
  /**
   * Restricts the workload to some transports: `takes` returns true if a transport can carry the workload; `lack` names, as text,
   * the feature that the other transports lack. Absent = every transport can carry it.
   */
  carriedBy?: { takes(transport: TransportRow): boolean; lack: string };
  commands: readonly MeasuringCommand[];
  /** Options that this workload adds to those of every measuring command. Their values stay text until `points()` parses them. */
  options: Readonly<Record<string, OptionRow<string> & { default: string }>>;
  /**
   * Values of the workload's options that `all` and `auto` do not include, by option name. They are used only if the user types
   * them.
   */
  onlyNamed?: Readonly<Record<string, readonly string[]>>;
  /** Name of the workload's option whose value may directly follow the command: `replay resnet50` for `--job resnet50`. */
  positional?: string;
  /** Data types that the workload has, if they are fewer than those of the engine; absent = all that the engine has. */
  dtypes?: readonly DtypeName[];
  /** Options that all measuring commands share but that have no effect in this workload. The command line rejects them. */
  unusedOptions: readonly VectorOption[];
  /**
   * Names of options that have no effect in one of the workload's commands: options of the workload, or those about sizes. The
   * command line rejects them. Absent = all have an effect.
   */
  unusedOptionsIn?(command: string): readonly string[];
  /**
   * Collectives, data types, reduction operators and callers (`members`: groups of ranks) that the engine must support because the
   * workload calls such collectives. Equal values may be repeated. Absent = nothing is required.
   * @param words options of the workload, by name; options that the user did not give have their default
   */
  collectiveNeeds?(words: Record<string, string>): CollectiveValue[];
  /**
   * Checks the options of the workload, and may replace values in `options` itself, for example by names with a seed.
   * @throws Refusal if options contradict each other or the command
   * @param parsed texts of all options that the user gave, options of the workload included
   * @param ranks number of ranks; null = not known yet
   */
  requirePlannable?(
    command: string,
    options: PlanOptions,
    parsed: ParsedOptions<string>,
    ranks: number | null,
  ): void;
  /**
   * Returns the points (combinations of message size and other parameters) to measure, in order. `skipped` has the requested points
   * that cannot be measured, with the reason.
   * @throws Refusal if there are too many sizes, or the ranks cannot run what was requested
   */
  points(input: WorkInput): Pick<RunPlan, 'points' | 'skipped'>;
  /**
   * The point for another number of ranks. Only values that depend on this number change, such as bytes that are rounded to whole
   * elements per rank.
   */
  pointFor(point: PointPlan, ranks: number): PointPlan;
  /**
   * Arguments of a `collbench` command line that select only this point (one message size, data type, ...): the command's name,
   * then options. Engine, transport and ranks are not among them.
   */
  words(point: PointPlan): string[];
  /** The reason why the command cannot run with this number of ranks, as text that begins with "needs"; null if it can. */
  refuses(command: string, ranks: number): string | null;
  /**
   * True if groups of `ranks` and of `otherRanks` ranks do equal work per rank in this command, so that they may be measured at the
   * same time. Absent = always.
   */
  isAlike?(command: string, ranks: number, otherRanks: number): boolean;
  /** True if the operation has a root rank, so that option `--root` applies. Absent = never. */
  isRooted?(command: string): boolean;
  /** True if ranks compute with the data, for example in a reduction. Absent = never. */
  isReducing?(command: string): boolean;
  /** Number of ranks that have a result to verify after an operation of this point; 0 if nothing is verified (0 bytes). */
  checkedRanks(place: PointContext): number;
  /** Bytes of all buffers that one launch needs to measure one point (message size and other parameters), summed over all ranks. */
  bufferBytes(place: PointContext): number;
  /**
   * Lowest number of bytes that all ranks together send in one operation, plus bytes that they copy; used only to estimate the time
   * of an operation on CPUs.
   */
  wireBytes(place: PointContext): number;
  /** Approximate number of bytes that one operation sends over the busiest link; used only to estimate its time between GPUs. */
  linkBytes(place: PointContext): number;
  /**
   * Nanoseconds of one operation that no transport can shorten, such as computations.
   * @param onGpus true if the ranks are GPUs
   */
  fixedNs(place: PointContext, onGpus?: boolean): number;
  /**
   * Arguments, beginning with the command's name, of another `collbench` command that `collbench explain` can explain, with as many
   * bytes per rank or message as this point. Reports suggest it. Absent = reports suggest none.
   */
  explainableWords?(place: PointContext): string[];
  /**
   * Returns the commands that measure only unavoidable parts of an operation, such as two ranks alone. `collbench explain` takes
   * the shortest possible time from them. Absent = `collbench explain` cannot explain runs of the workload.
   */
  neededWork?: NeededWorkOf;
}
