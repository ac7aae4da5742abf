import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { median } from 'simple-statistics';
import { agreementOf, summariseAgreement } from '../../results/derive/index.ts';
import {
  type AgreementVerdict,
  type CollectiveName,
  type CrosscheckCollective,
  type CrosscheckOptions,
  type CrosscheckRecord,
  type CrosscheckRound,
  type CrosscheckSize,
  type Failure,
  failureWith,
} from '../../results/schema/index.ts';
import { recordedEnvironment } from '../../results/store/environment.ts';
import { createCrosscheck, type RecordWriter } from '../../results/store/folder.ts';
import { newRunId } from '../../results/store/write.ts';
import { type ExitCode, exitCode, exitCodeOf } from '../../results/verdicts/exit-code.ts';
import { FailureError } from '../../results/verdicts/failure.ts';
import { operationOf } from '../../suites/crosscheck/plan.ts';
import type { CrosscheckEngine, CrosscheckFigures } from './engine.ts';
import { findNcclTests } from './nccl-tests-side.ts';
import { findOsu } from './osu.ts';
import type { PeerPrograms, PeerSide } from './peer.ts';

/**
 * Receives the events of a crosscheck (a comparison with nccl-tests or OSU) and shows them to the user. end() is called last, when
 * the record is stored in the folder `dir`.
 */
export interface CrosscheckScreen {
  /** Shows what is measured now; the text replaces the previous one, and "" removes it. */
  progress(text: string): void;
  /**
   * Called when all rounds of a collective are finished, or one has failed. It is not called for a collective whose
   * nccl-tests or OSU program could not be prepared.
   */
  collective(
    result: CrosscheckCollective,
    record: Pick<CrosscheckRecord, 'library' | 'medium' | 'peer'>,
  ): void;
  end(record: CrosscheckRecord, dir: string): void;
}

const codes: Record<AgreementVerdict, ExitCode> = {
  agree: exitCode.ok,
  differ: exitCode.regression,
  unsure: exitCode.noVerdict,
};

/**
 * Measures with another benchmark program and with a collbench engine alternately, and decides for each size whether their times
 * agree: the 95 % interval of the time ratio must lie within 3 % of 1 (from 1 MiB: 1 %); below 1 MiB, collbench may be faster by
 * any amount. The program is nccl-tests on the same GPUs, or OSU's benchmarks over the same MPI. The first failure is stored in
 * the record and ends the crosscheck.
 * @param open opens the collbench engine; called after the other programs have been found
 * @param collbenchVersion version of collbench, for the record
 * @returns exit code of the command: 0 only if the times of all sizes agree
 * @throws Refusal if a program is missing or cannot run in the same way as collbench, and whatever `open` throws; nothing is
 * measured then
 * @throws StoreError if the folder of the results cannot be written
 */
export async function crosscheck(
  options: CrosscheckOptions,
  open: () => Promise<CrosscheckEngine>,
  screen: CrosscheckScreen,
  signal: AbortSignal,
  collbenchVersion: string,
): Promise<ExitCode> {
  const theirs = options.osu === undefined ? findNcclTests(options) : findOsu(options, options.osu);
  const ours = await open();
  const begin = await theirs.prepare(ours);
  const record = newRecord(options, theirs, ours, collbenchVersion);
  const writer = await createCrosscheck(record, options.out === null ? {} : { out: options.out });
  const folder = path.join(writer.dir, theirs.name.toLowerCase());
  await mkdir(folder, { recursive: true });
  const progress = (text: string) => screen.progress(text);
  for (const collective of theirs.collectives) {
    const open = async () =>
      new CrosscheckRounds(collective, await begin(collective, folder, signal), {
        options,
        ours,
        signal,
        progress,
      });
    await check(open, record, screen);
    await writer.update(record);
    if (record.failures.length > 0) break;
  }
  return conclude(record, writer, screen);
}

function newRecord(
  options: CrosscheckOptions,
  { name }: PeerPrograms,
  ours: CrosscheckEngine,
  collbench: string,
): CrosscheckRecord {
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
    peer: name,
    gpus,
    medium,
    library,
    environment: { ...recordedEnvironment(process.env), ...ours.environment },
    collectives: [],
    failures: [],
  };
}

/**
 * Measures one collective in several rounds. A FailureError is added to the record, not thrown; other errors are thrown. Rounds
 * that were finished before a failure are added to the record and shown.
 * @param open prepares the program that is compared with collbench; called once
 */
