// Rounds of one collective: each is one run of the other program and one launch of collbench, in alternating order.
import { median } from 'simple-statistics';
import { agreementOf, summariseAgreement } from '../../results/derive/index.ts';
import type {
  CollectiveName,
  CrosscheckCollective,
  CrosscheckOptions,
  CrosscheckRound,
  CrosscheckSize,
} from '../../results/schema/index.ts';
import { operationOf } from '../../suites/crosscheck/plan.ts';
import type { CrosscheckEngine, CrosscheckFigures } from './engine.ts';
import type { PeerSide } from './peer.ts';

export interface RoundsContext {
  options: CrosscheckOptions;
  ours: CrosscheckEngine;
  ranks: number;
  signal: AbortSignal;
  /** Called before each measurement with a text such as "allreduce, round 2 of 8: nccl-tests". */
  progress(text: string): void;
}

/** Measures one collective in rounds, each with both programs. `result()` can be called at any time for the results so far. */
export class CrosscheckRounds {
  private readonly collective: CollectiveName;
  private readonly side: PeerSide;
  private readonly context: RoundsContext;
  private readonly figures = new Map<number, CrosscheckRound[]>();
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
   * Measures one round with both programs; in rounds 0, 2, ... the other program is first. Sizes that only one of them
   * measured get no result.
   * @throws FailureError from either of them; results of earlier rounds stay
   */
  async take(round: number): Promise<void> {
    const isTheirsFirst = round % 2 === 0;
    const before = isTheirsFirst ? await this.takeTheirs(round) : null;
    const ours = await this.takeOurs(round);
    const theirs = before ?? (await this.takeTheirs(round));
    this.hasFinished = true;
    for (const [payload, theirsNs] of theirs) {
      const found = ours.get(payload);
      if (found === undefined || !this.sizes.includes(payload)) continue;
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
    const reason = this.hasFinished ? (lowered ?? 'one side did not measure it') : 'no round was finished';
    return {
      ...operationOf(this.collective, this.context.options),
      ranks: this.context.ranks,
      processes: side.processes,
      commandLine: side.commandLine(0),
      ...facts,
      sizes,
      skipped: [...side.expected.skipped, ...missing.map((requestedBytes) => ({ requestedBytes, reason }))],
      wrongElements: this.wrongElements,
      summary: sizes.length === 0 ? null : summariseAgreement(sizes, side.name),
    };
  }
}
