// test: own process
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandBeganMs } from './run-requests.ts';

test('a time budget counts from the start of the process, after a build from the end of the build', () => {
  assert.equal(commandBeganMs(), 0);
  const { startTime } = performance.mark('set up');
  assert.ok(startTime > 0);
  assert.equal(commandBeganMs(), startTime);
});
