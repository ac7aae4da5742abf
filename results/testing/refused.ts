import assert from 'node:assert/strict';
import { Refusal } from '../refusals/refusal.ts';
import { textOf } from '../refusals/words.ts';

/**
 * Text that users read of the refusal that `act` throws. Other errors are thrown on; if nothing is refused, the assertion fails.
 */
export function refusalText(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof Refusal) return textOf(error);
    throw error;
  }
  return assert.fail('nothing was refused');
}

/**
 * Text that users read of the refusal with which a promise rejects. Other errors are thrown on; if nothing is refused, the
 * assertion fails.
 */
export async function refusalTextOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Refusal) return textOf(error);
    throw error;
  }
  return assert.fail('nothing was refused');
}
