// Size ranges without a verdict of the gate: a few have a line each, many share one sentence.
import { shownChange } from '../../results/gate/conclude.ts';
import { changesRangeText, effectText } from '../../results/judge/verdict-text.ts';
import type { GateGroup, GateResult } from '../../results/schema/index.ts';
import { countReasons } from '../comparison/open.ts';
import { formatCount, formatPercent } from '../wording.ts';

/** Maximum number of size ranges without a verdict that get a line each; with more, all of them are summarized. */
const maxOpenRanges = 3;

export function hiddenOf({ groups }: GateResult): GateGroup[] {
  const open = groups.filter(({ verdict }) => verdict === 'unclear');
  return open.length > maxOpenRanges ? open : [];
}

/**
 * Returns one sentence about size ranges without a verdict, which have no lines of their own: "no verdict in 18 of 20 size ranges
 * (-3.0 % to +41 % time): too noisy, only changes above 12 % to 80 % would be detected".
 * @param hidden those size ranges, from hiddenOf()
 */
export function openText({ groups, mustDetect }: GateResult, hidden: readonly GateGroup[]): string {
  const seen = hidden.flatMap((group) => shownChange(group).detectable ?? []);
  const [low, high] = [effectText(Math.min(...seen)), effectText(Math.max(...seen))];
  const range = low === high ? low : `${low} to ${high}`;
  const noisy = `too noisy, only changes above ${range} would be detected (the gate must detect ${formatPercent(mustDetect)})`;
  const reasons = hidden.map((group) =>
    shownChange(group).detectable === null ? group : { doubt: 'scatter' as const, reason: noisy },
  );
  return `no verdict in ${formatCount(hidden.length)} of ${formatCount(groups.length)} size ranges (${changesRangeText(hidden.map(shownChange))}): ${countReasons(reasons)}`;
}
