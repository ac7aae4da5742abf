import type { Readable, Writable } from 'node:stream';
import type { OptionChange } from '../../results/refusals/wording.ts';

/**
 * Error that explains to the user why an agent cannot be started. `message` is one line, without full stop, that says what is
 * wrong; `details` adds sentences or lines of output.
 */
export class StartError extends Error {
  readonly details: readonly string[];
  /**
   * A command that the user can type to fix the problem, or changed options for the command that was typed; null if
   * there is none.
   */
  readonly next: string | OptionChange | null;
  constructor(message: string, details: readonly string[] = [], next: string | OptionChange | null = null) {
    super(message);
    this.name = 'StartError';
    this.details = details;
    this.next = next;
  }
}

/**
 * Suggestion for the user: the typed command with `--rsh openssh`, the system's ssh instead of the built-in SSH
 * client.
 */
export const withSystemSsh: OptionChange = { change: { rsh: 'openssh' } };

/**
 * Exit status of an agent process. `code` is null if a signal ended it, `signal` (such as SIGKILL) is null if it exited; both are
 * null with `lost`. With `startError` neither has a meaning.
 */
export interface AgentExit {
  code: number | null;
  signal: string | null;
  /**
   * Set if the process could not be started (no such file, not executable, no route), or its start was cancelled; null
   * otherwise.
   */
  startError: Error | null;
  /**
   * Set if the connection to the agent broke, so that its exit code is unknown, with the reason: "it answered no keepalives".
   * Absent otherwise.
   */
  lost?: string;
}

/**
 * Maximum milliseconds that `stop` waits: `endMs` after it closed the agent's stdin, then `termMs` after SIGTERM.
 * SIGKILL follows.
 */
export interface StopGrace {
  endMs: number;
  termMs: number;
}

/** One agent process; it may still be starting, or have ended. Members of it never throw or reject. */
export interface AgentProcess {
  readonly host: string;
  /** The agent's stdout: one JSON message per line. */
  readonly output: Readable;
  /**
   * Writes one line (given without newline); resolves when the next can be written, or when the agent has ended. Never
   * rejects.
   */
  write(line: string): Promise<void>;
  /** Resolves when the process has ended, or could not be started; output that has arrived can still be read. Never rejects. */
  readonly exit: Promise<AgentExit>;
  /** Returns the last lines of the agent's stderr so far, oldest first; empty if there are none. */
  stderrTail(): string[];
  /**
   * Calls the listener for every line of the agent's stderr, starting with the last lines before the call. Only one listener is
   * allowed.
   */
  onErrorLine(listener: (line: string) => void): void;
  /**
   * Closes the agent's stdin, and sends SIGTERM, then SIGKILL, if the agent does not end within the wait before each. Resolves when
   * it has ended or is given up. May be called several times, never rejects.
   */
  stop(grace: StopGrace): Promise<AgentExit>;
}

/**
 * A way to start an agent on a host, such as ssh. `start` returns at once and never throws: errors are reported by `exit` of the
 * process.
 */
export interface Launcher {
  readonly name: string;
  /** True if the connection to the agent can break unnoticed, so that both sides must send keepalives; absent = false. */
  readonly remote?: boolean;
  start(host: string, agentPath: string): AgentProcess;
  /** Closes connections to hosts; called when all agents have ended. Never rejects. */
  close?(): Promise<void>;
}

/**
 * Resolves to true as soon as `exit` resolves, or to false after `ms` milliseconds without an exit; nothing is ended. `exit` must
 * not reject.
 */
export async function endsWithin(exit: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const done = await Promise.race([exit.then(() => true), timeout]);
  clearTimeout(timer);
  return done;
}

/**
 * Writes one line, given without newline, to an agent's stdin. Resolves when the next line can be written, or when `exit` resolves.
 * A closed stdin is ignored.
 */
export async function writeLine(input: Writable, line: string, exit: Promise<unknown>): Promise<void> {
  if (input.destroyed || input.writableEnded || input.write(`${line}\n`)) return;
  await Promise.race([new Promise<void>((resolve) => input.once('drain', resolve)), exit]);
}
