import { mean } from 'simple-statistics';
import { eBenjaminiHochberg } from './e-bh.ts';
import type { KnownScatter } from './evidence.ts';
import {
  type SequentialDecision,
  type SequentialOptions,
  type SequentialTest,
  sequentialTest,
  verdictOf,
} from './test.ts';

export interface FamilyOptions extends SequentialOptions {
  /** Highest expected share of false changes among all reported ones; also the probability with which one "same" is wrong. */
  alpha: number;
  /** Smallest relative change of a single size that is reported if the mean over the sizes of its range shows no change. */
  sizeThreshold: number;
  /** Scatter of a pair's log ratio that earlier runs showed, by key of the size range. */
  knownByRange?: ReadonlyMap<string, KnownScatter>;
}

/** Verdict on one size range of a series. */
export interface RangeDecision extends SequentialDecision {
  /** Id of the configuration (one size) that shows the change, if the mean over the sizes does not; otherwise null. */
  size: string | null;
  /** Evidence for a change in either direction, as compared across series: the mean of the two e-values `slower` and `faster`. */
  change: number;
}

/**
 * Log ratios (candidate over reference) of one pair of launches for one size range, by id of the configuration that has the size.
 */
export type PairOfSizes = ReadonlyMap<string, number>;

interface RangeState {
  /** Test of the mean over the sizes of the range; `bySize`: tests of its single sizes, by id of the configuration. */
  whole: SequentialTest;
  bySize: Map<string, SequentialTest>;
  /** Verdict at the pair after which it was reached; it and its e-values then stay unchanged. Null while there is no verdict. */
  final: RangeDecision | null;
}

/** Share of the stake that is bet on the mean over the sizes of a range; the rest is bet on single sizes, in equal parts. */
const shareOfMean = 0.8;

/**
 * Judges all size ranges of a suite after every pair of launches. Changes pass the procedure of Benjamini & Hochberg for e-values,
 * so that at most a share `alpha` of all reported changes is expected to be false, over all looks together. Each "same" is wrong
 * with probability `alpha` at most.
 */
export class SequentialFamily {
  private readonly options: FamilyOptions;
  private readonly total: number;
  private readonly ranges = new Map<string, RangeState>();

  /** @param total number of size ranges that will be judged, over all entries of a suite */
  constructor(options: FamilyOptions, total: number) {
    this.options = options;
    this.total = total;
  }

  /**
   * Adds a pair of launches and judges all ranges that have no verdict yet. Ranges with a verdict do not change.
   * @param pair log ratios (candidate over reference), by key of the size range: a text that the caller chooses, different for each
   * range of each entry
   */
  add(pair: ReadonlyMap<string, PairOfSizes>): void {
    for (const [key, ratios] of pair) {
      if (ratios.size === 0) continue;
      const state = this.stateOf(key);
      if (state.final !== null) continue;
      state.whole.add(mean([...ratios.values()]));
      for (const [size, ratio] of ratios) {
        const own = state.bySize.get(size) ?? sequentialTest(this.options);
        state.bySize.set(size, own);
        own.add(ratio);
      }
    }
    for (const [key, decision] of this.decisions()) {
      if (decision.verdict !== 'not-decided') this.stateOf(key).final = decision;
    }
  }

  /** Returns the verdicts by key of the size range, for all ranges of which add() got a pair, in the order of their first pairs. */
  decisions(): Map<string, RangeDecision> {
    const found = new Map([...this.ranges].map(([key, state]) => [key, state.final ?? this.open(state)]));
    const changes = [...found.values()].map(({ change }) => change);
    const level = eBenjaminiHochberg(changes, this.options.alpha, Math.max(this.total, found.size));
    return new Map(
      [...found].map(([key, decision]) => {
        const state = this.stateOf(key);
        return [key, state.final ?? this.judged(state, decision, level)];
      }),
    );
  }

