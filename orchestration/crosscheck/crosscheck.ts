import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import {
  type AgreementVerdict,
  type CrosscheckCollective,
  type CrosscheckOptions,
  type CrosscheckRecord,
  type Failure,
  failureWith,
} from '../../results/schema/index.ts';
import {
  createCrosscheck,
  newRunId,
  type RecordWriter,
  recordedEnvironment,
} from '../../results/store/index.ts';
import { type ExitCode, exitCode, exitCodeOf } from '../../results/verdicts/exit-code.ts';
import { FailureError } from '../../results/verdicts/failure-error.ts';
import { findMpirun } from './mpi.ts';
import type { OurEngine } from './our-engine.ts';
import { findPrograms, type Program } from './programs.ts';
import { Rounds, type RoundsContext } from './rounds.ts';
import { asksJson, environmentFor } from './theirs.ts';

/** Where a crosscheck is shown. */
export interface CrosscheckScreen {
  /** What happens right now; overwritten by the next. */
  progress(text: string): void;
  /** A collective is done, or as far as it came. */
  collective(result: CrosscheckCollective, record: Pick<CrosscheckRecord, 'library' | 'medium'>): void;
  end(record: CrosscheckRecord, dir: string): void;
}

const codes: Record<AgreementVerdict, ExitCode> = {
  agree: exitCode.ok,
  differ: exitCode.regression,
  unsure: exitCode.noVerdict,
};

/**
 * Runs nccl-tests and our engine in turns on the same GPUs and finds, per size, whether they agree.
 * @param open our side, opened once it is known that their programs are there
 * @throws Refusal before anything was measured; StoreError its folder cannot be written
 */
export async function crosscheck(
  options: CrosscheckOptions,
  open: () => Promise<OurEngine>,
  screen: CrosscheckScreen,
  signal: AbortSignal,
  collbenchVersion: string,
): Promise<ExitCode> {
  const programs = findPrograms(options.ncclTests, options.collectives);
  const mpi = programs.find(({ isMpi }) => isMpi);
  const mpirun = mpi === undefined ? null : findMpirun(options.mpirun, mpi.file);
  const ours = await open();
  const env = environmentFor(ours);
  const record = newRecord(options, ours, collbenchVersion);
  const writer = await createCrosscheck(record, options.out === null ? {} : { out: options.out });
  const folder = path.join(writer.dir, 'nccl-tests');
  await mkdir(folder, { recursive: true });
  const context = { options, ours, env, mpirun, folder, signal };
  for (const program of programs) {
    await check(program, context, record, screen);
    await writer.update(record);
    if (record.failures.length > 0) break;
  }
  return conclude(record, writer, screen);
}

function newRecord(options: CrosscheckOptions, ours: OurEngine, collbench: string): CrosscheckRecord {
  const { gpus, medium, library } = ours;
  return {
    schemaVersion: 1,
    kind: 'crosscheck',
    id: newRunId(),
    startedAt: new Date().toISOString(),
    endedAt: null,
    state: 'running',
    exitCode: null,
    verdict: null,
    collbench,
    options,
    gpus,
    medium,
    library,
    environment: { ...recordedEnvironment(process.env), ...ours.environment },
    collectives: [],
    failures: [],
  };
}

/** Rounds that were finished before a failure are kept and shown. */
async function check(
  program: Program,
  context: Omit<RoundsContext, 'json' | 'progress'>,
  record: CrosscheckRecord,
  screen: CrosscheckScreen,
): Promise<void> {
  const { options, env, signal } = context;
  const progress = (text: string) => screen.progress(text);
  let rounds: Rounds | null = null;
  try {
    const json = await asksJson(program.file, env, options.timeoutS, signal);
    rounds = new Rounds(program, { ...context, json, progress });
    for (let round = 0; round < options.rounds && rounds.sizes.length > 0; round += 1) {
      await rounds.take(round);
    }
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    record.failures.push(error.failure);
  } finally {
    progress('');
  }
  if (rounds === null) return;
  const result = rounds.result();
  record.collectives.push(result);
  if (record.failures.length === 0) record.failures.push(...failuresIn(result, rounds.sizes));
  screen.collective(result, record);
}

async function conclude(
  record: CrosscheckRecord,
  writer: RecordWriter<CrosscheckRecord>,
  screen: CrosscheckScreen,
): Promise<ExitCode> {
  const verdicts = record.collectives.flatMap(({ summary }) => summary?.verdict ?? []);
  const worst = verdicts.includes('differ') ? 'differ' : verdicts.includes('unsure') ? 'unsure' : 'agree';
  const failed = record.failures.length > 0;
  const code = failed ? exitCodeOf(record.failures, []) : codes[worst];
  record.verdict = failed ? null : worst;
  record.exitCode = code;
  record.state = code === exitCode.interrupted ? 'interrupted' : failed ? 'failed' : 'complete';
  record.endedAt = new Date().toISOString();
  await writer.update(record);
  screen.end(record, writer.dir);
  return code;
}

/** What a finished collective shows to be wrong: data, or sizes that were asked for and are not there. */
function failuresIn(result: CrosscheckCollective, sizes: readonly number[]): Failure[] {
  const { collective, wrongElements } = result;
  if (wrongElements > 0) {
    const message = `collbench found wrong data: ${collective}, ${wrongElements} elements`;
    return [failureWith({ kind: 'wrong-data', message })];
  }
  const missing = sizes.length - result.sizes.length;
  if (sizes.length > 0 && missing === 0) return [];
  const details = [...new Set(result.skipped.map(({ reason }) => reason))];
  const message =
    sizes.length === 0
      ? `${collective}: no size of the sweep can be compared`
      : `${collective}: ${missing} of ${sizes.length} sizes were not measured by both`;
  return [failureWith({ kind: 'incomplete', message, details, next: 'lower --max, or raise --min' })];
}
