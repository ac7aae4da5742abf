import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { refuse } from '../../results/refusals/refusal.ts';

/**
 * Makes NCCL write its topology and graphs as files. It runs the smallest allreduce over all GPUs of this machine, because NCCL
 * writes these files only when it creates a communicator. The run itself is not kept.
 * @param folder folder for the files; created if missing. Older files of NCCL in it are replaced
 * @param nccl path of the NCCL library to use; null = NCCL is searched
 * @returns absolute paths of the files that NCCL wrote, one or two
 * @throws Refusal if there is no GPU, NCCL cannot start, or it wrote nothing
 */
export async function dumpByNccl(folder: string, nccl: string | null): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const topology = path.resolve(folder, 'nccl-topology.xml');
  const graphs = path.resolve(folder, 'nccl-graphs.xml');
  const runs = await mkdtemp(path.join(tmpdir(), 'collbench-topo-'));
  const started = Date.now();
  try {
    const { code, stderr } = await runSelf(
      [
        ...'allreduce --engine nccl --sizes 8 --launches 1 --iters 2 --no-attest'.split(' '),
        ...['--sample-interval', 'off', '--out', path.join(runs, 'run')],
        ...(nccl === null ? [] : ['--nccl', nccl]),
      ],
      { NCCL_TOPO_DUMP_FILE: topology, NCCL_GRAPH_DUMP_FILE: graphs },
    );
    const files = [];
    for (const file of [topology, graphs]) {
      const about = await stat(file).catch(() => null);
      if (about !== null && about.mtimeMs >= started - 1000) files.push(file);
    }
    if (files.length > 0) return files;
    throw refuse('no-nccl-dump', { folder, said: code === 0 ? null : stderr.trim().split('\n').slice(0, 8) });
  } finally {
    await rm(runs, { recursive: true, force: true });
  }
}

/**
 * Runs `collbench WORDS` with additional environment variables; resolves when the process has ended, with its exit code (null =
 * killed by a signal) and the end of its stderr. It is a child process, because the variables for NCCL must not be set in the
 * current process. Rejects if the process cannot be started.
 */
const runSelf = (
  words: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<{ code: number | null; stderr: string }> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [process.argv[1] ?? '', ...words], {
      env: { ...process.env, ...variables },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-20_000);
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stderr }));
  });
