import type { CollectiveName, CrosscheckRecord } from '../../results/schema/index.ts';
import type { CrosscheckSizes } from '../../suites/crosscheck/plan.ts';
import type { CrosscheckEngine } from './engine.ts';

/** The other program of a crosscheck, for one collective. */
export interface PeerSide {
  name: NonNullable<CrosscheckRecord['peer']>;
  expected: CrosscheckSizes;
  /** Number of processes: one with a thread per rank, or one per rank. */
  processes: number;
  commandLine(round: number): string[];
  /**
   * Runs the program once.
   * @returns ns of one operation, by payload in bytes
   * @throws FailureError
   */
  measure(round: number): Promise<Map<number, number>>;
  /** Facts from the output of the first run; unknownPeerFacts before that. */
  facts(): PeerFacts;
}

export interface PeerFacts {
  version: string | null;
  ncclVersion: string | null;
  devices: string[];
  /** Reason why the program itself left out sizes; null if it did not. */
  lowered: string | null;
}

export const unknownPeerFacts: PeerFacts = { version: null, ncclVersion: null, devices: [], lowered: null };

/** The programs to compare with, one per collective. */
export interface PeerPrograms {
  name: PeerSide['name'];
  collectives: readonly CollectiveName[];
  /**
   * Prepares the programs, once the collbench side is open.
   * @throws Refusal if they cannot run what the collbench side runs
   */
  prepare(ours: CrosscheckEngine): PeerOpener;
}

/**
 * Asks a program for its abilities and returns it as a side of the crosscheck.
 * @param folder where its output is saved
 * @throws FailureError if it does not start
 */
export type PeerOpener = (
  collective: CollectiveName,
  folder: string,
  signal: AbortSignal,
) => Promise<PeerSide>;
