// Two launches that are open at the same time and measure in turn, round by round: A B B A A B ... A disturbance of
// the machine that lasts longer than a round affects both alike.
import type { BlockRequest } from '../../results/schema/index.ts';

type Side = 0 | 1;

/**
 * A run begins its last round when at least `minRounds` rounds are over, and `maxRoundsMs` milliseconds have passed
 * since its first round began.
 */
const maxRoundsMs = 3000;
const minRounds = 4;

/**
 * Decides which of two runs may measure, in the order A B B A A B B A. Each run asks before every round, and the other waits
 * meanwhile. A run that never calls inTurn() must call leave(), or the other waits without end.
 */
export class AlternatingRuns {
  private readonly waiting = new Map<Side, () => void>();
  private readonly gone = new Set<Side>();
  /** Sides that have asked at least once: the first round begins when both are ready. */
  private readonly arrived = new Set<Side>();
  private readonly ending: (() => void)[] = [];
  private holder: Side | null = null;
  private turn = 0;

  /**
   * Yields the blocks of a run, and waits before each round until it is the run's turn. Ends only when the other run has no more
   * rounds, either. On a busy machine rounds take long, so fewer rounds are measured.
   * @param side number of the run, 0 or 1
   * @param rounds its blocks, divided into rounds
   */
  async *inTurn(side: Side, rounds: readonly (readonly BlockRequest[])[]): AsyncGenerator<BlockRequest> {
    let beganMs: number | null = null;
    try {
      for (const [i, round] of rounds.entries()) {
        await this.take(side);
        beganMs ??= performance.now();
        const isLast = i >= minRounds && performance.now() - beganMs > maxRoundsMs;
        for (const block of round) yield isLast ? { ...block, completesCell: true } : block;
        this.give(side);
        if (isLast) break;
      }
    } finally {
      this.leave(side);
    }
    await this.bothEnded();
  }

  /**
   * Removes this run from the alternation, so that the other run measures alone: this run has ended, or failed before its first
   * round. May be called twice.
   * @param side number of the run, 0 or 1
   */
  leave(side: Side): void {
    this.gone.add(side);
    this.arrived.add(side);
    if (this.holder === side) this.holder = null;
    if (this.gone.size === 2) for (const end of this.ending.splice(0)) end();
    this.next();
  }

  private async take(side: Side): Promise<void> {
    this.arrived.add(side);
    await new Promise<void>((resolve) => {
      this.waiting.set(side, resolve);
      this.next();
    });
  }

  private give(side: Side): void {
    if (this.holder !== side) return;
    this.holder = null;
    this.turn += 1;
    this.next();
  }

  private next(): void {
    if (this.holder !== null || this.arrived.size < 2) return;
    // A B B A A B B A: the turns 1 and 2 of each four belong to the second run.
    const due: Side = this.turn % 4 === 1 || this.turn % 4 === 2 ? 1 : 0;
    const other: Side = due === 0 ? 1 : 0;
    const side = this.gone.has(due) ? other : due;
    const start = this.waiting.get(side);
    if (start === undefined) return;
    this.waiting.delete(side);
    this.holder = side;
    start();
  }

  private bothEnded(): Promise<void> {
    return this.gone.size === 2 ? Promise.resolve() : new Promise((resolve) => this.ending.push(resolve));
  }
}

/** One of two runs that measure in turn: `side` is its number in `runs`. */
export interface RunTurns {
  runs: AlternatingRuns;
  side: Side;
}
