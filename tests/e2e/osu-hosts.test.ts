// test: up to 180 s
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { CrosscheckRecord } from '../../results/schema/index.ts';
import { type Cluster, cluster } from '../cluster/bed.ts';
import type { TestHost } from '../cluster/host.ts';
import { leftovers } from '../cluster/leftovers.ts';
import { root, run } from './harness.ts';
import { keptElsewhere } from './support/fault.ts';
import { withCluster } from './support/hosts.ts';
import { missingMpich, mpich } from './support/mpi.ts';

// Tests `crosscheck --osu --hosts`: mpirun of this machine starts OSU's program by ssh on hosts with a network and an sshd of their
// own, interleaved with engine mpi on the same hosts. The program is a stand-in that calls the real MPI.

const hasMpi = ['mpirun', 'mpicc'].every((name) => spawnSync(name, ['--version']).error === undefined);
const skip = hasMpi ? cluster() : 'mpirun or mpicc is missing: apt-get install openmpi-bin libopenmpi-dev';
const folderOnHosts = '/home/tester/osu';

/** Compiles the stand-in for OSU and copies it to the homes of the hosts; this machine has no such folder. */
async function installOsu(hosts: readonly TestHost[], folder: string, compiler: string): Promise<void> {
  const program = path.join(folder, 'osu_allreduce');
  const source = path.join(root, 'tests', 'emulated', 'osu_allreduce.c');
  execFileSync(compiler, ['-O1', '-Wall', '-Werror', '-o', program, source]);
  for (const host of hosts) {
    await mkdir(host.path(folderOnHosts), { recursive: true });
    await copyFile(program, host.path(path.join(folderOnHosts, 'osu_allreduce')));
    await chmod(host.path(path.join(folderOnHosts, 'osu_allreduce')), 0o755);
  }
}

/** Returns what OSU printed in all rounds, with the names of the files that keep it. */
async function printedIn(folder: string): Promise<string> {
  const names = await readdir(folder);
  const texts = names.map(async (name) => `${name}:\n${await readFile(path.join(folder, name), 'utf8')}`);
  return (await Promise.all(texts)).join('\n');
}

const crosscheck = (bed: Cluster, folder: string, words: readonly string[]) =>
  run(['crosscheck', 'allreduce', '--osu', folderOnHosts, ...words], {
    cwd: folder,
    env: bed.environment,
    prefix: bed.prefix,
  });

// Waiting ranks of MPICH keep their core, so it gets as many ranks as the smallest test machine has cores.
for (const [name, compiler, words, count, each, missing] of [
  ['Open MPI', 'mpicc', [], 4, 2, false],
  ['MPICH', 'mpicc.mpich', ['--mpirun', mpich], 2, 1, missingMpich],
] as const)
  test(
    `OSU under plain mpirun of ${name} on ${count} hosts, ${each} per host`,
    { skip: skip || missing },
    () =>
      withCluster(count, async (bed, folder) => {
        await installOsu(bed.hosts, folder, compiler);
        const hosts = bed.hosts.map((host) => `${host.name}:${each}`).join(',');
        const sizes = ['--min', '8', '--max', '16', '--rounds', '2'];
        const ended = await crosscheck(bed, folder, ['--hosts', hosts, ...sizes, ...words, '--out', 'out']);
        const file = path.join(folder, 'out', 'crosscheck.json');
        assert.ok(existsSync(file), ended.stdout + ended.stderr);
        const record = JSON.parse(await readFile(file, 'utf8')) as CrosscheckRecord;
        assert.equal(record.peer, 'OSU');
        const [result] = record.collectives;
        const ranks = count * each;
        assert.equal(result?.ranks, ranks, ended.stdout + ended.stderr);
        assert.ok(result.commandLine.includes(hosts), result.commandLine.join(' '));
        for (const { payloadBytes } of result.sizes) assert.ok([8, 16].includes(payloadBytes));
        // On a busy machine each call of a round may begin late on a rank, which is then said.
        for (const { reason } of result.skipped)
          assert.match(
            reason,
            /^round [12]: collbench has no call that all ranks began in time$/,
            `${reason}\n${await printedIn(path.join(folder, 'out', 'osu'))}`,
          );
        const rounds = [8, 16].map((bytes) => {
          const lacking = result.skipped.filter(({ requestedBytes }) => requestedBytes === bytes);
          const size = result.sizes.find(({ payloadBytes }) => payloadBytes === bytes);
          // A size that lacks both rounds is said once.
          return lacking.length + (size?.rounds ?? 1);
        });
        assert.deepEqual(rounds, [2, 2], JSON.stringify(result));
        // On a busy machine the two may differ, or have no verdict. A size that lacks both rounds is a failure.
        const codes = result.sizes.length === 2 ? [0, 4, 5] : [2];
        assert.ok(codes.includes(ended.code ?? -1), `${ended.code}: ${ended.stdout}${ended.stderr}`);
        if (result.sizes.length > 0)
          assert.match(
            ended.stdout,
            new RegExp(`${ranks} ranks · ${name} .* TCP between ${count} hosts · [12] rounds?`),
            ended.stdout + ended.stderr,
          );
        for (const { ratio, interval, rounds } of result.sizes)
          assert.ok(ratio > 0 && (interval !== null || rounds < 2));
        for (const host of bed.hosts) {
          const isOwn = new RegExp(`${keptElsewhere.source}|^file ${folderOnHosts}`);
          assert.deepEqual(await leftovers(host, { expected: isOwn }), [], host.name);
        }
      }),
  );

test(
  'a host without OSU, one without MPI, and one with a port of its own are refused by name',
  { skip },
  () =>
    withCluster(2, async (bed, folder) => {
      const [first, second] = bed.hosts as [TestHost, TestHost];
      await installOsu([first], folder, 'mpicc');
      const short = ['--max', '8', '--rounds', '1'];
      const noOsu = await crosscheck(bed, folder, ['--hosts', 'node01,node02', ...short]);
      assert.equal(noOsu.code, 2, noOsu.stdout + noOsu.stderr);
      assert.match(noOsu.stderr, /--osu \S+: no osu_allreduce on node02\n[\s\S]*Next: ssh node02 ls/);
      await second.root('mount --bind /dev/null "$(readlink -f "$(command -v mpirun)")"');
      const noMpi = await crosscheck(bed, folder, ['--hosts', 'node01,node02', ...short]);
      assert.equal(noMpi.code, 2, noMpi.stdout + noMpi.stderr);
      assert.match(noMpi.stderr, /the mpi engine cannot run on node02\n[\s\S]*Next: collbench transports/);
      const port = await crosscheck(bed, folder, ['--hosts', 'node01:port=2222,node02', ...short]);
      assert.equal(port.code, 1, port.stdout + port.stderr);
      assert.match(port.stderr, /--hosts node01:port=2222: mpirun takes no user or port/);
    }),
);
