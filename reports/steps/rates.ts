// Charts of rates over numeric axes other than x: number of queues, of puts, of puts per doorbell.
import type { AxisData, FigureData } from '../../results/schema/index.ts';
import { joinPresent } from '../../results/text.ts';
import { type ChartFigure, readingHint, trialPhrase, withoutDrawing } from '../charts/chart.ts';
import { rowsOver, type SettingPoint, specOver } from '../charts/over-setting.ts';
import { labelOf } from '../report-chapters.ts';
import { chartedRow, xAxisFormat } from '../rows.ts';
import { axesOfSeries, groupOfFigure, type SeriesGroup, xsOf } from '../series.ts';
import { capitalise } from '../wording.ts';

/** Maximum number of lines in a chart; readers cannot distinguish more. Further lines are only in the chart's data. */
const maxLines = 6;

/**
 * Draws the workload's main rate at the smallest x over a numeric axis, such as the batch size. There is one chart for each numeric
 * axis of which several values were measured; each combination of the other axes has a line. Empty if the groups belong to
 * different workloads, or to one without a main rate.
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
  const values = new Set(all.series.map((one) => axesOfSeries(one)[axis.name]));
  if (values.size < 2) return null;
  const words = xAxisFormat({ ...all.row, axes: [{ ...axis, role: 'x', base: 2 }] });
  const at = { ...words, title: axis.title ?? axis.name, noun: axis.title ?? axis.name };
  const rows = rowsOver(all, of, { axis: at, points: pointsOver(all, axis) }, x);
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
    spec: specOver(of, at, drawn, { description: `${noun} over ${at.title}` }),
  };
}

/**
 * Returns each series with its value of an axis (`value`), and the name of the line to which it belongs (`label`): the values of
 * the other axes that vary, and the series' name if names differ or no other axis varies.
 */
function pointsOver({ row, series: all }: SeriesGroup, axis: AxisData): SettingPoint[] {
  const others = row.axes.filter((one) => {
    const values = new Set(all.map((series) => axesOfSeries(series)[one.name] ?? null));
    return one.role === 'series' && one !== axis && values.size > 1;
  });
  const isPartial = ({ name }: AxisData) => all.some((one) => (axesOfSeries(one)[name] ?? null) === null);
  const several = new Set(all.map(({ name }) => name)).size > 1;
  return all.map((series) => {
    const what = labelOf(others, axesOfSeries(series), isPartial);
    const label = joinPresent([what, several || what === '' ? series.name : ''], ' over ');
    return { series, value: Number(axesOfSeries(series)[axis.name]), label };
  });
}
