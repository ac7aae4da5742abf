import assert from 'node:assert/strict';
import { errorText, exitCodeOfError } from '../exit.ts';

/** Text and exit code of the refusal that `act` is expected to throw. */
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
