// The run of `collbench record`: creates it, starts the command with recorders in its environment, and stores what
// they recorded.
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { replaceWhole } from '../../results/files/whole.ts';
import { runOf } from '../../results/import/to-run.ts';
import {
  type RecordingResult,
  recordFolder,
  recordingOf,
  writeTimeline,
} from '../../results/record/index.ts';
import { type Refusal, refuse } from '../../results/refusals/refusal.ts';
import { type Failure, failureWith, type RunRecord } from '../../results/schema/index.ts';
import { jobFile } from '../../results/store/jobs.ts';
import { openRun } from '../../results/store/read.ts';
import { enterIndex } from '../../results/store/run-index/open.ts';
import type { RunWriter } from '../../results/store/types.ts';
import { createRun, newRunId } from '../../results/store/write.ts';
import { plural } from '../../results/units.ts';
import { version } from '../build.ts';
import { newRecord } from '../running/new-record.ts';
import type { RunTools } from '../running/output.ts';
import { recordingEnvironment, type TimingMode } from './environment.ts';
import { buildPreloaded, compilerOf, pythonRecorder, recorderLibrary } from './preloaded.ts';

export interface RecordOptions {
  root: string;
  out: string | undefined;
  name: string | null;
  times: TimingMode;
  /**
   * Compiler with which the MPI recorder is built; undefined = the compiler that belongs to the MPI launcher in the command
   * (compilerOf()), null = MPI is not recorded.
   */
  mpicc: string | null | undefined;
  /** The command line of collbench as typed; run.json stores it. */
  typed: string[];
  /**
   * Makes the summary that run.json stores: numbers of configurations and checks, and sentences with the main results.
   */
  summarise: RunTools['summarise'];
}

/** A recording of the communication calls of another program, and the run in which it is stored. */
export interface RecordedRun {
  recording: RecordingResult;
  /** Folder of the run. */
  dir: string;
  /** Sentences about communication that could not be recorded, and about a failure to update the index of runs. */
  notes: string[];
  /** Exit code of the recorded command; 0 if existing records were read. */
  exitCode: number;
}

/**
 * Outcome if the recorded command failed and no communication was recorded: text for the user, and the command's exit code. No run
 * is stored.
 */
export interface FailedRecording {
  refusal: Refusal;
  exitCode: number;
}

const timelineFile = 'timeline.json';

/**
 * Runs a command, records its communication calls, and stores the recording as a run. The command uses stdin, stdout and stderr of
 * this process. If nothing was recorded, the run's folder is removed. A command that fails after it communicated is stored, too.
 * @returns FailedRecording if the command failed and nothing was recorded
 * @throws Refusal if there is no command, it cannot be started, or it succeeded and nothing was recorded
 * @throws StoreError if the run cannot be written
 */
export async function recordCommand(
  words: readonly string[],
  options: RecordOptions,
): Promise<RecordedRun | FailedRecording> {
  const [program] = words;
  if (program === undefined) throw refuse('record-takes', { read: false });
  const record = emptyRecord(path.basename(program), options.typed);
  const writer = await createRun({ root: options.root, ...outOf(options), record });
  const folder = path.join(writer.dir, recordFolder);
  mkdirSync(folder, { recursive: true });
  const { environment, unseen, token, remove } = recorders(folder, words, options);
  let ended: CommandResult;
  try {
    ended = await runCommand(words, environment);
  } catch (error) {
    remove();
    await dropped(writer);
    throw refuse('record-cannot-start', {
      program,
      why: error instanceof Error ? error.message : String(error),
    });
  }
  remove();
  const found = await recordingOf(folder, {
    token,
    name: options.name ?? scriptIn(words),
    command: options.typed,
  });
  if (found === null) {
    await dropped(writer);
    const refusal = refuse('record-nothing', { where: program, unseen });
    if (ended.exitCode === 0) throw refusal;
    return { refusal, exitCode: ended.exitCode };
  }
  const problem = await storeRecording(writer, record, found, options, {
    failures: failuresOf(program, ended),
    ended,
  });
  const notes = problem === null ? unseen : [...unseen, problem];
  return { recording: found, dir: writer.dir, notes, exitCode: ended.exitCode };
}

