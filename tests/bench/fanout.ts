// npm run bench:fanout: time until the first figure of an 8-byte allreduce on 1 and on N hosts. Compares it with mpirun over
// ssh to the same hosts. The hosts are N network namespaces on this machine, each with its own sshd. Measured is wall time
// until rank 0 prints.
// `command [ROUNDS] [RANKS PER HOST] [HOSTS]`: uses the command launcher on this machine instead (fanout-command.ts).
// `pods [ROUNDS] [PODS] [HOSTS]`: pods over kubectl and hosts over ssh, with an upload of the agent (fanout-pods.ts).
// Exit 0: within the limits; 1: not; 2: a required program is missing.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { median } from 'simple-statistics';
import { type Cluster, cluster, openCluster } from '../cluster/bed.ts';
import { root } from '../e2e/harness.ts';
import { fanoutByCommand } from './fanout-command.ts';
import { fanoutToPods } from './fanout-pods.ts';

const rounds = Number(process.argv[2] ?? 5);
const many = Number(process.argv[3] ?? 32);
/** Maximum ratio of the times with 32 hosts and with one. The ssh handshakes alone use half a second of one core. */
const limit = 3;

const program = `
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  float mine[2] = {1, 2}, all[2];
  MPI_Allreduce(mine, all, 2, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) { printf("first %g\\n", all[0]); fflush(stdout); }
  MPI_Finalize();
}`;

/**
 * Milliseconds until the command's output matches `sign`; resolves when the command has ended.
 * @throws Error if it ends without such output
 */
function timeTo(words: string[], sign: RegExp, env: Record<string, string>, cwd: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const begin = performance.now();
    const [file, ...args] = words as [string, ...string[]];
    const child = spawn(file, args, { cwd, env: { ...process.env, ...env, NO_COLOR: '1' } });
    let text = '';
    let seenMs: number | null = null;
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        if (seenMs === null && sign.test(text)) seenMs = performance.now() - begin;
      });
    child.on('error', reject);
    child.on('close', () =>
      seenMs === null
        ? reject(new Error(`${words.join(' ')} said nothing of use:\n${text}`))
        : resolve(seenMs),
    );
  });
}

function collbench(bed: Cluster, hosts: string[], folder: string, round: string): Promise<number> {
  const cli = path.join(root, 'dist', 'bin', 'collbench.js');
  const words = ['allreduce', '--hosts', hosts.join(','), '--sizes', '8', '--launches', '1', '--iters', '1'];
  const all = [
    ...bed.prefix,
    process.execPath,
    cli,
    ...words,
    '--ranks-per-node',
    hosts.length === 1 ? '2' : '1',
  ];
  return timeTo([...all, '--out', `run-${round}-${hosts.length}`], /^ +8 +2 /m, bed.environment, folder);
}

function mpirun(bed: Cluster, hosts: string[], folder: string): Promise<number> {
  const slots = hosts.length === 1 ? 2 : 1;
  const words = [
    'mpirun',
    '--allow-run-as-root',
    '--host',
    hosts.map((host) => `${host}:${slots}`).join(','),
  ];
  const tcp = ['--mca', 'btl', 'tcp,self', '--mca', 'plm_rsh_agent', 'ssh'];
  return timeTo(
    [...bed.prefix, ...words, ...tcp, '-np', String(hosts.length * slots), path.join(folder, 'first')],
    /^first /m,
    bed.environment,
    folder,
  );
}

async function main(): Promise<number> {
  const missing = cluster();
  if (missing !== false) {
    console.error(missing);
    return 2;
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'collbench-fanout-'));
  let bed: Cluster | null = null;
  try {
    await writeFile(path.join(folder, 'first.c'), program);
    execFileSync('mpicc', ['-O2', '-o', 'first', 'first.c'], { cwd: folder });
    execFileSync('chmod', ['755', folder]);
    bed = await openCluster({ hosts: many, rateMbit: 1000, share: [folder] });
    const names = bed.hosts.map(({ name }) => name);
    const sides = {
      'collbench, 1 host': (round: string) => collbench(bed as Cluster, names.slice(0, 1), folder, round),
      [`collbench, ${many} hosts`]: (round: string) => collbench(bed as Cluster, names, folder, round),
      'mpirun, 1 host': () => mpirun(bed as Cluster, names.slice(0, 1), folder),
      [`mpirun, ${many} hosts`]: () => mpirun(bed as Cluster, names, folder),
    };
    const times = new Map<string, number[]>(Object.keys(sides).map((name) => [name, []]));
    // The first copies the agent to every host.
    const firstMs = await collbench(bed, names, folder, 'copy');
    console.log(`collbench, ${many} hosts, agent copied to each: ${firstMs.toFixed(0)} ms`);
    for (let round = 0; round < rounds; round += 1) {
      const order = Object.entries(sides);
      for (const [name, measure] of round % 2 === 0 ? order : order.reverse())
        times.get(name)?.push(await measure(String(round)));
    }
    const typical = [...times].map(([name, ms]) => [name, median(ms)] as const);
    for (const [name, ms] of typical)
      console.log(`${name.padEnd(22)} ${ms.toFixed(0).padStart(6)} ms to the first figure`);
    const [one, all, , theirs] = typical.map(([, ms]) => ms) as [number, number, number, number];
    console.log(`${many} hosts against one: ${(all / one).toFixed(2)} x (limit ${limit})`);
    console.log(`against mpirun, ${many} hosts: ${(all / theirs).toFixed(2)} x (limit 1)`);
    return all <= limit * one && all <= theirs ? 0 : 1;
  } finally {
    await bed?.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const [kind, ...numbers] = process.argv.slice(2);
if (kind === 'command') {
  const [times = 1, ranks = 1, hosts = 256] = numbers.map(Number);
  process.exitCode = await fanoutByCommand(times, ranks, hosts);
} else if (kind === 'pods') {
  const [times = 3, podCount = 64, hostCount = 16] = numbers.map(Number);
  process.exitCode = await fanoutToPods(times, podCount, hostCount);
} else {
  process.exitCode = await main();
}