async function check(
  open: () => Promise<CrosscheckRounds>,
  record: CrosscheckRecord,
  screen: CrosscheckScreen,
): Promise<void> {
  let rounds: CrosscheckRounds | null = null;
  try {
    rounds = await open();
    for (let round = 0; round < record.options.rounds && rounds.sizes.length > 0; round += 1) {
      await rounds.take(round);
    }
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    record.failures.push(error.failure);
  } finally {
    screen.progress('');
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

/**
 * Returns the failure of a collective that was measured to the end, at most one: wrong data found by collbench; otherwise
 * requested sizes without a result, or no size that can be compared. An empty list means success.
 * @param sizes sizes that both programs should have measured, in bytes
 */
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

// Rounds of one collective: each is one run of the other program and one launch of collbench, in alternating order.
interface RoundsContext {
  options: CrosscheckOptions;
  ours: CrosscheckEngine;
  signal: AbortSignal;
  /** Called before each measurement with a text such as "allreduce, round 2 of 8: nccl-tests". */
  progress(text: string): void;
}

/**
 * Measures one collective in rounds, each with both programs. `result()` can be called at any time for the results so far; sizes
 * without a result are in its list `skipped`, with the reason.
 */
class CrosscheckRounds {
  private readonly collective: CollectiveName;
  private readonly side: PeerSide;
  private readonly context: RoundsContext;
  private readonly figures = new Map<number, CrosscheckRound[]>();
  /** Sizes that one program did not measure in a round, with the round and the program as reason. */
  private readonly lacking: CrosscheckCollective['skipped'] = [];
  private hasFinished = false;
  private wrongElements = 0;

  constructor(collective: CollectiveName, side: PeerSide, context: RoundsContext) {
    this.collective = collective;
    this.side = side;
    this.context = context;
  }

  get sizes(): readonly number[] {
    return this.side.expected.sizes;
  }

  /**
   * Measures one round with both programs; in rounds 0, 2, ... the other program is first. Results are kept in this object. A size
   * that only one of the programs measured gets no result in this round, and the reason is kept.
   * @throws FailureError if one of the programs fails; results of earlier rounds are kept
   */
  async take(round: number): Promise<void> {
    const isTheirsFirst = round % 2 === 0;
    const before = isTheirsFirst ? await this.takeTheirs(round) : null;
    const ours = await this.takeOurs(round);
    const theirs = before ?? (await this.takeTheirs(round));
    this.hasFinished = true;
    for (const payload of this.sizes) {
      const [theirsNs, found] = [theirs.get(payload), ours.get(payload)];
      if (theirsNs === undefined || found === undefined) {
        const lack =
          theirsNs === undefined
            ? `${this.side.name} has no time`
            : `collbench has ${this.context.ours.lackText}`;
        this.lacking.push({ requestedBytes: payload, reason: `round ${round + 1}: ${lack}` });
        continue;
      }
      const { comparedNs: oursNs, isolatedNs, enqueueNs } = found;
      const first = isTheirsFirst ? this.side.name : 'collbench';
      const list = this.figures.get(payload) ?? [];
      this.figures.set(payload, [...list, { round, first, oursNs, theirsNs, isolatedNs, enqueueNs }]);
    }
  }

  private takeTheirs(round: number): Promise<Map<number, number>> {
    this.say(round, this.side.name);
    return this.side.measure(round);
  }

  private async takeOurs(round: number): Promise<Map<number, CrosscheckFigures>> {
    const { ours, options, signal } = this.context;
    this.say(round, 'collbench');
    const operation = operationOf(this.collective, options);
    const found = await ours.measure({ ...operation, sizes: this.sizes, round }, signal);
    for (const { wrongElements } of found.values()) this.wrongElements += wrongElements;
    return found;
  }

  private say(round: number, who: string): void {
    const { options, progress } = this.context;
    progress(`${this.collective}, round ${round + 1} of ${options.rounds}: ${who}`);
  }

  result(): CrosscheckCollective {
    const { side } = this;
    const { lowered, ...facts } = side.facts();
    const sizes = this.sizes.flatMap((payload): CrosscheckSize[] => {
      const figures = this.figures.get(payload);
      if (figures === undefined) return [];
      const middle = (key: 'isolatedNs' | 'enqueueNs') => {
        const values = figures.flatMap((figure) => figure[key] ?? []);
        return values.length === 0 ? null : median(values);
      };
      const isolatedNs = middle('isolatedNs');
      return [{ ...agreementOf(payload, figures), isolatedNs, enqueueNs: middle('enqueueNs'), figures }];
    });
    const missing = this.sizes.filter((payload) => !this.figures.has(payload));
    const reasonOf = (payload: number) => {
      if (!this.hasFinished) return 'no round was finished';
      const lack = this.lacking.find(({ requestedBytes }) => requestedBytes === payload);
      return lowered ?? lack?.reason ?? 'one side did not measure it';
    };
    return {
      ...operationOf(this.collective, this.context.options),
      ranks: this.context.ours.ranks,
      processes: side.processes,
      commandLine: side.commandLine(0),
      ...facts,
      sizes,
      skipped: [
        ...side.expected.skipped,
        ...missing.map((requestedBytes) => ({ requestedBytes, reason: reasonOf(requestedBytes) })),
        ...this.lacking.filter(({ requestedBytes }) => this.figures.has(requestedBytes)),
      ],
      wrongElements: this.wrongElements,
      summary: sizes.length === 0 ? null : summariseAgreement(sizes, side.name),
    };
  }
}
