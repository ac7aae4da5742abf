import { writeFileSync } from 'node:fs';
import { Refusal } from '../../results/refusals/refusal.ts';
import { refusalWording } from '../../results/refusals/words.ts';
import { type Failure, failureWith } from '../../results/schema/index.ts';
import { exitCode } from '../../results/verdicts/exit-code.ts';
import { FailureError } from '../../results/verdicts/failure.ts';
import { withNextCommand } from '../line/retype-command.ts';
import type { OutputOptions } from '../options/output.ts';
import { exitCodeOfError } from '../report-error.ts';
import { printText } from '../terminal.ts';

function failureOf(error: unknown): Failure | null {
  if (error instanceof FailureError) return error.failure;
  if (!(error instanceof Refusal)) return null;
  const { message, details = [], next } = withNextCommand(refusalWording(error), process.argv.slice(2));
  return failureWith({ kind: 'setup', phase: 'probe', message, details: [...details], next: next.shell });
}

/**
 * Writes the summary object of a run that could not start, if the output is JSON. Invalid commands get no summary object,
 * because they are no runs.
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
