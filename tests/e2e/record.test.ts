// test: e2e
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { nativeDir } from '../../orchestration/build.ts';
import type { Job, RunRecord } from '../../results/schema/index.ts';
import { run, skipUnless, start, withFolder } from './harness.ts';
import { missingMpich } from './support/mpi.ts';

const has = (program: string) => spawnSync(program, ['--version']).error === undefined;
const withoutMpi = skipUnless(has('mpicc') && has('mpirun'), 'needs mpicc and mpirun');

/**
 * An MPI program with ten steps: an allreduce of 64 KiB, an allgather of 100 ints per rank, a broadcast on a second
 * communicator, a message, and a nonblocking allreduce. After the steps it calls each of several other collectives once.
 */
const program = `
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char** argv) {
  static float a[65536], b[65536];
  int rank;
  MPI_Comm twin;
  MPI_Status status;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  for (int step = 0; step < 10; ++step) {
    MPI_Allreduce(a, b, 16384, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allgather(a, 100, MPI_INT, b, 100, MPI_INT, MPI_COMM_WORLD);
    MPI_Bcast(a, 7, MPI_DOUBLE, 1, twin);
    if (rank == 0) MPI_Send(a, 33, MPI_CHAR, 1, 5, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(b, 99, MPI_CHAR, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status);
    MPI_Iallreduce(a, b, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  const int each[2] = {3, 5}, at[2] = {0, 40};
  const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_INT, b, (int[2]){4, 4}, at, MPI_INT, MPI_COMM_WORLD);
  MPI_Ialltoallv(a, (int[2]){4, 4}, at, MPI_INT, b, (int[2]){4, 4}, at, MPI_INT, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Ialltoallw(a, (int[2]){2, 2}, at, types, b, (int[2]){2, 2}, at, types, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Iallgatherv(a, each[rank], MPI_INT, b, each, at, MPI_INT, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Igatherv(a, each[rank], MPI_INT, b, each, at, MPI_INT, 1, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Iscatter(a, 6, MPI_INT, b, 6, MPI_INT, 1, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Ireduce_scatter(a, b, each, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 1) {
    printf("all called %d\\n", rank);
    fflush(stdout);
    for (;;) pause();
  }
  MPI_Comm_free(&twin);
  MPI_Finalize();
  printf("rank %d ends\\n", rank);
  return 0;
}
`;

interface RecorderLine {
  t: string;
  func?: string;
  count?: number;
  bytes?: number;
  peer?: number;
  rank?: number;
}

/** Recorded calls of all processes, by rank. The end of a file that is being written may be a part of a line, which is left out. */
function linesIn(folder: string): Map<number, RecorderLine[]> {
  const byRank = new Map<number, RecorderLine[]>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.ndjson'))) {
    const lines = readFileSync(path.join(folder, file), 'utf8').split('\n').slice(0, -1);
    const [header, ...calls] = lines.map((line): RecorderLine => JSON.parse(line));
    const rank = header?.rank ?? -1;
    byRank.set(rank, [...(byRank.get(rank) ?? []), ...calls]);
  }
  return byRank;
}

const asked = (lines: readonly RecorderLine[], func: string) =>
  lines.filter((one) => one.func === func).map(({ bytes = 0 }) => bytes);

async function built(folder: string): Promise<string[]> {
  await writeFile(path.join(folder, 'job.c'), program);
  execFileSync('mpicc', ['-o', 'job', 'job.c'], { cwd: folder });
  const words = ['mpirun', '--oversubscribe', ...(process.getuid?.() === 0 ? ['--allow-run-as-root'] : [])];
  return [...words, '-np', '2', './job'];
}

