// Their side: which command line and which environment make nccl-tests measure what our ranks measure.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { NcclTestsResult } from '../../results/import/index.ts';
import { type DtypeName, failureWith, type OpName } from '../../results/schema/index.ts';
import { FailureError } from '../../results/verdicts/failure-error.ts';
import { collectives } from '../../suites/collectives.ts';
import { CommandError } from '../exit.ts';
import { call, measureTheirs, type NcclTestsCall } from './nccl-tests-run.ts';
import type { CrosscheckOptions } from './options.ts';
import type { OurEngine } from './ours.ts';
import type { Program } from './programs.ts';

/** Calls whose mean is one figure, and untimed ones before; a sample of ours takes as many. */
export const iterations = 20;
export const warmup = 5;

const dtypes: Partial<Record<DtypeName, string>> = {
  float16: 'half',
  float32: 'float',
  float64: 'double',
  float8e4m3: 'f8e4m3',
  float8e5m2: 'f8e5m2',
};
const ops: Partial<Record<OpName, string>> = { premulsum: 'mulsum' };

/** They would make nccl-tests measure another thing or fail for a bandwidth. */
const unwanted = /^NCCL_TESTS_/;

/** Folder that is first in LD_LIBRARY_PATH, so that nccl-tests loads the library of our ranks; "" where the loader finds it. */
function libraryFolder(library: string): string {
  if (!library.includes('/')) return '';
  const folder = path.dirname(library);
  if (existsSync(path.join(folder, 'libnccl.so.2'))) return folder;
  throw new CommandError(`${library}: nccl-tests cannot load it`, [
    `  it loads libnccl.so.2 by name, and ${folder} has no such file`,
    `Next: ln -s ${path.basename(library)} ${path.join(folder, 'libnccl.so.2')}`,
  ]);
}

export function environmentFor(ours: OurEngine, base: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const kept = Object.fromEntries(Object.entries(base).filter(([name]) => !unwanted.test(name)));
  const visible = base.CUDA_VISIBLE_DEVICES?.split(',').filter(Boolean);
  const libraries = [libraryFolder(ours.library.path), base.LD_LIBRARY_PATH ?? ''].filter(Boolean);
  return {
    // Older releases do not print which library they loaded; NCCL does with this.
    NCCL_DEBUG: 'VERSION',
    ...kept,
    ...ours.environment,
    LD_LIBRARY_PATH: libraries.join(':'),
    // Numbers count within what is visible already.
    CUDA_VISIBLE_DEVICES: ours.gpus.map((gpu) => visible?.[gpu] ?? gpu).join(','),
  };
}

/** @param threads of one process, a GPU each (`-g 1`): all GPUs are launched side by side, as our ranks do */
export function argumentsFor(
  program: Program,
  options: CrosscheckOptions,
  threads: number,
  jsonFile: string | null,
): string[] {
  const { reduces, rooted } = collectives[program.collective];
  const { min, max, factor, dtype, op } = options;
  return [
    ...['-b', min, '-e', max, '-f', factor, '-t', threads, '-g', 1, '-n', iterations, '-w', warmup].map(
      String,
    ),
    ...['-d', dtypes[dtype] ?? dtype],
    ...(reduces ? ['-o', ops[op] ?? op] : []),
    ...(rooted ? ['-r', '0'] : []),
    ...['-c', '1'],
    ...(jsonFile === null ? [] : ['-J', jsonFile]),
  ];
}

/**
 * Asks the program for its usage, which needs no GPU.
 * @returns whether it can write JSON
 * @throws FailureError when it does not start (a library is missing) or says something else
 */
export async function asksJson(
  file: string,
  env: NodeJS.ProcessEnv,
  timeoutS: number,
  signal: AbortSignal,
): Promise<boolean> {
  const asked: NcclTestsCall = { name: path.basename(file), file, args: ['-h'], env, timeoutS, keep: null };
  const { text, code, errors } = await call(asked, signal);
  if (text.includes('--minbytes')) return text.includes('--output_file');
  const message = `${file} -h printed no usage of nccl-tests (exit code ${code})`;
  throw new FailureError(
    failureWith({ kind: 'setup', phase: 'nccl-tests', message, details: errors, next: `ldd ${file}` }),
  );
}

/** @throws FailureError when nccl-tests measured something else than asked for: another library, type or number of ranks */
function requireSame(result: NcclTestsResult, options: CrosscheckOptions, ours: OurEngine): void {
  const refuse = (message: string, details: string[], next: string | null = null): never => {
    throw new FailureError(failureWith({ kind: 'setup', phase: 'nccl-tests', message, details, next }));
  };
  const { library, gpus } = ours;
  if (result.ncclVersion !== null && result.ncclVersion !== library.version) {
    refuse(`nccl-tests loaded NCCL ${result.ncclVersion}, collbench ${library.version} (${library.path})`, [
      'The two would not measure the same library.',
      'Likely cause: nccl-tests was built with an RPATH of its own, or with NCCL inside (NCCL_STATIC=1).',
      'Give that library to both with --nccl PATH, or build nccl-tests against this one.',
    ]);
  }
  const other = result.rows.find((row) => row.dtype !== options.dtype)?.dtype;
  if (other !== undefined) refuse(`nccl-tests measured ${other} where ${options.dtype} was asked for`, []);
  if (result.ranks !== null && result.ranks !== gpus.length) {
    refuse(`nccl-tests ran ${result.ranks} ranks where ${gpus.length} were asked for`, []);
  }
}

/** @throws FailureError (nccl-tests-run.ts), and when something else was measured than asked for */
export async function runTheirs(
  asked: NcclTestsCall,
  options: CrosscheckOptions,
  ours: OurEngine,
  signal: AbortSignal,
): Promise<NcclTestsResult> {
  const result = await measureTheirs(asked, signal);
  requireSame(result, options, ours);
  return result;
}
