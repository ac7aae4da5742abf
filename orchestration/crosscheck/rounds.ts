// One collective: rounds of one nccl-tests run and one launch of ours, next to each other, order alternating.
import path from 'node:path';
import { median } from 'simple-statistics';
import { agreementOf, summariseAgreement } from '../../results/derive/index.ts';
import type {
  CrosscheckCollective,
  CrosscheckOptions,
  CrosscheckRound,
  CrosscheckSize,
} from '../../results/schema/index.ts';
import { argumentsFor, comparedSizes, operationOf, payloadOfCount } from '../../suites/crosscheck/plan.ts';
import { type Mpirun, wordsBefore } from './mpi.ts';
import type { OurEngine, OurFigures } from './our-engine.ts';
import type { Program } from './programs.ts';
import { runTheirs } from './theirs.ts';

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
  /** Told before each measurement: "allreduce, round 2 of 8: nccl-tests". */
  progress(text: string): void;
}

type Theirs = Awaited<ReturnType<typeof runTheirs>>;

/** Collects the rounds of one collective; `result()` holds what is there, at any time. */
export class Rounds {
  private readonly program: Program;
  private readonly context: RoundsContext;
  private readonly expected: ReturnType<typeof comparedSizes>;
  private readonly figures = new Map<number, CrosscheckRound[]>();
  private readonly mpirun: Mpirun | null;
  private readonly ranks: number;
  private theirs: Theirs | null = null;
  private wrongElements = 0;

  constructor(program: Program, context: RoundsContext) {
    this.program = program;
    this.context = context;
    this.mpirun = program.isMpi ? context.mpirun : null;
    this.ranks = context.ours.gpus.length;
    this.expected = comparedSizes(program.collective, context.options, this.ranks);
  }

  get sizes(): readonly number[] {
    return this.expected.sizes;
  }

  private get processes(): number {
    return this.mpirun === null ? 1 : this.ranks;
  }

  private call(round: number): { words: string[]; keep: string } {
    const { options, env, folder, json } = this.context;
    const { collective, file } = this.program;
    const keep = path.join(folder, `${collective}-${round}`);
    const args = argumentsFor(collective, options, this.ranks / this.processes, json ? `${keep}.json` : null);
    const before = this.mpirun === null ? [] : wordsBefore(this.mpirun, this.ranks, env);
    return { words: [...before, file, ...args], keep };
  }

  /** @throws FailureError from either side; the rounds before stay */
  async take(round: number): Promise<void> {
    const isTheirsFirst = round % 2 === 0;
    const before = isTheirsFirst ? await this.takeTheirs(round) : null;
    const ours = await this.takeOurs(round);
    const theirs = before ?? (await this.takeTheirs(round));
    const { collective } = this.program;
    this.theirs ??= theirs;
    for (const { count, outOfPlace } of theirs.rows) {
      const payload = payloadOfCount(collective, count, this.context.options, this.ranks);
      const found = ours.get(payload);
      if (found === undefined || !this.sizes.includes(payload)) continue;
      const { pipelinedNs: oursNs, isolatedNs, launchNs } = found;
      const list = this.figures.get(payload) ?? [];
      if (list.at(-1)?.round === round) continue;
      const first = isTheirsFirst ? 'nccl-tests' : 'collbench';
      this.figures.set(payload, [
        ...list,
        { round, first, oursNs, theirsNs: outOfPlace.timeNs, isolatedNs, launchNs },
      ]);
    }
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
    const { ours, options, signal } = this.context;
    this.say(round, 'collbench');
    const operation = operationOf(this.program.collective, options);
    const found = await ours.measure({ ...operation, sizes: this.sizes, round }, signal);
    for (const { wrongElements } of found.values()) this.wrongElements += wrongElements;
    return found;
  }

  private say(round: number, who: string): void {
    const { options, progress } = this.context;
    progress(`${this.program.collective}, round ${round + 1} of ${options.rounds}: ${who}`);
  }

  result(): CrosscheckCollective {
    const { theirs, expected } = this;
    const sizes = this.sizes.flatMap((payload): CrosscheckSize[] => {
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
      ...operationOf(this.program.collective, this.context.options),
      ranks: this.ranks,
      processes: this.processes,
      commandLine: this.call(0).words,
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
