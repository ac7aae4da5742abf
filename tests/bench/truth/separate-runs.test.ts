// test: soak
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trials } from '../../../results/testing/trials.ts';
import { simulateSeparateRuns } from './separate-runs.ts';

test('with ten earlier runs at most 2 of 100 pairs of equal runs are called changed, up to 5 % between runs', () => {
  for (const runSd of [0.01, 0.03, 0.05]) {
    const pairs = trials(8).length;
    const { compare, gate } = simulateSeparateRuns({ runSd, earlier: 10, transport: 'socket' }, pairs);
    assert.ok(compare.hits <= 0.02 * pairs, `compare: ${compare.hits} of ${pairs}, ${100 * runSd} %`);
    assert.ok(gate.hits <= 0.02 * pairs, `gate: ${gate.hits} of ${pairs}, ${100 * runSd} %`);
  }
});
