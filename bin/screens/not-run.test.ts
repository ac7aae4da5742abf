import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { refuse } from '../../results/refusals/refusal.ts';
import { failureWith } from '../../results/schema/index.ts';
import { FailureError } from '../../results/verdicts/failure.ts';
import { tellNotRun } from './not-run.ts';

const noAgent = new FailureError(failureWith({ kind: 'setup', message: 'no agent on gpu01' }));
const silent = { json: false, jsonLive: false };

/** Returns what a function writes to stderr. */
function stderrOf(work: () => void): string {
  const before = process.stderr.write;
  let text = '';
  process.stderr.write = ((part: string) => {
    text += part;
    return true;
  }) as typeof before;
  try {
    work();
  } finally {
    process.stderr.write = before;
  }
  return text;
}

test('a run that could not start leaves its failure in the file of --json-file', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'collbench-not-run-'));
  try {
    const jsonFile = path.join(folder, 'run.ndjson');
    assert.equal(
      stderrOf(() => tellNotRun(noAgent, { ...silent, jsonFile })),
      '',
    );
    const { state, failures } = JSON.parse(readFileSync(jsonFile, 'utf8'));
    assert.deepEqual([state, failures[0].message], ['failed', 'no agent on gpu01']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a file that cannot be written is a note, so that the user still sees why the run could not start', () => {
  const jsonFile = '/nowhere/run.ndjson';
  assert.match(
    stderrOf(() => tellNotRun(noAgent, { ...silent, jsonFile })),
    /^collbench: --json-file \/nowhere\/run\.ndjson cannot be written: ENOENT/,
  );
  const refusal = refuse('file-unwritable', { where: `--json-file ${jsonFile}`, why: 'ENOENT' });
  assert.equal(
    stderrOf(() => tellNotRun(refusal, { ...silent, jsonFile })),
    '',
  );
});
