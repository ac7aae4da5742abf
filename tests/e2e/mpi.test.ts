// test: up to 90 s
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { CellRecord, ExplanationRecord, OkCell } from '../../results/schema/index.ts';
import { processesOf, run, start, survivors, withFolder } from './harness.ts';
import { missingMpich, mpich, withoutMpi } from './support/mpi.ts';

/** Tests the engine `mpi` with this machine's real mpirun and mpicc, on two ranks. */

const short = ['--engine', 'mpi', '--ranks', '2', '--iters', '5', '--launches', '1'];

const cellsOf = (stdout: string): OkCell[] =>
  stdout
    .trim()
    .split('\n')
    .map((line): CellRecord => JSON.parse(line))
    .filter((cell): cell is OkCell => cell.workload === 'collective');

test(
  'mpi: values are verified, and the sockets of the ranks prove TCP and shared memory',
  { skip: withoutMpi },
  () =>
    withFolder(async (cwd) => {
      const ended = await run(
        ['allreduce', ...short, '--transport', 'socket,shm', '--sizes', '24,64K', '--json'],
        { cwd },
      );
      assert.equal(ended.code, 0, ended.stderr);
      const cells = cellsOf(ended.stdout);
      assert.equal(cells.length, 4);
      for (const cell of cells) {
        assert.equal(cell.status, 'ok');
        assert.ok(cell.verification.checks > 0);
        assert.equal(cell.verification.wrongElements, 0);
        assert.equal(cell.evidence.verdict, 'confirmed', cell.evidence.reason);
        assert.match(cell.evidence.reason, /^the TCP sockets of the ranks received /);
      }
    }),
);

test('mpi: an alltoallv by a matrix, computed or from a file, is verified', { skip: withoutMpi }, () =>
  withFolder(async (cwd) => {
    await writeFile(path.join(cwd, 'm.txt'), '0 64K\n4K 0\n');
    const words = ['alltoallv', '--matrix', 'zipf:1.2,hot:1,diagonal,m.txt', '--sizes', '4K'];
    const ended = await run([...words, ...short, '--json'], { cwd });
    assert.equal(ended.code, 0, ended.stderr);
    const cells = ended.stdout
      .trim()
      .split('\n')
      .map((line): CellRecord => JSON.parse(line))
      .filter((cell): cell is OkCell => cell.status === 'ok');
    assert.equal(cells.length, 4);
    for (const cell of cells) {
      assert.ok(cell.verification.checks > 0, cell.id);
      assert.equal(cell.verification.wrongElements, 0, cell.id);
      assert.equal(cell.evidence.verdict, 'confirmed', cell.evidence.reason);
    }
  }),
);

test('--engine cpu,mpi: a run with each, and a report of both', { skip: withoutMpi }, () =>
  withFolder(async (cwd) => {
    const words = [
      '--ranks',
      '2',
      '--sizes',
      '64',
      '--iters',
      '5',
      '--launches',
      '1',
      '--transport',
      'socket',
    ];
    const ended = await run(['allreduce', '--engine', 'cpu,mpi', ...words, '--out', 'both'], { cwd });
    assert.equal(ended.code, 0, ended.stdout + ended.stderr);
    assert.match(ended.stdout, /cpu engine[\s\S]*mpi engine[\s\S]*report of all engines: both\/report\.html/);
    const report = await readFile(path.join(cwd, 'both/report.html'), 'utf8');
    assert.match(report, /with the cpu and mpi engine/);
    const file = await run(['allreduce', '--engine', 'cpu,mpi', ...words, '--json-file', 'x'], { cwd });
    assert.equal(file.code, 1);
    assert.match(file.stderr, /--json-file cannot be combined with 2 engines/);
  }),
);

test('mpi: MPICH beside another MPI', { skip: missingMpich || withoutMpi }, () =>
  withFolder(async (cwd) => {
    const words = ['--mpi', mpich, '--transport', 'socket,shm', '--sizes', '64K', '--json'];
    const ended = await run(['allreduce', ...short, ...words], { cwd });
    assert.equal(ended.code, 0, ended.stderr);
    const cells = cellsOf(ended.stdout);
    assert.deepEqual(
      cells.map(({ evidence }) => evidence.verdict),
      ['confirmed', 'confirmed'],
    );
    for (const { verification } of cells) assert.equal(verification.wrongElements, 0);
  }),
);

for (const [collective, more] of [
  ['reducescatter', ['--op', 'max', '--in-place', 'both']],
  ['allgather', ['--dtype', 'int32', '--in-place', 'both']],
  ['broadcast', ['--root', '1', '--in-place', 'both']],
  ['alltoallv', []],
] as const)
  test(`mpi: ${collective} is verified`, { skip: withoutMpi }, () =>
    withFolder(async (cwd) => {
      const words = [collective, ...short, '--transport', 'shm', '--sizes', '4800', ...more, '--json'];
      const ended = await run(words, { cwd });
      assert.equal(ended.code, 0, ended.stderr);
      const cells = cellsOf(ended.stdout);
      assert.equal(cells.length, more.includes('both' as never) ? 2 : 1);
      for (const { verification } of cells) assert.equal(verification.wrongElements, 0);
    }),
  );

test('mpi: a killed rank is named, and neither mpirun nor a slot is left', { skip: withoutMpi }, () =>
  withFolder(async (cwd) => {
    const words = ['allreduce', '--engine', 'mpi', '--min', '8', '--max', '256M', '--precision', 'off'];
    const started = start([...words, '--timeout', '20', '--launches', '1'], { cwd });
    await started.sees(/\n\s+64\s/);
    const all = await processesOf(started.marker);
    const victim = all.find(({ command }) => /collbench-agent\S* rank 1 /.test(command));
    assert.ok(victim !== undefined, 'rank 1 runs');
    process.kill(victim.pid, 'SIGKILL');
    const ended = await started.ended;
    assert.equal(ended.code, 2, ended.stdout + ended.stderr);
    assert.match(ended.stdout + ended.stderr, /rank 1/);
    assert.deepEqual(await survivors(started.marker), [], 'no process is left');
  }),
);

