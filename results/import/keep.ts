import { createHash } from 'node:crypto';
import path from 'node:path';
import { refuse } from '../refusals/refusal.ts';
import type { Job, RunRecord } from '../schema/index.ts';
import { keepJobs } from '../store/jobs.ts';
import { openRun } from '../store/read.ts';
import { enterIndex } from '../store/run-index/open.ts';
import { createRun, newRunId } from '../store/write.ts';
import { endedStateOf, exitCodeOf } from '../verdicts/exit-code.ts';
import { contentOf } from './content.ts';
import type { FormatName } from './formats.ts';
import { ImportError, type ImportHints } from './imported-output.ts';
import { readRanks } from './read.ts';
import { type ImportedRun, runOf } from './to-run.ts';
import { importedJob } from './traces/read-job.ts';

/**
 * The run made from an imported file, and what is stored with it: format of the file, versions of programs and libraries by name,
 * and environment variables, as far as the file contains them.
 */
export interface ImportedFile {
  run: ImportedRun;
  format: FormatName;
  versions: Record<string, string>;
  environment: Record<string, string>;
  /** A job for `collbench replay`; null if the output has none. */
  job: Job | null;
}

/**
 * Reads the output of another program, such as nccl-tests, and makes a run from it. Nothing is stored yet.
 * @param file a path, or `-` for stdin
 * @param format null = detected from the content
 * @param label name for the series (of the run in tables and charts), as the user gave it; null = that of the output
 * @param hints facts that the user stated by options, such as the number of ranks
 * @param command command line as typed, for the record
 * @param others paths of the traces of further ranks of the same job
 * @throws Refusal if a file cannot be read or imported
 */
export async function foreignRun(
  file: string,
  {
    format: asked,
    label,
    hints,
    command,
    others = [],
  }: {
    format: FormatName | null;
    label: string | null;
    hints: ImportHints;
    command: string[];
    others?: readonly string[];
  },
): Promise<ImportedFile> {
  const content = await contentOf(file);
  const more: Buffer[] = [];
  for (const other of others) more.push(await contentOf(other));
  const name = file === '-' ? 'stdin' : path.basename(file);
  const sha256 = createHash('sha256').update(content).digest('hex');
  try {
    const { format, found } = readRanks([content, ...more], hints, asked);
    const { versions, environment } = found;
    const source = { name, bytes: content.length, sha256 };
    const run = runOf(found, { command, format, file: source, label });
    return { run, format, versions, environment, job: importedJob(found, name) };
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    throw refuse('not-imported', { file, why: error.message, lines: error.lines, change: error.change });
  }
}

export interface KeepOptions {
  title: string;
  collbenchVersion: string;
  root: string;
  /** Folder for the run; undefined = a new folder inside `root`. */
  out: string | undefined;
  summarise(
    run: Pick<ImportedRun, 'cells'> & { record: RunRecord; dir: string },
  ): Promise<RunRecord['summary']>;
}

/**
 * Stores a run that was made from the output of another program, with its job if it has one, and adds it to the index of runs.
 * @returns the record, with the exit code of a measured run: 0 complete and correct, 2 incomplete, 3 wrong data; `dir`: path of the
 * run's folder; `problem`: why the run is not in the index, else null
 * @throws StoreError exists, unwritable, full, write if the run cannot be stored
 */
export async function keepImported(
  { run: { plan, cells, failures }, versions, environment, job }: ImportedFile,
  { title, collbenchVersion, root, out, summarise }: KeepOptions,
): Promise<{ record: RunRecord; dir: string; problem: string | null }> {
  const now = new Date().toISOString();
  const record: RunRecord = {
    schemaVersion: 3,
    id: newRunId(),
    title,
    startedAt: now,
    endedAt: now,
    state: endedStateOf(failures, cells),
    exitCode: exitCodeOf(failures, cells),
    plan,
    inventory: {},
    environment,
    versions: { ...versions, 'collbench (import)': collbenchVersion },
    launches: [],
    failures,
    summary: null,
  };
  record.summary = await summarise({ dir: '', record, cells });
  const writer = await createRun({
    root,
    ...(out === undefined ? {} : { out }),
    record: { ...record, state: 'running', endedAt: null, exitCode: null },
  });
  try {
    await writer.replaceCells(cells);
    await writer.update(record);
    if (job !== null) await keepJobs(writer.dir, [job]);
  } finally {
    await writer.close();
  }
  return { record, dir: writer.dir, problem: await enterIndex(await openRun(writer.dir)) };
}
