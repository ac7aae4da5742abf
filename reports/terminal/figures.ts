import type pc from 'picocolors';
import { isRetriedCell, retriedMark } from '../../results/derive/index.ts';
import {
  type CellRecord,
  derivedOf,
  headlineOf,
  isDisturbed,
  type MeasuredFigure,
  measuredOf,
  measuredRows,
  type OkCell,
  partialReason,
  sideOf,
  sideRows,
} from '../../results/schema/index.ts';
import type { IntervalBounds } from '../../results/units.ts';
import { derivedRows, figureText, workloadRowOf } from '../rows.ts';
import { isOk } from '../series.ts';
import {
  chosenText,
  evidenceMarks,
  formatTime,
  isUselessSpread,
  isWideSpread,
  spreadText,
  unknownSpread,
} from '../wording.ts';
import type { StyledText } from './columns.ts';
import type { HeadOptions } from './head.ts';

export interface FigureTexts {
  /**
   * Returns times, bandwidths and other values of a configuration as texts for a table row, by column key; empty without a result.
   * The main time begins with "!" if the result is disturbed (unless nearly all are), and with "*" if it was measured again. "-"
   * stands for missing values.
   */
  figures(cell: CellRecord | undefined): Record<string, StyledText | string>;
  /**
   * Returns the number of wrong elements in all given configurations. "-" instead of zero if any of them was not checked, or if
   * none was measured.
   */
  wrongText(cells: readonly (CellRecord | undefined)[]): StyledText;
}

/** Returns functions that format times, bandwidths and check results of configurations for a run's table in a terminal. */
export function figureTexts(options: HeadOptions, colours: ReturnType<typeof pc.createColors>): FigureTexts {
  const { plan } = options;
  const isRetried = isRetriedCell(options);
  const wrongText = (cells: readonly (CellRecord | undefined)[]): StyledText => {
    const ok = cells.filter((c): c is OkCell => c !== undefined && isOk(c));
    const wrong = ok.reduce((sum, c) => sum + c.verification.wrongElements, 0);
    if (wrong > 0) return { text: formatShort(wrong), paint: (t) => colours.red(colours.bold(t)) };
    const checked = ok.length > 0 && ok.every((c) => c.verification.enabled && c.verification.checks > 0);
    return { text: checked ? '0' : '-' };
  };

  const evidenceText = ({ evidence: { verdict } }: OkCell): StyledText => ({
    text: evidenceMarks[verdict],
    paint: verdict === 'contradicted' ? colours.red : colours.dim,
  });

  const figures = (cell: CellRecord | undefined): Record<string, StyledText | string> => {
    if (!isOk(cell)) return {};
    const workload = workloadRowOf(plan, cell);
    const shown = headlineOf(workload, cell);
    if (shown === null) return {};
    const mark =
      (isDisturbed(cell) && options.isMostlyFlagged !== true ? '!' : '') +
      (isRetried(cell) ? retriedMark : '');
    const measured = measuredRows(workload).map(({ name }, i) => {
      const value = measuredOf(cell, name)?.value;
      return [name, value === undefined ? '-' : (i === 0 ? mark : '') + formatTime(value)];
    });
    const sides = sideRows(workload).map(({ name, unit }) => {
      const value = sideOf(cell, name)?.value;
      return [name, value === undefined ? '-' : figureText(unit, value)];
    });
    const derived = derivedRows(workload).map(({ name, unit, from }) => {
      const source = from.find((one) => measuredOf(cell, one) !== null) ?? shown.name;
      const value = derivedOf(cell, name, source)?.value;
      return [name, value === undefined ? '-' : figureText(unit, value)];
    });
    return {
      ...Object.fromEntries([...measured, ...sides, ...derived]),
      time: mark + formatTime(shown.value),
      spread: spreadOf(shown),
      p95: shown.p95 === null ? '-' : formatTime(shown.p95),
      chosen: chosenText(cell.choice) || '-',
      evidence: evidenceText(cell),
      wrong: wrongText([cell]),
    };
  };

  return { figures, wrongText };
}

const spreadOf = ({ value, interval, intervalReason }: MeasuredFigure): string => {
  if (interval !== null) return columnSpread(value, interval);
  return intervalReason === partialReason ? '..' : '-';
};

/**
 * Returns an interval in at most seven characters: half its width "2.1 %", or if it is wide both ends as multiples of the value:
 * "x.4-2.6", "x0-8.4", "x.4->99"; "unknown" if neither end is within a factor of ten of the value.
 */
export function columnSpread(value: number, interval: IntervalBounds): string {
  if (isUselessSpread(value, interval)) return unknownSpread;
  const [low, high] = [interval.low / value, interval.high / value];
  const shown = { low: low < 0.1 ? 0 : low, high };
  if (!isWideSpread(1, shown)) return spreadText(1, shown);
  const lowest = Number(shown.low.toPrecision(1));
  const lowText = lowest > 0 && lowest < 1 ? `.${Math.round(10 * lowest)}` : String(lowest);
  return `x${lowText}-${high > 99 ? '>99' : Number(high.toPrecision(2))}`;
}

/** Formats a number in at most five characters, rounded down: 262144 becomes "262k"; below 100,000 it stays as it is. */
function formatShort(n: number): string {
  if (n < 100000) return String(n);
  if (n < 1e6) return `${Math.floor(n / 1e3)}k`;
  return n < 1e9 ? `${Math.floor(n / 1e6)}M` : `${Math.floor(n / 1e9)}G`;
}
