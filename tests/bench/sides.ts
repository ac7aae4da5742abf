import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { xValueOf } from '../../results/derive/cells/cell-group.ts';
import { cellRecord, measuredOf } from '../../results/schema/index.ts';
import type { SizeTiming } from './comparison.ts';

/** Root folder of the project, from dist/tests/bench. */
const home = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');

/** A required external program is missing; the message says how to install it. */
export class MissingProgram extends Error {}

/** Timeout of a command; only a hanging one takes longer. */
const longestRunMs = 300_000;

/**
 * Standard output of a command.
 * @param accepted exit codes besides 0 that are no errors
 * @throws {Error} for any other exit code
 */
function run(command: string, args: string[], accepted: number[] = []): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { maxBuffer: 2 ** 26, timeout: longestRunMs }, (error, stdout, stderr) => {
      if (error === null || accepted.includes(Number(error.code))) resolve(stdout);
      else reject(Object.assign(new Error(`${error.message}\n${stderr}`), { code: error.code }));
    });
  });
}

/** CPUs that this process may use, as a list such as "0-3,8". */
const allowedCpus = (): string =>
  /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';

export const mpiLinks = {
  tcp: ['--mca', 'btl', 'tcp,self', '--mca', 'btl_tcp_if_include', 'lo'],
  sharedMemory: ['--mca', 'btl', 'vader,self'],
};

export interface MpiProgram {
  version: string;
  measure(
    collective: string,
    link: keyof typeof mpiLinks,
    ranks: number,
    sizes: number[],
    budgetMs: number,
  ): Promise<SizeTiming[]>;
  remove(): void;
}

/**
 * Builds mpi/collective_bench.c with the system's mpicc in a temporary folder. Ranks are bound to cores if there are enough.
 * Open MPI must use ob1 with the named byte transfer layer only; otherwise UCX or libfabric may be used.
 * @throws {MissingProgram} if mpicc or mpirun is missing
 */
export async function buildMpi(): Promise<MpiProgram> {
  const version = await Promise.all([run('mpirun', ['--version']), run('mpicc', ['--showme:version'])]).then(
    ([text]) => text.split('\n')[0] ?? '',
    () => {
      throw new MissingProgram('Open MPI is missing: apt-get install openmpi-bin libopenmpi-dev');
    },
  );
  const folder = mkdtempSync(path.join(tmpdir(), 'collbench-mpi-'));
  const program = path.join(folder, 'collective_bench');
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    await run('mpicc', ['-O2', '-o', program, path.join(home, 'tests/bench/mpi/collective_bench.c')]);
  } catch (error) {
    remove();
    throw error;
  }
  const common = ['--mca', 'pml', 'ob1'];
  const binding = (ranks: number) => {
    if (ranks > availableParallelism()) return ['--oversubscribe', '--bind-to', 'none'];
    // Open MPI would bind to all cores of the machine, including cores outside of this process's CPU set.
    const isShare = availableParallelism() < cpus().length;
    return isShare ? ['--cpu-set', allowedCpus(), '--bind-to', 'cpu-list:ordered'] : ['--bind-to', 'core'];
  };
  if (process.getuid?.() === 0) common.unshift('--allow-run-as-root');
  return {
    version,
    remove,
    async measure(collective, link, ranks, sizes, budgetMs) {
      const out = await run('mpirun', [
        ...common,
        ...['-np', String(ranks), ...binding(ranks)],
        ...mpiLinks[link],
        program,
        collective,
        `${budgetMs}`,
        ...sizes.map(String),
      ]);
      return out
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => {
          const row = JSON.parse(line) as SizeTiming & { wrong: number };
          if (row.wrong !== 0)
            throw new Error(`Open MPI's ${collective} got ${row.wrong} elements wrong at ${row.bytes} B`);
          return { bytes: row.bytes, pipelinedNs: row.pipelinedNs, isolatedNs: row.isolatedNs };
        });
    },
  };
}

/**
 * Runs collbench once over all transports, which it interleaves itself.
 * @returns figures by transport
 * @throws {Error} if a cell was not measured or its data were wrong
 */
export async function measureOurs(
  collective: string,
  transports: string[],
  ranks: number,
  sizes: number[],
): Promise<Map<string, SizeTiming[]>> {
  const folder = mkdtempSync(path.join(tmpdir(), 'collbench-bench-'));
  try {
    const args = [
      collective,
      '--ranks',
      String(ranks),
      '--transport',
      transports.join(','),
      '--link',
      'none',
    ];
    args.push(
      '--sizes',
      sizes.join(','),
      '--launches',
      '1',
      '--precision',
      'off',
      // MPI's broadcast has a single buffer, so the root copies nothing.
      ...(collective === 'broadcast' ? ['--in-place', 'yes'] : []),
      '--out',
      path.join(folder, 'run'),
    );
    // Exit code 2 is possible: on a busy machine a rank may be late for every isolated sample. The pipelined figure, which is
    // compared, exists even then.
    await run(path.join(home, 'bin/collbench'), args, [2]);
    const timings = new Map<string, SizeTiming[]>(transports.map((name) => [name, []]));
    // The stored cells are read after the run, because flags are known only at its end.
    const lines = readFileSync(path.join(folder, 'run', 'cells.ndjson'), 'utf8')
      .trim()
      .split('\n');
    for (const line of lines) {
      const cell = cellRecord.parse(JSON.parse(line));
      const bytes = xValueOf(cell);
      const what = `${cell.transport} at ${bytes} B`;
      const pipelined = measuredOf(cell, 'pipelined');
      if (cell.status !== 'ok') throw new Error(`collbench ${what}: ${cell.status}: ${cell.reason}`);
      if (cell.verification.wrongElements > 0) throw new Error(`collbench ${what}: wrong data`);
      if (pipelined === null) throw new Error(`collbench ${what}: no pipelined figure`);
      timings.get(cell.transport)?.push({
        bytes,
        pipelinedNs: pipelined.value,
        isolatedNs: measuredOf(cell, 'latency')?.value ?? null,
        flags: cell.flags.map(({ name }) => name),
      });
    }
    return timings;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
