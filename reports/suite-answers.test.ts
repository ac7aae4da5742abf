import assert from 'node:assert/strict';
import { test } from 'node:test';
import { terminalText } from './document/terminal.ts';
import { syntheticRun } from './fixtures/synthetic.ts';
import { kvRun, moeRun } from './fixtures/workloads.ts';
import { groupsOf, type ReportRun } from './series.ts';
import { suiteAnswers } from './suite-answers.ts';

const textOf = (...runs: ReportRun[]): string =>
  terminalText(suiteAnswers(groupsOf(runs)), { columns: 1000, color: false });

test('routings: what each costs against the even one, and whether its busiest port explains it', () => {
  const text = textOf(moeRun());
  assert.match(
    text,
    /Transport: socket is faster than sisci \(emulated\) at 2 of 3 configurations, .*; slower at 1\./,
  );
  assert.match(
    text,
    /Load: .*over socket at batch 128, time \(load of the busiest port\) against uniform: .*hot:4 1\.00x ±[\d.]+ % \(2\.0x\)/,
  );
  assert.match(
    text,
    /Load: .*over sisci \(emulated\) .*: hot:4 2\.0x .* and zipf:1\.2 1\.7\dx .* \(1\.75x\)\./,
  );
  assert.match(text, /Why: over sisci \(emulated\) the busiest port explains the time\./);
  assert.match(text, /Why: over socket skewed load costs less than its busiest port carries more/);
  assert.match(text, /More: collbench alltoall --sizes 512K --ranks 4 --transport socket --why/);
});

test('layouts: the share of one descriptor, and what each further descriptor costs', () => {
  const text = textOf(kvRun());
  assert.match(text, /Bound: .*over socket at prompt 128: layout layer 87 % .* of layout contiguous\./);
  assert.match(
    text,
    /Why: over socket each message more than the bound \(up to 31\) adds [\d.]+ µs to 1\.0\d µs/,
  );
  assert.match(text, /Why: over sisci \(emulated\) each message more .* adds 9\.\d+ µs/);
  assert.match(text, /More: collbench put --sizes 8K --ranks 2 --transport socket --why/);
});

test('a suite without skewed loads and without a bound has no answers of this kind', () => {
  assert.equal(textOf(syntheticRun({ maxBytes: 64 })).trim(), '');
});
