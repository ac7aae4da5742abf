// Measures the rounds of a run of pairs, stores and prints the results, and repeats suspicious pairs. Whatever
// happens, measured data is kept.

import { pairsOfFinding, pairsOverview } from '../../results/derive/index.ts';
import type { Failure, PairsPlan, RunPlan, SetPlan } from '../../results/schema/index.ts';
import {
  blocksOfSet,
  expectedOf,
  planForSets,
  planOfSet,
  setName,
  setsAgain,
  sidesOf,
} from '../../suites/pairs.ts';
import type { RunOutput } from '../running/output.ts';
import type { SessionOptions } from '../session/session.ts';
import { SetRounds } from '../session/sets.ts';
import type { RankSetResult, SetRecorder } from './recorder.ts';

/** Receives notes, results and progress while pairs of hosts are measured. */
export type PairsOutput = Pick<RunOutput, 'note' | 'cell' | 'progress'>;

/**
 * Maximum number of times that a suspicious pair, whose result or host differs from the others, or a suspicious ring is measured
 * again before it is reported.
 */
const timesAgain = 2;
/**
 * Maximum number of passes that measure suspicious pairs again, and the ring at whose size bandwidth drops. If a repeated pair is
 * no longer slow, other pairs may become suspicious, so one pass may not be enough.
 */
const maxRepeatedPasses = 8;
/**
 * Maximum number of suspicious pairs that one pass measures again: this number, or twice the number of ranks if that
 * is more.
 */
const minRepeatedPairs = 8;

/** Number of failures of a host in a row after which no further pairs with this host are measured. */
const lostAfter = 2;

/**
 * Counts for each host the failures that name it, since its last set without failure. From `lostAfter` on, its sets are skipped,
 * because each of them would only wait for its deadline. A host that is skipped once stays skipped.
 */
class LostHosts {
  private readonly failures = new Map<string, { count: number; message: string }>();

  see(names: readonly string[], failure: Failure | null): void {
    if (failure === null) for (const name of names) this.failures.delete(name);
    const { host = null, message = '' } = failure ?? {};
    if (host === null || !names.includes(host)) return;
    this.failures.set(host, { count: (this.failures.get(host)?.count ?? 0) + 1, message });
  }

  /**
   * Returns the reason for skipping a set with these hosts, as text for its result; null if none of them is lost, so that the set
   * is measured.
   */
  reason(names: readonly string[]): string | null {
    for (const name of names) {
      const { count = 0, message = '' } = this.failures.get(name) ?? {};
      if (count >= lostAfter) return `${name} had failed ${count} times, last: ${message}`;
    }
    return null;
  }
}

/**
 * Measures all pairs and rings of a plan, one round of simultaneous sets after the other, with the same agents. Results go to the
 * recorder and, as lines for the user, to the output.
 */
export class PairsRun {
  private readonly plan: RunPlan;
  private readonly pairs: PairsPlan;
  private readonly recorder: SetRecorder;
  private readonly output: PairsOutput;
  private readonly lost = new LostHosts();
  private readonly begun = performance.now();

  constructor(plan: RunPlan, pairs: PairsPlan, recorder: SetRecorder, output: PairsOutput) {
    this.plan = plan;
    this.pairs = pairs;
    this.recorder = recorder;
    this.output = output;
  }

  /**
   * Measures all sets, then measures suspicious sets again, which are added to `pairs.sets` and the plan in place. Failures of
   * single sets are stored, not thrown. The agents are stopped in each case.
   * @throws FailureError if interrupted, or an agent cannot be started
   * @throws StoreError if the disk cannot be written
   */
  async measure(options: SessionOptions): Promise<void> {
    const rounds = new SetRounds(this.plan, options);
    try {
      await rounds.start();
      await this.measureSets(0, rounds);
      for (let time = 0; time < maxRepeatedPasses; time++) {
        const began = this.pairs.sets.length;
        const again = this.suspicious();
        if (again.length === 0) break;
        this.pairs.sets.push(...setsAgain(this.pairs.sets, again, sidesOf(this.plan)));
        this.plan.expected = expectedOf(this.plan, this.pairs.sets);
        await this.measureSets(began, rounds);
      }
    } finally {
      await rounds.stop();
    }
  }

  /**
   * Measures the sets of ranks (pairs, rings) from index `began` to the last, round by round, over each transport.
   * @param rounds agents that measure the sets
   */
  private async measureSets(began: number, rounds: SetRounds): Promise<void> {
    let done = began;
    for (const round of roundsOf(this.pairs, began)) {
      for (const transport of this.plan.transports.keys()) await this.measureRound(round, transport, rounds);
      for (const log of rounds.takeLogs()) await this.recorder.log(log);
      done += round.length;
      this.tellProgress(done / this.pairs.sets.length);
    }
  }

