import { xTextOfId } from '../axis-text.ts';
import { regimeText } from '../derive/cell-group.ts';
import type { CellChange, ChangeVerdict, GroupChange, PairOfRuns, VerdictCounts } from '../schema/index.ts';
import { plural } from '../units.ts';

export function countVerdicts(found: readonly { change: { verdict: ChangeVerdict } }[]): VerdictCounts {
  const counts: VerdictCounts = { faster: 0, slower: 0, same: 0, 'not-enough-data': 0, disturbed: 0 };
  for (const { change } of found) counts[change.verdict] += 1;
  return counts;
}

/** A change of groups or of single sizes decides; the same only where every group is. */
export function verdictOfAll(
  groups: readonly GroupChange[],
  cells: readonly CellChange[],
): PairOfRuns['verdict'] {
  const has = (verdict: ChangeVerdict) =>
    [...groups, ...cells].some(({ change }) => change.verdict === verdict);
  if (has('slower') && has('faster')) return 'mixed';
  if (has('slower')) return 'slower';
  if (has('faster')) return 'faster';
  if (groups.some(({ change }) => change.verdict === 'disturbed')) return 'disturbed';
  const isSame = groups.length > 0 && groups.every(({ change }) => change.verdict === 'same');
  return isSame ? 'same' : 'not-enough-data';
}

/** Beyond, a number says no more than that nothing is known. */
const mostFold = 1000;

/** "+6.2 %", "-3.0 %": of time, so minus is faster; "x38" or "x0.026" where percent would be no help. */
export const changeText = (ratio: number): string => {
  if (ratio > mostFold) return `>x${mostFold}`;
  if (ratio >= 10) return `x${Number(ratio.toPrecision(3))}`;
  if (ratio < 1 / mostFold) return `<x${1 / mostFold}`;
  if (ratio <= 0.1) return `x${Number(ratio.toPrecision(2))}`;
  const percent = (ratio - 1) * 100;
  const text = Math.abs(percent).toFixed(Math.abs(percent) < 99.5 ? 1 : 0);
  const sign = Number(text) === 0 ? '' : percent < 0 ? '-' : '+';
  return `${sign}${text} %`;
};

/** Size of a change without its direction: "1.3 %", "84 %", "38-fold". @param share 0.013 is 1.3 % */
export function effectText(share: number): string {
  if (share > mostFold) return `>${mostFold}-fold`;
  if (share >= 9) return `${Number((1 + share).toPrecision(2))}-fold`;
  return `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)} %`;
}

interface Found {
  groups: readonly GroupChange[];
  cells: readonly CellChange[];
  refused: number;
  missing: number;
}

/** One sentence: what changed most and where, what did not, and what could not be told. */
export function summaryOf(other: string, found: Found, verdict: PairOfRuns['verdict']): string {
  const { groups, cells } = found;
  if (cells.length === 0) {
    const apart = found.refused > 0 ? `: ${plural(found.refused, 'configuration')} cannot be compared` : '';
    return `${other} has no configuration that can be compared with the base${apart}.`;
  }
  const counts = countVerdicts(groups);
  const parts = [
    ...(['slower', 'faster'] as const).flatMap((word) => changedPart(word, groups, cells)),
    ...(counts.same > 0 ? [`the same in ${all(counts.same, groups.length)}`] : []),
    ...(counts['not-enough-data'] > 0
      ? [`without a verdict in ${all(counts['not-enough-data'], groups.length)} (${openPart(groups)})`]
      : []),
    ...(counts.disturbed > 0
      ? [`without a verdict in ${all(counts.disturbed, groups.length)}: ${disturbedPart(groups)}`]
      : []),
  ];
  const rest = found.missing > 0 ? `; ${plural(found.missing, 'configuration')} in one run only` : '';
  const lead = verdict === 'same' ? `${other} is as fast as the base` : `${other}`;
  if (verdict === 'same') return `${lead} in ${all(counts.same, groups.length)}${rest}.`;
  return `${lead} is ${parts.join(', ')}${rest}.`;
}

const all = (n: number, of: number): string =>
  n === of
    ? of === 1
      ? 'its only size range'
      : `all ${of} size ranges`
    : `${n} of ${plural(of, 'size range')}`;

/** "slower in 1 of 3 size ranges, most over socket from 4 MiB (+6.2 % time)"; where no group is, the sizes. */
function changedPart(
  word: 'slower' | 'faster',
  groups: readonly GroupChange[],
  cells: readonly CellChange[],
): string[] {
  const far = ({ change }: { change: { ratio: number } }) => Math.abs(Math.log(change.ratio));
  const inGroups = groups.filter(({ change }) => change.verdict === word).sort((a, b) => far(b) - far(a));
  const [first] = inGroups;
  if (first !== undefined) {
    const most = inGroups.length > 1 ? 'most with ' : '';
    return [
      `${word} in ${all(inGroups.length, groups.length)}, ${most}${first.what} over ${first.transport} ${regimeText[first.regime]} (${changeText(first.change.ratio)} time)`,
    ];
  }
  const inCells = cells.filter(({ change }) => change.verdict === word).sort((a, b) => far(b) - far(a));
  const [cell] = inCells;
  if (cell === undefined) return [];
  const group = groups.find(({ key }) => key === cell.group);
  const where = group === undefined ? '' : `${group.what} over ${group.transport} `;
  return [
    `${word} at ${plural(inCells.length, 'single size')}, ${inCells.length > 1 ? 'most with ' : ''}${where}${xTextOfId(cell.id, cell.x)} (${changeText(cell.change.ratio)} time)`,
  ];
}

function disturbedPart(groups: readonly GroupChange[]): string {
  const reasons = groups.flatMap(({ change }) =>
    change.verdict === 'disturbed' ? [change.reason ?? ''] : [],
  );
  const more = new Set(reasons).size - 1;
  return `${reasons[0]}${more > 0 ? ` and ${more} more` : ''} (judge anyway: --allow disturbed)`;
}

function openPart(groups: readonly GroupChange[]): string {
  const open = groups.filter(({ change }) => change.verdict === 'not-enough-data');
  const seen = open.flatMap(({ change }) => change.detectable ?? []);
  if (seen.length < open.length)
    return open.find(({ change }) => change.detectable === null)?.change.reason ?? '';
  return `only changes above ${effectText(Math.max(...seen))} would be detected (80 % power)`;
}
