// What many pairs of equal runs came to: pure, so that the bench itself can be tested.
import type { PairOfRuns } from '../../results/schema/index.ts';

export interface PairsTally {
  pairs: number;
  /** Pairs with a verdict that was not held back: something of them was not disturbed. */
  judged: number;
  /** Of all pairs: equal runs that were called slower or faster somewhere. */
  changed: number;
  /** Size ranges of all pairs, and those without a verdict. */
  ranges: number;
  open: number;
  disturbed: number;
  /** Pairs whose planted change was judged; of these, where it was called slower. */
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

/** @param planted the same pair with a slowdown put into the second run */
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

/** @param how percent that was planted; whether a process ran beside the pairs */
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

/** More than one false alarm in sixty pairs, or nothing that could have raised one. */
export const pairsFailed = ({ judged, changed }: PairsTally): boolean =>
  judged === 0 || changed > Math.max(1, judged / 60);