test('an MPI job: counts and bytes are those that were asked for, and its step can be replayed', {
  skip: withoutMpi,
}, async () => {
  await withFolder(async (folder) => {
    const words = await built(folder);
    const ended = await run(['record', '--out', 'run', '--', ...words], { cwd: folder });
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(ended.stdout, /rank 0 ends/);
    assert.doesNotMatch(ended.stdout, /recorded/);
    const byRank = linesIn(path.join(folder, 'run', 'record'));
    assert.deepEqual([...byRank.keys()].sort(), [0, 1]);
    for (const [rank, lines] of byRank) {
      assert.deepEqual(asked(lines, 'Allreduce'), Array(10).fill([65_536, 32]).flat());
      assert.deepEqual(asked(lines, 'Allgather'), Array(10).fill(400));
      assert.deepEqual(asked(lines, 'Bcast'), Array(10).fill(56));
      assert.deepEqual(asked(lines, rank === 0 ? 'Send' : 'Recv'), Array(10).fill(33));
      assert.equal(asked(lines, 'Barrier').length, 1);
      assert.deepEqual(asked(lines, 'Alltoallv'), [32, 32]);
      assert.deepEqual(asked(lines, 'Alltoallw'), [16]);
      assert.deepEqual(asked(lines, 'Allgatherv'), [32]);
      assert.deepEqual(asked(lines, 'Gatherv'), [rank === 0 ? 12 : 32]);
      assert.deepEqual(asked(lines, 'Scatter'), [24]);
      assert.deepEqual(asked(lines, 'Reduce_scatter'), [32]);
      assert.ok(lines.filter(({ func }) => func === 'Recv').every(({ peer }) => peer === 0));
    }
    const record: RunRecord = JSON.parse(readFileSync(path.join(folder, 'run', 'run.json'), 'utf8'));
    assert.equal(record.state, 'complete');
    assert.equal(record.plan.ranks, 2);
    assert.match(record.plan.imported?.says?.[0] ?? '', /Allreduce 1\.31 MB in 40 calls/);
    const job: Job = JSON.parse(readFileSync(path.join(folder, 'run', 'job.json'), 'utf8'));
    const calls = job.items.flatMap((item) =>
      item.do === 'call' ? [`${item.collective} ${item.bytes}`] : [],
    );
    assert.deepEqual(
      calls.sort(),
      ['allgather 800', 'allreduce 32', 'allreduce 65536', 'broadcast 56', 'sendrecv 33'].sort(),
    );
    const timeline = JSON.parse(readFileSync(path.join(folder, 'run', 'timeline.json'), 'utf8'));
    assert.equal(
      timeline.traceEvents.filter(({ name }: { name: string }) => name === 'Allgather').length,
      20,
    );
    const report = await run(['report', 'run'], { cwd: folder });
    assert.equal(report.code, 0, report.stderr);
    const prediction = await run(['replay', 'run', '--ranks', '2', '--engine', 'nccl', '--plan-only'], {
      cwd: folder,
    });
    assert.doesNotMatch(prediction.stderr, /no job of collbench/);
  });
});

test('the mpicc of another MPI leaves the job alone and is named; that of the launcher is the right one', {
  skip: missingMpich || (has('mpicc.openmpi') ? false : 'there is no second MPI beside the first'),
}, async () => {
  await withFolder(async (folder) => {
    await writeFile(path.join(folder, 'job.c'), program);
    execFileSync('mpicc.mpich', ['-w', '-o', 'job', 'job.c'], { cwd: folder });
    const job = ['--', 'mpirun.mpich', '-n', '2', './job'];
    const other = await run(['record', '--mpicc', 'mpicc.openmpi', '--out', 'other', ...job], {
      cwd: folder,
    });
    assert.match(other.stdout, /rank 0 ends/);
    assert.match(other.stderr, /its mpicc builds for Open MPI, this program runs MPICH/);
    assert.equal(other.code, 2);
    const own = await run(['record', '--out', 'own', ...job], { cwd: folder });
    assert.equal(own.code, 0, own.stderr);
    assert.match(own.stderr, /^recorded: MPICH [\d.]+\S*, 2 ranks$/m);
  });
});

