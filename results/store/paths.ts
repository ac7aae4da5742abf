import { dirname, isAbsolute, relative, resolve } from 'node:path';

/** Names of files and folders of a run, relative to the run's folder. */
export const files = {
  record: 'run.json',
  cells: 'cells.ndjson',
  samples: 'samples',
  blocks: 'samples/blocks.ndjson',
  logs: 'logs',
  /** File with the hardware description of each host. */
  machines: 'machines.json',
  /**
   * Folder with one metrics file per host: `<host>.ndjson` of the first start, and `<host>.<attempt>.ndjson` of each resumption or
   * retry.
   */
  metrics: 'metrics',
  /**
   * Start of the names of lock files, `.writer-<n>.json`. Each writer takes a number that no present lock file has, usually 1
   * (lock.ts).
   */
  writer: '.writer-',
} as const;

/** Default folder of all runs, relative to the working directory. */
export const defaultRoot = 'collbench-runs';

/**
 * Returns the path relative to the working directory if the file is below it, "." for the working directory itself; otherwise the
 * unchanged path. The file need not exist.
 */
export function nearPath(file: string): string {
  const near = relative(process.cwd(), file);
  return near.startsWith('..') || isAbsolute(near) ? file : near === '' ? '.' : near;
}

/**
 * Returns the text by which a user can name a stored run or suite: its id if it is in the default folder of all runs, otherwise the
 * path of its folder. The path is relative if the folder is below the working directory.
 */
export const nameToType = (id: string, dir: string): string =>
  dirname(resolve(dir)) === resolve(defaultRoot) ? id : nearPath(resolve(dir));

/**
 * Highest size in bytes of a JSON file that is read whole, such as run.json, suite.json or machines.json. With thousands of ranks
 * these have a few MiB.
 */
export const maxRecordBytes = 256 * 2 ** 20;
