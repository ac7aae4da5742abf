import { Refusal } from '../results/refusals/refusal.ts';
import { exitOf, linesOf, refusalWording } from '../results/refusals/words.ts';
import { StoreError } from '../results/store/errors.ts';
import { sanitiseLine } from '../results/text.ts';
import { type ExitCode, exitCode } from '../results/verdicts/exit-code.ts';
import { FailureError, failureText } from '../results/verdicts/failure.ts';
import { withNextCommand } from './line/retype-command.ts';
import { printMessage } from './terminal.ts';

/** Text for the user about a refused command or a stored file, with the next command to type; null for other errors. */
export function errorText(error: unknown): string | null {
  if (!(error instanceof Refusal || error instanceof StoreError)) return null;
  const wording =
    error instanceof Refusal ? refusalWording(error) : { message: error.message, ...error.advice };
  return linesOf(withNextCommand(wording, process.argv.slice(2))).join('\n');
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
  const where = process.env.COLLBENCH_DEBUG ? stack : 'Set COLLBENCH_DEBUG=1 to see where.';
  return `collbench: internal error: ${sanitiseLine(message)}\n${where}`;
}
