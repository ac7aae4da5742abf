// Carries out a run of pairs: rounds to disk, to the screen, to a verdict. Whatever happens, what was measured is kept.
import type { SessionOptions } from '../../orchestration/session.ts';
import { SetRounds } from '../../orchestration/sets.ts';
import type { CellRecord, Failure, PairsPlan, RunPlan, SetPlan } from '../../results/schema/index.ts';
import { blocksOfSet, planForSets, planOfSet, setName } from '../../suites/pairs.ts';
import type { MeasuredSet, SetRecorder } from './recorder.ts';

export interface PairsScreen {
  note(text: string): void;
  /** One set is done. */
  cells(cells: readonly CellRecord[]): void;
  progress(share: number): void;
}

/** A host that broke so many pairs by itself, and ran in none, is asked no more. */
const lostAfter = 2;

/** Hosts that cannot be measured: each further pair would only cost its deadline. */
class LostHosts {
  private readonly failures = new Map<string, { count: number; message: string }>();
  private readonly ran = new Set<string>();

  see(names: readonly string[], failure: Failure | null): void {
    if (failure === null) for (const name of names) this.ran.add(name);
    const { host = null, message = '' } = failure ?? {};
    if (host === null || !names.includes(host)) return;
    this.failures.set(host, { count: (this.failures.get(host)?.count ?? 0) + 1, message });
  }

  /** Why a set of these is not worth trying; null where it is. */
  reason(names: readonly string[]): string | null {
    for (const name of names) {
      const { count = 0, message = '' } = this.failures.get(name) ?? {};
      if (count >= lostAfter && !this.ran.has(name)) return `${name} had failed ${count} times: ${message}`;
    }
    return null;
  }
}

/** All rounds of a plan, one after the other, with the same agents. */
export class PairsRun {
  private readonly plan: RunPlan;
  private readonly pairs: PairsPlan;
  private readonly recorder: SetRecorder;
  private readonly screen: PairsScreen;
  private readonly lost = new LostHosts();

  constructor(plan: RunPlan, pairs: PairsPlan, recorder: SetRecorder, screen: PairsScreen) {
    this.plan = plan;
    this.pairs = pairs;
    this.recorder = recorder;
    this.screen = screen;
  }

  /** @throws FailureError interrupted, or an agent cannot be started; StoreError */
  async measure(options: SessionOptions): Promise<void> {
    const rounds = new SetRounds(this.plan, options);
    try {
      await rounds.start();
      let done = 0;
      for (const round of roundsOf(this.pairs)) {
        for (const transport of this.plan.transports.keys())
          await this.measureRound(round, transport, rounds);
        for (const log of rounds.takeLogs()) await this.recorder.log(log);
        done += round.length;
        this.screen.progress(done / this.pairs.sets.length);
      }
    } finally {
      await rounds.stop();
    }
  }

  private async measureRound(round: readonly number[], transport: number, rounds: SetRounds): Promise<void> {
    const worth: MeasuredSet[] = [];
    for (const index of round) {
      const set = this.unmeasured(index, transport);
      const reason = this.lost.reason(this.namesOf(set));
      if (reason === null) worth.push(set);
      else await this.recorder.skip(set, reason);
    }
    const [like] = worth;
    if (like === undefined) return;
    // Those of a round are alike: pairs, or one ring.
    const isRing = this.pairs.sets[like.index]?.kind === 'ring';
    const plan = planForSets(this.plan, like.ranks, isRing);
    const members = worth.map(({ name, ranks }) => ({ name, ranks: [...ranks] }));
    const outcomes = await rounds.measure(plan, members, like.requests);
    const measured = worth.map((set, place): MeasuredSet => {
      const { blocks = [], launch = null, failure = null } = outcomes[place] ?? {};
      return { ...set, blocks, launch, failure };
    });
    for (const set of measured) this.lost.see(this.namesOf(set), set.failure);
    for (const cells of await this.recorder.addRound(measured)) this.screen.cells(cells);
    for (const { name, failure } of measured)
      if (failure !== null) this.screen.note(`${name}: ${failure.message}`);
  }

  private unmeasured(index: number, transport: number): MeasuredSet {
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

  private namesOf = ({ ranks }: MeasuredSet): string[] => ranks.map((rank) => this.pairs.names[rank] ?? '');
}

/** Indices of the sets that are measured together. */
function roundsOf({ sets, isConcurrent }: PairsPlan): number[][] {
  if (!isConcurrent) return sets.map((_, index) => [index]);
  const rounds = new Map<number, number[]>();
  for (const [index, { round }] of sets.entries()) rounds.set(round, [...(rounds.get(round) ?? []), index]);
  return [...rounds.values()];
}
