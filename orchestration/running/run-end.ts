// The end of every run: judges the results, writes run.json and the report. A full disk must not hide what was
// measured.
import { type CellRecord, type Failure, failureWith, type RunRecord } from '../../results/schema/index.ts';
import { StoreError } from '../../results/store/errors.ts';
import { writeJobs } from '../../results/store/jobs.ts';
import { openRun } from '../../results/store/read.ts';
import { enterIndex } from '../../results/store/run-index/open.ts';
import type { RunWriter } from '../../results/store/types.ts';
import { type ExitCode, endedStateOf, exitCode, exitCodeOf } from '../../results/verdicts/exit-code.ts';
import { FailureError } from '../../results/verdicts/failure.ts';
import type { RunOutput, RunTools } from './output.ts';

/**
 * Returns the failure of the run for an error of a session (FailureError) or of the disk (StoreError). It is not added to the
 * record.
 * @param dir folder of the run
 * @throws the given error itself if it is of another kind, because it is a defect of collbench
 */
export function failureOf(error: unknown, dir: string): Failure {
  if (error instanceof FailureError) return error.failure;
  if (!(error instanceof StoreError)) throw error;
  return failureWith({
    kind: 'disk',
    message: error.message,
    phase: 'record',
    next: `collbench show ${dir}`,
  });
}

const hasDiskFailed = ({ failures }: RunRecord): boolean => failures.some(({ kind }) => kind === 'disk');

export interface RunEnd {
  record: RunRecord;
  writer: RunWriter;
  cells: readonly CellRecord[];
  tools: RunTools;
  output: RunOutput;
  /** False if the run gets no report of its own, because the caller makes one report over several runs; default true. */
  report?: boolean;
}

/** Findings of the caller (a search, or a run of host pairs) that change how endRun() ends the run. */
export interface RunFindings {
  /** Sentences about the result of a search, for the summary; absent = there was no search. */
  sentences?: readonly string[];
  /**
   * Exit code of the run if it has no failures and no wrong data; absent = 0. For example, a search that found a host with which
   * runs fail passes the exit code for a regression.
   */
  code?: ExitCode;
  /**
   * Results that are checked for wrong data, which makes the run fail; absent = all results. A search passes none,
   * because it looks for failing runs.
   */
  judged?: readonly CellRecord[];
  /** Called before run.json is written. `collbench pairs` rewrites its file of results (cells.ndjson) in this call. */
  before?: () => Promise<void>;
}

/**
 * Ends a run: decides its state and exit code, writes run.json and the report, prints the end. The record is changed in place. A
 * disk error while writing becomes a failure of the run, not an exception. The caller closes the writer.
 * @returns the exit code. If the only failure is such a disk error, it is `exitCode.notRun`
 */
export async function endRun(ending: RunEnd, found: RunFindings = {}): Promise<ExitCode> {
  const { record, writer, cells, tools, output } = ending;
  const { dir } = writer;
  const { judged = cells, code: ok = exitCode.ok } = found;
  record.summary = await tools.summarise({ dir, record, cells }, found.sentences);
  const worst = exitCodeOf(record.failures, judged);
  const code = worst === exitCode.ok ? ok : worst;
  record.exitCode = code;
  record.endedAt = new Date().toISOString();
  record.state = code === exitCode.interrupted ? 'interrupted' : endedStateOf(record.failures, cells);
  const report = await writeEnd(ending, found);
  output.end(cells, record, dir, report);
  if (output.last !== undefined) await tellLast(ending, output.last.bind(output));
  await tools.finish({ record, cells: judged, dir });
  return hasDiskFailed(record) && code === exitCode.ok ? exitCode.notRun : code;
}

/**
 * Prints the comparison with the newest earlier run of an equal series on the same hosts. Only for complete runs, and not for runs
 * of `collbench pairs`. Errors of the store are ignored, because this line is optional.
 */
async function tellLast({ record, writer, tools }: RunEnd, tell: (text: string) => void): Promise<void> {
  if (record.state !== 'complete' || record.plan.pairs !== undefined) return;
  try {
    const text = await tools.versusLast(await openRun(writer.dir));
    if (text !== '') tell(text);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
  }
}

/**
 * Writes run.json, recorded jobs, the line in the index of runs, and the report. A disk error becomes a failure of the run, unless
 * the run already has a failure of the disk; it is not thrown.
 * @returns path of the report; null if none is wanted or writing failed
 */
async function writeEnd(
  { record, writer, tools, output, report }: RunEnd,
  { before }: RunFindings,
): Promise<string | null> {
  try {
    await before?.();
    await writer.update(record);
    const run = await openRun(writer.dir);
    await writeJobs(run);
    if (record.plan.pairs === undefined) {
      const missing = await enterIndex(run);
      if (missing !== null) output.note(missing);
    }
    return report === false ? null : await tools.report(run);
  } catch (error) {
    if (!hasDiskFailed(record)) record.failures.push(failureOf(error, writer.dir));
    return null;
  }
}
