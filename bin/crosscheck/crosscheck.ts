import path from 'node:path';
import pc from 'picocolors';
import type { AgreementVerdict } from '../../results/derive/index.ts';
import { type Failure, failureWith } from '../../results/schema/index.ts';
import { type ExitCode, exitCode, exitCodeOf } from '../../results/verdicts/exit-code.ts';
import { FailureError } from '../../results/verdicts/failure-error.ts';
import { failureText } from '../../results/verdicts/failure-text.ts';
import { findMpirun } from './mpi.ts';
import type { CrosscheckOptions } from './options.ts';
import type { OurEngine } from './ours.ts';
import { findPrograms, type Program } from './programs.ts';
import { type CrosscheckRecord, makeFolder, newCrosscheckRecord, writeRecord } from './record.ts';
import { type CollectiveResult, Rounds, type RoundsContext } from './rounds.ts';
import { legendLines, tableLines } from './table.ts';
import { asksJson, environmentFor } from './theirs.ts';

/** Where a crosscheck is told. */
export interface Screen {
  out(text: string): void;
  error(text: string): void;
  /** What happens right now; overwritten by the next. */
  progress(text: string): void;
  color: boolean;
}

const codes: Record<AgreementVerdict, ExitCode> = {
  agree: exitCode.ok,
  differ: exitCode.regression,
  unsure: exitCode.noVerdict,
};

const lastSentences: Record<AgreementVerdict, string> = {
  agree: 'collbench and nccl-tests agree.',
  differ: 'collbench and nccl-tests DIFFER.',
  unsure: 'NO VERDICT: the machine scatters too much for so few rounds. Next: more --rounds',
};

/**
 * Runs nccl-tests and our engine in turns on the same GPUs and says, per size, whether they agree.
 * @param open our side, opened once it is known that their programs are there
 * @throws CommandError before anything was measured
 */
export async function crosscheck(
  options: CrosscheckOptions,
  open: (options: CrosscheckOptions) => Promise<OurEngine>,
  screen: Screen,
  signal: AbortSignal,
): Promise<ExitCode> {
  const programs = findPrograms(options.ncclTests, options.collectives);
  const mpi = programs.find(({ isMpi }) => isMpi);
  const mpirun = mpi === undefined ? null : findMpirun(options.mpirun, mpi.file);
  const ours = await open(options);
  const env = environmentFor(ours);
  const record = newCrosscheckRecord(options, ours);
  const dir = makeFolder(record);
  writeRecord(dir, record);
  const check = new Crosscheck(programs, record, dir, screen, { options, ours, env, mpirun, signal });
  return check.carryOut();
}

type Context = Pick<RoundsContext, 'options' | 'ours' | 'env' | 'mpirun' | 'signal'>;

class Crosscheck {
  private readonly programs: readonly Program[];
  private readonly record: CrosscheckRecord;
  private readonly dir: string;
  private readonly screen: Screen;
  private readonly context: Context;

  constructor(
    programs: readonly Program[],
    record: CrosscheckRecord,
    dir: string,
    screen: Screen,
    context: Context,
  ) {
    this.programs = programs;
    this.record = record;
    this.dir = dir;
    this.screen = screen;
    this.context = context;
  }

  async carryOut(): Promise<ExitCode> {
    for (const program of this.programs) {
      await this.check(program);
      if (this.record.failures.length > 0) break;
    }
    return this.conclude();
  }

  /** Rounds that were finished before a failure are kept and shown. */
  private async check(program: Program): Promise<void> {
    const { options, env, signal } = this.context;
    let rounds: Rounds | null = null;
    try {
      const json = await asksJson(program.file, env, options.timeoutS, signal);
      const folder = path.join(this.dir, 'nccl-tests');
      const progress = (text: string) => this.screen.progress(text);
      rounds = new Rounds(program, { ...this.context, folder, json, progress });
      for (let round = 0; round < options.rounds && rounds.sizes.length > 0; round += 1) {
        await rounds.take(round);
      }
    } catch (error) {
      const failure = error instanceof FailureError ? error.failure : null;
      if (failure === null) throw error;
      this.record.failures.push(failure);
    } finally {
      this.screen.progress('');
    }
    if (rounds === null) return;
    const result = rounds.result();
    this.record.collectives.push(result);
    if (this.record.failures.length === 0) this.record.failures.push(...failuresIn(result, rounds.sizes));
    this.show(result);
    writeRecord(this.dir, this.record);
  }

  private show(result: CollectiveResult): void {
    const { options, ours } = this.context;
    if (options.json) {
      const { sizes, ...others } = result;
      const { collective, dtype, op, root, ranks } = result;
      const what = { collective, dtype, op, root, ranks, medium: ours.medium };
      for (const size of sizes) this.writeJson({ type: 'size', ...what, ...size });
      this.writeJson({ type: 'collective', medium: ours.medium, ...others });
      return;
    }
    const rounds = Math.max(0, ...result.sizes.map((size) => size.rounds));
    const colours = pc.createColors(this.screen.color);
    const lines = tableLines(result, rounds, ours.library.version, colours);
    const emulated = ours.medium === 'emulated' ? ['EMULATED: a stand-in for libnccl and the GPUs'] : [];
    this.screen.out(`${[...emulated, ...lines, '', ''].join('\n')}`);
  }

  private writeJson(value: object): void {
    this.screen.out(`${JSON.stringify(value)}\n`);
  }

  private conclude(): ExitCode {
    const { record, dir, screen } = this;
    const { options } = this.context;
    const verdicts = record.collectives.flatMap(({ summary }) => summary?.verdict ?? []);
    const worst = verdicts.includes('differ') ? 'differ' : verdicts.includes('unsure') ? 'unsure' : 'agree';
    const failed = record.failures.length > 0;
    const code = failed ? exitCodeOf(record.failures, []) : codes[worst];
    record.verdict = failed ? null : worst;
    record.exitCode = code;
    record.state = code === exitCode.interrupted ? 'interrupted' : failed ? 'failed' : 'complete';
    record.endedAt = new Date().toISOString();
    writeRecord(dir, record);
    if (options.json) {
      const { id, state, verdict, failures, library, gpus, medium } = record;
      const told = { id, state, exitCode: code, verdict, failures, library, gpus, medium, dir };
      this.writeJson({ type: 'summary', ...told });
    } else {
      const legend = verdicts.length > 0 ? [...legendLines(record.collectives), ''] : [];
      const verdict = failed ? [] : [lastSentences[worst]];
      screen.out(
        `${[...legend, ...verdict, `all rounds: ${path.join(dir, 'crosscheck.json')}`].join('\n')}\n`,
      );
    }
    for (const failure of record.failures) screen.error(failureText(failure));
    return code;
  }
}

/** What a finished collective shows to be wrong: data, or sizes that were asked for and are not there. */
function failuresIn(result: CollectiveResult, sizes: readonly number[]): Failure[] {
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
