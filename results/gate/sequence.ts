// Decides a gate whose reference build is launched alternately with the candidate: after each pair of launches, until every size
// range has a verdict.

import { type ComparableRun, compareRuns } from '../compare/compare-runs.ts';
import { usualOptions } from '../compare/options.ts';
import { regimeText } from '../derive/cells/cell-group.ts';
import { isLarge } from '../judge/difference.ts';
import { type RangeDecision, SequentialFamily } from '../judge/sequential/family.ts';
import { type SequentialDecision, type SequentialTest, sequentialTest } from '../judge/sequential/test.ts';
import type { BaselineGroup, GateCell, GateGroup, GateSequence, GateVerdict } from '../schema/index.ts';
import { formatDuration, formatPercent, plural } from '../units.ts';
import type { EntryComparison, GateDecision } from './decide.ts';
import { sequenceAlpha } from './pairs.ts';

const { groupThreshold, cellThreshold } = usualOptions;

export interface SequenceOptions {
  /** Relative change up to which the candidate counts as the same (0.05 = 5 %): `detect` of the suite. */
  margin: number;
  /** Highest number of pairs of launches of a suite entry. */
  maxPairs: number;
  /** Seconds that all pairs of a suite entry together may take; null or absent = no limit. */
  budgetS?: number | null;
  /** Number of size ranges that will be judged, over all entries of the suite. */
  ranges: number;
  /** Scatter between launches that `collbench baseline learn` found; it is used until the pairs themselves show the scatter. */
  learned?: readonly Pick<BaselineGroup, 'entry' | 'key' | 'group'>[];
}

/**
 * Returns the lowest number of pairs of launches that can show that nothing changed by more than the relative margin, if log times
 * of launches have a standard deviation of 1.5 %; Infinity if 200 pairs cannot.
 */
export function lowestPairs(margin: number): number {
  const known = { sd: 0.015 * Math.SQRT2, degrees: 10 };
  return sequentialTest({ margin, alpha: sequenceAlpha, known }).furtherPairs() ?? Number.POSITIVE_INFINITY;
}

/**
 * A run of one launch, with the lower quartile of each configuration's isolated times in ns, by the configuration's id.
 * Configurations without lower quartile are compared by the time that compareRuns() judges.
 */
export interface PairedRun extends ComparableRun {
  lowTimesNs?: ReadonlyMap<string, number>;
}

/** Collects pairs of launches of candidate and reference, and judges every size range after each pair. */
export class PairedSequence {
  readonly options: SequenceOptions;
  private readonly family: SequentialFamily;
  private readonly looks = new Map<string, GateSequence['looks']>();
  private readonly sizes = new Map<string, SequentialTest>();
  /** Seconds that the pairs of each suite entry took so far, and the number of these pairs. */
  private readonly spent = new Map<string, { seconds: number; pairs: number }>();

  constructor(options: SequenceOptions) {
    this.options = options;
    const { margin, ranges, learned = [] } = options;
    const knownByRange = new Map(
      learned.map(({ entry, key, group }) => [
        rangeKey(entry, key),
        { sd: Math.sqrt(2 * group.variance), degrees: group.degrees },
      ]),
    );
    this.family = new SequentialFamily(
      {
        ...{ margin, alpha: sequenceAlpha, threshold: groupThreshold, sizeThreshold: cellThreshold },
        knownByRange,
      },
      ranges,
    );
  }

  /**
   * Adds one launch of the reference and one of the candidate, both of the same suite entry, and judges again.
   * @param seconds time that both launches together took
   */
  add(entry: string, reference: PairedRun, tonight: PairedRun, seconds = 0): void {
    const before = this.spent.get(entry) ?? { seconds: 0, pairs: 0 };
    this.spent.set(entry, { seconds: before.seconds + seconds, pairs: before.pairs + 1 });
    const [pair] = compareRuns([reference, tonight], { allow: ['disturbed'] }).pairs;
    if (pair === undefined) return;
    const ranges = new Map<string, Map<string, number>>();
    for (const { id, otherId = id, group, base, other } of pair.cells) {
      const key = rangeKey(entry, group);
      const [low, otherLow] = [reference.lowTimesNs?.get(id), tonight.lowTimesNs?.get(otherId)];
      const ratio = low === undefined || otherLow === undefined ? other / base : otherLow / low;
      const logRatio = Math.log(ratio);
      ranges.set(key, (ranges.get(key) ?? new Map<string, number>()).set(id, logRatio));
      this.sizeTest(entry, id).add(logRatio);
    }
    const open = new Set(this.family.undecided(ranges.keys()));
    this.family.add(ranges);
    const found = this.family.decisions();
    for (const key of open) {
      const { slower, faster, same } = found.get(key) as RangeDecision;
      const own = [...(ranges.get(key) ?? [])].map(([, ratio]) => ratio);
      const ratio = Math.exp(own.reduce((sum, one) => sum + one, 0) / own.length);
      this.looks.set(key, [...(this.looks.get(key) ?? []), { ratio, slower, faster, same }]);
    }
  }

