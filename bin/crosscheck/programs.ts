// Where the programs of nccl-tests are, and what they can do.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { CollectiveName } from '../../results/schema/index.ts';
import { isCollective } from '../../suites/collectives.ts';
import { CommandError } from '../exit.ts';
import { usesMpi } from './mpi.ts';

/**
 * Our name of a collective, nccl-tests' name of its program. alltoallv is not among them: each side has uneven lengths
 * of its own, so the two move different data.
 */
const programNames: Record<string, string> = {
  allreduce: 'all_reduce_perf',
  allgather: 'all_gather_perf',
  reducescatter: 'reduce_scatter_perf',
  alltoall: 'alltoall_perf',
  broadcast: 'broadcast_perf',
  reduce: 'reduce_perf',
  gather: 'gather_perf',
  scatter: 'scatter_perf',
  sendrecv: 'sendrecv_perf',
  hypercube: 'hypercube_perf',
};

/** Collectives that both sides have, in nccl-tests' order. */
export const comparable: readonly CollectiveName[] = Object.keys(programNames).filter(isCollective);

/** Measured when none is named: those every training job uses. */
const usual = ['allreduce', 'allgather', 'reducescatter', 'alltoall', 'broadcast'];
export const usualCollectives: readonly CollectiveName[] = comparable.filter((name) => usual.includes(name));

export interface Program {
  collective: CollectiveName;
  /** Absolute. */
  file: string;
  /** Runs as one process per GPU; else as one process with a thread per GPU. */
  isMpi: boolean;
}

/**
 * The program of each collective, in DIR/build or DIR.
 * @throws CommandError naming every place looked at
 */
export function findPrograms(dir: string, names: readonly CollectiveName[]): Program[] {
  const folders = [path.resolve(dir, 'build'), path.resolve(dir)];
  const missing: string[] = [];
  const programs = names.flatMap((collective): Program[] => {
    const name = programNames[collective] as string;
    const places = folders.map((folder) => path.join(folder, name));
    const file = places.find((place) => existsSync(place));
    if (file === undefined) missing.push(...places);
    return file === undefined ? [] : [{ collective, file, isMpi: usesMpi(file) }];
  });
  if (missing.length > 0) {
    const state = existsSync(dir) ? 'programs are missing there' : 'no such folder';
    throw new CommandError(`--nccl-tests ${dir}: ${state}`, [
      ...missing.map((place) => `  looked for ${place}`),
      '  allowed: a checkout of nccl-tests after make, or the folder of its programs',
      `Next: make -C ${dir} -j, or name the right folder`,
    ]);
  }
  return programs;
}
