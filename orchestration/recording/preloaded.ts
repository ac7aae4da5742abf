import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { packageRoot } from '../../results/package.ts';
import { nativeDir } from '../build.ts';

/**
 * The built library that records MPI calls, or the reason, as text for the user, why it could not be built. `file` is its path.
 * `remove` deletes the library; the caller must call it after the job.
 */
export type PreloadLibrary = { file: string; remove(): void } | { reason: string };

/**
 * Pattern of characters in a path at which LD_PRELOAD would split it (ld.so(8)). The rest of the path would then be
 * taken for another library.
 */
export const splitsPreload = /[\s:]/;

const patienceMs = 60_000;

const isProgram = (file: string): boolean => {
  const folders = file.includes('/') ? [''] : (process.env.PATH ?? '').split(':').map((dir) => `${dir}/`);
  return folders.some((dir) => existsSync(`${dir}${file}`));
};

/**
 * Returns the mpicc that belongs to the MPI launcher in a job's command, as a path or a name to be found in PATH. It is
 * mpicc.mpich for mpirun.mpich, otherwise mpicc; in the launcher's folder, if the command names it (/opt/mpich/bin/mpicc for
 * /opt/mpich/bin/mpiexec). If there is no launcher or none of these files exists, "mpicc".
 * @param words words of the job's command
 */
export function compilerOf(words: readonly string[]): string {
  const launcher = words.find((word) => /^(?:mpirun|mpiexec|orterun)(?:\.|$)/.test(path.basename(word)));
  if (launcher === undefined) return 'mpicc';
  const folder = launcher.includes('/') ? `${path.dirname(launcher)}/` : '';
  const [, kind = ''] = /^\w+(\..+)$/.exec(path.basename(launcher)) ?? [];
  return [`${folder}mpicc${kind}`, `${folder}mpicc`].find(isProgram) ?? 'mpicc';
}

/**
 * Uses `mpicc` to build the library that records MPI calls; it works only with the MPI of this mpicc. It is not linked with MPI,
 * because shells and launchers load it, too. A failed build is in the result, not thrown.
 * @param mpicc a path, or a name that is found through PATH
 * @param folder existing folder for the library; a private folder is used instead if LD_PRELOAD cannot contain this path
 */
export function buildPreloaded(mpicc: string, folder: string): PreloadLibrary {
  if (!splitsPreload.test(folder)) return buildIn(folder, mpicc, () => undefined);
  const usual = tmpdir();
  const own = mkdtempSync(path.join(splitsPreload.test(usual) ? '/tmp' : usual, 'collbench-record-'));
  return buildIn(own, mpicc, () => rmSync(own, { recursive: true, force: true }));
}

function buildIn(folder: string, mpicc: string, removeFolder: () => void): PreloadLibrary {
  const source = path.join(packageRoot, 'native', 'recorder', 'mpi', 'preloaded.c');
  const object = path.join(folder, 'preloaded.o');
  const file = path.join(folder, 'libcollbench-record-mpi.so');
  const compiled = step(mpicc, ['-std=gnu11', '-O2', '-fPIC', '-c', source, '-o', object]);
  if (compiled !== null) {
    removeFolder();
    return { reason: compiled };
  }
  const linker = process.env.CC || 'cc';
  const linked = step(linker, ['-shared', '-o', file, object, '-ldl', '-lpthread']);
  rmSync(object, { force: true });
  const remove = (): void => {
    rmSync(file, { force: true });
    removeFolder();
  };
  if (linked === null) return { file, remove };
  remove();
  return { reason: linked };
}

/**
 * Runs a compiler command for at most `patienceMs` and waits for it. Returns null on success, otherwise the error as text: a
 * missing program, a timeout, or its exit code with the first error that it printed.
 */
function step(program: string, words: readonly string[]): string | null {
  const { error, status, stderr } = spawnSync(program, words, { encoding: 'utf8', timeout: patienceMs });
  if (error !== undefined)
    return 'code' in error && error.code === 'ENOENT'
      ? `${program} was not found`
      : `${program}: ${error.message}`;
  const [first = ''] = stderr.split('\n').filter((line) => /error|cannot|not found/i.test(line));
  return status === 0 ? null : `${program} failed (exit code ${status}) ${first.slice(0, 200)}`.trim();
}

/** Returns the path of a recorder library in the folder of the native build; null if the build does not have it. */
export function recorderLibrary(name: 'nccl-profiler-collbench' | 'collbench-record'): string | null {
  const file = path.join(nativeDir(), `lib${name}.so`);
  return existsSync(file) ? file : null;
}

/**
 * Returns the folder with a sitecustomize.py, which Python loads before any program if the folder is in PYTHONPATH. Null if its
 * path contains a colon, because PYTHONPATH splits at colons.
 */
export function pythonRecorder(): string | null {
  const folder = path.join(packageRoot, 'native', 'recorder', 'torch');
  return folder.includes(':') ? null : folder;
}
