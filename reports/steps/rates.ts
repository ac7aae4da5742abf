// Charts of rates over numeric axes other than x: queues, puts, puts per doorbell.
import type { AxisData, FigureData } from '../../results/schema/index.ts';
import type { ChartFigure, ChartRow } from '../charts/chart.ts';
import { readingHint, trialPhrase, withInterval, withoutDrawing } from '../charts/chart.ts';
import { legendSeriesOf } from '../charts/legend.ts';
import { overX } from '../charts/over-x.ts';
import { rateAxis } from '../charts/scales.ts';
import { screenForms } from '../charts/screen-forms.ts';
import { labelOf } from '../report-chapters.ts';
import { chartedRow, fieldOf, figureText, xAxisFormat } from '../rows.ts';
import { cellAt, figureOf, groupOfFigure, rateOf, type Series, type SeriesGroup, xsOf } from '../series.ts';
import { capitalise } from '../wording.ts';

/** Maximum number of lines in a chart; readers cannot distinguish more. */
const maxLines = 6;

const axesOf = ({ slots }: Series) => slots[0]?.point.axes ?? {};

/**
 * Draws the workload's main rate at the smallest x over an option with numbers, such as the batch size. There is one chart per
 * numeric option with several values. Each combination of the other options has a line.
 */
export function ratesOver(groups: readonly SeriesGroup[]): ChartFigure[] {
  const [first] = groups;
  const of = first === undefined ? undefined : chartedRow(first.row);
  if (first === undefined || of === undefined || groups.some(({ row }) => row.name !== first.row.name))
    return [];
  const all: SeriesGroup = {
    ...groupOfFigure({ ...first, series: groups.flatMap(({ series }) => series) }, of),
    isMerged: true,
  };
  const [x] = xsOf(all.series);
  if (x === undefined) return [];
  return all.row.axes
    .filter(({ role, isNumber }) => role === 'series' && isNumber === true)
    .flatMap((axis) => overAxis(all, of, axis, x) ?? []);
}

function overAxis(all: SeriesGroup, of: FigureData, axis: AxisData, x: number): ChartFigure | null {
  const values = new Set(all.series.map((one) => axesOf(one)[axis.name]));
  if (values.size < 2) return null;
  const words = xAxisFormat({ ...all.row, axes: [{ ...axis, role: 'x', base: 2 }] });
  const at = { ...words, title: axis.title ?? axis.name, noun: axis.title ?? axis.name };
  const rows = rowsOf(all, of, axis, x, at.field);
  const labels = [...new Set(rows.map(({ series }) => String(series)))].slice(0, maxLines);
  const drawn = rows.filter(({ series }) => labels.includes(String(series)));
  if (drawn.length === 0) return null;
  const rest =
    drawn.length < rows.length ? ` The first ${labels.length} lines are drawn; all are in the data.` : '';
  const noun = capitalise(of.title);
  return {
    name: `${all.row.name}-${of.name}-over-${axis.name.toLowerCase()}`,
    title: `${noun} over ${at.title}, ${all.x.text(x)}`,
    caption: `${of.caption ?? noun}; t is the ${trialPhrase(all)}. The vertical axis is linear and starts at 0. ${readingHint(all)}${rest}`,
    rows: withoutDrawing(rows),
    spec: (size) =>
      overX({
        x: at,
        rows: drawn,
        series: legendSeriesOf(drawn),
        form: screenForms[size],
        description: `${noun} over ${at.title}`,
        y: {
          field: fieldOf(of),
          low: 'low',
          high: 'high',
          ...rateAxis(of),
          scale: { zero: true, nice: true },
        },
      }),
  };
}

function rowsOf(all: SeriesGroup, of: FigureData, axis: AxisData, x: number, field: string): ChartRow[] {
  const others = all.row.axes.filter((one) => {
    const values = new Set(all.series.map((series) => axesOf(series)[one.name] ?? null));
    return one.role === 'series' && one !== axis && values.size > 1;
  });
  const isPartial = ({ name }: AxisData) => all.series.some((one) => (axesOf(one)[name] ?? null) === null);
  const several = new Set(all.series.map(({ name }) => name)).size > 1;
  return all.series
    .flatMap((series): ChartRow[] => {
      const cell = cellAt(series, x);
      const [rate, figure] = [rateOf(cell, all, of.name), figureOf(cell, all)];
      if (rate === null || figure === null) return [];
      const what = labelOf(others, axesOf(series), isPartial);
      const label = [what, several || what === '' ? series.name : '']
        .filter((text) => text !== '')
        .join(' over ');
      const { low, high } = withInterval(rate, figure);
      const amount = Number(axesOf(series)[axis.name]);
      return [
        {
          series: label,
          transport: series.transport,
          medium: series.medium,
          [all.x.field]: x,
          [field]: amount,
          [fieldOf(of)]: rate,
          low,
          high,
          timeNs: figure.value,
          stretch: label,
          tip: `${label}, ${axis.title ?? axis.name} ${amount}: ${figureText(of.unit, rate)}`,
        },
      ];
    })
    .sort((a, b) => Number(a[field]) - Number(b[field]));
}
