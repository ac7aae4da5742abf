import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { endedSuite } from '../../../reports/fixtures/suite.ts';
import type { SuiteMembership, SuiteRecord } from '../../../results/schema/index.ts';
import { createSuite, runFolder } from '../../../results/store/suites.ts';
import { idOf, writeNight } from '../../../results/testing/nights.ts';

/** Id of the suite that writeStored() writes, and the ids of its runs. */
export const storedSuite = { id: 'abcdef', runs: [idOf(1), idOf(2)] } as const;

/**
 * Writes runs into the folder `cwd`, as the nights of a machine leave them: a single run, a suite of two runs with its folder
 * beside them, and files that are no runs.
 */
export async function writeStored(cwd: string): Promise<void> {
  const root = path.join(cwd, 'collbench-runs');
  const member = (entry: string): SuiteMembership => ({
    ...{ id: storedSuite.id, name: 'nightly', entry, arm: 'tonight', pass: 'first', turn: 0 },
  });
  await writeNight(root, { night: 0, record: { label: 'monday' } });
  const written = [];
  for (const [i, id] of storedSuite.runs.entries()) {
    const entry = ['small', 'large'][i] ?? '';
    const dir = await writeNight(root, { night: i + 1, record: { suite: member(entry) } });
    written.push({ id, dir, entry });
  }
  const [first] = endedSuite.entries as [SuiteRecord['entries'][number]];
  const suite = await createSuite({ ...endedSuite, entries: [] }, { root });
  const entries = written.map(({ id, dir, entry }): SuiteRecord['entries'][number] => ({
    ...{ ...first, name: entry, status: 'measured', reason: null, leftOut: [] },
    runs: [{ id, folder: runFolder(suite.dir, dir), arm: 'tonight', pass: 'first', turn: 0, exitCode: 0 }],
  }));
  await suite.update({ ...endedSuite, entries });
  await mkdir(path.join(cwd, 'empty'));
  await writeFile(path.join(cwd, 'notes.txt'), 'no output of a benchmark\n');
}
