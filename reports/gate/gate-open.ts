// Size ranges of which the gate cannot tell: a few have a line each, many one for all.
import type { GateGroup, GateResult } from '../../results/schema/index.ts';
import { countReasons } from '../compared/open.ts';
import { formatCount, formatPercent } from '../wording.ts';

/** As many have a line of their own. */
const mostOpen = 3;

export function hiddenOf({ groups }: GateResult): GateGroup[] {
  const open = groups.filter(({ verdict }) => verdict === 'unclear');
  return open.length > mostOpen ? open : [];
}

/** "no verdict in 18 of 20 size ranges: too noisy, only changes above 12 % to 80 % would be detected (the gate must detect 10 %)" */
export function openText({ groups, mustDetect }: GateResult, hidden: readonly GateGroup[]): string {
  const seen = hidden.flatMap(({ change }) => change.detectable ?? []);
  const [low, high] = [formatPercent(Math.min(...seen)), formatPercent(Math.max(...seen))];
  const range = low === high ? low : `${low} to ${high}`;
  const noisy = `too noisy, only changes above ${range} would be detected (the gate must detect ${formatPercent(mustDetect)})`;
  const reasons = hidden.map(({ change, reason }) =>
    change.detectable === null ? (reason ?? 'too few launches') : noisy,
  );
  return `no verdict in ${formatCount(hidden.length)} of ${formatCount(groups.length)} size ranges: ${countReasons(reasons)}`;
}