test('a killed job leaves a run with all that it had called; its end is passed on', {
  skip: withoutMpi,
}, async () => {
  await withFolder(async (folder) => {
    const words = await built(folder);
    const started = start(['record', '--out', 'run', '--', ...words, 'and-wait'], { cwd: folder });
    await started.sees(/all called 0[\s\S]*all called 1|all called 1[\s\S]*all called 0/);
    const records = path.join(folder, 'run', 'record');
    const whole = () => [...linesIn(records).values()].every((lines) => asked(lines, 'Barrier').length === 1);
    while (!whole()) await new Promise((resolve) => setTimeout(resolve, 5));
    for (const pid of pidsOf(records))
      try {
        process.kill(pid, 'SIGKILL');
      } catch (error) {
        // When a rank is gone, mpirun ends the others.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    const ended = await started.ended;
    assert.notEqual(ended.code, 0);
    assert.match(ended.stderr, /4 records of 4 end without a last line/);
    const record: RunRecord = JSON.parse(readFileSync(path.join(folder, 'run', 'run.json'), 'utf8'));
    assert.equal(record.state, 'failed');
    assert.match(record.plan.imported?.says?.[0] ?? '', /Allreduce 1\.31 MB in 40 calls/);
  });
});

const pidsOf = (records: string): Set<number> =>
  new Set(
    readdirSync(records)
      .filter((name) => name.endsWith('.ndjson'))
      .map((name) => Number(/-(\d+)-mpi-/.exec(name)?.[1])),
  );

const host = path.join(nativeDir(), 'fake', 'fake_nccl_host');
const withoutHost = skipUnless(existsSync(host), 'needs a native build with fakes');

test('a job of NCCL: kernels are timed, waiting is told from moving, steps and their times are found', {
  skip: withoutHost,
}, async () => {
  await withFolder(async (folder) => {
    const ended = await run(['record', '--mpicc', 'none', '--out', 'run', '--', host, '5', '2', '6'], {
      cwd: folder,
    });
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(ended.stderr, /AllReduce 1\.23 GB in 60\s+calls/);
    const job: Job = JSON.parse(readFileSync(path.join(folder, 'run', 'job.json'), 'utf8'));
    const bytes = job.items.flatMap((item) =>
      item.do === 'call' && item.collective === 'allreduce' ? [item.bytes] : [],
    );
    assert.deepEqual(bytes.sort(), [8_196_000, 31_502_336, 26_255_360, 26_550_272, 9_724_160].sort());
    assert.equal(job.ranks, 2);
    const untimed = [
      'record',
      '--mpicc',
      'none',
      '--times',
      'never',
      '--out',
      'untimed',
      '--',
      host,
      '5',
      '2',
      '6',
    ];
    assert.equal((await run(untimed, { cwd: folder })).code, 0);
    const report = await run(['report', 'untimed'], { cwd: folder });
    assert.equal(report.code, 0, report.stderr);
  });
});

test('the exit code is that of the command; nothing recorded is an error where there was none', async () => {
  await withFolder(async (folder) => {
    const failed = await run(['record', '--mpicc', 'none', '--', 'sh', '-c', 'exit 7'], { cwd: folder });
    assert.equal(failed.code, 7);
    const absent = await run(['record', '--read', 'absent'], { cwd: folder });
    assert.equal(absent.code, 2);
    assert.match(absent.stderr, /record --read: absent is no folder/);
    const nothing = await run(['record', '--mpicc', 'none', '--', 'true'], { cwd: folder });
    assert.equal(nothing.code, 2);
    assert.match(
      nothing.stderr,
      /no call of NCCL, MPI or Gloo was recorded[\s\S]*a job with one rank[\s\S]*Fortran/,
    );
    const missing = await run(['record', '--', './no-such-program'], { cwd: folder });
    assert.equal(missing.code, 2);
    assert.match(missing.stderr, /no-such-program: the command cannot be started/);
    assert.equal((await run(['record'], { cwd: folder })).code, 1);
    assert.ok(
      !existsSync(path.join(folder, 'collbench-runs')) ||
        readdirSync(path.join(folder, 'collbench-runs')).length === 0,
    );
  });
});