  /** Returns those of `keys` whose size range has no verdict yet; a range of which no pair was added has none. */
  undecided(keys: Iterable<string>): string[] {
    return [...keys].filter((key) => (this.ranges.get(key)?.final ?? null) === null);
  }

  /**
   * Returns the test of the mean over the sizes of the range with this key; callers use it to predict how many pairs the range
   * needs. For a range without pairs it is a new test, and the range is not added.
   */
  testOf(key: string): SequentialTest {
    return this.ranges.get(key)?.whole ?? this.newTest(key);
  }

  private newTest(key: string): SequentialTest {
    const known = this.options.knownByRange?.get(key);
    return sequentialTest({ ...this.options, ...(known === undefined ? {} : { known }) });
  }

  private stateOf(key: string): RangeState {
    const present = this.ranges.get(key);
    if (present !== undefined) return present;
    const state = { whole: this.newTest(key), bySize: new Map(), final: null };
    this.ranges.set(key, state);
    return state;
  }

  private open({ whole, bySize }: RangeState): RangeDecision {
    const found = whole.decision();
    if (bySize.size < 2) return withChange({ ...found, size: null });
    const sizes = [...bySize.values()].map((test) => test.evidence());
    const mixed = (side: 'slower' | 'faster'): number =>
      shareOfMean * found[side] + (1 - shareOfMean) * mean(sizes.map((own) => own[side]));
    return withChange({ ...found, slower: mixed('slower'), faster: mixed('faster'), size: null });
  }

  private judged({ bySize }: RangeState, found: RangeDecision, level: number): RangeDecision {
    const isChange = found.change >= level;
    const size = isChange ? this.changedSize(bySize, found) : null;
    if (size !== null) return { ...found, ...size };
    const certain = {
      isSlower: isChange && found.slower > found.faster,
      isFaster: isChange && found.faster > found.slower,
      isSame: found.same >= 1 / this.options.alpha && !hasSuspiciousSize(bySize),
    };
    return { ...found, verdict: verdictOf(certain, Math.log(found.ratio), this.options) };
  }

  /**
   * Returns the size with the largest e-value, as the verdict on its range, if the size's change is certain (e-value at least 2 /
   * `alpha`) and at least `sizeThreshold`, while the mean over the sizes changed by less than `threshold`; otherwise null.
   * @param bySize tests of the single sizes, by id of the configuration
   */
  private changedSize(
    bySize: ReadonlyMap<string, SequentialTest>,
    range: RangeDecision,
  ): Pick<RangeDecision, 'verdict' | 'size' | 'ratio' | 'low' | 'high'> | null {
    const { alpha, threshold = 0, sizeThreshold } = this.options;
    if (bySize.size < 2 || Math.abs(Math.log(range.ratio)) >= Math.log1p(threshold)) return null;
    const side = range.slower >= range.faster ? 'slower' : 'faster';
    const own = [...bySize].map(([size, test]) => ({ size, ...test.decision() }));
    const most = own.reduce((a, b) => (b[side] > a[side] ? b : a));
    const isLarge = Math.abs(Math.log(most.ratio)) >= Math.log1p(sizeThreshold);
    if (most[side] < 2 / alpha || !isLarge) return null;
    const { size, ratio, low, high } = most;
    return { verdict: side, size, ratio, low, high };
  }
}

/**
 * A range is not judged "same" while one of its sizes has an e-value of at least this for a change; the size may prove a change
 * after some more pairs.
 */
const suspicious = 20;

const hasSuspiciousSize = (bySize: ReadonlyMap<string, SequentialTest>): boolean =>
  bySize.size > 1 &&
  [...bySize.values()].some((test) => {
    const { slower, faster } = test.evidence();
    return Math.max(slower, faster) >= suspicious;
  });

const withChange = (found: Omit<RangeDecision, 'change'>): RangeDecision => ({
  ...found,
  change: (found.slower + found.faster) / 2,
});
