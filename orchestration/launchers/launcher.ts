import type { Readable } from 'node:stream';

/** Error that explains why an agent cannot be started, in full sentences; `message` names host, value and what was found. */
export class StartError extends Error {
  readonly details: readonly string[];
  /** A command that fixes the problem; null if there is none. */
  readonly next: string | null;
  constructor(message: string, details: readonly string[] = [], next: string | null = null) {
    super(message);
    this.name = 'StartError';
    this.details = details;
    this.next = next;
  }
}

/** How an agent process ended. */
export interface AgentExit {
  code: number | null;
  signal: string | null;
  /** Set if the process could not be started (no such file, not executable, no route); null otherwise. */
  startError: Error | null;
  /**
   * Set if the connection to the agent broke, so that its exit code is unknown: "no answer to 3 keepalives". Absent otherwise.
   */
  lost?: string;
}

/** How long `stop` waits at each step: after closing stdin, then after SIGTERM; SIGKILL follows. */
export interface StopGrace {
  endMs: number;
  termMs: number;
}

/** One running agent. */
export interface AgentProcess {
  readonly host: string;
  /** The agent's stdout: one JSON message per line. */
  readonly output: Readable;
  /** Writes one line (without newline); resolves when the next can be written, or when the agent has ended. */
  write(line: string): Promise<void>;
  /** Resolves when the process has ended; its remaining output can still be read. Never rejects. */
  readonly exit: Promise<AgentExit>;
  /** Last lines of its stderr, oldest first. */
  stderrTail(): string[];
  /** Calls the listener for every line of its stderr, starting with earlier lines; only one listener is allowed. */
  onErrorLine(listener: (line: string) => void): void;
  /** Closes stdin, then sends SIGTERM, then SIGKILL, with a bounded wait after each. May be called often, never rejects. */
  stop(grace: StopGrace): Promise<AgentExit>;
}

/** A way to start an agent on a host. `start` never throws: `exit` reports errors. */
export interface Launcher {
  readonly name: string;
  /** True if the connection to the agent can break unnoticed, so that both sides must send keepalives. */
  readonly remote?: boolean;
  start(host: string, agentPath: string): AgentProcess;
  /** Closes connections, once all agents have ended. Never rejects. */
  close?(): Promise<void>;
}