/** Writes programs into the new folder bin/ of `folder`, each a shell script. Returns `folder`. */
async function installation(folder: string, programs: Record<string, string>): Promise<string> {
  await mkdir(path.join(folder, 'bin'), { recursive: true });
  for (const [name, text] of Object.entries(programs)) {
    await writeFile(path.join(folder, 'bin', name), `#!/bin/sh\n${text}\n`);
    await chmod(path.join(folder, 'bin', name), 0o755);
  }
  return folder;
}

const openMpi = (version: string) => `echo 'mpirun (Open MPI) ${version}'`;
const refused: [string, Record<string, string> | null, RegExp][] = [
  ['no mpirun there', null, /There is no mpirun at .*\(--mpi\)\.[\s\S]*libopenmpi-dev/],
  [
    'another program',
    { mpirun: 'echo hello', mpicc: 'true' },
    /says "hello": it is neither Open MPI, MPICH nor Intel MPI/,
  ],
  ['too old', { mpirun: openMpi('1.10.7'), mpicc: 'true' }, /Open MPI 1\.10\.7 .*too old: Open MPI 3\.0/],
  [
    'a compiler that fails',
    { mpirun: openMpi('4.1.4'), mpicc: '[ "$1" = -show ] || { echo "no mpi.h" >&2; exit 1; }' },
    /mpicc cannot compile .*no mpi\.h/,
  ],
];
for (const [what, programs, said] of refused)
  test(`mpi: refused before anything starts: ${what}`, () =>
    withFolder(async (cwd) => {
      const folder = await installation(path.join(cwd, 'own'), programs ?? {});
      const env = { XDG_CACHE_HOME: path.join(cwd, 'cache') };
      const ended = await run(['allreduce', '--engine', 'mpi', '--mpi', folder], { cwd, env });
      assert.equal(ended.code, 2, ended.stdout + ended.stderr);
      assert.match(ended.stderr, said);
    }));

test('mpi: a launcher that fails is quoted', { skip: withoutMpi }, () =>
  withFolder(async (cwd) => {
    const real = spawnSync('sh', ['-c', 'command -v mpirun'], { encoding: 'utf8' }).stdout.trim();
    const folder = await installation(path.join(cwd, 'own'), {
      mpirun: `[ "$1" = --version ] && exec ${real} --version; echo no slots here >&2; exit 3`,
    });
    const ended = await run(['allreduce', ...short, '--mpi', path.join(folder, 'bin/mpirun'), '--max', '8'], {
      cwd,
    });
    assert.equal(ended.code, 2, ended.stdout + ended.stderr);
    assert.match(ended.stdout + ended.stderr, /mpirun ended with status 3: no slots here/);
  }),
);

const twoNames = [
  ...['allreduce', ...short, '--sizes', '64', '--hosts', '127.0.0.1:1,127.0.0.2:1', '--interface', 'lo'],
  ...['--launcher', 'command:env TEST_HOST={host} {agent}'],
].filter((word, at, all) => word !== '--ranks' && all[at - 1] !== '--ranks');

test('mpi: agents with one address are one host to MPI, verified', { skip: withoutMpi }, () =>
  withFolder(async (cwd) => {
    const ended = await run([...twoNames, '--transport', 'socket', '--json'], { cwd });
    assert.equal(ended.code, 0, ended.stderr);
    const [cell] = cellsOf(ended.stdout);
    assert.ok(cell !== undefined && cell.verification.checks > 0);
    assert.equal(cell.verification.wrongElements, 0);
  }),
);

test('mpi: shared memory between hosts is refused with what else can be taken', () =>
  withFolder(async (cwd) => {
    const ended = await run([...twoNames, '--transport', 'socket,shm'], { cwd });
    assert.equal(ended.code, 1, ended.stdout + ended.stderr);
    assert.match(ended.stderr, /--transport shm cannot join 2 hosts[\s\S]*allowed: socket/);
  }));

test(
  'mpi: explained with the variables that limit MPI as suspects, which experiments remove',
  {
    skip: withoutMpi,
  },
  () =>
    withFolder(async (cwd) => {
      const env = { OMPI_MCA_btl_tcp_sndbuf: '131072', OMPI_MCA_btl_tcp_rcvbuf: '131072' };
      const words = [...short, '--transport', 'socket', '--sizes', '256K', '--out', './limited'];
      const measured = await run(['allreduce', ...words], { cwd, env });
      assert.equal(measured.code, 0, measured.stderr);
      const explained = await run(['explain', './limited', '--budget', '15s', '--json'], { cwd, env });
      assert.ok([0, 5].includes(explained.code ?? -1), explained.stderr);
      const { series, ended } = JSON.parse(explained.stdout) as ExplanationRecord;
      const [{ suspicions, untried, sizes } = assert.fail('no series')] = series;
      const found = suspicions.find(({ id }) => id === 'environment')?.text ?? '';
      for (const [name, value] of Object.entries(env)) assert.ok(found.includes(`${name}=${value}`), found);
      if (sizes.length === 0) return assert.equal(ended, 'budget');
      const tried = sizes.flatMap(({ shares, excluded }) => [...shares, ...excluded].map(({ id }) => id));
      const answered = [...tried, ...untried.map(({ id }) => id)];
      for (const id of ['environment', 'streams', 'placement'])
        assert.ok(answered.includes(id), `${id} has no answer`);
    }),
);
