// Lists the runs of a folder with the values shown for each.
import { basename, join, resolve } from 'node:path';
import type { RunRecord } from '../schema/index.ts';
import { idOf, secondOf } from './folders.ts';
import { readLines } from './lines.ts';
import { defaultRoot, files } from './paths.ts';
import { scanRuns } from './run-index/open.ts';
import type { RunEntry } from './types.ts';

/**
 * Lists all runs in folder `root`, oldest first, from its index, which is first brought up to date; [] if `root` does not exist. A
 * run that cannot be read is listed, too, and so is a run without end whose results cannot be read: the field `problem` says why.
 * @throws StoreError not-found if `root` cannot be read
 */
export async function listRuns(root: string = defaultRoot): Promise<RunEntry[]> {
  const { lines, running, unreadable } = await scanRuns(resolve(root));
  const dirOf = (folder: string): string => join(resolve(root), folder);
  const entries = [
    ...lines.map((line) => entryOf(dirOf(line.folder), line, line.cells)),
    ...unreadable.map(({ folder, error }) => unreadableEntry(dirOf(folder), error)),
  ];
  for (const { folder, record } of running) {
    const dir = dirOf(folder);
    try {
      const measured = record.summary?.cellsMeasured ?? (await countCells(dir));
      entries.push(entryOf(dir, record, { measured, expected: record.plan.expected.cells }));
    } catch (error) {
      entries.push(unreadableEntry(dir, error));
    }
  }
  return entries.sort(byStart);
}

/** Returns the runs in folder `root` whose label is exactly `word`, oldest first. @throws StoreError as listRuns() does */
export const labelledRuns = async (word: string, root: string): Promise<RunEntry[]> =>
  (await listRuns(root)).filter(({ label }) => label === word);

/** Orders two runs by start: first by the second in their folder names, then by the exact time in their records, then by name. */
function byStart(a: RunEntry, b: RunEntry): number {
  const [name, other] = [basename(a.dir), basename(b.dir)];
  return (
    secondOf(name).localeCompare(secondOf(other)) ||
    a.startedAt.localeCompare(b.startedAt) ||
    name.localeCompare(other)
  );
}

type EntryHead = Pick<
  RunRecord,
  'id' | 'title' | 'startedAt' | 'state' | 'label' | 'tags' | 'notes' | 'suite'
>;

function entryOf(dir: string, listed: EntryHead, cells: { measured: number; expected: number }): RunEntry {
  const { id, title, startedAt, state, label = null, tags = {}, notes = [], suite } = listed;
  return {
    ...{ id, title, startedAt, state, label, tags, notes },
    suite: suite === undefined ? null : membershipOf(suite),
    dir,
    cellsMeasured: cells.measured,
    cellsExpected: cells.expected,
    problem: null,
  };
}

const membershipOf = ({ id, name, folder, entry, arm, pass }: NonNullable<EntryHead['suite']>) => ({
  ...{ id, name },
  ...(folder === undefined ? {} : { folder }),
  ...{ entry, arm, pass },
});

function unreadableEntry(dir: string, error: unknown): RunEntry {
  const name = basename(dir);
  return {
    ...{ dir, id: idOf(name), title: name, startedAt: '', label: null, tags: {}, notes: [] },
    suite: null,
    ...{ state: 'unreadable', cellsMeasured: null, cellsExpected: null },
    problem: error instanceof Error ? error.message : String(error),
  };
}

async function countCells(dir: string): Promise<number> {
  const ids = new Set<string>();
  for await (const line of readLines(join(dir, files.cells))) {
    const found = /"id":"([^"]*)"/.exec(line.text)?.[1];
    if (found !== undefined && /"status":"ok"/.test(line.text)) ids.add(found);
  }
  return ids.size;
}
