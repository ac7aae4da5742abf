// Counts over many pairs of equal runs. Pure, so that tests can cover it.
import type { PairOfRuns } from '../../results/schema/index.ts';

export interface PairsTally {
  pairs: number;
  /** Pairs with at least one size range that was judged, because the machine was not busy during it. */
  judged: number;
  /** Pairs of equal runs in which something was called slower or faster: false alarms. */
  changed: number;
  /** Size ranges of all pairs. Without a verdict are `open` (too little data) and `disturbed` (machine busy) of them. */
  ranges: number;
  open: number;
  disturbed: number;
  /** Pairs with added slowdown that were judged. */
  plantedJudged: number;
  found: number;
}

export const emptyTally: PairsTally = {
  ...{ pairs: 0, judged: 0, changed: 0, ranges: 0, open: 0, disturbed: 0 },
  ...{ plantedJudged: 0, found: 0 },
};

const isChanged = ({ groups, cells }: PairOfRuns): boolean =>
  [...groups, ...cells].some(({ change }) => change.verdict === 'slower' || change.verdict === 'faster');

const isJudged = ({ groups }: PairOfRuns): boolean => groups.some(({ change }) => change.doubt !== 'busy');

/**
 * The tally with one more pair.
 * @param equal comparison of the two equal runs
 * @param planted comparison of the same pair with a slowdown added to the second run
 */
export function withPair(tally: PairsTally, equal: PairOfRuns, planted: PairOfRuns): PairsTally {
  const isOpen = ({ change }: PairOfRuns['groups'][number]): boolean =>
    change.verdict === 'unconfirmed' || change.verdict === 'not-enough-data';
  const open = equal.groups.filter(isOpen);
  const disturbed = open.filter(({ change }) => change.doubt === 'busy').length;
  const isPlantedJudged = isJudged(planted);
  const isFound = isPlantedJudged && planted.groups.some(({ change }) => change.verdict === 'slower');
  return {
    pairs: tally.pairs + 1,
    judged: tally.judged + Number(isJudged(equal)),
    changed: tally.changed + Number(isChanged(equal)),
    ranges: tally.ranges + equal.groups.length,
    open: tally.open + open.length - disturbed,
    disturbed: tally.disturbed + disturbed,
    plantedJudged: tally.plantedJudged + Number(isPlantedJudged),
    found: tally.found + Number(isFound),
  };
}

/**
 * Text about the tally.
 * @param how added slowdown in percent, and whether another process disturbed the runs
 */
export function pairsText(tally: PairsTally, how: { planted: number; isLoaded: boolean }): string {
  const { pairs, judged, changed, ranges, open, disturbed, plantedJudged, found } = tally;
  const share = plantedJudged === 0 ? '' : ` (${((100 * found) / plantedJudged).toFixed(0)} %)`;
  return [
    `${pairs} pairs of equal runs${how.isLoaded ? ', beside a process that comes and goes' : ''}: ${judged} judged`,
    `called slower or faster: ${changed} of ${judged} judged pairs`,
    `size ranges without a verdict: ${open + disturbed} of ${ranges} (not enough data ${open}, machine busy ${disturbed})`,
    `planted +${how.planted} % found: ${found} of ${plantedJudged} judged pairs${share}`,
    ...(judged === 0 ? ['no pair was judged: this says nothing'] : []),
  ].join('\n');
}

/** Whether the benchmark fails: more than one false alarm in sixty judged pairs, or no judged pair. */
export const pairsFailed = ({ judged, changed }: PairsTally): boolean =>
  judged === 0 || changed > Math.max(1, judged / 60);
