// One collective: rounds of one nccl-tests run and one launch of ours, next to each other, order alternating.
import path from 'node:path';
import { median } from 'simple-statistics';
import {
  type AgreementSummary,
  agreementOf,
  type SizeAgreement,
  summariseAgreement,
} from '../../results/derive/index.ts';
import type { CollectiveName, DtypeName, OpName } from '../../results/schema/index.ts';
import { collectives } from '../../suites/collectives.ts';
import { type Mpirun, wordsBefore } from './mpi.ts';
import type { CrosscheckOptions } from './options.ts';
import type { OurEngine, OurFigures } from './ours.ts';
import type { Program } from './programs.ts';
import { comparedSizes, payloadOfCount } from './sizes.ts';
import { argumentsFor, runTheirs } from './theirs.ts';

export interface RoundFigures {
  round: number;
  first: 'nccl-tests' | 'collbench';
  oursNs: number;
  theirsNs: number;
  /** Null: not measured. */
  isolatedNs: number | null;
  launchNs: number | null;
}

export interface SizeResult extends SizeAgreement {
  /** Medians over the rounds: one operation alone, and what the host needs to queue one. Null: not measured. */
  isolatedNs: number | null;
  launchNs: number | null;
  /** Raw figures, in the order of measuring. */
  figures: RoundFigures[];
}

export interface CollectiveResult {
  collective: CollectiveName;
  dtype: DtypeName;
  op: OpName | null;
  root: number | null;
  ranks: number;
  /** Of nccl-tests: one with a thread per GPU, or under mpirun one per rank. */
  processes: number;
  /** Of nccl-tests, the first round. */
  commandLine: string[];
  /** Of nccl-tests; null where it does not say. */
  version: string | null;
  /** That nccl-tests loaded; null where it does not say. Another one than ours is an error. */
  ncclVersion: string | null;
  devices: string[];
  sizes: SizeResult[];
  /** Asked for and not compared, with the reason. */
  skipped: { requestedBytes: number; reason: string }[];
  wrongElements: number;
  summary: AgreementSummary | null;
}

export interface RoundsContext {
  options: CrosscheckOptions;
  ours: OurEngine;
  env: NodeJS.ProcessEnv;
  /** Given where a program was built with MPI. */
  mpirun: Mpirun | null;
  /** Folder for what nccl-tests printed. */
  folder: string;
  /** nccl-tests writes JSON. */
  json: boolean;
  signal: AbortSignal;
  /** Told before each measurement: "round 2 of 8: nccl-tests". */
  progress(text: string): void;
}

type Theirs = Awaited<ReturnType<typeof runTheirs>>;

/** Collects the rounds of one collective; `result()` holds what is there, at any time. */
export class Rounds {
  private readonly program: Program;
  private readonly context: RoundsContext;
  private readonly expected: ReturnType<typeof comparedSizes>;
  private readonly figures = new Map<number, RoundFigures[]>();
  private readonly commandLine: string[];
  private theirs: Theirs | null = null;
  private wrongElements = 0;

  constructor(program: Program, context: RoundsContext) {
    this.program = program;
    this.context = context;
    const { options, ours } = context;
    this.expected = comparedSizes(program.collective, options, ours.gpus.length);
    this.commandLine = this.call(0).words;
  }

  get sizes(): readonly number[] {
    return this.expected.sizes;
  }

  private get mpirun(): Mpirun | null {
    return this.program.isMpi ? this.context.mpirun : null;
  }

  private get processes(): number {
    return this.mpirun === null ? 1 : this.context.ours.gpus.length;
  }

  private call(round: number): { words: string[]; keep: string } {
    const { options, ours, env, folder, json } = this.context;
    const keep = path.join(folder, `${this.program.collective}-${round}`);
    const ranks = ours.gpus.length;
    const { mpirun } = this;
    const args = argumentsFor(this.program, options, ranks / this.processes, json ? `${keep}.json` : null);
    const before = mpirun === null ? [] : wordsBefore(mpirun, ranks, env);
    return { words: [...before, this.program.file, ...args], keep };
  }

