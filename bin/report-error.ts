import { Refusal } from '../results/refusals/refusal.ts';
import type { RefusalWording } from '../results/refusals/wording.ts';
import { exitOf, linesOf, refusalWording } from '../results/refusals/words.ts';
import { StoreError } from '../results/store/errors.ts';
import { sanitiseLine } from '../results/text.ts';
import { type ExitCode, exitCode } from '../results/verdicts/exit-code.ts';
import { FailureError } from '../results/verdicts/failure.ts';
import { optionName } from '../suites/options/option.ts';
import { withNextCommand } from './line/retype-command.ts';
import { hostKeys } from './options/index.ts';
import { printMessage } from './terminal.ts';

/**
 * Message about an error that users can cause (rejected command, stored file, failed run), with the next command to type (absent
 * after an interrupt). Null for other errors.
 * @param words words after the program's name, as typed
 */
export function wordingOf(
  error: unknown,
  words: readonly string[] = process.argv.slice(2),
): (RefusalWording & { next?: { shell: string } }) | null {
  if (error instanceof Refusal) return withNextCommand(refusalWording(error), words);
  if (error instanceof StoreError) {
    // The list of runs says which of them can be read.
    const isUnreadable = error.code === 'broken' || error.code === 'newer';
    const runsListed = isUnreadable ? { next: { words: ['runs'], keep: ['root'] } } : {};
    return withNextCommand({ message: error.message, ...runsListed, ...error.advice }, words);
  }
  if (!(error instanceof FailureError)) return null;
  const { kind, message, details, next } = error.failure;
  if (kind === 'interrupted') return { message, details };
  const step = next ?? { words: ['doctor'], keep: hostKeys.map(optionName) };
  return withNextCommand(
    { message, details, next: typeof step === 'string' ? { shell: step } : step },
    words,
  );
}

/** The message of wordingOf() as one text; null for errors that users cannot cause. */
export function errorText(error: unknown): string | null {
  const wording = wordingOf(error);
  return wording && linesOf(wording).join('\n');
}

/**
 * Exit code for an error that ends a command. 1: the command line is invalid. 2: the command was valid but could not be carried
 * out. Internal errors have code 1, too; only the message tells them apart.
 */
export function exitCodeOfError(error: unknown): ExitCode {
  if (error instanceof FailureError) return exitCode.notRun;
  if (error instanceof StoreError) return error.code === 'bad-name' ? exitCode.usage : exitCode.notRun;
  return error instanceof Refusal && exitOf(error) !== 'invalid' ? exitCode.notRun : exitCode.usage;
}

/**
 * Prints an error on stderr, without a stack trace. The message says if the error is an internal one; with COLLBENCH_DEBUG the
 * stack is added.
 * @returns the exit code of the command
 */
export function reportError(error: unknown): ExitCode {
  printMessage(told(error));
  return exitCodeOfError(error);
}

function told(error: unknown): string {
  const text = errorText(error);
  if (text !== null) return `collbench: ${text}`;
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const where = process.env.COLLBENCH_DEBUG ? stack : 'Set COLLBENCH_DEBUG=1 to see where.';
  return `collbench: internal error: ${sanitiseLine(message)}\n${where}`;
}
