import type { Readable } from 'node:stream';

/** How an agent process ended. */
export interface AgentExit {
  code: number | null;
  signal: string | null;
  /** The start itself failed (no such file, not executable, no route); null otherwise. */
  startError: Error | null;
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
  /** stdin end, SIGTERM, SIGKILL, each after a bounded wait. May be called often, never rejects. */
  stop(grace: StopGrace): Promise<AgentExit>;
}

/** A way to start one agent on a host. `start` never throws: what goes wrong is told by `exit`. */
export interface Launcher {
  readonly name: string;
  start(host: string, agentPath: string): AgentProcess;
}
