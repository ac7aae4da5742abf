import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { BlockRecord, CellRecord, RunRecord } from '../../results/schema/index.ts';
import { findOnlyRun, ndjson, run, start, withFolder } from './harness.ts';

/** Tests --wait-quiet and --retry-flagged on a machine that other processes use. */

/** Calls `body` while two processes use one core each. */
async function besideBusyLoops<T>(body: () => Promise<T>): Promise<T> {
  const loops = [0, 1].map(() => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
  try {
    return await body();
  } finally {
    for (const loop of loops) loop.kill('SIGKILL');
  }
}

const recordOf = async (folder: string): Promise<RunRecord> =>
  JSON.parse(await readFile(path.join(await findOnlyRun(folder), 'run.json'), 'utf8')) as RunRecord;

const usual = 'allreduce --sizes 64K,1M --launches 2 --sample-interval 20ms';

test('--wait-quiet says what it waits for; where the time passes the run measures all the same', async () => {
  await withFolder((folder) =>
    besideBusyLoops(async () => {
      const words = `${usual} --iters 20 --wait-quiet 5s`.split(' ');
      const { code, stdout, stderr } = await run(words, { cwd: folder });
      assert.equal(code, 0, stderr);
      assert.match(
        stderr,
        /waiting for quiet machines, at most 5 s: other processes use [\d.]+ of \d+ cores/,
      );
      assert.match(stderr, /not quiet after \d+ s .*: measuring anyway/);
      assert.match(stdout, /waited \d+ s for quiet machines, they did not become quiet/);
      const { waits, state } = await recordOf(folder);
      assert.deepEqual([waits?.length, waits?.[0]?.isQuiet, state], [1, false, 'complete']);
    }),
  );
});

test('interrupted while it waits: the run is kept as interrupted', async () => {
  await withFolder((folder) =>
    besideBusyLoops(async () => {
      const started = start(`${usual} --iters 20 --wait-quiet=1h`.split(' '), { cwd: folder });
      await started.sees(/waiting for quiet machines/);
      started.child.kill('SIGINT');
      const { code } = await started.ended;
      assert.equal(code, 130);
      assert.equal((await recordOf(folder)).state, 'interrupted');
    }),
  );
});

test('--retry-flagged: both measurements are kept, and the run says which counts; killed meanwhile it can be resumed', async () => {
  await withFolder(async (folder) => {
    const started = await besideBusyLoops(async () => {
      // Without --budget every disturbed configuration is measured again, even if the machine stood still for
      // seconds. So many samples take the second measurement long enough to be killed before its end.
      const words = `${usual} --iters 200 --retry-flagged`.split(' ');
      const one = start(words, { cwd: folder });
      await one.sees(/disturbed: measuring (it|them) again/);
      one.child.kill('SIGKILL');
      await one.ended;
      return one;
    });
    assert.ok(started);
    const directory = await findOnlyRun(folder);
    const { retries: begun } = await recordOf(folder);
    assert.deepEqual(
      begun?.map(({ cells }) => cells.every(({ outcome }) => outcome === 'open')),
      [true],
    );
    const resumed = await run(['resume', directory], { cwd: folder });
    assert.equal(resumed.code, 0, resumed.stderr);
    const { state, retries = [], resumed: times } = await recordOf(folder);
    assert.equal(state, 'complete');
    assert.equal(times?.length, 1);
    assert.equal(retries.length, 2, 'what was open is measured once more');
    const [, last] = retries;
    const cells = await ndjson<CellRecord>(path.join(directory, 'cells.ndjson'));
    assert.equal(cells.length, 2);
    const blocks = await ndjson<BlockRecord>(path.join(directory, 'samples', 'blocks.ndjson'));
    for (const { point, outcome, figures } of last?.cells ?? []) {
      const cell = cells.find((one) => one.point === point);
      const attempts = new Set(blocks.filter((one) => one.point === point).map(({ attempt = 0 }) => attempt));
      assert.ok(attempts.has(0) && attempts.has(last?.attempt ?? -1), 'the samples of both are there');
      assert.ok(cell?.status === 'ok');
      assert.equal(cell.attempt, outcome === 'replaced' ? last?.attempt : undefined);
      assert.ok(figures.latency?.first !== null && figures.latency?.second !== null);
    }
    const { stdout } = await run(['show', directory], { cwd: folder });
    assert.match(stdout.replace(/\s+/g, ' '), /disturbed configurations? measured again: /);
  });
});

test('a suite waits and measures again where its file says so', async () => {
  await withFolder(async (folder) => {
    const suite = `options: {launches: 2, iters: 40, sizes: 1M, sample-interval: 20ms}
entries: {patient: {collective: allreduce, wait-quiet: 5s, retry-flagged: true}}
`;
    await writeFile(path.join(folder, 'mine.yaml'), suite);
    const ended = await besideBusyLoops(() => run(['suite', './mine.yaml'], { cwd: folder }));
    assert.equal(ended.code, 0, ended.stdout + ended.stderr);
    assert.match(ended.stderr, /waiting for quiet machines, at most 5 s/);
    assert.match(ended.stderr, /1 of 1 configuration disturbed: measuring it again/);
    const runs = path.join(folder, 'collbench-runs');
    const name = (await readdir(runs)).find((one) => one.includes('-allreduce-')) ?? '';
    const record = JSON.parse(await readFile(path.join(runs, name, 'run.json'), 'utf8')) as RunRecord;
    assert.deepEqual([record.state, record.suite?.entry], ['complete', 'patient']);
    assert.deepEqual(
      record.waits?.map(({ isQuiet }) => isQuiet),
      [false, false],
      'the second measurement waits, too',
    );
    const [retry] = record.retries ?? [];
    assert.equal(record.retries?.length, 1);
    assert.ok(retry?.cells.every(({ outcome }) => outcome === 'replaced' || outcome === 'disturbed'));
  });
});

test('what depends on the system load is refused where it is not read', async () => {
  for (const option of ['--wait-quiet', '--retry-flagged']) {
    const { code, stderr } = await run(['allreduce', option, '--sample-interval', 'off']);
    assert.equal(code, 1);
    assert.match(
      stderr,
      new RegExp(`${option} needs samples of the system load, and --sample-interval is off`),
    );
  }
});
