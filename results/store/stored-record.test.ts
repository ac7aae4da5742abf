import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { SuiteMembership, SuiteRecord } from '../schema/index.ts';
import { testRecord } from '../testing/plan.ts';
import { StoreError } from './errors.ts';
import { openRun } from './read.ts';
import { openNamed, type StoredRecord } from './stored-record.ts';
import { createSuite, openSuite } from './suites.ts';
import { createRun } from './write.ts';

const suiteOf = (id: string): SuiteRecord => ({
  ...{ schemaVersion: 2, id, name: 'nightly', title: 'nightly', command: [], files: [], entries: [] },
  ...{ startedAt: '2026-11-21T01:00:00.000Z', endedAt: null, state: 'complete', exitCode: 0, gate: null },
});

const memberOf = (id: string, folder?: string): SuiteMembership => ({
  ...{ id, name: 'nightly', entry: 'a', arm: 'tonight', pass: 'first', turn: 0 },
  ...(folder === undefined ? {} : { folder }),
});

/**
 * Writes one run without a suite, then a suite of one run. The suite's folder is next to the runs, or elsewhere as with `--out`.
 */
async function written(t: TestContext, isElsewhere: boolean): Promise<{ root: string; out: string }> {
  const base = await mkdtemp(join(tmpdir(), 'collbench-named-'));
  t.after(() => rm(base, { recursive: true, force: true }));
  const [root, out] = [join(base, 'runs'), join(base, 'out')];
  const run = async (id: string, minute: number, suite?: SuiteMembership) => {
    const startedAt = `2026-11-21T01:0${minute}:00.000Z`;
    const record = testRecord({ id, startedAt, ...(suite === undefined ? { label: 'monday' } : { suite }) });
    await (await createRun({ root, record })).close();
  };
  await run('aaaa01', 1);
  await run('bbbb02', 2, memberOf('cccc03', isElsewhere ? '../out' : undefined));
  await createSuite(suiteOf('cccc03'), isElsewhere ? { root, out } : { root });
  return { root, out };
}

function idOf(named: StoredRecord): string {
  switch (named.kind) {
    case 'run':
      return named.run.record.id;
    case 'suite':
      return named.suite.record.id;
    default:
      return named.record.id;
  }
}

for (const isElsewhere of [false, true])
  test(`a suite ${isElsewhere ? 'that --out put elsewhere' : 'beside its runs'} is found by its id, and as the last`, async (t) => {
    const { root, out } = await written(t, isElsewhere);
    const expected = {
      cccc03: 'suite cccc03',
      ccc: 'suite cccc03',
      last: 'suite cccc03',
      'last~1': 'run aaaa01',
      monday: 'run aaaa01',
      bbbb02: 'run bbbb02',
      ...(isElsewhere ? { [out]: 'suite cccc03' } : {}),
    };
    for (const [word, what] of Object.entries(expected)) {
      const named = await openNamed(word, root);
      assert.equal(`${named.kind} ${idOf(named)}`, what, word);
    }
    // `last` is a run if the command line has further words; `last~1` always is.
    assert.equal(idOf(await openNamed('last', root, false)), 'bbbb02');
    assert.equal((await openSuite('cccc03', root))?.record.id, 'cccc03');
    await assert.rejects(openRun('cccc03', root), (error: unknown) => {
      assert.ok(error instanceof StoreError);
      assert.match(error.message, /'cccc03' is suite nightly with 1 run, and here one run is needed/);
      assert.equal(error.advice.details?.[0], 'its runs: bbbb02 (a)');
      const { next } = error.advice;
      assert.deepEqual(next, { words: ['runs', '--filter', 'cccc03'], keep: ['root'] });
      return true;
    });
  });

test('a folder that a run names is a suite of that id, or none', async (t) => {
  const { root, out } = await written(t, true);
  for (const text of [JSON.stringify(suiteOf('dddd04')), '']) {
    await rm(join(out, 'suite.json'));
    if (text !== '') await writeFile(join(out, 'suite.json'), text);
    else await mkdir(join(out, 'suite.json'));
    await assert.rejects(openNamed('cccc03', root), /is suite nightly with 1 run/);
  }
});

test('a label that is also the beginning of ids and folder names of others names its own run', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'collbench-named-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  const labels = ['aa', 'cc', '2026'];
  for (const [minute, id] of ['bbbb01', 'dddd02', 'eeee03', 'aaaa04', 'aaaa05'].entries()) {
    const label = labels[minute];
    const record = testRecord({ id, startedAt: `2026-11-21T01:0${minute}:00.000Z` });
    await (await createRun({ root, record: label === undefined ? record : { ...record, label } })).close();
  }
  await createSuite(suiteOf('cccc06'), { root });
  const found = await Promise.all(labels.map(async (label) => idOf(await openNamed(label, root))));
  assert.deepEqual(found, ['bbbb01', 'dddd02', 'eeee03']);
  assert.equal((await openRun('aa', root)).record.id, 'bbbb01');
  assert.equal(
    (await openRun('aaaa0', root).catch((error: StoreError) => error)) instanceof StoreError,
    true,
  );
});
