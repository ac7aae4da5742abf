import { Refusal } from '../results/refusals/refusal.ts';
import { exitOf, textOf } from '../results/refusals/words.ts';
import type { CellRecord, Failure } from '../results/schema/index.ts';
import { harmless } from '../results/text.ts';

/** What the command says to scripts (README, "Exit codes"). */
export const exitCode = {
  ok: 0,
  /** The command is invalid anywhere, or an error of collbench itself. */
  usage: 1,
  /** Valid, but something cannot run here, did not run, or hung. */
  notRun: 2,
  wrongData: 3,
  regression: 4,
  noVerdict: 5,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/**
 * Ends the command with one clear error.
 * `message` names the value at fault; `lines` say what is allowed and the way out.
 */
export class CommandError extends Error {
  readonly lines: readonly string[];
  readonly code: ExitCode;

  constructor(message: string, lines: readonly string[] = [], code: ExitCode = exitCode.usage) {
    super(message);
    this.name = 'CommandError';
    this.lines = lines;
    this.code = code;
  }

  /** Message and lines as they are printed. */
  get text(): string {
    return harmless([this.message, ...this.lines].join('\n'));
  }
}

/** Prints the error as people read it, without a stack, and returns the exit code. */
export function reportError(error: unknown): ExitCode {
  if (error instanceof Refusal) {
    process.stderr.write(`collbench: ${harmless(textOf(error))}\n`);
    return exitOf(error) === 'invalid' ? exitCode.usage : exitCode.notRun;
  }
  if (error instanceof CommandError) {
    process.stderr.write(`collbench: ${error.text}\n`);
    return error.code;
  }
  if (error instanceof Error && error.name === 'StoreError') {
    process.stderr.write(`collbench: ${error.message}\n`);
    return exitCode.usage;
  }
  const failure = failureIn(error);
  if (failure !== null) {
    process.stderr.write(failureText(failure));
    return exitCode.notRun;
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  process.stderr.write(`collbench: internal error: ${message}\n`);
  if (process.env.COLLBENCH_DEBUG) process.stderr.write(`${stack}\n`);
  else process.stderr.write('Set COLLBENCH_DEBUG=1 to see where.\n');
  return exitCode.usage;
}

/** The failure that a FailureError of orchestration carries. */
export function failureIn(error: unknown): Failure | null {
  const failure = (error as { failure?: Failure } | null)?.failure;
  return typeof failure?.message === 'string' && Array.isArray(failure.details) ? failure : null;
}

/** Message, what the ranks were doing, and the next command worth typing. */
export function failureText(failure: Failure): string {
  const lines = [`collbench: ${failure.message}`, ...failure.details.map((line) => `  ${line}`)];
  if (failure.next !== null) lines.push(`Next: ${failure.next}`);
  return `${harmless(lines.join('\n'))}\n`;
}

/** The worst that happened decides: interrupted, wrong data, not run, ok. */
export function exitCodeOf(failures: readonly Failure[], cells: readonly CellRecord[]): ExitCode {
  const kinds = new Set(failures.map((failure) => failure.kind));
  if (kinds.has('interrupted')) return exitCode.interrupted;
  const isWrong = cells.some((cell) => cell.status === 'ok' && cell.verification.wrongElements > 0);
  if (isWrong || kinds.has('wrong-data')) return exitCode.wrongData;
  return failures.length > 0 ? exitCode.notRun : exitCode.ok;
}
