import { Refusal } from '../results/refusals/refusal.ts';
import { exitOf, textOf } from '../results/refusals/words.ts';
import { StoreError } from '../results/store/errors.ts';
import { sanitiseLine } from '../results/text.ts';
import { type ExitCode, exitCode } from '../results/verdicts/exit-code.ts';
import { FailureError } from '../results/verdicts/failure-error.ts';
import { failureText } from '../results/verdicts/failure-text.ts';
import { retypeCommand } from './line/retype-command.ts';
import { printMessage } from './terminal.ts';

/** Text for the user about a refused command, with a corrected command line if there is one; null for other errors. */
export function errorText(error: unknown): string | null {
  return error instanceof Refusal ? textOf(error, retypeCommand(process.argv.slice(2))) : null;
}

/** Exit code for an error that ends a command: that of an invalid command line, or of a run that could not be carried out. */
export function exitCodeOfError(error: unknown): ExitCode {
  if (error instanceof FailureError) return exitCode.notRun;
  if (error instanceof StoreError) return error.code === 'bad-name' ? exitCode.usage : exitCode.notRun;
  return error instanceof Refusal && exitOf(error) !== 'invalid' ? exitCode.notRun : exitCode.usage;
}

/**
 * Prints an error for users, without a stack trace.
 * @returns the exit code
 */
export function reportError(error: unknown): ExitCode {
  printMessage(told(error));
  return exitCodeOfError(error);
}

function told(error: unknown): string {
  const text = errorText(error);
  if (text !== null) return `collbench: ${text}`;
  if (error instanceof FailureError) return failureText(error.failure).trimEnd();
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  if (error instanceof StoreError) return `collbench: ${sanitiseLine(message)}`;
  const where = process.env.COLLBENCH_DEBUG ? stack : 'Set COLLBENCH_DEBUG=1 to see where.';
  return `collbench: internal error: ${sanitiseLine(message)}\n${where}`;
}
