import { xTextOfId } from '../axis-text.ts';
import { regimeText } from '../derive/cells/cell-group.ts';
import {
  changesRangeText,
  changeText,
  effectText,
  largestChange,
  unconfirmedText,
} from '../judge/verdict-text.ts';
import type {
  CellChange,
  ChangeVerdict,
  ComparisonChange,
  GroupChange,
  PairOfRuns,
  VerdictCounts,
} from '../schema/index.ts';
import { plural } from '../units.ts';

export function countVerdicts(found: readonly { change: { verdict: ChangeVerdict } }[]): VerdictCounts {
  const counts: VerdictCounts = { faster: 0, slower: 0, same: 0, unconfirmed: 0, 'not-enough-data': 0 };
  for (const { change } of found) counts[change.verdict] += 1;
  return counts;
}

/**
 * Returns the verdict of a whole comparison. One changed size range or single size is enough for `slower` or `faster`; `mixed` if
 * some are slower and some faster. If none changed, one unconfirmed range or size is enough for `unconfirmed`. Otherwise `same` if
 * every size range is the same, else `not-enough-data`.
 */
export function verdictOfAll(
  groups: readonly GroupChange[],
  cells: readonly CellChange[],
): PairOfRuns['verdict'] {
  const has = (verdict: ChangeVerdict) =>
    [...groups, ...cells].some(({ change }) => change.verdict === verdict);
  if (has('slower') && has('faster')) return 'mixed';
  if (has('slower')) return 'slower';
  if (has('faster')) return 'faster';
  if (has('unconfirmed')) return 'unconfirmed';
  const isSame = groups.length > 0 && groups.every(({ change }) => change.verdict === 'same');
  return isSame ? 'same' : 'not-enough-data';
}

interface ComparisonResult {
  groups: readonly GroupChange[];
  cells: readonly CellChange[];
  /**
   * Number of configurations that cannot be compared; `missing`: number of configurations without a result in one of the runs, or
   * in both.
   */
  refused: number;
  missing: number;
}

/**
 * Returns a summary of a comparison in one sentence: the largest change and where it is, unchanged size ranges, large changes that
 * are not confirmed, the number of size ranges without a verdict, and the number of configurations that only one run has. If
 * nothing was compared, it says so.
 * @param other name of the run that is compared with the base run
 */
export function summaryOf(other: string, found: ComparisonResult, verdict: PairOfRuns['verdict']): string {
  const { groups, cells } = found;
  if (cells.length === 0) {
    const apart = found.refused > 0 ? `: ${plural(found.refused, 'configuration')} cannot be compared` : '';
    return `${other} has no configuration that can be compared with the base${apart}.`;
  }
  const counts = countVerdicts(groups);
  const rest = found.missing > 0 ? `; ${plural(found.missing, 'configuration')} in one run only` : '';
  if (verdict === 'same')
    return `${other} is as fast as the base in ${all(counts.same, groups.length)}${rest}.`;
  const known = [
    ...(['slower', 'faster'] as const).flatMap((word) => changedPart(word, groups, cells)),
    ...(counts.same > 0 ? [`the same in ${all(counts.same, groups.length)}`] : []),
  ];
  const unconfirmed = unconfirmedPart(groups, cells);
  if (known.length === 0 && unconfirmed.length === 0)
    return `${openPart(groups, `No verdict for ${other}`).join('')}${rest}.`;
  const open = [...unconfirmed, ...openPart(groups)].join('; ');
  if (known.length === 0) return `${other}: ${open}${rest}.`;
  return `${other} is ${known.join(', ')}${open === '' ? '' : `; ${open}`}${rest}.`;
}

const all = (n: number, of: number): string =>
  n === of
    ? of === 1
      ? 'its only size range'
      : `all ${of} size ranges`
    : `${n} of ${plural(of, 'size range')}`;

/**
 * Returns a phrase about changed size ranges, or about single sizes if no range changed, as a list of one; empty if nothing changed
 * in this direction. It names the largest change: "slower in 1 of 3 size ranges, allreduce over socket from 4 MiB (+6.2 % time)".
 * @param word direction of the changes
 */
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

/**
 * Returns one phrase for unconfirmed slower and one for unconfirmed faster changes, if there are any: "up to 20x slower, not
 * confirmed: machine busy (...), in 3 of 10 size ranges". Single sizes count only if no size range is unconfirmed.
 */
function unconfirmedPart(groups: readonly GroupChange[], cells: readonly CellChange[]): string[] {
  const inGroups = groups.filter(({ change }) => change.verdict === 'unconfirmed');
  const found =
    inGroups.length > 0 ? inGroups : cells.filter(({ change }) => change.verdict === 'unconfirmed');
  return [(ratio: number) => ratio >= 1, (ratio: number) => ratio < 1].flatMap((isMeant) => {
    const own = found.map(({ change }) => change).filter(({ ratio }) => isMeant(ratio));
    if (own.length === 0) return [];
    const where =
      inGroups.length > 0
        ? `in ${all(own.length, groups.length)}`
        : `at ${plural(own.length, 'single size')}`;
    return [`up to ${unconfirmedText(largestChange(own))}${allowText(own)}, ${where}`];
  });
}

/**
 * Returns a hint at --allow disturbed, which judges changes even if other processes kept a machine busy. "" if none of the
 * changes is in doubt for that reason.
 */
const allowText = (changes: readonly ComparisonChange[]): string =>
  changes.some(({ doubt }) => doubt === 'busy') ? ' (judge anyway: --allow disturbed)' : '';

/**
 * Returns the phrase about size ranges with the verdict `not-enough-data`, as a list of one: "no verdict in 2 of 10 size ranges
 * (-3.0 % to +12 % time): machine busy (...)". Empty if no range has this verdict.
 * @param lead words with which the phrase begins
 */
function openPart(groups: readonly GroupChange[], lead = 'no verdict'): string[] {
  const open = groups.map(({ change }) => change).filter(({ verdict }) => verdict === 'not-enough-data');
  if (open.length === 0) return [];
  const seen = open.flatMap(({ detectable }) => detectable ?? []);
  const why =
    seen.length < open.length
      ? `${open.find(({ detectable }) => detectable === null)?.reason ?? ''}${allowText(open)}`
      : `only changes above ${effectText(Math.max(...seen))} would be detected (80 % power)`;
  const where =
    open.length === groups.length && open.length > 1
      ? `in any of ${open.length} size ranges`
      : `in ${all(open.length, groups.length)}`;
  return [`${lead} ${where} (${changesRangeText(open)}): ${why}`];
}