  /** @throws FailureError from either side; the rounds before stay */
  async take(round: number): Promise<void> {
    const first = round % 2 === 0 ? 'nccl-tests' : 'collbench';
    let theirs: Theirs;
    let ours: Map<number, OurFigures>;
    if (first === 'nccl-tests') {
      theirs = await this.takeTheirs(round);
      ours = await this.takeOurs(round);
    } else {
      ours = await this.takeOurs(round);
      theirs = await this.takeTheirs(round);
    }
    this.theirs ??= theirs;
    for (const row of theirs.rows) {
      const payload = this.payloadOf(row.count);
      const found = ours.get(payload);
      if (found === undefined || !this.sizes.includes(payload)) continue;
      const { pipelinedNs, isolatedNs, launchNs } = found;
      const list = this.figures.get(payload) ?? [];
      if (list.at(-1)?.round === round) continue;
      const theirsNs = row.outOfPlace.timeNs;
      this.figures.set(payload, [
        ...list,
        { round, first, oursNs: pipelinedNs, theirsNs, isolatedNs, launchNs },
      ]);
    }
  }

  private payloadOf(count: number): number {
    const { options, ours } = this.context;
    return payloadOfCount(this.program.collective, count, options, ours.gpus.length);
  }

  private takeTheirs(round: number): Promise<Theirs> {
    const { options, ours, env, signal } = this.context;
    this.say(round, 'nccl-tests');
    const { words, keep } = this.call(round);
    const [file = '', ...args] = words;
    const program = path.basename(this.program.file);
    const name = this.mpirun === null ? program : `mpirun ${program}`;
    return runTheirs({ name, file, args, env, timeoutS: options.timeoutS, keep }, options, ours, signal);
  }

  private async takeOurs(round: number): Promise<Map<number, OurFigures>> {
    const { ours, signal } = this.context;
    const { collective, dtype, op, root } = this.operation();
    this.say(round, 'collbench');
    const found = await ours.measure({ collective, sizes: this.sizes, dtype, op, root, round }, signal);
    for (const { wrongElements } of found.values()) this.wrongElements += wrongElements;
    return found;
  }

  private say(round: number, who: string): void {
    const { options, progress } = this.context;
    progress(`${this.program.collective}, round ${round + 1} of ${options.rounds}: ${who}`);
  }

  private operation(): Pick<CollectiveResult, 'collective' | 'dtype' | 'op' | 'root'> {
    const { collective } = this.program;
    const { dtype, op } = this.context.options;
    const { reduces, rooted } = collectives[collective];
    return { collective, dtype, op: reduces ? op : null, root: rooted ? 0 : null };
  }

  result(): CollectiveResult {
    const { theirs, expected } = this;
    const sizes = this.sizes.flatMap((payload): SizeResult[] => {
      const figures = this.figures.get(payload);
      if (figures === undefined) return [];
      const middle = (key: 'isolatedNs' | 'launchNs') => {
        const values = figures.flatMap((figure) => figure[key] ?? []);
        return values.length === 0 ? null : median(values);
      };
      const isolatedNs = middle('isolatedNs');
      return [{ ...agreementOf(payload, figures), isolatedNs, launchNs: middle('launchNs'), figures }];
    });
    const missing = this.sizes.filter((payload) => !this.figures.has(payload));
    const lowered = theirs?.problems.find((problem) => problem.startsWith('Reducing maxBytes'));
    const reason = theirs === null ? 'no round was finished' : (lowered ?? 'one side did not measure it');
    return {
      ...this.operation(),
      ranks: this.context.ours.gpus.length,
      processes: this.processes,
      commandLine: this.commandLine,
      version: theirs?.version ?? null,
      ncclVersion: theirs?.ncclVersion ?? null,
      devices: [...new Set(theirs?.devices.map(({ name }) => name))],
      sizes,
      skipped: [...expected.skipped, ...missing.map((requestedBytes) => ({ requestedBytes, reason }))],
      wrongElements: this.wrongElements,
      summary: sizes.length === 0 ? null : summariseAgreement(sizes),
    };
  }
}
