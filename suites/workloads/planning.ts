import type {
  EngineName,
  PointContext,
  PointPlan,
  RunPlan,
  TransportRow,
  Workload,
} from '../../results/schema/index.ts';
import type { ParsedPlanOptions, PlanOptions } from '../options/plan-options.ts';
import type { WorkInput } from '../plan-input.ts';

/**
 * Abilities of engines that workloads use (native/engines/ability.h). An engine lists its abilities and a workload its needs;
 * neither names the other.
 */
export type EngineAbility =
  | 'collectives'
  | 'messages'
  /** The engine runs computations of a workload where its memory is. */
  | 'computations'
  /** Kernels of a workload can load from and store to the memory of other ranks. */
  | 'stores'
  /** A workload can write and ring the queues of the adapter by itself. */
  | 'puts'
  /** Devices can start operations in each other's memory without the host. */
  | 'oneSided'
  /** The engine runs steps of a training job in a framework. */
  | 'training'
  /** The engine runs steps of the user's own program. */
  | 'program'
  /** Operations end on the host, so a workload can time its own work by the host's clock. */
  | 'hostClock';

/** A command that measures: the word after `collbench`. */
export interface MeasuringCommand {
  name: string;
  /** One line of help. */
  summary: string;
  /** True if only tests of collbench use the command; help and errors do not show it. */
  isForTests?: true;
}

/** An option of a single workload. Its value is passed to `points()` as text. */
export interface WorkloadOption {
  /** Name on the command line, without dashes. */
  name: string;
  /** Placeholder for the value in help: "N", "LIST". */
  value: string;
  help: string;
  allowed: string;
  example: string;
  fallback: string;
  /** Values that `all` and `auto` leave out if the engine limits the option. */
  onlyNamed?: readonly string[];
  /** @throws ValueError if the value is invalid */
  check(text: string): void;
}

/** Options of all measuring commands that some workloads do not use. */
export type VectorOption = 'dtype' | 'op' | 'root' | 'inPlace' | 'min' | 'max' | 'factor' | 'step' | 'sizes';

/** A value of a collective that a workload needs: of an axis, or of `members` (the ranks that call it). */
export interface CollectiveValue {
  key: 'collective' | 'dtype' | 'op' | 'members';
  word: string;
}

/** How a workload is planned: one row of the table in index.ts. The command line, `makePlan` and estimates use it. */
export interface WorkloadPlanning {
  row: Workload;
  /** Abilities that an engine must have, all of them. */
  needs: readonly EngineAbility[];
  /** Abilities of which an engine needs at least one, besides `needs`. */
  either?: readonly EngineAbility[];
  /** Engine if none is given; absent = the default engine of all commands. */
  usualEngine?: EngineName;
  /** Check of transports that can carry the workload, and what the others lack; absent = all can. */
  over?: { takes(transport: TransportRow): boolean; lack: string };
  commands: readonly MeasuringCommand[];
  /** Options besides those of every measuring command. */
  options: readonly WorkloadOption[];
  /** Name of the option whose value may also be given without the option, after the command. */
  positional?: string;
  /** Options of every measuring command that have no effect here and are rejected on the command line. */
  ignores: readonly VectorOption[];
  /** Values of collectives that the workload needs from the engine, besides its axes. */
  alsoAsks?(words: Record<string, string>): CollectiveValue[];
  /** @throws Refusal if options contradict each other or the command */
  requirePlannable(
    command: string,
    options: PlanOptions,
    said: ParsedPlanOptions,
    ranks: number | null,
  ): void;
  /** Points in the order of measuring, and requested points that are not measured, with the reason. */
  points(input: WorkInput): Pick<RunPlan, 'points' | 'skipped'>;
  /** The same point for another number of ranks, with the same request. */
  pointFor(point: PointPlan, ranks: number): PointPlan;
  /** Words of a command line that measures this point again, starting with the command. */
  words(point: PointPlan): string[];
  /** The reason why the command cannot run with this number of ranks, as "needs ..."; null if it can. */
  refuses(command: string, ranks: number): string | null;
  /** Whether groups with these two numbers of ranks do the same work at one point, so that they may be measured together. */
  isAlike(command: string, ranks: number, otherRanks: number): boolean;
  /** Whether `--root` applies. */
  isRooted(command: string): boolean;
  /** Whether devices compute with the data, for example in a reduction. */
  isReducing(command: string): boolean;
  /** Number of ranks that have a result to verify. */
  checkedRanks(place: PointContext): number;
  /** Bytes of all buffers of one launch, summed over all ranks. */
  bufferBytes(place: PointContext): number;
  /** Minimum number of bytes that all ranks together send. */
  wireBytes(place: PointContext): number;
  /** Minimum number of bytes on the busiest link. */
  linkBytes(place: PointContext): number;
  /** Nanoseconds of one operation that no transport can reduce. */
  fixedNs(place: PointContext, onGpus?: boolean): number;
}