  /**
   * Passes to the output the finished share and the estimated remaining seconds, assuming equal times for all sets.
   * @param share share of the sets that are finished, above 0, at most 1
   */
  private tellProgress(share: number): void {
    const elapsedS = (performance.now() - this.begun) / 1000;
    this.output.progress((elapsedS / share) * (1 - share), share);
  }

  /**
   * Returns the sets to measure again: pairs whose results differ from the other pairs, the pairs of hosts that are slow, up to a
   * limit (`minRepeatedPairs`), and the ring sizes at which bandwidth drops. Other users of a shared machine may have disturbed them.
   * Sets that were repeated `timesAgain` times are left out. Empty = the run is finished.
   */
  private suspicious(): Pick<SetPlan, 'kind' | 'ranks'>[] {
    const { names, sets } = this.pairs;
    const again = new Map<string, number>();
    for (const { ranks, isAgain } of sets)
      if (isAgain === true) again.set(ranks.join(), (again.get(ranks.join()) ?? 0) + 1);
    const isDoubtful = ({ ranks }: { ranks: number[] }) => (again.get(ranks.join()) ?? 0) < timesAgain;
    const overviews = pairsOverview(this.plan, this.recorder.cells);
    const pairs = overviews
      .flatMap(({ findings, pairs: all }) => findings.flatMap((finding) => pairsOfFinding(finding, all)))
      .map(({ a, b }) => [a, b].map((name) => names.indexOf(name)));
    const once = pairs.filter((ranks, i) => pairs.findIndex((other) => other.join() === ranks.join()) === i);
    const drops = new Set(overviews.flatMap(({ ringDrop }) => ringDrop?.ranks ?? []));
    const rings = sets.filter(
      ({ kind, ranks, isAgain }) => kind === 'ring' && isAgain !== true && drops.has(ranks.length),
    );
    return [
      ...once
        .map((ranks) => ({ kind: 'pair' as const, ranks }))
        .filter(isDoubtful)
        .slice(0, Math.max(minRepeatedPairs, 2 * names.length)),
      ...rings.filter(isDoubtful),
    ];
  }

  private async measureRound(round: readonly number[], transport: number, rounds: SetRounds): Promise<void> {
    const worth: RankSetResult[] = [];
    for (const index of round) {
      const set = this.unmeasured(index, transport);
      const reason = this.lost.reason(this.namesOf(set));
      if (reason === null) worth.push(set);
      else await this.recorder.skip(set, reason);
    }
    const [like] = worth;
    if (like === undefined) return;
    // All sets of a round have the same kind: pairs, or one ring.
    const isRing = this.pairs.sets[like.index]?.kind === 'ring';
    const plan = planForSets(this.plan, like.ranks, isRing);
    const members = worth.map(({ name, ranks }) => ({ name, ranks: [...ranks] }));
    const outcomes = await rounds.measure(plan, members, like.requests);
    const measured = worth.map((set, place): RankSetResult => {
      const { blocks = [], launch = null, failure = null } = outcomes[place] ?? {};
      return { ...set, blocks, launch, failure };
    });
    for (const set of measured) this.lost.see(this.namesOf(set), set.failure);
    for (const cell of (await this.recorder.addRound(measured)).flat()) this.output.cell(cell, null);
    for (const { name, failure } of measured)
      if (failure !== null) this.output.note(`${name}: ${failure.message}`);
  }

  private unmeasured(index: number, transport: number): RankSetResult {
    const set = this.pairs.sets[index] as SetPlan;
    return {
      index,
      name: setName(set, this.pairs.names),
      ranks: set.ranks,
      plan: planOfSet(this.plan, set.ranks, set.kind === 'ring'),
      requests: blocksOfSet(this.plan, set.kind, transport),
      blocks: [],
      launch: null,
      failure: null,
    };
  }

  private namesOf = ({ ranks }: RankSetResult): string[] => ranks.map((rank) => this.pairs.names[rank] ?? '');
}

/**
 * Returns the rounds that measure the sets from index `began` on. Each round is a list of indices into `sets`, of sets that are
 * measured at the same time. Without `isConcurrent`, each round has one set.
 */
function roundsOf({ sets, isConcurrent }: PairsPlan, began: number): number[][] {
  if (!isConcurrent) return sets.map((_, index) => [index]).slice(began);
  const rounds = new Map<number, number[]>();
  for (const [index, { round }] of sets.entries())
    if (index >= began) rounds.set(round, [...(rounds.get(round) ?? []), index]);
  return [...rounds.values()];
}
