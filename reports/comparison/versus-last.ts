// One line below a run's table that compares the run with the previous one, with the verdicts of `collbench compare`.
import {
  changesRangeText,
  effectText,
  largestChange,
  unconfirmedText,
} from '../../results/judge/verdict-text.ts';
import type { CellChange, GroupChange, PairOfRuns, RunRecord } from '../../results/schema/index.ts';
import { formatCount, joinWords, plural, shortTransport, valueRange } from '../wording.ts';
import { countReasons } from './open.ts';
import { plain, xTexts } from './texts.ts';

/** Maximum number of slower size ranges, and also of faster ones, that the line names; further ones are only counted. */
const maxRanges = 3;

/**
 * Returns the comparison with the previous run in one line: "vs last (2026-11-21 18:02, label x): slower at 64 KiB - 1 MiB by 8.0
 * %; same within ±2.1 % at 24 of 27 configurations".
 */
export function versusLastText(
  last: Pick<RunRecord, 'id' | 'label' | 'startedAt'>,
  pair: PairOfRuns,
): string {
  const when = last.startedAt.slice(0, 16).replace('T', ' ');
  const who = last.label === undefined ? `run ${last.id}` : `label ${plain(last.label, 40)}`;
  return `vs last (${when}, ${who}): ${changesText(pair)}`;
}

/**
 * Returns at which message sizes a run is slower, faster or unchanged compared with another run, which the text does not name.
 * Slower sizes come first, then faster ones, then the others, separated by ";". If no size could be compared, it says why.
 */
export function changesText(pair: PairOfRuns): string {
  const parts = [...changedParts(pair, 'slower'), ...changedParts(pair, 'faster'), ...quietParts(pair)];
  return parts.length === 0 ? refusedPart(pair) : parts.join('; ');
}

const isMany = ({ groups }: PairOfRuns): boolean => new Set(groups.map(({ title }) => title)).size > 1;

/**
 * Returns texts about what became slower (or faster, as `word` says), one per size range: "slower at 64 KiB - 1 MiB by 8.0 %", with
 * operation and transport before it if there are several series. The sizes are those that changed. If no single size changed but
 * the range as a whole did, all its sizes are named. After three ranges a text counts the others. Empty if nothing became slower
 * (or faster).
 */
function changedParts(pair: PairOfRuns, word: 'slower' | 'faster'): string[] {
  const parts = pair.groups.flatMap((group) => {
    const cells = pair.cells.filter((cell) => cell.group === group.key && cell.change.verdict === word);
    if (cells.length === 0 && group.change.verdict !== word) return [];
    const xs = cells.length === 0 ? group.xs : cells.map(({ x }) => x);
    const where = isMany(pair) ? `${group.what} over ${shortTransport(group.transport)} ` : '';
    return [`${where}${word} at ${xTexts(group.key, xs)} by ${byText(cells, group)}`];
  });
  const more = parts.length - maxRanges;
  return more > 0 ? [...parts.slice(0, maxRanges), `${word} in ${more} more size ranges`] : parts;
}

/**
 * Returns the smallest and the largest relative change of several sizes, without sign: "2.0 % to 8.0 %". If `cells` is empty, it is
 * the change of the whole range.
 */
function byText(cells: readonly CellChange[], { change }: GroupChange): string {
  const ratios = (cells.length === 0 ? [change] : cells.map((cell) => cell.change)).map(({ ratio }) => ratio);
  const effects = ratios.map((ratio) => Math.abs(ratio - 1));
  return valueRange(effects, effectText);
}

/**
 * Returns "same within ±2.1 %": the largest change that lies in the interval of any of these sizes; "same" if none has an interval.
 * @param same sizes with the verdict "same"
 */
export function sameText(same: readonly CellChange[]): string {
  const bounds = same.flatMap(({ change: { low, high } }) =>
    low === null || high === null ? [] : [Math.abs(low - 1), Math.abs(high - 1)],
  );
  return bounds.length === 0 ? 'same' : `same within ±${effectText(Math.max(...bounds))}`;
}

function quietParts({ cells }: PairOfRuns): string[] {
  const same = cells.filter(({ change }) => change.verdict === 'same');
  const open = cells.filter(({ change }) => change.verdict === 'not-enough-data');
  const unconfirmed = cells.map(({ change }) => change).filter(({ verdict }) => verdict === 'unconfirmed');
  const of = `of ${plural(cells.length, 'configuration')}`;
  return [
    ...(unconfirmed.length > 0
      ? [`up to ${unconfirmedText(largestChange(unconfirmed))}, at ${formatCount(unconfirmed.length)} ${of}`]
      : []),
    ...(same.length > 0 ? [`${sameText(same)} at ${formatCount(same.length)} ${of}`] : []),
    ...(open.length > 0
      ? [
          `no verdict at ${formatCount(open.length)} ${of} (${changesRangeText(open.map(({ change }) => change))}: ${countReasons(open.map(({ change }) => change))})`,
        ]
      : []),
  ];
}

/**
 * Returns a text that no configuration of both runs could be compared: "not compared: ..." with the first two reasons, if any are
 * known.
 */
function refusedPart({ refused, missing }: PairOfRuns): string {
  const reasons = [...new Set([...refused, ...missing].map(({ reason }) => plain(reason, 100)))];
  return `not compared${reasons.length === 0 ? '' : `: ${joinWords(reasons.slice(0, 2))}`}`;
}
