import { writeFileSync } from 'node:fs';
import { type Failure, failureWith } from '../../results/schema/index.ts';
import { StoreError } from '../../results/store/errors.ts';
import { exitCode } from '../../results/verdicts/exit-code.ts';
import { FailureError } from '../../results/verdicts/failure.ts';
import type { OutputOptions } from '../options/output.ts';
import { exitCodeOfError, wordingOf } from '../report-error.ts';
import { printText } from '../terminal.ts';

function failureOf(error: unknown): Failure | null {
  const wording = error instanceof StoreError ? null : wordingOf(error);
  if (wording === null) return null;
  const { message, details = [], next } = wording;
  const known = error instanceof FailureError ? error.failure : { kind: 'setup', phase: 'probe' };
  return failureWith({ ...known, message, details: [...details], next: next?.shell ?? null });
}

/**
 * Writes the summary object of a run that could not start, to stdout or the file of --json-file, if the output is JSON.
 * Invalid commands get no summary object, because they are no runs.
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
  if (jsonFile !== null) writeFileSync(jsonFile, line);
}
