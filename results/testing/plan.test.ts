import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellRecord, runPlan, runRecord } from '../schema/index.ts';
import { testPlan, testRecord } from './plan.ts';

test('the values that tests use are valid, and an unknown field is not', () => {
  assert.deepEqual(runPlan.parse(testPlan()), testPlan());
  assert.deepEqual(runRecord.parse(testRecord()), testRecord());
  assert.throws(() => runRecord.parse({ ...testRecord(), colour: 'red' }), /colour/);
  assert.throws(() => cellRecord.parse({ status: 'fine' }), /status/);
});