const isFolder = (folder: string): boolean =>
  statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;

/**
 * Stores what a recording wrote before it was killed, as a new run. The given folder stays as it is.
 * @param given folder of the killed run, or of the files that the recorders wrote
 * @param words words of a command, which must be empty, because nothing is started
 * @throws Refusal if the folder does not exist or has no records, or there is a command
 * @throws StoreError if the run cannot be written
 */
export async function readRecords(
  given: string,
  words: readonly string[],
  options: RecordOptions,
): Promise<RecordedRun> {
  if (words.length > 0) throw refuse('record-takes', { read: true });
  // The folder of a run keeps records in a folder of its own.
  const inRun = path.join(given, recordFolder);
  const folder = isFolder(inRun) ? inRun : given;
  if (!isFolder(folder)) throw refuse('record-folder', { folder });
  const found = await recordingOf(folder, { token: null, name: options.name, command: options.typed });
  if (found === null) throw refuse('record-nothing', { where: folder, unseen: [] });
  const record = emptyRecord(path.basename(path.resolve(folder)), options.typed);
  const writer = await createRun({ root: options.root, ...outOf(options), record });
  const problem = await storeRecording(writer, record, found, options, { failures: [], ended: null });
  return { recording: found, dir: writer.dir, notes: problem === null ? [] : [problem], exitCode: 0 };
}

/**
 * Returns the file name, without folder and .py, of the first Python script among the words of a command; null if there is none.
 * All Python programs have the same program name, so the recording is named after the script.
 */
const scriptIn = (words: readonly string[]): string | null => {
  const script = words.find((word) => word.endsWith('.py'));
  return script === undefined ? null : path.basename(script, '.py');
};

const outOf = ({ out }: RecordOptions) => (out === undefined ? {} : { out });

/**
 * Returns a run record without results, in state `running`, for the caller to store before recording starts. If the recording is
 * killed, this record stays in the folder of the run, together with the recorders' files.
 * @param what name of the recorded program, for the title of the run
 * @param typed command line of collbench as typed
 */
function emptyRecord(what: string, typed: string[]): RunRecord {
  const nothing = {
    ...{ series: 'recorded', program: 'a recording', engine: 'mpi', ranks: 1, hosts: [], measuredAt: null },
    ...{ statistic: '', versions: {}, environment: {}, rows: [], saysWrong: false, complete: true },
    ...{ conversions: [], unknown: [], notices: [] },
    method: { clock: 'host', sync: 'none' as const, batch: 1 },
  };
  const { plan } = runOf(nothing, {
    command: typed,
    format: 'record',
    file: { name: recordFolder, bytes: 0, sha256: '' },
    label: null,
  });
  return { ...newRecord(plan, {}), title: `recording of ${what}`, versions: { collbench: version() } };
}

/**
 * Prepares the recorders of a job, and builds the one for MPI. Returns `environment`: the whole environment that starts them;
 * `token`: text that their records carry; `remove`: a function that deletes what was built; `unseen`: texts about the kinds of
 * communication that cannot be recorded, each with the reason.
 */
