import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareRuns } from '../../results/compare/compare-runs.ts';
import { type SyntheticRun, syntheticRecord } from '../../results/testing/run.ts';
import { versusLastText } from './versus-last.ts';

const base = syntheticRecord({ seed: 1 });
function text(made: SyntheticRun, label?: string): string {
  const [pair] = compareRuns([base, syntheticRecord({ id: 'bbbbbb', seed: 2, ...made })]).pairs;
  assert.ok(pair);
  return versusLastText({ ...base.record, ...(label === undefined ? {} : { label }) }, pair);
}

test('one line: when and which, what changed by how much, what stayed within which bound', () => {
  const same = text({}, 'nightly\u001b[2J');
  assert.match(
    same,
    /^vs last \(2026-11-21 01:00, label nightly·\[2J\): same within ±\d\.\d % at 11 of 11 configurations$/,
  );
  const slow = text({ factor: (bytes) => (bytes >= 2 ** 22 ? 1.2 : 1) });
  assert.match(
    slow,
    /^vs last \([^)]*, run aaaaaa\): slower at 4 MiB - 64 MiB by \d+ %(?: to \d+ %)?; same within ±\d\.\d % at 8 of 11 /,
  );
});

test('what cannot be judged has its reason, and is never called the same', () => {
  const one = text({ launches: 1 });
  assert.match(
    one,
    /: no verdict at 11 of 11 configurations \([-+.\d]+ % to [-+.\d]+ % time: scatter between launches needs two launches/,
  );
  assert.match(text({ sizes: [24] }), /: not compared: the (base|other run) did not measure it/);
});
