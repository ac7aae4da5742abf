import { dirname, isAbsolute, relative, resolve } from 'node:path';

/** A run on disk, relative to its folder. */
export const files = {
  record: 'run.json',
  cells: 'cells.ndjson',
  samples: 'samples',
  blocks: 'samples/blocks.ndjson',
  logs: 'logs',
  /** What the machines are made of, by host. */
  machines: 'machines.json',
  /** `<host>.ndjson`, `<host>.<attempt>.ndjson` of a run that was gone on with. */
  metrics: 'metrics',
  /** `.writer-<n>.json`: who writes (lock.ts). */
  writer: '.writer-',
} as const;

/** Folder of all runs when nothing else is said, relative to the working directory. */
export const defaultRoot = 'collbench-runs';

/** The shorter way to write a path: from the working directory where it lies below, else whole. */
export function nearPath(file: string): string {
  const near = relative(process.cwd(), file);
  return near.startsWith('..') || isAbsolute(near) ? file : near;
}

/** What commands find a stored run or suite by: its id where the default folder holds it, else its folder. */
export const nameToType = (id: string, dir: string): string =>
  dirname(resolve(dir)) === resolve(defaultRoot) ? id : nearPath(resolve(dir));

/** Bytes of a run.json, suite.json or machines.json: those of thousands of ranks have a few MiB. */
export const maxRecordBytes = 256 * 2 ** 20;
