import { writeFileSync } from 'node:fs';
import { Refusal } from '../../results/refusals/refusal.ts';
import { type Failure, failureWith } from '../../results/schema/index.ts';
import { StoreError } from '../../results/store/errors.ts';
import { exitCode } from '../../results/verdicts/exit-code.ts';
import { FailureError } from '../../results/verdicts/failure.ts';
import type { OutputOptions } from '../options/output.ts';
import { exitCodeOfError, wordingOf } from '../report-error.ts';
import { printNote, printText } from '../terminal.ts';

function failureOf(error: unknown): Failure | null {
  const wording = error instanceof StoreError ? null : wordingOf(error);
  if (wording === null) return null;
  const { message, details = [], next } = wording;
  const known = error instanceof FailureError ? error.failure : { kind: 'setup', phase: 'probe' };
  return failureWith({ ...known, message, details: [...details], next: next?.shell ?? null });
}

/**
 * Writes the summary object of a run that could not start to stdout (--json, --json-live) and to the file of --json-file; without
 * these options it writes nothing. Nothing is written for invalid commands, which are no runs, for store errors and for internal
 * errors. If the file cannot be written, a note is printed on stderr.
 * @param error the reason why the run could not start
 */
export function tellNotRun(
  error: unknown,
  { json, jsonLive, jsonFile }: Pick<OutputOptions, 'json' | 'jsonLive' | 'jsonFile'>,
): void {
  const failure = failureOf(error);
  if (failure === null || exitCodeOfError(error) !== exitCode.notRun) return;
  const summary = {
    type: 'summary',
    id: null,
    state: 'failed',
    exitCode: exitCode.notRun,
    failures: [failure],
    cellsMeasured: 0,
  };
  const line = `${JSON.stringify(summary)}\n`;
  if (json || jsonLive) printText(line);
  if (jsonFile !== null) writeOrNote(jsonFile, line, error);
}

/**
 * Writes the file of --json-file. If that fails, it prints a note and throws nothing, because the caller reports `error`, which
 * happened first. No note is printed if `error` already says that a file cannot be written.
 */
function writeOrNote(file: string, line: string, error: unknown): void {
  try {
    writeFileSync(file, line);
  } catch (problem) {
    const isKnown = error instanceof Refusal && error.code === 'file-unwritable';
    const why = problem instanceof Error ? problem.message : String(problem);
    if (!isKnown) printNote(`--json-file ${file} cannot be written: ${why}`);
  }
}
