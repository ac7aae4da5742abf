import type { Readable } from 'node:stream';

/** Why an agent cannot be started, in full sentences; `message` names host, value and what was found. */
export class StartError extends Error {
  readonly details: readonly string[];
  /** The way out: a command worth typing; `null` where there is none. */
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
  /** The start itself failed (no such file, not executable, no route); null otherwise. */
  startError: Error | null;
  /** The way to it broke, so that nobody knows its code: "no answer to 3 keepalives"; absent = it ended itself. */
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
  /** Its stdout: one JSON message per line. */
  readonly output: Readable;
  /** Hands over one line (without newline); resolves when there is room for the next, also when the agent is gone. */
  write(line: string): Promise<void>;
  /** Never rejects. Resolves when the process is gone; what it had written can still be read. */
  readonly exit: Promise<AgentExit>;
  /** Last lines it wrote to stderr, oldest first. */
  stderrTail(): string[];
  /** Hands over every line that it writes to stderr, those so far first; one listener at most. */
  onErrorLine(listener: (line: string) => void): void;
  /** stdin end, SIGTERM, SIGKILL, each after a bounded wait. May be called often, never rejects. */
  stop(grace: StopGrace): Promise<AgentExit>;
}

/** A way to start one agent on a host. `start` never throws: what goes wrong is told by `exit`. */
export interface Launcher {
  readonly name: string;
  /** The way to the agent can break without anybody being told: both ends say that they are there. */
  readonly remote?: boolean;
  start(host: string, agentPath: string): AgentProcess;
  /** When all agents are gone: closes connections. Never rejects. */
  close?(): Promise<void>;
}
