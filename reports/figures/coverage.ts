// Which configurations a figure draws, and which it leaves out for what reason. Both lists are made from the rows that are really
// drawn.
import type { OkCell } from '../../results/schema/index.ts';
import {
  type CellSlot,
  figureOf,
  isOk,
  type ReportRun,
  ranksOf,
  type Series,
  type SeriesGroup,
} from '../series.ts';
import { formatCount, joinWords, plural } from '../wording.ts';

interface OmittedCell {
  /**
   * Operation of the configuration that is left out, and its rank count if the figure has several rank counts: "allgather, 3
   * ranks".
   */
  what: string;
  /** Reason why the configuration is left out: "not measured". */
  why: string;
}

export interface FigureCoverage {
  drawn: OkCell[];
  leftOut: OmittedCell[];
}

/** Returns the key of one configuration, unique within all figures that are made together. @param x value of the x axis */
export const slotKey = (group: SeriesGroup, series: Series, x: number): string =>
  `${group.key} ${series.key} ${x}`;

/**
 * Splits all planned configurations into those that the figure draws and those that it leaves out, with reasons.
 * @param groups all planned series of the figure's operations
 * @param drawn keys of the drawn configurations, from `slotKey`
 * @param why returns the reason for a configuration that has a value but is not drawn
 */
export function coverageOf(
  groups: readonly SeriesGroup[],
  drawn: ReadonlySet<string>,
  why: (group: SeriesGroup, series: Series, slot: CellSlot) => string,
): FigureCoverage {
  const coverage: FigureCoverage = { drawn: [], leftOut: [] };
  const severalRanks = new Set(groups.flatMap(({ series }) => series.map(ranksOf))).size > 1;
  for (const group of groups)
    for (const series of group.series)
      for (const slot of series.slots) {
        if (isOk(slot.cell) && drawn.has(slotKey(group, series, slot.x))) {
          coverage.drawn.push(slot.cell);
          continue;
        }
        const what = `${group.what}${severalRanks ? `, ${plural(ranksOf(series), 'rank')}` : ''}`;
        coverage.leftOut.push({ what, why: reasonOf(group, slot) ?? why(group, series, slot) });
      }
  return coverage;
}

/** Returns the fields with which the data of a figure name a series, in the order of their columns. */
export const seriesFields = (series: Series, operation: string) => ({
  run: series.run.id,
  operation,
  ranks: ranksOf(series),
  series: series.label,
  transport: series.transport,
  medium: series.medium,
});

function reasonOf(group: SeriesGroup, { cell }: CellSlot): string | null {
  if (cell === null) return 'not measured';
  if (!isOk(cell)) return 'failed';
  return figureOf(cell, group) === null ? 'without this value' : null;
}

/**
 * Returns how many of the planned configurations a figure shows: "All 24 configurations are drawn." or "20 of 24
 * configurations are drawn; left out: 4 failed (allgather, 3 ranks)."
 */
export function coverageSentence({ drawn, leftOut }: FigureCoverage): string {
  const all = drawn.length + leftOut.length;
  if (leftOut.length === 0)
    return all === 1 ? 'The one configuration is drawn.' : `All ${plural(all, 'configuration')} are drawn.`;
  const whys = new Map<string, OmittedCell[]>();
  for (const one of leftOut) whys.set(one.why, [...(whys.get(one.why) ?? []), one]);
  const named = [...whys].map(([why, those]) => {
    const whats = [...new Set(those.map(({ what }) => what))].sort();
    return `${formatCount(those.length)} ${why} (${whats.length === 1 ? whats[0] : whats.join('; ')})`;
  });
  return `${formatCount(drawn.length)} of ${plural(all, 'configuration')} are drawn; left out: ${joinWords(named)}.`;
}

/** Maximum number of reasons for skipped sizes in a caption; further reasons are counted. */
const maxSkipped = 3;

/**
 * Returns a list with a sentence about sizes that the plan skipped: "Skipped: 8 B is less than one float32 for ..."; empty if none
 * was skipped. Planned configurations do not include skipped sizes.
 */
export function skippedSentence(groups: readonly SeriesGroup[], runs: readonly ReportRun[]): string[] {
  const whats = new Map<string, Set<string>>();
  for (const { record } of runs)
    for (const { what, reason } of record.plan.skipped) {
      if (!groups.some((group) => group.what === what)) continue;
      whats.set(reason, (whats.get(reason) ?? new Set()).add(what));
    }
  if (whats.size === 0) return [];
  const named = [...whats]
    .slice(0, maxSkipped)
    .map(([reason, of]) => (groups.length === 1 ? reason : `${reason} (${[...of].join(', ')})`));
  const others = whats.size - named.length;
  return [`Skipped: ${named.join('; ')}${others > 0 ? `; and ${others} more` : ''}.`];
}
