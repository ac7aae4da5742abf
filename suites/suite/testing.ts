// A small option table for tests: suites need only names and checks of options.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { SuiteOption, SuiteReading } from './index.ts';

const option = (name: string, allowed: string, isRight: (text: string) => boolean): SuiteOption => ({
  name,
  help: `${name}.`,
  allowed,
  check: (text) => (isRight(text) ? null : 'not understood'),
});

export const testReading = (library: string): SuiteReading => ({
  collectives: ['allreduce', 'broadcast', 'barrier'],
  options: [
    option('ranks', 'a whole number', (text) => /^\d+$/.test(text)),
    option('launches', 'a whole number', (text) => /^\d+$/.test(text)),
    option('min', 'a size', (text) => /^\d+[KMG]?$/.test(text)),
    option('sizes', 'sizes', (text) => /^[\dKMG,]+$/.test(text)),
    option('transport', 'names', (text) => text !== ''),
    option('link', 'a model', (text) => text !== ''),
  ],
  areRivals: (one, other) => [one, other].sort().join() === 'min,sizes',
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
