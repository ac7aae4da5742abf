// The nccl-tests side: an environment in which it measures the same as our ranks, and a check that it did.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { NcclTestsResult } from '../../results/import/nccl-tests-result.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import type { CrosscheckOptions } from '../../results/schema/index.ts';
import type { CrosscheckEngine } from './engine.ts';
import { call, measureTheirs, type NcclTestsCall, ncclTestsFailure } from './nccl-tests.ts';

/** Pattern of environment variables with which nccl-tests would measure something else, or report failure below a bandwidth. */
const unwanted = /^NCCL_TESTS_/;

/**
 * Folder to put first in LD_LIBRARY_PATH, so that nccl-tests loads the same library as collbench's ranks. "" if the loader
 * finds the library without it, because it was named without a folder.
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
 * Environment variables for nccl-tests: those of `base` without NCCL_TESTS_..., replaced by those of collbench's ranks. The
 * same NCCL library and GPUs are set.
 * @throws Refusal if nccl-tests cannot load the library that collbench's ranks use
 */
export function environmentFor(
  ours: CrosscheckEngine,
  base: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
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
 * Runs the program with the option for its usage text, which needs no GPU.
 * @returns true if the usage shows that it can write JSON
 * @throws FailureError if the program does not start (a library is missing) or does not print its usage
 */
export async function canWriteJson(
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
 * Describes how the measurement of nccl-tests differs from the request: library, data type or number of ranks, the first
 * that differs. Null if none does. A version or number of ranks that nccl-tests did not print counts as equal.
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
 * Runs nccl-tests and checks that it measured what was requested.
 * @throws FailureError as measureTheirs() does; of kind setup if it measured another library, data type or number of ranks
 */
export async function runTheirs(
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
