import type { ClockReading } from './clocks.ts';
import type { LaunchContext } from './failure-text.ts';
import type { AgentMessage, ControllerMessage } from './protocol.ts';

/** What is started: one set of rank processes (or threads) of one engine, transport and environment. */
export type LaunchRequest = Extract<ControllerMessage, { type: 'launch' }>;
export type MeasureRequest = Extract<ControllerMessage, { type: 'measure' }>;
/** One entry per rank of the launch, sorted by rank. */
export type LaunchRanks = Extract<AgentMessage, { type: 'ready' }>;
export type MeasureReply = Extract<AgentMessage, { type: 'measured' }>;

/** An instant at which launches begin together. */
export interface LaunchStart {
  /** On the clock of this process (process.hrtime), ns. */
  atNs: number;
  /** Of the machines, by agent. */
  clocks: readonly ClockReading[];
}

/** A launch that is a part of the run and works beside others. */
export interface LaunchPart {
  /** Ranks of the run, by their rank in the launch. */
  members: readonly number[];
  /** By agent: how all launches that work together share the cores of its machine. */
  shares: readonly SharedStart[];
}
export type SharedStart = NonNullable<LaunchRequest['together']>;

/** An open launch: all ranks are connected. One `measure` at a time. */
export interface OpenedLaunch {
  readonly ready: LaunchRanks;
  /**
   * @param start only for launches that were opened as parts
   * @param where for the sentence of a failure; implementations that throw plain Errors need not look at it
   * @throws FailureError (failures.ts) or any Error, which may carry `rank`, `phase` and `code`; the launch is of no use
   *         afterwards
   */
  measure(request: MeasureRequest, where: LaunchContext, start?: LaunchStart): Promise<MeasureReply>;
  /** Ends all ranks; resolves when they are gone or nothing more can be done. May be called twice, never rejects. */
  stop(): Promise<void>;
}

/**
 * Opens launches. Implementations: agents (fleet.ts) and in-process ranks (native/addon/in-process.ts).
 * In-process ranks know no parts. `signal` aborts the start and everything the launch does later.
 */
export type LaunchOpener = (
  request: LaunchRequest,
  signal: AbortSignal,
  where: LaunchContext,
  part?: LaunchPart,
) => Promise<OpenedLaunch>;
