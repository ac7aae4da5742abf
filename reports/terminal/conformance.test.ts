import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conformanceLine, conformanceSummary, isLeftOut, leftOutLines } from './conformance.ts';

const passed = { group: 'data', name: 'WRITE arrives', outcome: 'passed', expected: '', seen: '' } as const;
const failed = {
  ...passed,
  outcome: 'failed',
  expected: '8 bytes as sent',
  seen: '1 of 8 bytes differ',
} as const;
const skipped = { ...passed, outcome: 'skipped', seen: 'no mlx5 device: 0 devices in the list' } as const;

test('a failed test says what was expected and seen, a skipped one why', () => {
  assert.equal(conformanceLine(passed, 80), '✓ data       WRITE arrives');
  assert.deepEqual(conformanceLine(failed, 80).split('\n').slice(1), [
    '      expected: 8 bytes as sent',
    '      seen: 1 of 8 bytes differ',
  ]);
  assert.match(conformanceLine(skipped, 80), /^- data .*\n {6}skipped: no mlx5 device/);
});

test('the last line counts', () => {
  assert.equal(conformanceSummary([passed, failed], 'x.so'), '2 tests of x.so: 1 passed, 1 failed');
  assert.match(conformanceSummary([skipped], 'x.so'), /0 passed, 0 failed, 1 skipped$/);
});

test('tests that need one that failed are one line', () => {
  const needs = { ...skipped, seen: 'it failed before: can be loaded' };
  assert.ok(isLeftOut(needs) && !isLeftOut(skipped) && !isLeftOut(failed));
  assert.deepEqual(leftOutLines([failed, skipped, needs, needs], 80), [
    '- 2 tests skipped, which need one that failed: can be loaded',
  ]);
  assert.deepEqual(leftOutLines([passed, skipped], 80), []);
});
