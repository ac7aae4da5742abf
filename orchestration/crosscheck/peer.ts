import type { CollectiveName, CrosscheckRecord } from '../../results/schema/index.ts';
import type { CrosscheckSizes } from '../../suites/crosscheck/plan.ts';
import type { CrosscheckEngine } from './engine.ts';

/** The other program of a crosscheck, for one collective. */
export interface PeerSide {
  name: NonNullable<CrosscheckRecord['peer']>;
  expected: CrosscheckSizes;
  /** One with a thread per rank, or one per rank. */
  processes: number;
  commandLine(round: number): string[];
  /**
   * One run.
   * @returns ns of one operation by payload
   * @throws FailureError
   */
  measure(round: number): Promise<Map<number, number>>;
  /** What its first run said of itself; before it nothing. */
  facts(): PeerFacts;
}

export interface PeerFacts {
  version: string | null;
  ncclVersion: string | null;
  devices: string[];
  /** Why it left out sizes of its own accord. */
  lowered: string | null;
}

export const unknownPeerFacts: PeerFacts = { version: null, ncclVersion: null, devices: [], lowered: null };

/** The programs that were found, one per collective. */
export interface PeerPrograms {
  name: PeerSide['name'];
  collectives: readonly CollectiveName[];
  /**
   * Once our side is open.
   * @throws Refusal they cannot run what our side runs
   */
  prepare(ours: CrosscheckEngine): PeerOpener;
}

/**
 * Asks a program what it can do.
 * @param folder for what it prints
 * @throws FailureError it does not start
 */
export type PeerOpener = (
  collective: CollectiveName,
  folder: string,
  signal: AbortSignal,
) => Promise<PeerSide>;