  /**
   * Returns the number of the entry's size ranges by verdict (`open`: without verdict), for the progress display; all 0 before the
   * first pair.
   */
  counts(entry: string): { slower: number; faster: number; same: number; open: number } {
    const own = [...this.family.decisions()].filter(([key]) => key.startsWith(rangeKey(entry, '')));
    const count = (verdict: RangeDecision['verdict']): number =>
      own.filter(([, decision]) => decision.verdict === verdict).length;
    return {
      ...{ slower: count('slower'), faster: count('faster'), same: count('same') },
      open: count('not-decided'),
    };
  }

  /**
   * True if no further pair is worth its time: each size range of the entry either has a verdict, or has 12 pairs or more and is
   * not expected to get a verdict within 200 further pairs. Giving up early does not make a verdict less certain. False before the
   * first pair.
   */
  isOver(entry: string): boolean {
    if (!this.spent.has(entry)) return false;
    const open = [...this.family.decisions()].flatMap(([key, decision]) =>
      key.startsWith(rangeKey(entry, '')) && decision.verdict === 'not-decided' ? [{ key, decision }] : [],
    );
    return open.every(
      ({ key, decision }) =>
        decision.pairs >= hopelessFrom && this.family.testOf(key).furtherPairs() === null,
    );
  }

  /**
   * True if another pair of the entry, if it takes as long as the earlier ones on average, would end after the budget. False
   * without a budget, and before the first pair.
   */
  isTimeUp(entry: string): boolean {
    const { budgetS } = this.options;
    const { seconds, pairs } = this.spent.get(entry) ?? { seconds: 0, pairs: 0 };
    return budgetS != null && pairs > 0 && seconds + seconds / pairs > budgetS;
  }

  /**
   * Returns the current decision on all size ranges of these comparisons; those of which no pair was added are left out.
   * @param entries comparison of each suite entry over all launches so far; it gives keys, titles, sizes and `change.observed`.
   * Verdicts, ratios and intervals come from the added pairs
   */
  decision(entries: readonly EntryComparison[]): GateDecision {
    const decisions = this.family.decisions();
    const groups: GateGroup[] = [];
    const cells: GateCell[] = [];
    for (const { entry, pair } of entries) {
      for (const group of pair.groups) {
        const found = decisions.get(rangeKey(entry, group.key));
        const title = `${group.title}, ${regimeText[group.regime]}`;
        const shared = { entry, title, confirmation: null };
        if (found === undefined) continue;
        const sequence = this.sequenceOf(entry, group.key);
        groups.push({
          ...shared,
          ...this.judged(
            found,
            verdictOf(found),
            group.change.observed,
            sequence,
            this.timeText(entry, group.key),
          ),
          ...{ key: group.key, xs: group.xs, variance: 'launches', sequence },
        });
        for (const cell of pair.cells.filter((one) => one.group === group.key)) {
          const own = this.sizeTest(entry, cell.id).decision();
          const isSlower =
            found.verdict === 'slower' &&
            (found.size === null ? own.verdict === 'slower' : found.size === cell.id);
          const verdict = isSlower ? 'slower' : own.verdict === 'same' ? 'same' : 'unclear';
          const reason = verdict === 'unclear' ? 'judged together with its size range' : null;
          cells.push({
            ...shared,
            ...this.judged(own, verdict, cell.change.observed, null),
            ...{ id: cell.id, group: cell.group, x: cell.x, reason },
          });
        }
      }
    }
    return { mustDetect: this.options.margin, groups, cells };
  }

