// The main results of each series.

import type { Background } from '../../results/background.ts';
import { effectText } from '../../results/judge/verdict-text.ts';
import {
  type CellChange,
  type FigureData,
  isDisturbed,
  type MeasuredFigure,
} from '../../results/schema/index.ts';
import { type CeilingLine, ceilingsOfSeries } from '../ceiling.ts';
import { sameText } from '../comparison/versus-last.ts';
import { worstVerdict } from '../evidence.ts';
import { bandwidthRow } from '../models.ts';
import { chartedRow } from '../rows.ts';
import { figureOf, groupOfFigure, isOk, rateOf, type Series, type SeriesGroup } from '../series.ts';
import { comparisonsOf } from '../series-comparison.ts';
import { formatCount } from '../wording.ts';

export interface HeadlineVerdict {
  kind: 'good' | 'warn' | 'bad';
  text: string;
}

/**
 * Main results of one series (operation over one transport): latency and rate, for a row on the report's first screen. `ceiling`:
 * the upper limit of bandwidth of the series, and the share of it that `rate` reaches; null if either is unknown.
 */
export interface SeriesHeadline {
  group: SeriesGroup;
  series: Series;
  verdict: HeadlineVerdict;
  /** Main measured time, such as latency, at the smallest x (message size) with a result; null if there is none. */
  latency: { x: number; figure: MeasuredFigure } | null;
  /**
   * Main rate, for example the bus bandwidth of a collective, at the largest x (message size) that has this rate; null if no result
   * has it. `value` is in the unit that its description `of` has.
   */
  rate: { x: number; value: number; of: FigureData } | null;
  ceiling: { share: number; of: CeilingLine } | null;
  /**
   * Text with the sizes (x) at which another series becomes faster or slower than this one, and the other's name; empty if there
   * are none.
   */
  crossings: string;
  /**
   * Text about the change of times since the previous comparable run: "slower by up to 8 % at 3 of 28"; empty if there is no such
   * run.
   */
  last: string;
}

export function headlinesOf(groups: readonly SeriesGroup[], { last }: Background): SeriesHeadline[] {
  const changes = new Map((last?.pair.cells ?? []).map((cell) => [cell.otherId ?? cell.id, cell] as const));
  return groups.flatMap((group) => {
    const comparisons = comparisonsOf(group);
    return group.series.map((series): SeriesHeadline => {
      const rate = lastRate(group, series);
      const crossings = comparisons.flatMap(({ a, b, x, crossovers }) =>
        a !== series && b !== series
          ? []
          : crossovers.map((at) => `${x.about(at.x)} (${a === series ? b.name : a.name})`),
      );
      return {
        group,
        series,
        verdict: verdictOf(series),
        latency: firstLatency(group, series),
        rate,
        ceiling: ceilingFor(group, series, rate?.value ?? null),
        crossings: crossings.join(', '),
        last: last === null ? '' : lastText(series, changes),
      };
    });
  });
}

function verdictOf({ slots }: Series): HeadlineVerdict {
  const all = slots.map(({ cell }) => cell);
  const ok = all.filter(isOk);
  if (ok.length === 0) return { kind: 'bad', text: 'not measured' };
  if (ok.some(({ verification }) => verification.wrongElements > 0))
    return { kind: 'bad', text: 'wrong data' };
  const missing = all.length - ok.length;
  const disturbed = ok.filter(isDisturbed).length;
  const notes = [
    ...(missing > 0 ? [`${formatCount(missing)} missing`] : []),
    ...(disturbed > 0 ? [`${formatCount(disturbed)} flagged`] : []),
  ];
  const verdict = worstVerdict(ok) ?? 'confirmed';
  const kind =
    verdict === 'contradicted' ? 'bad' : verdict === 'unproven' || notes.length > 0 ? 'warn' : 'good';
  return { kind, text: [verdict, ...notes].join(', ') };
}

function firstLatency(group: SeriesGroup, { slots }: Series): SeriesHeadline['latency'] {
  for (const { x, cell } of slots) {
    const figure = figureOf(cell, group);
    if (figure !== null) return { x, figure };
  }
  return null;
}

function lastRate(group: SeriesGroup, { slots }: Series): SeriesHeadline['rate'] {
  const of = chartedRow(group.row);
  if (of === undefined) return null;
  const by = groupOfFigure(group, of);
  for (const { x, cell } of slots.toReversed()) {
    const value = rateOf(cell, by, of.name);
    if (value !== null) return { x, value, of };
  }
  return null;
}

function ceilingFor(group: SeriesGroup, series: Series, busGBps: number | null): SeriesHeadline['ceiling'] {
  const [of] = ceilingsOfSeries(series);
  if (of === undefined || busGBps === null || bandwidthRow(group) === undefined) return null;
  return { share: busGBps / of.busGBps, of };
}

/**
 * Returns how the times of a series changed since the previous comparable run: "slower by up to 8 % at 3 of 28"; if nothing is
 * slower, "faster by ..."; else "same within ±2.1 % at 24 of 28"; else "no verdict". "not compared" if the previous run has no
 * configuration of the series.
 * @param changes changes by id of the configuration
 */
function lastText({ slots }: Series, changes: ReadonlyMap<string, CellChange>): string {
  const mine = slots.flatMap(({ cell }) => (cell === null ? [] : (changes.get(cell.id) ?? [])));
  if (mine.length === 0) return 'not compared';
  for (const word of ['slower', 'faster'] as const) {
    const such = mine.filter(({ change }) => change.verdict === word);
    if (such.length === 0) continue;
    const most = Math.max(...such.map(({ change }) => Math.abs(change.ratio - 1)));
    return `${word} by up to ${effectText(most)} at ${such.length} of ${mine.length}`;
  }
  const same = mine.filter(({ change }) => change.verdict === 'same');
  if (same.length === 0) return 'no verdict';
  const of = same.length === mine.length ? '' : ` at ${same.length} of ${mine.length}`;
  return `${sameText(same)}${of}`;
}
