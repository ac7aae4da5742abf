// Finds the programs of nccl-tests and what they support.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { refuse } from '../../results/refusals/refusal.ts';
import type { CollectiveName } from '../../results/schema/index.ts';
import { programNames } from '../../suites/crosscheck/programs.ts';
import { usesMpi } from './mpi.ts';

export interface PeerProgram {
  collective: CollectiveName;
  /** Absolute path of the program. */
  file: string;
  /** True if the program runs as one process per GPU under mpirun; false if it is one process with a thread per GPU. */
  isMpi: boolean;
}

/**
 * Finds the nccl-tests program for each collective, in DIR/build or DIR.
 * @throws Refusal if a program is missing; its text names every path that was tried
 */
export function findPrograms(dir: string, names: readonly CollectiveName[]): PeerProgram[] {
  const folders = [path.resolve(dir, 'build'), path.resolve(dir)];
  const looked: string[] = [];
  const programs = names.flatMap((collective): PeerProgram[] => {
    const places = folders.map((folder) => path.join(folder, programNames[collective] ?? collective));
    const file = places.find((place) => existsSync(place));
    if (file === undefined) looked.push(...places);
    return file === undefined ? [] : [{ collective, file, isMpi: usesMpi(file) }];
  });
  if (looked.length > 0) throw refuse('nccl-tests-missing', { dir, exists: existsSync(dir), looked });
  return programs;
}