  private judged(
    { ratio, low, high, pairs, slower, faster }: SequentialDecision,
    verdict: GateVerdict,
    observed: [number, number],
    sequence: GateSequence | null,
    timeText = '',
  ): Pick<GateGroup, 'verdict' | 'change' | 'doubt' | 'reason'> {
    const isOpen = verdict === 'unclear' || verdict === 'unconfirmed';
    return {
      verdict,
      change: {
        ...{ ratio, lowRatio: low, highRatio: high, observed },
        // The reciprocal of an e-value is a p-value that is valid at each look.
        pValue: Math.min(1, 2 / (slower + faster)),
        adjustedP: null,
        launches: { reference: pairs, tonight: pairs },
        betweenNights: null,
        detectable: isOpen ? (sequence?.reachableMargin ?? null) : this.options.margin,
      },
      doubt: isOpen ? 'scatter' : null,
      reason: isOpen && sequence !== null ? openReason(sequence, this.options, pairs, timeText) : null,
    };
  }

  /**
   * Returns how the budget explains a missing verdict: ", when the budget of 1 min was spent; a further pair takes 3.1 s and
   * narrows the margin in reach from 7.1 % to 6.8 %" (margin within which equal builds would be judged "same"). "" without a
   * budget, or if it is not spent.
   * @param entry name of the suite entry
   * @param key key of the size range
   */
  private timeText(entry: string, key: string): string {
    if (!this.isTimeUp(entry)) return '';
    const { seconds, pairs } = this.spent.get(entry) ?? { seconds: 0, pairs: 1 };
    const test = this.family.testOf(rangeKey(entry, key));
    const [now, next] = [test.reachableMargin(pairs), test.reachableMargin(pairs + 1)];
    const narrows =
      now === null || next === null || next >= now
        ? ''
        : ` and narrows the margin in reach from ${formatPercent(now)} to ${formatPercent(next)}`;
    return `, when the budget of ${formatDuration(this.options.budgetS ?? 0)} was spent; a further pair takes ${formatDuration(seconds / pairs)}${narrows}`;
  }

  private sequenceOf(entry: string, group: string): GateSequence {
    const key = rangeKey(entry, group);
    const test = this.family.testOf(key);
    const { scatter, pairs } = test.decision();
    const maxPairs = this.isTimeUp(entry) ? pairs : this.options.maxPairs;
    return {
      maxPairs,
      scatter,
      furtherPairs: test.furtherPairs(),
      reachableMargin: test.reachableMargin(maxPairs),
      looks: this.looks.get(key) ?? [],
    };
  }

  private sizeTest(entry: string, id: string): SequentialTest {
    const key = rangeKey(entry, id);
    const known = this.sizes.get(key);
    if (known !== undefined) return known;
    const own = sequentialTest({
      ...{ margin: this.options.margin, alpha: sequenceAlpha, threshold: cellThreshold },
    });
    this.sizes.set(key, own);
    return own;
  }
}

/** Lowest number of pairs after which the gate may give up: fewer pairs show too little of the scatter. */
const hopelessFrom = 12;

const rangeKey = (entry: string, key: string): string => `${entry}\n${key}`;

/**
 * E-value from which a large change without a verdict is reported as unconfirmed: equal builds reach it in 5 % of cases at most, in
 * each direction.
 */
const suspicious = 20;

/**
 * Returns the gate's verdict on a size range. A large change that is likely but not certain is `unconfirmed`, so that a person
 * looks at it.
 */
function verdictOf({ verdict, ratio, slower, faster }: RangeDecision): GateVerdict {
  if (verdict !== 'not-decided') return verdict;
  const isLikely = Math.max(slower, faster) >= suspicious;
  return isLarge(ratio) && isLikely ? 'unconfirmed' : 'unclear';
}

/**
 * Returns why the pairs gave no verdict, and what would give one: more pairs, or the wider margin that the same number of pairs can
 * reach.
 * @param pairs number of pairs measured so far
 * @param timeText result of timeText() about a budget that was spent; "" = none was
 */
function openReason(
  { scatter, furtherPairs, reachableMargin, maxPairs }: GateSequence,
  { margin }: SequenceOptions,
  pairs: number,
  timeText: string,
): string {
  const differ = scatter === null ? '' : `, which scatter by ${formatPercent(scatter)}`;
  const more =
    furtherPairs === null || furtherPairs === 0
      ? ''
      : `; about ${plural(furtherPairs, 'further pair')} would decide`;
  const reach =
    reachableMargin === null || reachableMargin <= margin
      ? ''
      : `; "same" within ${formatPercent(margin)} is out of reach, ${plural(maxPairs, 'pair')} reach ${formatPercent(reachableMargin)}`;
  return `not decided after ${plural(pairs, 'pair')} of launches${differ}${timeText}${more}${reach}`;
}
