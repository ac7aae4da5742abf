import {
  changesRangeText,
  directionText,
  effectText,
  largestChange,
  unconfirmedText,
} from '../judge/verdict-text.ts';
import type { Comparison, ComparisonChange } from '../schema/index.ts';
import { plural } from '../units.ts';
import { nameOfOther } from './run.ts';

export interface GateRule {
  /** Verdicts that make the command fail. `changed`: also `faster`, because an unexplained improvement may be a mistake. */
  failOn: 'slower' | 'changed';
  /** Relative change (0.05 = 5 %) that must be detectable in every size range; if one range would hide it, there is no verdict. */
  visible: number;
}

/** Result of `collbench compare --fail-on` for scripts. The result of a suite's gate has another schema (schema/gate.ts). */
export interface ComparisonOutcome {
  outcome: 'pass' | 'regression' | 'wrong-data' | 'unconfirmed' | 'no-verdict';
  /** Reasons for the result, as sentences without full stop. For `pass`: the smallest detectable change. */
  reasons: string[];
}

/**
 * Returns the result of a comparison for scripts. The first of these that applies decides. Regression: a size range or single size
 * is slower (with `failOn` "changed" also: faster). Wrong data. Unconfirmed: one looks much slower (or changed). No verdict: cells
 * are missing or were not compared, a size range could not be tested, or scatter would have hidden a change above `visible`.
 * Otherwise pass.
 */
export function gateOf({ pairs }: Comparison, { failOn, visible }: GateRule): ComparisonOutcome {
  const bad = failOn === 'slower' ? ['slower'] : ['slower', 'faster'];
  const changed = pairs.flatMap((pair) => {
    const isBad = ({ change }: { change: ComparisonChange }): boolean => bad.includes(change.verdict);
    const [groups, cells] = [pair.groups.filter(isBad), pair.cells.filter(isBad)];
    const found = [...groups, ...cells].map(({ change }) => change);
    if (found.length === 0) return [];
    const where = `in ${plural(groups.length, 'size range')} and ${plural(cells.length, 'single size')}`;
    return [`${nameOfOther(pair)}: up to ${directionText(largestChange(found).ratio)} ${where}`];
  });
  if (changed.length > 0) return { outcome: 'regression', reasons: changed };
  const wrong = pairs.flatMap((pair) => {
    const { refused } = pair;
    const other = nameOfOther(pair);
    const count = refused.filter(({ kind }) => kind === 'wrong-data').length;
    return count === 0 ? [] : [`${other}: wrong data in ${count} configurations`];
  });
  if (wrong.length > 0) return { outcome: 'wrong-data', reasons: wrong };
  const open = pairs.flatMap((pair) => openReasons(pair, visible));
  const suspect = pairs.flatMap((pair) => unconfirmedReasons(pair, failOn));
  if (suspect.length > 0) return { outcome: 'unconfirmed', reasons: [...suspect, ...open] };
  if (open.length > 0) return { outcome: 'no-verdict', reasons: open };
  const seen = Math.max(...pairs.flatMap(({ groups }) => groups.map(({ change }) => change.detectable ?? 0)));
  return { outcome: 'pass', reasons: [`smallest detectable change ${effectText(seen)} in every size range`] };
}

/**
 * Returns a sentence about the largest unconfirmed change, as a list of one; empty if there is none. Changes to faster count only
 * if `failOn` is "changed". Example, with the name of the compared run first: "after: up to 20x slower, not confirmed: machine busy
 * (other processes used 1.1, then 1.3 cores)".
 */
function unconfirmedReasons(pair: Comparison['pairs'][number], failOn: GateRule['failOn']): string[] {
  const found = [...pair.groups, ...pair.cells]
    .map(({ change }) => change)
    .filter(({ verdict, ratio }) => verdict === 'unconfirmed' && (failOn === 'changed' || ratio > 1));
  return found.length === 0 ? [] : [`${nameOfOther(pair)}: up to ${unconfirmedText(largestChange(found))}`];
}

function openReasons(pair: Comparison['pairs'][number], visible: number): string[] {
  const { groups, refused, missing } = pair;
  const other = nameOfOther(pair);
  const reasons: string[] = [];
  if (groups.length === 0) reasons.push(`${other}: nothing was compared`);
  if (missing.length > 0) reasons.push(`${other}: ${missing.length} configurations are in one run only`);
  if (refused.length > 0) reasons.push(`${other}: ${refused.length} configurations cannot be compared`);
  const untested = groups.filter(({ change }) => change.detectable === null);
  const [first] = untested;
  if (first !== undefined) {
    const more = untested.length > 1 ? `, ${untested.length} of ${groups.length} size ranges` : '';
    const range = changesRangeText(untested.map(({ change }) => change));
    reasons.push(`${other}: ${range}, ${first.change.reason}${more}`);
  }
  const hidden = groups.flatMap(({ change }) =>
    (change.detectable ?? 0) > visible ? [change.detectable as number] : [],
  );
  if (hidden.length > 0) {
    reasons.push(
      `${other}: too noisy, ${hidden.length} of ${groups.length} size ranges hide changes below ${effectText(Math.max(...hidden))}`,
    );
  }
  return reasons;
}