function recorders(folder: string, words: readonly string[], { times, mpicc: given }: RecordOptions) {
  const mpicc = given === undefined ? compilerOf(words) : given;
  const token = newRunId() + newRunId();
  const unseen: string[] = [];
  const plugin = recorderLibrary('nccl-profiler-collbench');
  if (plugin === null) unseen.push('NCCL is not recorded: the native build has no profiler plugin');
  const opens = recorderLibrary('collbench-record');
  const built = mpicc === null ? { reason: '' } : buildPreloaded(mpicc, folder);
  if ('reason' in built && mpicc !== null) unseen.push(`MPI is not recorded: ${built.reason}`);
  const preloaded = opens === null || 'reason' in built ? null : { file: built.file, opens };
  const absolute = path.resolve(folder);
  const python = pythonRecorder();
  if (python === null)
    unseen.push('Gloo is not recorded: the path of collbench has a colon, where PYTHONPATH splits');
  const environment = recordingEnvironment(process.env, {
    folder: absolute,
    token,
    times,
    plugin,
    preloaded,
    python,
  });
  const remove = 'remove' in built ? built.remove : () => undefined;
  return { environment, unseen, token, remove };
}

const failuresOf = (program: string, { exitCode, signal }: CommandResult): Failure[] =>
  exitCode === 0
    ? []
    : [
        failureWith({
          kind: 'rank-died',
          message: `${program} ended with ${signal === null ? `exit code ${exitCode}` : signal}`,
        }),
      ];

/**
 * Stores a recording in its run and closes the writer, also after an error. Returns the reason if the run could not be added to
 * the index of runs, otherwise null.
 * @throws StoreError if the run cannot be written
 */
async function storeRecording(
  writer: RunWriter,
  record: RunRecord,
  found: RecordingResult,
  { summarise }: RecordOptions,
  { failures, ended }: { failures: Failure[]; ended: CommandResult | null },
): Promise<string | null> {
  const { run, job } = found;
  record.title = `${found.program}, ${plural(found.ranks, 'rank')}, recorded`;
  record.plan = run.plan;
  record.failures = [...failures, ...run.failures];
  record.state =
    ended?.interrupted != null ? 'interrupted' : record.failures.length > 0 ? 'failed' : 'complete';
  record.exitCode = ended?.exitCode ?? 0;
  record.endedAt = new Date().toISOString();
  record.versions = { ...found.versions, collbench: version() };
  record.summary = await summarise({ dir: '', record, cells: run.cells });
  try {
    await writeTimeline(path.join(writer.dir, timelineFile), found.recorded);
    if (job !== null) await replaceWhole(path.join(writer.dir, jobFile), `${JSON.stringify(job, null, 1)}\n`);
    await writer.replaceCells(run.cells);
    await writer.update(record);
  } finally {
    await writer.close();
  }
  return enterIndex(await openRun(writer.dir));
}

async function dropped(writer: RunWriter): Promise<void> {
  await writer.close();
  rmSync(writer.dir, { recursive: true, force: true });
}

interface CommandResult {
  /** Exit code of the command. If a signal ended it, 128 plus the signal's number, as in shells. */
  exitCode: number;
  signal: NodeJS.Signals | null;
  /** Last signal that this process (collbench) received while the command ran; null = none. */
  interrupted: NodeJS.Signals | null;
  seconds: number;
}

const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs a command until it ends. The command uses stdin, stdout and stderr of this process. SIGINT, SIGTERM and SIGHUP do not end
 * this process meanwhile, but reach the command. A failing command is a result, not an error.
 * @throws the error of the system if the command cannot be started
 */
async function runCommand(words: readonly string[], environment: NodeJS.ProcessEnv): Promise<CommandResult> {
  const [program = '', ...rest] = words;
  const startedAt = performance.now();
  const child = spawn(program, rest, { stdio: 'inherit', env: environment });
  let interrupted: NodeJS.Signals | null = null;
  const onSignal = (signal: NodeJS.Signals) => {
    interrupted = signal;
    // The terminal sends Ctrl-C to all processes itself; launchers treat a second one differently.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  };
  for (const signal of passedOn) process.on(signal, onSignal);
  try {
    const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (...how) => resolve(how));
    });
    const exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
    return { exitCode, signal, interrupted, seconds: (performance.now() - startedAt) / 1000 };
  } finally {
    for (const signal of passedOn) process.off(signal, onSignal);
  }
}
