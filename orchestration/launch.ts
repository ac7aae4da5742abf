import type { ClockReading } from './clocks.ts';
import type { LaunchContext } from './failure-text.ts';
import type { AgentMessage, ControllerMessage } from './protocol.ts';

/** Request that starts one set of rank processes (or threads) of one engine, transport and environment. */
export type LaunchRequest = Extract<ControllerMessage, { type: 'launch' }>;
export type MeasureRequest = Extract<ControllerMessage, { type: 'measure' }>;
/** One entry per rank of the launch, sorted by rank. */
export type LaunchRanks = Extract<AgentMessage, { type: 'ready' }>;
export type MeasureReply = Extract<AgentMessage, { type: 'measured' }>;

/** A common start time for several launches. */
export interface LaunchStart {
  /** Start time on the clock of this process (process.hrtime), ns. */
  atNs: number;
  /** Clock of each machine, indexed by agent. */
  clocks: readonly ClockReading[];
}

/** The part of the run that one of several concurrent launches has. */
export interface LaunchPart {
  /** Ranks of the run, indexed by rank in the launch. */
  members: readonly number[];
  /** How all concurrent launches share the cores of a machine, indexed by agent. */
  shares: readonly SharedStart[];
}
export type SharedStart = NonNullable<LaunchRequest['together']>;

/** An open launch: all ranks are connected. One `measure` at a time. */
export interface OpenedLaunch {
  readonly ready: LaunchRanks;
  /**
   * Measures one block.
   * @param start only for launches that were opened as parts
   * @param where context for the text of a failure; implementations that throw plain Errors may ignore it
   * @throws FailureError (failures.ts) or any Error, which may carry `rank`, `phase` and `code`; afterwards the launch is
   * unusable
   */
  measure(request: MeasureRequest, where: LaunchContext, start?: LaunchStart): Promise<MeasureReply>;
  /** Ends all ranks; resolves when they have ended or nothing more can be done. May be called twice, never rejects. */
  stop(): Promise<void>;
}

/**
 * Opens launches. Implementations: agents (fleet.ts) and in-process ranks (native/addon/in-process.ts), which support no parts.
 * `signal` aborts the start and everything that the launch does later.
 */
export type LaunchOpener = (
  request: LaunchRequest,
  signal: AbortSignal,
  where: LaunchContext,
  part?: LaunchPart,
) => Promise<OpenedLaunch>;
