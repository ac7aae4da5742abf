import { Refusal } from '../results/refusals/refusal.ts';
import { exitOf, textOf } from '../results/refusals/words.ts';
import { harmless } from '../results/text.ts';
import { type ExitCode, exitCode } from '../results/verdicts/exit-code.ts';
import { FailureError } from '../results/verdicts/failure-error.ts';
import { failureText } from '../results/verdicts/failure-text.ts';

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

/** Why a command is not carried out, as it is printed; null for what is no refusal. */
export function errorText(error: unknown): string | null {
  if (error instanceof Refusal) return harmless(textOf(error));
  return error instanceof CommandError ? error.text : null;
}

/** What an error says to scripts. */
export function exitCodeOfError(error: unknown): ExitCode {
  if (error instanceof CommandError) return error.code;
  if (error instanceof FailureError) return exitCode.notRun;
  return error instanceof Refusal && exitOf(error) !== 'invalid' ? exitCode.notRun : exitCode.usage;
}

/** Prints the error as people read it, without a stack, and returns the exit code. */
export function reportError(error: unknown): ExitCode {
  process.stderr.write(`${told(error)}\n`);
  return exitCodeOfError(error);
}

function told(error: unknown): string {
  const text = errorText(error);
  if (text !== null) return `collbench: ${text}`;
  if (error instanceof FailureError) return failureText(error.failure).trimEnd();
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  if (name === 'StoreError') return `collbench: ${message}`;
  const where = process.env.COLLBENCH_DEBUG ? stack : 'Set COLLBENCH_DEBUG=1 to see where.';
  return `collbench: internal error: ${message}\n${where}`;
}
