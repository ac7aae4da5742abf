import assert from 'node:assert/strict';
import { Refusal } from '../refusals/refusal.ts';
import { textOf } from '../refusals/words.ts';

/** What people read of the refusal that `act` throws. */
export function refusalText(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof Refusal) return textOf(error);
    throw error;
  }
  return assert.fail('nothing was refused');
}

/** The same of a promise. */
export async function refusalTextOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Refusal) return textOf(error);
    throw error;
  }
  return assert.fail('nothing was refused');
}
