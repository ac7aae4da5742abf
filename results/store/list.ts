// Which runs there are, with what a line of a list shows of each: hundreds of runs are listed while somebody waits.
import { readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../files/json.ts';
import { readPlainTextSync, UnreadableFile } from '../files/plain.ts';
import { runPlan, runRecord, suiteMembership } from '../schema/index.ts';
import { StoreError } from './errors.ts';
import { readLines } from './lines.ts';
import { defaultRoot, files, maxRecordBytes } from './paths.ts';
import { check } from './records.ts';
import type { RunEntry } from './types.ts';
import { requireVersion } from './versions.ts';

const { id, title, startedAt, state, label, tags, notes } = runRecord.shape;
const member = suiteMembership.pick({
  id: true,
  name: true,
  folder: true,
  entry: true,
  arm: true,
  pass: true,
});
/** Alike in all versions. What else is in run.json is checked by who opens the run. */
const listed = z.object({
  ...{ id, title, startedAt, state, label, tags, notes },
  plan: z.object({ expected: z.object({ cells: runPlan.shape.expected.shape.cells }) }),
  suite: z.object(member.shape).optional(),
  summary: z.object({ cellsMeasured: z.int() }).nullable(),
});

/** All runs below `root`, oldest first; folders that are no runs are passed over, unreadable runs say why. */
export async function listRuns(root: string = defaultRoot): Promise<RunEntry[]> {
  const entries: RunEntry[] = [];
  for (const name of await foldersOf(root)) {
    const dir = join(resolve(root), name);
    const entry = await entryOf(dir).catch((error: unknown) => unreadable(dir, error));
    if (entry !== null) entries.push(entry);
  }
  return entries.sort(byStart);
}

/** Names begin with the second of the start; of those of one second the records say more. */
function byStart(a: RunEntry, b: RunEntry): number {
  const [name, other] = [basename(a.dir), basename(b.dir)];
  return (
    secondOf(name).localeCompare(secondOf(other)) ||
    a.startedAt.localeCompare(b.startedAt) ||
    name.localeCompare(other)
  );
}

/** @param name of a run's folder */
export const secondOf = (name: string): string => name.slice(0, 'yyyy-mm-ddThh-mm-ss'.length);

async function entryOf(dir: string): Promise<RunEntry | null> {
  const path = join(dir, files.record);
  const text = textOf(path);
  if (text === null) return null;
  const raw = parsed(path, text);
  requireVersion(path, raw);
  const { plan, summary, ...record } = check(path, listed, raw);
  return {
    ...record,
    label: record.label ?? null,
    tags: record.tags ?? {},
    notes: record.notes ?? [],
    suite: record.suite ?? null,
    dir,
    cellsMeasured: summary?.cellsMeasured ?? (await countCells(dir)),
    cellsExpected: plan.expected.cells,
    problem: null,
  };
}

/** Null where there is none. */
function textOf(path: string): string | null {
  try {
    return readPlainTextSync(path, maxRecordBytes);
  } catch (error) {
    if (error instanceof UnreadableFile && ['ENOENT', 'ENOTDIR'].includes(error.code)) return null;
    throw readError(path, error);
  }
}

function parsed(path: string, text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw readError(path, error);
  }
}

export function readError(path: string, error: unknown): StoreError {
  const what = error instanceof Error ? error.message : String(error);
  return new StoreError('broken', path, `${path} cannot be read: ${what}`, { cause: error });
}

function unreadable(dir: string, error: unknown): RunEntry {
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

/** The id is the last part of a folder's name. */
export const idOf = (name: string): string => name.split('-').at(-1) ?? name;

export async function foldersOf(root: string): Promise<string[]> {
  try {
    const entries = await readdir(root, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    const what = error instanceof Error ? error.message : String(error);
    throw new StoreError('not-found', root, `the runs in ${root} cannot be listed: ${what}`, {
      cause: error,
    });
  }
}

export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
