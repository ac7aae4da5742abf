import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  appendFile,
  chmod,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { deriveCell } from '../derive/cells/cell.ts';
import { type BlockRecord, type CellRecord, measuredOf } from '../schema/index.ts';
import { testBlock } from '../testing/block.ts';
import { testPlan, testRecord } from '../testing/plan.ts';
import { recordedEnvironment } from './environment.ts';
import { StoreError } from './errors.ts';
import { LineFile } from './lines.ts';
import { listRuns } from './list.ts';
import { files } from './paths.ts';
import { openRun } from './read.ts';
import type { RunWriter } from './types.ts';
import { createRun } from './write.ts';

async function folder(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'collbench-store-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

const plan = testPlan();
const block = (point: number, transport: number, number: number): BlockRecord =>
  testBlock(new Array(20).fill(1000 + point), { point, transport, block: number });
const cell = (point: number, transport: number): CellRecord =>
  deriveCell(plan, point, transport, [block(point, transport, 0)]);

async function written(root: string, cells = 4): Promise<RunWriter> {
  const run = await createRun({ root, record: testRecord() });
  let number = 0;
  for (const point of [0, 1]) {
    for (const transport of [0, 1]) {
      await run.appendBlock(block(point, transport, number));
      if (number < cells) await run.appendCell(cell(point, transport));
      number += 1;
    }
  }
  return run;
}

const failsWith = (code: string, text: RegExp) => (error: unknown) => {
  assert.ok(error instanceof StoreError, String(error));
  assert.equal(error.code, code);
  assert.match(error.message, text);
  return true;
};

test('what was written is read back: record, cells in the order of the plan, blocks, logs', async (t) => {
  const root = await folder(t);
  const run = await written(root);
  await run.appendLog('agent', 'first line');
  await run.appendLog('agent', 'second line\n');
  const ended = testRecord({ state: 'complete', exitCode: 0, endedAt: '2026-11-21T01:03:00.000Z' });
  await run.update(ended);
  await run.close();

  const loaded = await openRun(run.dir);
  assert.deepEqual(loaded.record, ended);
  assert.deepEqual(loaded.cells, [cell(0, 0), cell(0, 1), cell(1, 0), cell(1, 1)]);
  assert.deepEqual(loaded.warnings, []);
  const blocks: BlockRecord[] = [];
  for await (const one of loaded.blocks()) blocks.push(one);
  assert.deepEqual(
    blocks.map((one) => one.block),
    [0, 1, 2, 3],
  );
  assert.equal(await readFile(join(run.dir, files.logs, 'agent.log'), 'utf8'), 'first line\nsecond line\n');
});

test('the folder is named by time, matter and id, and nothing temporary stays in it', async (t) => {
  const root = await folder(t);
  const run = await written(root);
  await run.update(testRecord({ state: 'complete' }));
  await run.close();
  assert.equal(basename(run.dir), '2026-11-21T01-00-00Z-allreduce-7f3a2c');
  assert.deepEqual((await readdir(run.dir)).sort(), [files.cells, files.logs, files.record, files.samples]);
});

test('the last line of a cell counts: refined figures replace those of the run', async (t) => {
  const run = await written(await folder(t));
  const better = { ...cell(0, 0), detail: { adapter: 'again' } };
  await run.appendCell(better);
  await run.close();
  const { cells } = await openRun(run.dir);
  assert.equal(cells.length, 4);
  assert.deepEqual(cells[0], better);
});

test('a torn last line is left out and told; the cell is derived from its blocks', async (t) => {
  const run = await written(await folder(t), 3);
  await run.close();
  await appendFile(join(run.dir, files.cells), JSON.stringify(cell(1, 1)).slice(0, 200));
  const { cells, warnings } = await openRun(run.dir);
  assert.equal(cells.length, 4);
  const last = cells[3];
  assert.equal(last?.status, 'ok');
  assert.ok(last.flags.some(({ name }) => name === 'interrupted'));
  assert.equal(measuredOf(last, 'latency')?.value, 1001);
  assert.match(warnings.join('\n'), /last line of cells.ndjson \(4\) is torn/);
  assert.match(
    warnings.join('\n'),
    /1 configuration was not finished; .*: allreduce \d+ \w+ over \w+ \(1 block\)\./,
  );
});

test('an unreadable line in the middle is damage, not an interruption', async (t) => {
  const run = await written(await folder(t));
  await run.close();
  await appendFile(join(run.dir, files.cells), '{"half\n');
  await appendFile(join(run.dir, files.cells), `${JSON.stringify(cell(0, 0))}\n`);
  await assert.rejects(openRun(run.dir), failsWith('broken', /cells\.ndjson, line 5/));
});

test('a newer schema is refused with both versions and the fix', async (t) => {
  const run = await written(await folder(t));
  await run.close();
  const path = join(run.dir, files.record);
  await writeFile(path, JSON.stringify({ ...testRecord(), schemaVersion: 4, surprise: true }));
  await assert.rejects(
    openRun(run.dir),
    failsWith('newer', /schema version 4; .* reads up to 3\..*Update collbench/),
  );
});

test('a record that is no record is named with the field', async (t) => {
  const run = await written(await folder(t));
  await run.close();
  const path = join(run.dir, files.record);
  await writeFile(path, JSON.stringify({ ...testRecord(), state: 'asleep' }));
  await assert.rejects(openRun(run.dir), failsWith('broken', /run\.json is not valid .* state: /));
  await writeFile(path, '{"schemaVersion": 1');
  await assert.rejects(openRun(run.dir), failsWith('broken', /cannot be read/));
});

test('a run is found by folder, name, id or the start of one; otherwise the nearest are named', async (t) => {
  const root = await folder(t);
  const run = await written(root);
  await run.close();
  for (const name of [run.dir, basename(run.dir), '7f3a2c', '7f3', '2026-11-21']) {
    assert.equal((await openRun(name, root)).dir, run.dir, name);
  }
  await assert.rejects(
    openRun('7f3a2d', root),
    failsWith('not-found', /no run '7f3a2d' .*Nearest: .*7f3a2c/),
  );
  await assert.rejects(openRun('', root), failsWith('bad-name', /empty/));
  await assert.rejects(
    openRun('x', join(root, 'nowhere')),
    failsWith('not-found', /there is no run 'x': there are no runs in/),
  );
  const other = await createRun({ root, record: testRecord({ id: '7f0000' }) });
  await other.close();
  await assert.rejects(openRun('7f', root), failsWith('not-found', /could be any of: .*7f0000/));
});

test('a run is found by its id, or the start of it, also in a folder that the user named', async (t) => {
  const root = await folder(t);
  const run = await written(root);
  await run.close();
  await rename(run.dir, join(root, 'mine'));
  for (const name of ['mine', '7f3a2c', '7f3'])
    assert.equal((await openRun(name, root)).dir, join(root, 'mine'), name);
  await assert.rejects(openRun('7f3a2d', root), failsWith('not-found', /no run '7f3a2d' .*Nearest: mine/));
});

test('a folder that is no run says so', async (t) => {
  const root = await folder(t);
  await assert.rejects(openRun(root, root), failsWith('not-found', /is not a run: it has no run\.json/));
});

test('runs are listed by time; broken ones say why, other folders are passed over', async (t) => {
  const root = await folder(t);
  const later = await createRun({
    root,
    record: testRecord({ id: 'bbbbbb', startedAt: '2026-11-22T00:00:00.000Z' }),
  });
  await later.close();
  const run = await written(root, 3);
  await run.close();
  await mkdir(join(root, 'notes'));
  await mkdir(join(root, 'aaa-broken'));
  await writeFile(join(root, 'aaa-broken', files.record), 'not json');
  const runs = await listRuns(root);
  assert.deepEqual(
    runs.map(({ id, state, cellsMeasured }) => [id, state, cellsMeasured]),
    [
      ['7f3a2c', 'running', 3],
      ['bbbbbb', 'running', 0],
      ['broken', 'unreadable', null],
    ],
  );
  assert.match(runs[2]?.problem ?? '', /cannot be read/);
  assert.deepEqual(await listRuns(join(root, 'nowhere')), []);
});

test('a run without end whose results cannot be read is listed with the reason, beside all others', async (t) => {
  const root = await folder(t);
  const whole = await written(root);
  await whole.close();
  const other = await createRun({ root, record: testRecord({ id: 'bbbbbb', label: 'night' }) });
  await other.close();
  await rm(join(whole.dir, files.cells));
  await mkdir(join(whole.dir, files.cells));
  const runs = await listRuns(root);
  assert.deepEqual(runs.map(({ id, state, cellsMeasured }) => [id, state, cellsMeasured]).sort(), [
    ['7f3a2c', 'unreadable', null],
    ['bbbbbb', 'running', 0],
  ]);
  assert.match(runs.find(({ id }) => id === '7f3a2c')?.problem ?? '', /cells\.ndjson cannot be read: /);
  assert.equal((await openRun('night', root)).record.id, 'bbbbbb');
});

test('--out: an empty or new folder is taken, a full one refused and left as it is', async (t) => {
  const root = await folder(t);
  const out = join(root, 'deep', 'new');
  const run = await createRun({ out, record: testRecord() });
  await run.close();
  assert.equal(run.dir, out);
  await assert.rejects(
    createRun({ out, record: testRecord() }),
    failsWith('exists', /is there already and not empty .*Nothing in it was changed/),
  );
  await mkdir(join(root, 'empty'));
  const second = await createRun({ out: join(root, 'empty'), record: testRecord() });
  await second.close();
});

test('a place that cannot be written to is found before anything is measured', async (t) => {
  const root = await folder(t);
  await writeFile(join(root, 'file'), '');
  await assert.rejects(
    createRun({ out: join(root, 'file', 'run'), record: testRecord() }),
    failsWith('unwritable', /a part of the path is a file.*Nothing was measured yet.*--out/),
  );
  await assert.rejects(
    createRun({ out: join(root, 'file'), record: testRecord() }),
    failsWith('unwritable', /file/),
  );
});

test('no permission to write is told in words', {
  skip: process.getuid?.() === 0 && 'root may write everywhere',
}, async (t) => {
  const root = await folder(t);
  await chmod(root, 0o500);
  t.after(() => chmod(root, 0o700));
  await assert.rejects(createRun({ root, record: testRecord() }), failsWith('unwritable', /no permission/));
});

test('a full disk is one clear error that says what is safe, and stays one', async () => {
  const full = new LineFile(
    '/dev/full',
    await open('/dev/full', 'a'),
    () => 'The 3 configurations finished before are safe in /runs/x.',
  );
  const text =
    /cannot write \/dev\/full: the disk is full\. The 3 configurations .* are safe .*Free some space/;
  await assert.rejects(full.append('a line'), failsWith('full', text));
  await assert.rejects(full.append('another'), failsWith('full', text));
  await assert.rejects(full.close(), failsWith('full', text));
});

test('a failed rewrite of run.json leaves the former one whole', async (t) => {
  const run = await written(await folder(t));
  // A folder takes the name of the draft, so that open() fails as on a full disk.
  await mkdir(join(run.dir, `.${files.record}.${process.pid}.tmp`));
  await assert.rejects(run.update(testRecord({ state: 'complete' })), StoreError);
  await run.close();
  assert.equal((await openRun(run.dir)).record.state, 'running');
});

test('what was appended survives kill -9 of the writer, and the run says that it has no end', async (t) => {
  const root = await folder(t);
  const program = fileURLToPath(new URL('../testing/write-and-wait.js', import.meta.url));
  const child = spawn(process.execPath, [program, root], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = new Promise((resolve) => child.once('exit', resolve));
  let dir = '';
  for await (const text of child.stdout.setEncoding('utf8')) {
    dir += text;
    if (dir.endsWith('\n')) child.kill('SIGKILL');
  }
  await exit;
  const { cells, record, warnings } = await openRun(dir.trim());
  assert.equal(cells.length, 2);
  assert.equal(record.state, 'running');
  assert.match(warnings.join(), /still being written, or was killed/);
});

test('appends keep their order without being waited for', async (t) => {
  const dir = await folder(t);
  const path = join(dir, 'lines');
  const file = await LineFile.open(path, () => '');
  const lines = Array.from({ length: 200 }, (_, i) => `line ${i} ${'x'.repeat(i * 10)}`);
  await Promise.all(lines.map((line) => file.append(line)));
  await file.close();
  assert.equal(await readFile(path, 'utf8'), `${lines.join('\n')}\n`);
  assert.ok((await stat(path)).size > 0);
});

test('names of logs cannot leave the folder', async (t) => {
  const run = await written(await folder(t));
  await run.appendLog('../../evil/rank 1', 'x');
  await run.close();
  assert.deepEqual(await readdir(join(run.dir, files.logs)), ['__.._evil_rank_1.log']);
});

test('of the environment only named families are kept, and no secrets', () => {
  const kept = recordedEnvironment({
    OMPI_MCA_btl: 'self,tcp',
    OMPI_MCA_orte_precondition_transports: '0123-4567',
    PATH: '/bin',
    NCCL_DEBUG: 'INFO',
    UCX_TLS: 'tcp',
    COLLBENCH_API_KEY: 'x',
    SOFTNTB_FABRIC: 'abc',
    SOFTNTB_LINK: 'none',
    NCCL_AUTH_TOKEN: 'x',
    NCCL_OTHER: 'glpat-0123456789',
    UCX_PROXY: 'http://me:word@host:3128',
    HOME: '/home/me',
  });
  assert.deepEqual(kept, {
    NCCL_DEBUG: 'INFO',
    OMPI_MCA_btl: 'self,tcp',
    SOFTNTB_LINK: 'none',
    UCX_TLS: 'tcp',
  });
});

test('a run can be read while it is being written', async (t) => {
  const run = await written(await folder(t));
  assert.equal((await openRun(run.dir)).cells.length, 4);
  await run.close();
});

test('of runs that started within one second the last is the one that started last', async (t) => {
  const root = await folder(t);
  const starts = { zzzzzz: '100', aaaaaa: '900', mmmmmm: '500' };
  for (const [id, ms] of Object.entries(starts))
    await (
      await createRun({ root, record: testRecord({ id, startedAt: `2026-11-21T00:00:00.${ms}Z` }) })
    ).close();
  const before = testRecord({ id: 'bbbbbb', startedAt: '2026-11-20T23:59:59.000Z' });
  await (await createRun({ root, record: before })).close();
  const ids = await Promise.all(
    ['last', 'last~1', 'last~2', 'last~3'].map(async (word) => (await openRun(word, root)).record.id),
  );
  assert.deepEqual(ids, ['aaaaaa', 'mmmmmm', 'zzzzzz', 'bbbbbb']);
});
