// nccl-tests as the other program of a crosscheck.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { refuse } from '../../results/refusals/refusal.ts';
import type { CollectiveName, CrosscheckOptions } from '../../results/schema/index.ts';
import { crosscheckSizes, ncclTestsArguments, payloadOfCount } from '../../suites/crosscheck/plan.ts';
import { programNames } from '../../suites/crosscheck/programs.ts';
import type { CrosscheckEngine } from './engine.ts';
import { findMpirun, type MpirunProgram, mpirunWords, usesMpi } from './mpi.ts';
import { canWriteJson, environmentFor, runTheirs } from './nccl-tests-environment.ts';
import { type PeerPrograms, type PeerSide, unknownPeerFacts } from './peer.ts';

/** Finds the nccl-tests programs. @throws Refusal if a program, or the mpirun that it needs, is missing */
export function findNcclTests(options: CrosscheckOptions): PeerPrograms {
  const programs = findPrograms(options.ncclTests, options.collectives);
  const mpi = programs.find(({ isMpi }) => isMpi);
  const mpirun = mpi === undefined ? null : findMpirun(options.mpirun, mpi.file);
  return {
    name: 'nccl-tests',
    collectives: programs.map(({ collective }) => collective),
    prepare(ours) {
      const env = environmentFor(ours);
      return async (collective, folder, signal) => {
        const program = programs.find((one) => one.collective === collective) as PeerProgram;
        const json = await canWriteJson(program.file, env, options.timeoutS, signal);
        return ncclTestsSide(program, { options, ours, env, mpirun, folder, json, signal });
      };
    },
  };
}

interface NcclTestsContext {
  options: CrosscheckOptions;
  ours: CrosscheckEngine;
  env: NodeJS.ProcessEnv;
  /** The mpirun that starts the programs; null if no program was built with MPI. */
  mpirun: MpirunProgram | null;
  /** Folder in which the output of nccl-tests is saved. */
  folder: string;
  /** True if nccl-tests can write JSON. */
  json: boolean;
  signal: AbortSignal;
}

function ncclTestsSide({ collective, file, isMpi }: PeerProgram, context: NcclTestsContext): PeerSide {
  const { options, ours, env, folder, json, signal } = context;
  const mpirun = isMpi ? context.mpirun : null;
  const ranks = ours.gpus.length;
  const processes = mpirun === null ? 1 : ranks;
  const keepOf = (round: number) => path.join(folder, `${collective}-${round}`);
  const commandLine = (round: number) => [
    ...(mpirun === null ? [] : mpirunWords(mpirun, ranks, env)),
    file,
    ...ncclTestsArguments(collective, options, ranks / processes, json ? `${keepOf(round)}.json` : null),
  ];
  const program = path.basename(file);
  const name = mpirun === null ? program : `mpirun ${program}`;
  let said = unknownPeerFacts;
  return {
    name: 'nccl-tests',
    expected: crosscheckSizes(collective, options, ranks),
    processes,
    commandLine,
    facts: () => said,
    async measure(round) {
      const [first = '', ...args] = commandLine(round);
      const { timeoutS } = options;
      const call = { name, file: first, args, env, timeoutS, keep: keepOf(round) };
      const { version, ncclVersion, devices, problems, rows } = await runTheirs(call, options, ours, signal);
      const lowered = problems.find((problem) => problem.startsWith('Reducing maxBytes')) ?? null;
      if (said === unknownPeerFacts)
        said = { version, ncclVersion, devices: [...new Set(devices.map((device) => device.name))], lowered };
      const found = new Map<number, number>();
      for (const { count, outOfPlace } of rows) {
        const payload = payloadOfCount(collective, count, options, ranks);
        if (outOfPlace.timeNs !== null && !found.has(payload)) found.set(payload, outOfPlace.timeNs);
      }
      return found;
    },
  };
}

// Finds the programs of nccl-tests and what they support.

export interface PeerProgram {
  collective: CollectiveName;
  /** Absolute path of the program. */
  file: string;
  /** True if the program runs as one process per GPU under mpirun; false if it is one process with a thread per GPU. */
  isMpi: boolean;
}

/**
 * Finds the nccl-tests program for each collective, in DIR/build, otherwise in DIR. Reads each file to see whether it uses
 * MPI.
 * @throws Refusal if a program is missing; its text names every path that was tried for it
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
