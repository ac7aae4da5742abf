import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collective, flagText, train, type WorkloadData } from './index.ts';

/** Returns the texts of a workload's axis with boolean values for false and for true. */
function textsOf({ axes }: WorkloadData, name: string): (string | null)[] {
  const axis = axes.find((one) => one.name === name);
  assert.ok(axis !== undefined, name);
  return [flagText(axis, false), flagText(axis, true)];
}

test('next to the text for true, the text for false names its opposite', () => {
  assert.deepEqual(textsOf(collective, 'inPlace'), ['out of place', 'in place']);
  assert.deepEqual(textsOf(train, 'compiled'), ['eager', 'compiled']);
});

test('an axis without boolean values has no such text', () => {
  assert.deepEqual(textsOf(train, 'model'), [null, null]);
});
