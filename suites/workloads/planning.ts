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
 * What workloads are written against (native/engines/ability.h). An engine says which it has, a workload which it needs;
 * neither names the other.
 */
export type EngineAbility =
  | 'collectives'
  | 'messages'
  /** What a workload computes by itself runs where the engine's memory is. */
  | 'computations'
  /** Kernels of a workload that load and store in the memory of other ranks. */
  | 'stores'
  /** Queues of the adapter that a workload writes and rings by itself. */
  | 'puts'
  /** Devices start operations in each other's memory by themselves. */
  | 'oneSided'
  /** Steps of a training job, by a framework. */
  | 'training'
  /** Steps of a program of its user's. */
  | 'program'
  /** Operations end on the host: what a workload does by itself is timed by the host's clock. */
  | 'hostClock';

/** A word behind `collbench` that measures. */
export interface MeasuringCommand {
  name: string;
  /** One line of help. */
  summary: string;
  /** Only the tests of collbench use it: neither help nor an error names it. */
  isForTests?: true;
}

/** An option of one workload alone. Its value reaches `points()` as text. */
export interface WorkloadOption {
  /** Of the command line, without dashes. */
  name: string;
  /** What stands for the value in help: "N", "LIST". */
  value: string;
  help: string;
  allowed: string;
  example: string;
  fallback: string;
  /** Words that `all` and `auto` leave out, where the engine limits the option. */
  onlyNamed?: readonly string[];
  /** @throws ValueError a value that cannot be */
  check(text: string): void;
}

/** Options of every measuring command that say nothing to some workloads. */
export type VectorOption = 'dtype' | 'op' | 'root' | 'inPlace' | 'min' | 'max' | 'factor' | 'step' | 'sizes';

/** A word of an axis of collectives, or of who makes them. */
export interface CollectiveValue {
  key: 'collective' | 'dtype' | 'op' | 'members';
  word: string;
}

/** How a workload is planned. A row of the table in index.ts; the command line, `makePlan` and estimates ask it. */
export interface WorkloadPlanning {
  row: Workload;
  /** Engines that have all of these can measure it. */
  needs: readonly EngineAbility[];
  /** And one of these. */
  either?: readonly EngineAbility[];
  /** Taken where no engine is said; absent = the usual one of all commands. */
  usualEngine?: EngineName;
  /** Transports that can carry it, and what the others lack; absent = all can. */
  over?: { takes(transport: TransportRow): boolean; lack: string };
  commands: readonly MeasuringCommand[];
  /** Beside those that every measuring command has. */
  options: readonly WorkloadOption[];
  /** The one of its options that may be said as words behind the command, too. */
  positional?: string;
  /** Of those that every measuring command has: what is refused where it is typed. */
  ignores: readonly VectorOption[];
  /** What it needs of the engine's collectives beyond its axes: words by the axis of a collective. */
  alsoAsks?(words: Record<string, string>): CollectiveValue[];
  /** @throws Refusal options that contradict each other or the command */
  requirePlannable(
    command: string,
    options: PlanOptions,
    said: ParsedPlanOptions,
    ranks: number | null,
  ): void;
  /** Points in the order of measuring, and what was asked for and is not measured, with the reason. */
  points(input: WorkInput): Pick<RunPlan, 'points' | 'skipped'>;
  /** The same point for another number of ranks: what was asked for stays. */
  pointFor(point: PointPlan, ranks: number): PointPlan;
  /** Words of the command line that measure this point again, the command first. */
  words(point: PointPlan): string[];
  /** Why it cannot run with so many ranks, as "needs ..."; null where it can. */
  refuses(command: string, ranks: number): string | null;
  /** Whether groups of unlike numbers of ranks do the same at one point. */
  isAlike(command: string, ranks: number, otherRanks: number): boolean;
  /** `--root` applies. */
  isRooted(command: string): boolean;
  /** Devices compute with the data. */
  isReducing(command: string): boolean;
  /** Ranks that have a result to verify. */
  checkedRanks(place: PointContext): number;
  /** Bytes of the buffers of all ranks of one launch. */
  bufferBytes(place: PointContext): number;
  /** Bytes that all ranks together put on the wire at best. */
  wireBytes(place: PointContext): number;
  /** Bytes that the busiest link carries at best. */
  linkBytes(place: PointContext): number;
  /** Time of one operation that no transport can shorten, ns. */
  fixedNs(place: PointContext, onGpus?: boolean): number;
}
