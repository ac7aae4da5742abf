// A small option table for tests: suites need only names and checks of options.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { OptionRow } from '../options/option.ts';
import { ValueError } from '../options/values.ts';
import type { SuiteReading } from './read.ts';

const option = (allowed: string, pattern: RegExp, conflicts: string[] = []): OptionRow => ({
  describe: `${allowed}.`,
  allowed,
  conflicts,
  coerce: (text) => {
    if (!pattern.test(text)) throw new ValueError('not understood');
  },
});

export const testReading = (library: string): SuiteReading => ({
  collectives: ['allreduce', 'broadcast', 'barrier'],
  options: {
    ranks: option('a whole number', /^\d+$/),
    launches: option('a whole number', /^\d+$/),
    min: option('a size', /^\d+[KMG]?$/),
    sizes: option('sizes', /^[\dKMG,]+$/, ['min']),
    transport: option('names', /./),
    link: option('a model', /./),
    // An option with the same name as a key of entries.
    matrix: option('a kind of traffic', /^[a-z]+$/),
  },
  library,
});

export async function withFolder<T>(body: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'collbench-suite-'));
  try {
    return await body(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
