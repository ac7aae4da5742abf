// Line charts of one operation over x: one panel per rank count, one line per series, intervals as bands.

import type { ChartRow } from '../charts/index.ts';
import { type HorizontalRule, overX } from '../charts/over-x.ts';
import type { AxisScale } from '../charts/scales.ts';
import type { Series, SeriesGroup } from '../series.ts';
import { capitalise } from '../wording.ts';
import type { FigurePanels } from './paper.ts';
import {
  legendRows,
  legendSpec,
  type PrintStyle,
  printForm,
  printLegend,
  widthOf,
  withTitle,
} from './print-form.ts';
import type { PaperColumns } from './theme.ts';

export interface CurvePanel {
  /** Title above the panel: "3 ranks"; empty if the figure has one panel. */
  title: string;
  group: SeriesGroup;
  /**
   * Data of the panel, with the fields `x`, `value`, `low` and `high` (interval), `series`, and `stretch` (points with an equal
   * value are joined by a line).
   */
  rows: ChartRow[];
}

export interface CurveFigure {
  panels: CurvePanel[];
  /** All series of the figure, for the legend. */
  series: readonly Series[];
  /** Title of the vertical axis with its unit: "Bus bandwidth (GB/s)". */
  title: string;
  /** Vertical scale, the same for all panels, so that readers can compare them. */
  axis: AxisScale;
  rules: readonly HorizontalRule[];
}

/** Maximum number of panels side by side, for figures that span one and two page columns. */
const maxAcross: Record<PaperColumns, number> = { one: 1, two: 3 };

const unitWords = { B: ' (bytes)', ns: ' (ns)', '%': ' (%)', '': '' } as const;

export function curvePanels(curves: CurveFigure, style: PrintStyle): FigurePanels {
  const { panels, series, title, axis } = curves;
  const { theme, columns, measure } = style;
  const legend = printLegend(
    series.map(({ label }) => label),
    style,
    null,
  );
  const isOne = panels.length === 1;
  const across = Math.min(panels.length, maxAcross[columns]);
  const width = widthOf(style) / across;
  const height = isOne
    ? width * theme.height[columns] + (legendRows(series, legend) - 1) * 1.4 * theme.fontSize
    : Math.max(0.42 * width, measure(title, theme.fontSize) + 5 * theme.fontSize);
  const form = printForm(style, across, height);
  const xs = panels.flatMap(({ rows }) => rows.map(({ x }) => Number(x)));
  const specs = panels.map(({ group: { x }, rows, title: panelTitle }) =>
    withTitle(
      overX({
        x: { ...x, field: 'x', title: `${capitalise(x.title)}${unitWords[x.unit ?? '']}` },
        xs,
        rows,
        series,
        form: isOne ? form : { ...form, legend: null },
        description: title,
        y: { field: 'value', low: 'low', high: 'high', title, ...axis, format: ',~r' },
        rules: curves.rules.map((rule) => shortenRule(rule, style, width)),
      }),
      panelTitle,
      theme,
    ),
  );
  return { legend: isOne ? null : legendSpec(series, style, legend), specs, across };
}

/**
 * Returns a horizontal line with its short text if the full text is wider than 40 % of the panel, because it would cross the
 * curves; the caption has the full text.
 * @param width width of a panel in points
 */
function shortenRule(rule: HorizontalRule, { theme, measure }: PrintStyle, width: number): HorizontalRule {
  const { text, shortText = text } = rule;
  return measure(text, theme.smallSize) > 0.4 * width ? { ...rule, text: shortText } : rule;
}
