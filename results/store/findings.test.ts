import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { testBisection } from '../testing/bisection.ts';
import { testExplanation } from '../testing/explanation.ts';
import { testRecord } from '../testing/plan.ts';
import { createFinding, explanationsOf } from './findings.ts';
import { listRuns } from './list.ts';
import { openRun } from './read.ts';
import { prunableBisections, prunableExplanations } from './remove.ts';
import { openNamed } from './stored-record.ts';
import { createRun } from './write.ts';

/** Writes two runs, two explanations of the first run, and one of a run that is gone. */
async function written(t: TestContext): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'collbench-explained-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  for (const [at, id] of ['aaaa01', 'bbbb02'].entries()) {
    const record = testRecord({ id, startedAt: `2026-11-21T01:0${at}:00.000Z`, state: 'complete' });
    await (await createRun({ root, record })).close();
  }
  for (const [at, id, run] of [
    [3, 'cccc03', 'aaaa01'],
    [4, 'dddd04', 'aaaa01'],
    [5, 'eeee05', 'ffff06'],
  ] as const)
    await createFinding(
      'explanation',
      testExplanation({ id, run, startedAt: `2026-11-21T01:0${at}:00.000Z` }),
      'allreduce',
      { root },
    );
  return root;
}

const idsOf = (all: readonly { record: { id: string } }[]): string[] => all.map(({ record }) => record.id);

test('an explanation is found by its id, the start of it, or its folder, and is never the last run', async (t) => {
  const root = await written(t);
  const [{ dir = '' } = {}] = await explanationsOf({ id: 'aaaa01', startedAt: '2026-11-21T01:00:00Z' }, root);
  for (const word of ['cccc03', 'ccc', dir]) {
    const named = await openNamed(word, root);
    assert.ok(named.kind === 'explanation' && named.record.id === 'cccc03', word);
  }
  assert.equal((await openRun('last', root)).record.id, 'bbbb02');
});

test('where one run is needed, an explanation is refused with its run and the commands that take it', async (t) => {
  const root = await written(t);
  await assert.rejects(
    openRun('cccc03', root),
    (error: { message?: string; advice?: { next?: unknown } }) => {
      assert.match(error.message ?? '', /'cccc03' is an explanation of run aaaa01, and here a run is needed/);
      assert.deepEqual(error.advice?.next, { words: ['show', 'cccc03'], keep: ['root'] });
      return true;
    },
  );
});

test('a run has its explanations in order; those older than the run are not read', async (t) => {
  const root = await written(t);
  const { record } = await openRun('aaaa01', root);
  assert.deepEqual(idsOf(await explanationsOf(record, root)), ['cccc03', 'dddd04']);
  const later = { ...record, startedAt: '2026-11-21T01:03:30.000Z' };
  assert.deepEqual(idsOf(await explanationsOf(later, root)), ['dddd04']);
});

test('explanations go with their run; those of runs that are gone go as well', async (t) => {
  const root = await written(t);
  assert.deepEqual(idsOf(await prunableExplanations(root, [])), ['eeee05']);
  const [first] = await listRuns(root);
  assert.ok(first !== undefined);
  assert.deepEqual(idsOf(await prunableExplanations(root, [first])), ['cccc03', 'dddd04', 'eeee05']);
});

test('bisections that are older than the runs that are kept can go, except one that goes on', async (t) => {
  const root = await written(t);
  // The runs began at 01:00 and 01:01.
  for (const [id, startedAt, ended] of [
    ['abcd06', '2026-11-21T00:59:00.000Z', 'failed'],
    ['abcd07', '2026-11-21T00:59:00.000Z', null],
    ['abcd08', '2026-11-21T01:00:30.000Z', 'budget'],
    ['abcd09', '2026-11-21T01:02:00.000Z', 'failed'],
  ] as const)
    await createFinding('bisection', testBisection(4, { id, startedAt, ended }), 'allreduce', { root });
  const old = async (keep: number) => idsOf(await prunableBisections(root, keep)).sort();
  assert.deepEqual(await old(3), [], 'there are two runs');
  assert.deepEqual(await old(2), ['abcd06']);
  assert.deepEqual(await old(1), ['abcd06', 'abcd08']);
  assert.deepEqual(await old(0), ['abcd06', 'abcd08', 'abcd09']);
});
