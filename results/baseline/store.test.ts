import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import type { Baseline } from '../schema/index.ts';
import { StoreError } from '../store/errors.ts';
import { syntheticRecord } from '../testing/run.ts';
import { listBaselines, readBaseline, writeBaseline } from './store.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'collbench-baseline-'));
after(() => rmSync(folder, { recursive: true }));

const { record, cells } = syntheticRecord({ sizes: [8, 1024], launches: 2 });
const value: Baseline = {
  schemaVersion: 3,
  name: 'nightly',
  setAt: '2026-11-21T01:00:00.000Z',
  source: { kind: 'run', id: record.id, name: 'allreduce', title: record.title },
  entries: [{ entry: 'run', record, cells }],
  learned: null,
};

test('a baseline is read as it was written, and replaced whole', async () => {
  await writeBaseline(folder, value);
  assert.deepEqual(await readBaseline(folder, 'nightly'), value);
  await writeBaseline(folder, { ...value, setAt: '2026-11-22T01:00:00.000Z' });
  assert.equal((await readBaseline(folder, 'nightly'))?.setAt, '2026-11-22T01:00:00.000Z');
  assert.deepEqual(readdirSync(folder), ['nightly.json']);
  assert.equal(await readBaseline(folder, 'other'), null);
  assert.deepEqual(await listBaselines(path.join(folder, 'gone')), []);
});

test('a baseline that is no JSON is refused in one line, although the text has line breaks', async () => {
  writeFileSync(path.join(folder, 'torn.json'), 'x\u001b[2J\n');
  await assert.rejects(readBaseline(folder, 'torn'), (error: Error) => {
    assert.match(error.message, /torn\.json is not JSON: [^\n]*x·\[2J [^\n]*$/);
    return true;
  });
});

test('a baseline from before the first release is refused by its version', async () => {
  writeFileSync(
    path.join(folder, 'older.json'),
    JSON.stringify({ ...value, schemaVersion: 1, name: 'older' }),
  );
  await assert.rejects(readBaseline(folder, 'older'), (error: StoreError) => {
    assert.match(error.message, /older\.json is of schema version 1, from before the first release/);
    assert.deepEqual(error.advice.next, { words: ['baseline', 'list'], keep: ['baselines'] });
    return true;
  });
  rmSync(path.join(folder, 'older.json'));
});

test('a name is a name, not a path', async () => {
  for (const name of ['../nightly', '/etc/passwd', '', '.hidden', 'a/b', 'a\\b', 'x'.repeat(61)]) {
    await assert.rejects(readBaseline(folder, name), /is not a valid name of a baseline/, name);
    await assert.rejects(
      writeBaseline(folder, { ...value, name }),
      /is not a valid name of a baseline/,
      name,
    );
  }
});

for (const [what, text, pattern] of [
  ['torn', '{"schemaVersion":3,"name"', /is not JSON/],
  [
    'of a newer collbench',
    JSON.stringify({ ...value, schemaVersion: 4 }),
    /schema version 4; this collbench reads up to 3/,
  ],
  ['with fields of its own', JSON.stringify({ ...value, evil: 1 }), /not valid .*"evil"/],
  ['of another shape', '[1, 2]', /where a record is due/],
  [
    'with times that are none',
    JSON.stringify({ ...value, entries: [{ entry: 'run', record, cells }] }).replaceAll(
      /"launchValues":\[[\d.]+/g,
      '"launchValues":[0',
    ),
    /not valid/,
  ],
  [
    'with variances that are none',
    JSON.stringify({ ...value, learned: { at: value.setAt, from: [], groups: [{ entry: 'a' }] } }),
    /not valid/,
  ],
] as const) {
  test(`a file that is ${what} is refused`, async () => {
    writeFileSync(path.join(folder, 'bad.json'), text);
    await assert.rejects(readBaseline(folder, 'bad'), (error: Error) => {
      assert.ok(error instanceof StoreError, error.stack);
      assert.match(error.message, pattern);
      return true;
    });
  });
}

test('a file that is too large is refused unread', async () => {
  const file = path.join(folder, 'huge.json');
  writeFileSync(file, '');
  truncateSync(file, 2 ** 30);
  await assert.rejects(readBaseline(folder, 'huge'), /it is larger than 256 MiB/);
});
