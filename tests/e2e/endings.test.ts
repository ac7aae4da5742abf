// test: core, up to 60 s
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { CellRecord, RunRecord } from '../../results/schema/index.ts';
import {
  agentPid,
  findOnlyRun,
  ndjson,
  newSharedNames,
  type ProcessResult,
  rankPids,
  run,
  sharedNames,
  signalRank,
  skipUnless,
  start,
  survivors,
  withFolder,
} from './harness.ts'; // prettier-ignore

/**
 * Failures of every kind, with the real command. Each case checks the exit code, the message, which results are kept and
 * readable, and that no process or file of the command is left on the machine.
 */

const long = [
  'allreduce',
  '--min',
  '8',
  '--max',
  '64M',
  '--transport',
  'socket,sisci',
  '--launches',
  '1',
  '--precision',
  'off',
  '--timeout',
  '5',
];
const someCells = /\n\s+(64|128)\s/;

async function breakAndLook(
  folder: string,
  breakIt: (started: ReturnType<typeof start>) => Promise<void> | void,
): Promise<{ ended: ProcessResult; record: RunRecord; cells: CellRecord[] }> {
  const before = await sharedNames();
  const started = start(long, { cwd: folder });
  await started.sees(someCells);
  await breakIt(started);
  const ended = await started.ended;
  assert.deepEqual(await survivors(started.marker), [], 'no process is left');
  assert.deepEqual(await newSharedNames(before), [], 'no shared memory or socket is left');
  const directory = await findOnlyRun(folder);
  const record = JSON.parse(await readFile(path.join(directory, 'run.json'), 'utf8')) as RunRecord;
  const cells = await ndjson<CellRecord>(path.join(directory, 'cells.ndjson'));
  assert.ok(cells.filter((cell) => cell.status === 'ok').length >= 2, 'finished configurations are kept');
  const shown = await run(['show', directory], { cwd: folder });
  assert.equal(shown.code, 0, shown.stderr);
  return { ended, record, cells };
}

test('kill -9 of one rank: exit 2, the rank and its phase are named, finished cells stay', async () => {
  await withFolder(async (folder) => {
    const { ended, record } = await breakAndLook(folder, async ({ marker }) => {
      await signalRank(marker, 'SIGKILL', -1);
    });
    assert.equal(ended.code, 2, ended.stderr);
    assert.match(ended.stderr, /rank \d+ .*(SIGKILL|killed)/);
    assert.equal(record.state, 'failed');
    assert.equal(record.failures[0]?.kind, 'rank-died');
    assert.notEqual(record.failures[0]?.rank, null);
    assert.notEqual(record.failures[0]?.phase, null);
  });
});

test('a rank that never answers: exit 2 after the deadline, the stopped rank is named', async () => {
  await withFolder(async (folder) => {
    const { ended, record } = await breakAndLook(folder, async ({ marker }) => {
      for (const pid of (await rankPids(marker)).slice(-4)) process.kill(pid, 'SIGSTOP');
    });
    assert.equal(ended.code, 2, ended.stderr);
    assert.match(ended.stderr, /rank \d+ .*stopped answering/);
    assert.match(ended.stderr, /deadline 5 s/);
    assert.equal(record.failures[0]?.kind, 'hang');
  });
});

test('kill -9 of the agent: exit 2, the host is named', async () => {
  await withFolder(async (folder) => {
    const { ended, record } = await breakAndLook(folder, async ({ marker }) => {
      process.kill(await agentPid(marker), 'SIGKILL');
    });
    assert.equal(ended.code, 2, ended.stderr);
    assert.match(ended.stderr, /agent on \S+/);
    assert.equal(record.failures[0]?.kind, 'agent-lost');
  });
});

test('kill -9 of the command itself: nothing lives on, the run reads as interrupted', async () => {
  await withFolder(async (folder) => {
    const { ended, record } = await breakAndLook(folder, ({ child }) => {
      child.kill('SIGKILL');
    });
    assert.equal(ended.signal, 'SIGKILL');
    assert.equal(record.state, 'running', 'nobody was left to write the end');
    const directory = await findOnlyRun(folder);
    const shown = await run(['show', directory], { cwd: folder });
    assert.match(shown.stdout, /interrupted|killed/);
    const report = await run(['report', directory], { cwd: folder });
    assert.equal(report.code, 0, report.stderr);
  });
});

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  test(`${signal}: exit 130, partial run and report kept`, async () => {
    await withFolder(async (folder) => {
      const { ended, record } = await breakAndLook(folder, ({ child }) => {
        child.kill(signal);
      });
      assert.equal(ended.code, 130, ended.stderr);
      assert.equal(record.state, 'interrupted');
      assert.equal(record.exitCode, 130);
      const html = await readFile(path.join(await findOnlyRun(folder), 'report.html'), 'utf8');
      assert.match(html, /interrupted/);
    });
  });

const canMount = process.getuid?.() === 0;
test('disk full while writing: exit 2, the path is named, what was written stays readable', {
  skip: skipUnless(canMount, 'needs root to mount a small tmpfs'),
}, async () => {
  await withFolder(async (folder) => {
    const small = path.join(folder, 'small');
    await mkdir(small);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=96k', 'tmpfs', small]);
    try {
      const started = start([...long, '--out', path.join(small, 'run')], { cwd: folder });
      const ended = await started.ended;
      assert.equal(ended.code, 2, ended.stderr);
      assert.match(ended.stderr, /no space left|disk.*full/i);
      assert.match(ended.stderr, /small\/run/);
      assert.deepEqual(await survivors(started.marker), []);
      const shown = await run(['show', path.join(small, 'run')], { cwd: folder });
      assert.equal(shown.code, 0, shown.stderr);
      assert.match(shown.stdout, /\b8\b/);
    } finally {
      execFileSync('umount', ['-l', small]);
    }
  });
});
