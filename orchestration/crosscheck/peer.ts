import type { CollectiveName, CrosscheckRecord } from '../../results/schema/index.ts';
import type { CrosscheckSizes } from '../../suites/crosscheck/plan.ts';
import type { CrosscheckEngine } from './engine.ts';

/**
 * The other benchmark program in a crosscheck (nccl-tests or OSU), prepared for one collective. `expected`: the sizes that it is
 * asked to measure. `commandLine`: argv of one run, with mpirun.
 */
export interface PeerSide {
  name: NonNullable<CrosscheckRecord['peer']>;
  expected: CrosscheckSizes;
  /** Number of processes of the program: 1 if one process has a thread per rank, otherwise one per rank. */
  processes: number;
  commandLine(round: number): string[];
  /**
   * Runs the program once and waits for its end.
   * @param round number of the round, from 0
   * @returns nanoseconds of one operation, keyed by payload in bytes; sizes that it did not measure are missing
   * @throws FailureError if the program fails
   */
  measure(round: number): Promise<Map<number, number>>;
  /**
   * Returns facts about the program, from the output of its last measure(), or of its first for nccl-tests; `unknownPeerFacts`
   * until one has ended.
   */
  facts(): PeerFacts;
}

export interface PeerFacts {
  version: string | null;
  ncclVersion: string | null;
  devices: string[];
  /**
   * Line of the output by which nccl-tests says that it left out the largest requested sizes; null = no such line, and always for
   * OSU.
   */
  lowered: string | null;
}

export const unknownPeerFacts: PeerFacts = { version: null, ncclVersion: null, devices: [], lowered: null };

/**
 * The benchmark programs with which collbench is compared: one per collective, either all of nccl-tests or all of OSU.
 * `collectives`: the requested ones, in the order of measuring.
 */
export interface PeerPrograms {
  name: PeerSide['name'];
  collectives: readonly CollectiveName[];
  /**
   * Prepares the environment in which the benchmark programs (nccl-tests or OSU) use the same library, ranks and hosts as
   * collbench's engine; on several hosts, first finds the programs there. No program measures yet.
   * @param ours collbench's engine, which is already open
   * @returns a function that prepares the program of one collective
   * @throws Refusal if the programs cannot run with the same library, ranks and hosts
   */
  prepare(ours: CrosscheckEngine): Promise<PeerOpener>;
}

/**
 * Prepares the program for one collective, and finds out which options it supports. It is started for this, but measures nothing.
 * @param folder existing folder in which the program's output is saved
 * @throws FailureError if the program does not start, does not end in time or is interrupted
 */
export type PeerOpener = (
  collective: CollectiveName,
  folder: string,
  signal: AbortSignal,
) => Promise<PeerSide>;
