// test: core, up to 60 s
import assert from 'node:assert/strict';
import { appendFile, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import {
  allMeasuredFigures,
  type BlockRecord,
  type CellRecord,
  measuredOf,
  type RunRecord,
} from '../../results/schema/index.ts';
import {
  findOnlyRun,
  ndjson,
  newSharedNames,
  type ProcessResult,
  run,
  type StartedProcess,
  sharedNames,
  signalRank,
  start,
  survivors,
  withFolder,
} from './harness.ts'; // prettier-ignore
import { splitShellWords } from './support/next.ts';

/** Tests that the real command can resume an incomplete run until it is complete. */

const words =
  'allreduce --min 8 --max 64K --transport socket,sisci --launches 2 --precision off --timeout 20'.split(' ');
const cellsPlanned = 28;
const firstRows = /\n\s+(32|64)\s/;
const laterRows = /\n\s+1K\s/;

interface ResumeTestRun {
  directory: string;
  record: RunRecord;
  cells: CellRecord[];
  blocks: BlockRecord[];
}

async function stored(folder: string): Promise<ResumeTestRun> {
  const directory = await findOnlyRun(folder);
  const record = JSON.parse(await readFile(path.join(directory, 'run.json'), 'utf8')) as RunRecord;
  const cells = await ndjson<CellRecord>(path.join(directory, 'cells.ndjson'));
  const blocks = await ndjson<BlockRecord>(path.join(directory, 'samples', 'blocks.ndjson')).catch(() => []);
  return { directory, record, cells, blocks };
}

/** Starts the command and breaks it once it has printed `rows`. Checks that no process and no shared memory is left. */
async function broken(
  folder: string,
  args: string[],
  rows: RegExp,
  breakIt: (started: StartedProcess) => Promise<void> | void,
): Promise<ProcessResult> {
  const before = await sharedNames();
  const started = start(args, { cwd: folder });
  await started.sees(rows);
  await breakIt(started);
  const ended = await started.ended;
  assert.deepEqual(await survivors(started.marker), []);
  assert.deepEqual(await newSharedNames(before), []);
  return ended;
}

const isFinished = (cell: CellRecord) =>
  cell.status === 'ok' && cell.flags.every(({ name }) => name !== 'interrupted');
const kill = ({ child }: StartedProcess): void => void child.kill('SIGKILL');

/**
 * Checks that all cells are measured and verified, and that cells that were finished in `earlier` are unchanged.
 * @param times how often the run was resumed
 */
async function assertWhole(folder: string, earlier: ResumeTestRun, times: number): Promise<void> {
  const { directory, record, cells, blocks } = await stored(folder);
  assert.equal(directory, earlier.directory);
  assert.equal(record.state, 'complete', JSON.stringify(record.failures));
  assert.equal(record.exitCode, 0);
  assert.deepEqual(record.plan, earlier.record.plan);
  assert.equal(record.startedAt, earlier.record.startedAt);
  assert.equal(record.resumed?.length, times);
  assert.equal(record.summary?.cellsMeasured, cellsPlanned);
  assert.equal(cells.length, cellsPlanned);
  for (const cell of cells) {
    assert.ok(cell.status === 'ok' && allMeasuredFigures(cell).length === 2, cell.id);
    assert.equal(cell.verification.wrongElements, 0);
    assert.ok(cell.verification.checks > 0);
    assert.equal(measuredOf(cell, 'latency')?.launchValues.length, 2, 'both launches');
    assert.ok(cell.flags.every(({ name }) => name !== 'interrupted'));
  }
  for (const was of earlier.cells.filter(isFinished)) {
    const is = cells.find(({ id }) => id === was.id);
    assert.ok(was.status === 'ok' && is?.status === 'ok');
    assert.deepEqual(
      measuredOf(is, 'latency')?.launchValues,
      measuredOf(was, 'latency')?.launchValues,
      'not measured again',
    );
  }
  assert.deepEqual(
    blocks.map(({ block }) => block),
    blocks.map((_, i) => i),
    'numbers go on',
  );
  assert.ok(blocks.some(({ attempt }) => attempt === times));
  assert.deepEqual(
    (await readdir(directory)).filter((name) => name.startsWith('.')),
    [],
    'no lock is left',
  );
  const html = await readFile(path.join(directory, 'report.html'), 'utf8');
  assert.match(html, /<b>Resumed\.<\/b> resumed \d{4}-/);
  const shown = await run(['show', directory], { cwd: folder });
  assert.match(shown.stdout, /resumed \d{4}-.* of 28 configurations\s+there/);
  assert.doesNotMatch(shown.stdout, /warning/);
}

test('killed in the middle, with a torn last line: resumed to its end', async () => {
  await withFolder(async (folder) => {
    await broken(folder, words, firstRows, kill);
    const earlier = await stored(folder);
    assert.equal(earlier.record.state, 'running');
    await appendFile(path.join(earlier.directory, 'samples', 'blocks.ndjson'), '{"block":9');
    await appendFile(path.join(earlier.directory, 'cells.ndjson'), '{"schemaVersion":1,');
    const { code, stdout, stderr } = await run(['resume', earlier.record.id], { cwd: folder });
    assert.equal(code, 0, stderr);
    assert.match(stderr, /resuming run \w+: \d+ of 28 configurations already measured, \d+ left, about /);
    for (const size of ['8', '64K']) assert.match(stdout, new RegExp(`\\n\\s*${size} .* socket `));
    await assertWhole(folder, earlier, 1);
  });
});

test('Ctrl-C in a run with a folder of its own: the command that it names resumes it', async () => {
  await withFolder(async (folder) => {
    const { stderr } = await broken(folder, [...words, '--out', 'runs/monday'], firstRows, ({ child }) => {
      child.kill('SIGINT');
    });
    const [, named = ''] = /^Resume it: collbench (.+)$/m.exec(stderr) ?? [];
    assert.equal(named, 'resume runs/monday', stderr);
    const { code, stderr: said } = await run(splitShellWords(named), { cwd: folder });
    assert.equal(code, 0, said);
  });
});

test('Ctrl-C, then killed while it is resumed: resumed twice to its end', async () => {
  await withFolder(async (folder) => {
    await broken(folder, words, firstRows, ({ child }) => void child.kill('SIGINT'));
    const earlier = await stored(folder);
    assert.equal(earlier.record.state, 'interrupted');
    await broken(folder, ['resume', earlier.directory], laterRows, kill);
    const between = await stored(folder);
    assert.equal(between.record.resumed?.[0]?.before.state, 'interrupted');
    assert.equal(between.record.resumed?.[0]?.before.failures[0]?.kind, 'interrupted');
    const shown = await run(['show', earlier.directory], { cwd: folder });
    assert.equal(shown.code, 0, shown.stderr);
    const { code, stderr } = await run(['resume', earlier.directory, '--json'], { cwd: folder });
    assert.equal(code, 0, stderr);
    await assertWhole(folder, between, 2);
  });
});

test('a rank that dies: the failure is kept with the start it belongs to, and the run comes to its end', async () => {
  await withFolder(async (folder) => {
    await broken(folder, words, firstRows, async ({ marker }) => {
      await signalRank(marker, 'SIGKILL', -1);
    });
    const earlier = await stored(folder);
    assert.equal(earlier.record.state, 'failed');
    const { code, stderr } = await run(['resume', earlier.record.id], { cwd: folder });
    assert.equal(code, 0, stderr);
    await assertWhole(folder, earlier, 1);
    const { record } = await stored(folder);
    assert.deepEqual(record.failures, []);
    assert.equal(record.resumed?.[0]?.before.failures[0]?.kind, 'rank-died');
  });
});

test('a complete run has nothing to resume; one that is being measured is refused', async () => {
  await withFolder(async (folder) => {
    const started = start(words, { cwd: folder });
    await started.sees(firstRows);
    // The first command must not end while the second one starts, which takes seconds on a busy machine.
    started.child.kill('SIGSTOP');
    const directory = await findOnlyRun(folder);
    const refused = await run(['resume', directory], { cwd: folder });
    started.child.kill('SIGCONT');
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /is being written by process \d+ on /);
    assert.doesNotMatch(refused.stderr, /\n\s+at /);
    assert.equal((await started.ended).code, 0, 'the living one was not disturbed');
    assert.equal((await stored(folder)).record.resumed, undefined);

    const text = await readFile(path.join(directory, 'run.json'), 'utf8');
    const { code, stdout } = await run(['resume', directory], { cwd: folder });
    assert.equal(code, 0);
    assert.match(stdout, /nothing to measure, all 28 configurations are measured/);
    assert.equal(await readFile(path.join(directory, 'run.json'), 'utf8'), text);
  });
});

test('other surroundings: refused with what differs, nothing changed; --force goes on and records it', async () => {
  await withFolder(async (folder) => {
    await broken(folder, words, firstRows, kill);
    const earlier = await stored(folder);
    const env = { NCCL_ALGO: 'Tree' };
    const refused = await run(['resume', earlier.record.id], { cwd: folder, env });
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /started in a different environment\n {2}NCCL_ALGO was not set, is 'Tree'/);
    assert.match(refused.stderr, /--force/);
    assert.deepEqual(await stored(folder), earlier);
    const forced = await run(['resume', earlier.record.id, '--force'], { cwd: folder, env });
    assert.equal(forced.code, 0, forced.stderr);
    assert.match(forced.stderr, /changed since then: NCCL_ALGO/);
    await assertWhole(folder, earlier, 1);
    const { directory, record } = await stored(folder);
    assert.deepEqual(record.resumed?.[0]?.differences, ["NCCL_ALGO was not set, is 'Tree'"]);
    assert.match(await readFile(path.join(directory, 'report.html'), 'utf8'), /NCCL_ALGO was not set/);
  });
});
