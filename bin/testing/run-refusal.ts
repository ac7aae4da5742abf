import assert from 'node:assert/strict';
import { errorText, exitCodeOfError } from '../report-error.ts';

/** For tests: calls `act`, which must throw a Refusal, and returns the text and exit code that a user would see. */
export function runRefusal(act: () => unknown): { text: string; code: number } {
  try {
    act();
  } catch (error) {
    const text = errorText(error);
    if (text === null) throw error;
    return { text, code: exitCodeOfError(error) };
  }
  return assert.fail('nothing was refused');
}
