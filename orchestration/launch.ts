import type { AgentMessage, ControllerMessage } from './protocol.ts';

/** What is started: one set of rank processes (or threads) of one engine, transport and environment. */
export type LaunchRequest = Extract<ControllerMessage, { type: 'launch' }>;
export type MeasureRequest = Extract<ControllerMessage, { type: 'measure' }>;
export type Ready = Extract<AgentMessage, { type: 'ready' }>;
/** One entry per rank of the launch, sorted by rank. */
export type Measured = Extract<AgentMessage, { type: 'measured' }>;

/** An open launch: all ranks are connected. One `measure` at a time. */
export interface Launch {
  readonly ready: Ready;
  /** @throws FailureError (endings.ts) or any Error when it could not be measured; the launch is of no use afterwards */
  measure(request: MeasureRequest): Promise<Measured>;
  /** Ends all ranks; resolves when they are gone. May be called twice, never rejects. */
  stop(): Promise<void>;
}

/** Opens launches. Implementations: agents (agent-launch.ts) and in-process ranks (native/addon/in-process.ts). */
export type LaunchOpener = (request: LaunchRequest, signal: AbortSignal) => Promise<Launch>;
