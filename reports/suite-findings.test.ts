import assert from 'node:assert/strict';
import { test } from 'node:test';
import { suiteFound } from '../results/derive/index.ts';
import type { CellRecord, SuiteEntry, SuiteFinding } from '../results/schema/index.ts';
import { cellFacts } from '../results/testing/cell.ts';
import { syntheticRecord } from '../results/testing/run.ts';
import { terminalText } from './document/terminal.ts';
import { findingDocument } from './suite-findings.ts';

const entryOf = (parts: Partial<SuiteEntry> = {}): SuiteEntry => ({
  ...{ name: 'small', command: 'allreduce', words: [], environment: {}, optional: false },
  ...{ status: 'measured', reason: null, leftOut: [], cells: { expected: 3, measured: 3 }, runs: [] },
  ...parts,
});
const { cells } = syntheticRecord({ sizes: [8, 4096, 262144] });
const found = (entry: SuiteEntry, own: readonly CellRecord[] = cells) =>
  suiteFound([entry], new Map([[entry.name, own]]));
const textOf = (whole: SuiteFinding, columns = 400): string =>
  terminalText(findingDocument({ found: whole, gate: null }), { columns, color: false });
const checked = cells.map((cell) => {
  const { verification } = cellFacts(cell).cell;
  return { ...cellFacts(cell).cell, verification: { ...verification, enabled: true, checks: 10 } };
});

test('what was measured, verified and confirmed works, with a time and a bandwidth per series', () => {
  const whole = found(entryOf(), checked);
  assert.deepEqual([whole.verdict, whole.checks, whole.problems], ['works', 30, []]);
  assert.match(
    textOf(whole),
    /^WORKS: 3 of 3 configurations measured; 30 checks, 0 wrong; socket \(emulated\) confirmed\.$/m,
  );
  assert.match(
    textOf(whole, 160),
    /^series +transport +latency 8 B +bus bandwidth 256 KiB\n.* 10\.\d µs ±[\d.]+ % +[\d.]+ GB\/s ±[\d.]+ %\n\nWORKS/,
  );
});

test('wrong data, an unverified half and a transport that is not here are named; an optional entry is none', () => {
  const wrong = checked.map((cell, i) =>
    i === 0 ? { ...cell, verification: { ...cell.verification, wrongElements: 4 } } : cell,
  );
  const bad = found(entryOf({ status: 'failed', reason: 'wrong data' }), wrong);
  assert.equal(bad.verdict, 'fails');
  assert.deepEqual(bad.problems, ['small: wrong data in 1 of 3 configurations']);
  const leftOut = [{ transport: 'ib', reason: 'no adapter' }];
  const part = found(entryOf({ leftOut }), checked);
  assert.deepEqual([part.verdict, part.problems], ['partly', ['small: no ib here: no adapter']]);
  const optional = found(entryOf({ leftOut, optional: true }), checked);
  assert.equal(optional.verdict, 'works');
  const absent = entryOf({ status: 'cannot-run', reason: 'no GPU', optional: true });
  assert.deepEqual(found(absent, []).problems, []);
  const crashed = found(entryOf({ status: 'failed', reason: 'rank 1 died', optional: true }), checked);
  assert.deepEqual([crashed.verdict, crashed.problems], ['fails', ['small: rank 1 died']]);
  const off = checked.map((cell) => ({ ...cell, verification: { ...cell.verification, checks: 0 } }));
  assert.match(textOf(found(entryOf(), off)), /^WORKS IN PART: .*nothing verified/m);
});

test('flagged configurations are counted, with the most frequent flags', () => {
  const flag = { name: 'oversubscribed', level: 'disturbs' as const, reason: null };
  const flagged = checked.map((cell, i) => (i < 2 ? { ...cell, flags: [flag] } : cell));
  assert.match(textOf(found(entryOf(), flagged)), /; 2 of 3 flagged \(2 oversubscribed\)\.$/m);
});
