// nccl-tests as the other program of a crosscheck.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { NcclTestsResult } from '../../results/import/nccl-tests-result.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import type { CollectiveName, CrosscheckOptions } from '../../results/schema/index.ts';
import { crosscheckSizes, ncclTestsArguments, payloadOfCount } from '../../suites/crosscheck/plan.ts';
import { programNames } from '../../suites/crosscheck/programs.ts';
import type { CrosscheckEngine } from './engine.ts';
import { findMpirun, type MpirunProgram, mpirunWords, usesMpi } from './mpi.ts';
import { call, measureTheirs, type NcclTestsCall, ncclTestsFailure } from './nccl-tests.ts';
import { type PeerPrograms, type PeerSide, unknownPeerFacts } from './peer.ts';

/**
 * Finds the nccl-tests programs; none is started.
 * @throws Refusal if a program, or the mpirun that it needs, is missing
 * @throws UnreadableFile if a program cannot be read
 */
export function findNcclTests(options: CrosscheckOptions): PeerPrograms {
  const programs = findPrograms(options.ncclTests, options.collectives);
  const mpi = programs.find(({ isMpi }) => isMpi);
  const mpirun = mpi === undefined ? null : findMpirun(options.mpirun, mpi.file);
  return {
    name: 'nccl-tests',
    collectives: programs.map(({ collective }) => collective),
    async prepare(ours) {
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
  /** Folder in which the output of nccl-tests is saved: COLLECTIVE-ROUND.txt, and .json if `json`. */
  folder: string;
  /** True if the installed nccl-tests can write its results as JSON. */
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
  /** Absolute path of the nccl-tests program for the collective. */
  file: string;
  /** True if the program runs as one process per GPU under mpirun; false if it is one process with a thread per GPU. */
  isMpi: boolean;
}

/**
 * Finds the nccl-tests program for each collective, in DIR/build, otherwise in DIR. Reads each file to see whether it uses MPI.
 * @returns the programs in the order of `names`
 * @throws Refusal if a program is missing; its text names every path that was tried for it
 * @throws UnreadableFile if a program exists but cannot be read
 */
function findPrograms(dir: string, names: readonly CollectiveName[]): PeerProgram[] {
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

// The nccl-tests side of a crosscheck: an environment in which nccl-tests measures the same as collbench's ranks, and
// a check that it did.
/**
 * Pattern of environment variables that are removed, because nccl-tests would measure something else with them, or
 * report failure below a bandwidth.
 */
const unwanted = /^NCCL_TESTS_/;

/**
 * Returns the folder to put first in LD_LIBRARY_PATH, so that nccl-tests loads the same library as collbench's ranks.
 * "" if the library was named without a folder, because the loader then finds it by itself.
 * @throws Refusal if the library's folder has no libnccl.so.2
 */
function libraryFolder(library: string): string {
  if (!library.includes('/')) return '';
  const folder = path.dirname(library);
  if (existsSync(path.join(folder, 'libnccl.so.2'))) return folder;
  const link = `ln -s ${path.basename(library)} ${path.join(folder, 'libnccl.so.2')}`;
  throw refuse('nccl-tests-cannot-load', { library, folder, link });
}

/**
 * Returns the whole environment for nccl-tests: that of this process without NCCL_TESTS_..., with NCCL_DEBUG=VERSION if it is not
 * set there; the NCCL variables of collbench's ranks; and variables that select the same NCCL library and GPUs.
 * @param ours collbench's engine, with the library and GPUs to use
 * @throws Refusal if nccl-tests cannot load the library that collbench's ranks use
 */
function environmentFor(ours: CrosscheckEngine): NodeJS.ProcessEnv {
  const base = process.env;
  const kept = Object.fromEntries(Object.entries(base).filter(([name]) => !unwanted.test(name)));
  const visible = base.CUDA_VISIBLE_DEVICES?.split(',').filter(Boolean);
  const libraries = [libraryFolder(ours.library.path), base.LD_LIBRARY_PATH ?? ''].filter(Boolean);
  return {
    // Older releases do not print which library they loaded; this setting makes NCCL print it.
    NCCL_DEBUG: 'VERSION',
    ...kept,
    ...ours.environment,
    LD_LIBRARY_PATH: libraries.join(':'),
    // GPU numbers are indices into the devices that are already visible.
    CUDA_VISIBLE_DEVICES: ours.gpus.map((gpu) => visible?.[gpu] ?? gpu).join(','),
  };
}

/**
 * Runs an nccl-tests program with `-h`, which needs no GPU, and reads its usage text.
 * @param timeoutS maximum seconds that the program may run
 * @returns true if the program has an option for output as JSON
 * @throws FailureError of kind setup (the program does not start, or prints no usage, perhaps because a library is missing), hang
 * (it does not end in time), interrupted (abort of `signal`) or rank-died (it is killed by a signal)
 */
async function canWriteJson(
  file: string,
  env: NodeJS.ProcessEnv,
  timeoutS: number,
  signal: AbortSignal,
): Promise<boolean> {
  const request: NcclTestsCall = { name: path.basename(file), file, args: ['-h'], env, timeoutS, keep: null };
  const { text, code, errors } = await call(request, signal);
  if (text.includes('--minbytes')) return text.includes('--output_file');
  const message = `${file} -h printed no usage of nccl-tests (exit code ${code})`;
  throw ncclTestsFailure(request, { kind: 'setup', message, details: errors, next: `ldd ${file}` });
}

/**
 * Returns a text about the first difference between what nccl-tests measured and what was requested: NCCL version, data type or
 * number of ranks, in this order. Null if there is no difference. A version or number of ranks that nccl-tests did not print
 * counts as equal.
 */
function differenceFromRequest(
  { ncclVersion, rows, ranks }: NcclTestsResult,
  { dtype }: CrosscheckOptions,
  { library, gpus }: CrosscheckEngine,
): { message: string; details?: string[] } | null {
  if (ncclVersion !== null && ncclVersion !== library.version) {
    return {
      message: `nccl-tests loaded NCCL ${ncclVersion}, collbench ${library.version} (${library.path})`,
      details: [
        'The two would not measure the same library.',
        'Likely cause: nccl-tests was built with an RPATH of its own, or with NCCL inside (NCCL_STATIC=1).',
        'Give that library to both with --nccl PATH, or build nccl-tests against this one.',
      ],
    };
  }
  const other = rows.find((row) => row.dtype !== dtype)?.dtype;
  if (other !== undefined) return { message: `nccl-tests measured ${other} where ${dtype} was asked for` };
  if (ranks === null || ranks === gpus.length) return null;
  return { message: `nccl-tests ran ${ranks} ranks where ${gpus.length} were asked for` };
}

/**
 * Runs nccl-tests once and checks that it measured what was requested.
 * @throws FailureError as measureTheirs() does; also, with kind setup, if another NCCL version, data type or number of ranks was
 * measured
 */
async function runTheirs(
  request: NcclTestsCall,
  options: CrosscheckOptions,
  ours: CrosscheckEngine,
  signal: AbortSignal,
): Promise<NcclTestsResult> {
  const result = await measureTheirs(request, signal);
  const other = differenceFromRequest(result, options, ours);
  if (other !== null) throw ncclTestsFailure(request, { kind: 'setup', next: null, ...other });
  return result;
}
