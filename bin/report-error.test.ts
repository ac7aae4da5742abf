import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { helpTopics } from '../reports/help-topics.ts';
import { packageRoot } from '../results/package.ts';
import { refuse } from '../results/refusals/refusal.ts';
import { type Failure, failureWith } from '../results/schema/index.ts';
import { StoreError, type StoreErrorCode } from '../results/store/errors.ts';
import { exitCode, exitMeanings } from '../results/verdicts/exit-code.ts';
import { FailureError } from '../results/verdicts/failure.ts';
import { exitCodeOfError, wordingOf } from './report-error.ts';

/** Exit code by the code of the StoreError; the type makes a new code state its exit code here. */
const storeErrorExits: Record<StoreErrorCode, number> = {
  'bad-name': 1,
  'not-found': 2,
  'names-suite': 2,
  'names-explanation': 2,
  'names-bisection': 2,
  exists: 2,
  unwritable: 2,
  full: 2,
  write: 2,
  newer: 2,
  broken: 2,
  'in-use': 2,
};

test('a run or file that does not exist, or cannot be read or written, exits 2; a name that is never valid exits 1', () => {
  for (const [code, exit] of Object.entries(storeErrorExits)) {
    const error = new StoreError(code as StoreErrorCode, 'runs/1', 'text');
    assert.equal(exitCodeOfError(error), exit, code);
  }
});

test('failures and refusals of this machine exit 2, refusals that hold anywhere and internal errors exit 1', () => {
  assert.equal(exitCodeOfError(new FailureError(failureWith({ kind: 'internal', message: 'text' }))), 2);
  assert.equal(exitCodeOfError(refuse('bundle-option', { option: 'size' })), 1);
  assert.equal(exitCodeOfError(refuse('import-unreadable', { file: 'a.txt', why: 'text' })), 2);
  assert.equal(exitCodeOfError(new Error('text')), 1);
});

test('a failure of a host ends with its own next command, else with doctor on the same hosts; Ctrl-C with none', () => {
  const typed = ['allreduce', '--hosts', 'a,b', '--max', '1K', '--rsh=openssh'];
  const nextOf = (kind: string, next: Failure['next']) =>
    wordingOf(new FailureError(failureWith({ kind, message: 'text', next })), typed)?.next?.shell;
  assert.equal(nextOf('agent-lost', null), 'collbench doctor --hosts a,b --rsh=openssh');
  assert.equal(nextOf('setup', 'npm run build'), 'npm run build');
  const change = { 'remote-dir': '/scratch', rsh: null };
  assert.equal(nextOf('setup', { change }), 'collbench allreduce --hosts a,b --max 1K --remote-dir /scratch');
  assert.equal(nextOf('interrupted', null), undefined);
});

test('a stored file that cannot be read ends with the list of runs, or with the next command of its error', () => {
  const typed = ['show', 'ab12cd', '--root', 'nights'];
  const nextOf = (code: StoreErrorCode, advice = {}) =>
    wordingOf(new StoreError(code, 'runs/1', 'text', advice), typed)?.next?.shell;
  assert.equal(nextOf('broken'), 'collbench runs --root nights');
  assert.equal(nextOf('newer'), 'collbench runs --root nights');
  assert.equal(nextOf('full'), 'collbench show --help');
  assert.equal(nextOf('broken', { next: 'collbench doctor' }), 'collbench doctor');
});

test('the guide for scripts has a row for each exit code', () => {
  const guide = readFileSync(path.join(packageRoot, 'docs', 'guide', 'scripts.md'), 'utf8');
  const rows = [...guide.matchAll(/^\| (\d+) \| /gm)].map(([, code]) => Number(code));
  assert.deepEqual(rows, Object.values(exitCode));
});

test('help exit explains every exit code once, from the table that the code uses', () => {
  const explained = (helpTopics.exit ?? []).slice(1).map((line) => /^ {2}(\d+) +(.+)$/.exec(line)?.slice(1));
  const names = Object.keys(exitCode) as (keyof typeof exitCode)[];
  assert.deepEqual(
    explained,
    names.map((name) => [String(exitCode[name]), exitMeanings[name]]),
  );
});
