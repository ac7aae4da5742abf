import { randomBytes } from 'node:crypto';
import type { ClockReading } from './clocks.ts';
import type { LaunchContext } from './failures/failure-text.ts';
import type { AgentMessage, ControllerMessage } from './protocol.ts';

/** Request that starts a set of rank processes (or threads), all with the same engine, transport and environment. */
export type LaunchRequest = Extract<ControllerMessage, { type: 'launch' }>;
export type MeasureRequest = Extract<ControllerMessage, { type: 'measure' }>;
/**
 * Message that all ranks of a launch are connected. An agent lists only the ranks of its host; in an OpenedLaunch all ranks are
 * listed, sorted by rank. `setupNs`: time from the start of the rank processes until all were connected; in an OpenedLaunch the
 * longest of all hosts.
 */
export type LaunchRanks = Extract<AgentMessage, { type: 'ready' }>;
export type MeasureReply = Extract<AgentMessage, { type: 'measured' }>;

/** A common start time for several launches that measure at the same time. */
export interface LaunchStart {
  /** Time at which all the launches begin to measure their next block, on the clock of this process (process.hrtime), ns. */
  atNs: number;
  /**
   * Reading of each machine's clock, indexed by agent; converts the start time to the clock of the machine. Null for an agent that is
   * lost.
   */
  clocks: readonly (ClockReading | null)[];
}

/** Ranks and CPU cores of one launch, if several launches with different ranks of the run are open at the same time. */
export interface LaunchPart {
  /** Ranks of the run that belong to the launch, indexed by rank in the launch. */
  members: readonly number[];
  /** Shares of the launch in the cores of each machine, indexed by agent, so that concurrent launches do not use the same cores. */
  shares: readonly SharedStart[];
}
export type SharedStart = NonNullable<LaunchRequest['together']>;

/** A launch whose ranks are all connected. Only one call of `measure` at a time is allowed. */
export interface OpenedLaunch {
  readonly ready: LaunchRanks;
  /**
   * Measures one block, and returns the reports of all ranks, sorted by rank. Wrong data are in the reports, not thrown.
   * @param start common start time; only for launches that were opened with a LaunchPart
   * @param where context for the text of a failure; implementations that throw plain Errors may ignore it
   * @throws FailureError (failures/failures.ts) or any Error, which may carry `rank`, `phase` and `code`; afterwards the launch is
   * unusable, and the caller must stop it
   */
  measure(request: MeasureRequest, where: LaunchContext, start?: LaunchStart): Promise<MeasureReply>;
  /**
   * Ends all ranks. Resolves when they have ended, or when waiting longer has no use; never rejects. A second call waits for the
   * first.
   */
  stop(): Promise<void>;
}

/**
 * Starts the ranks of a launch and connects them; the caller must stop the launch. There are two implementations. Agents
 * (fleet.ts) ignore `signal`, because stopping the agents ends their launches. For ranks in this process
 * (in-process/in-process.ts) `signal` aborts the start and all later calls. They take no `part`, as only one launch of this kind
 * is open at a time. Both reject as OpenedLaunch.measure() does.
 */
export type LaunchOpener = (
  request: LaunchRequest,
  signal: AbortSignal,
  where: LaunchContext,
  part?: LaunchPart,
) => Promise<OpenedLaunch>;

/**
 * Secret tokens of the launches of a run; data connections are accepted only with the token. Tokens must not appear in logs,
 * because logs are written to disk.
 */
export class LaunchTokens {
  private readonly made: string[] = [];

  /** Makes a new token: 128 bits in hex. */
  make(): string {
    const token = randomBytes(16).toString('hex');
    this.made.push(token);
    return token;
  }

  /** Returns a text in which all tokens that this object made are replaced by "(token)". */
  clean(text: string): string {
    return this.made.reduce((clean, token) => clean.replaceAll(token, '(token)'), text);
  }
}
