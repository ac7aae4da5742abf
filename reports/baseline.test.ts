import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Baseline } from '../results/schema/index.ts';
import { syntheticRecord } from '../results/testing/run.ts';
import { baselineSetText, baselineText } from './baseline.ts';

/** A baseline of four sizes, measured while other processes used this number of cores. */
function baselineBeside(competingCores: (bytes: number) => number): Baseline {
  const { record, cells } = syntheticRecord({ sizes: [8, 64, 512, 4096], competingCores });
  return {
    ...{ schemaVersion: 3, name: 'nightly', setAt: '2026-11-30T01:00:00.000Z', learned: null },
    source: { kind: 'run', id: record.id, name: 'allreduce', title: 'allreduce' },
    entries: [{ entry: 'run', record, cells }],
  };
}

test('a baseline that other processes disturbed says so when it is set and when it is shown', () => {
  const warning =
    '! other processes disturbed 3 of 4 configurations (cpu-busy): a baseline of a quiet machine is better, measured with --wait-quiet';
  const disturbed = baselineBeside((bytes) => (bytes === 8 ? 0 : 1));
  assert.equal(
    baselineSetText(disturbed, null, 'nightly.json'),
    `baseline nightly: run aaaaaa, 4 configurations of 1 entry · nightly.json\n${warning}\n`,
  );
  assert.ok(baselineText(disturbed).includes(`\n  ${warning}\n`));
  const quiet = baselineBeside(() => 0);
  assert.doesNotMatch(baselineSetText(quiet, null, 'nightly.json') + baselineText(quiet), /disturbed/);
});
