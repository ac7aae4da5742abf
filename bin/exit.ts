import { Refusal } from '../results/refusals/refusal.ts';
import { exitOf, textOf } from '../results/refusals/words.ts';
import type { Failure } from '../results/schema/index.ts';
import { harmless } from '../results/text.ts';
import { type ExitCode, exitCode } from '../results/verdicts/exit-code.ts';
import { FailureError } from '../results/verdicts/failure-error.ts';

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
  if (error instanceof FailureError) {
    process.stderr.write(failureText(error.failure));
    return exitCode.notRun;
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  process.stderr.write(`collbench: internal error: ${message}\n`);
  if (process.env.COLLBENCH_DEBUG) process.stderr.write(`${stack}\n`);
  else process.stderr.write('Set COLLBENCH_DEBUG=1 to see where.\n');
  return exitCode.usage;
}

/** Message, what the ranks were doing, and the next command worth typing. */
export function failureText(failure: Failure): string {
  const lines = [`collbench: ${failure.message}`, ...failure.details.map((line) => `  ${line}`)];
  if (failure.next !== null) lines.push(`Next: ${failure.next}`);
  return `${harmless(lines.join('\n'))}\n`;
}
