import type { WorkloadData } from '../../results/schema/index.ts';
import { panelsOf } from '../panels.ts';
import { derivedRows } from '../rows.ts';
import type { SeriesGroup } from '../series.ts';
import { calls } from './calls.ts';
import type { ChartFigure, GroupChart } from './chart.ts';
import { launches } from './launches.ts';
import { overSetting } from './over-setting.ts';
import { rate } from './rates.ts';
import { ratio } from './ratio.ts';
import { speedup } from './speedup.ts';
import { time } from './time.ts';

/**
 * Returns the kinds of charts for a workload in the order of the report; some are drawn once for each derived value, such as a
 * bandwidth. A kind may have nothing to draw. To add a chart, write a file that exports a `GroupChart` and add it here.
 */
export function chartsOf(row: WorkloadData): GroupChart[] {
  const rates = derivedRows(row);
  return [
    ...rates.filter(({ isCharted }) => isCharted === true).map(rate),
    ...rates.filter(({ isCharted }) => isCharted === true).map(overSetting),
    time,
    ...rates.filter(({ isThroughput }) => isThroughput === true).map(speedup),
    calls,
    ...rates.filter(({ isCharted }) => isCharted !== true).map(rate),
    ratio,
    launches,
  ];
}

/**
 * Draws one kind of chart for a group of series: one chart per panel (one rank count, at most six series), or one for the whole
 * group if `isWhole` is true. Panels without data get no chart.
 */
export const figuresOfChart = (
  chart: GroupChart,
  group: SeriesGroup,
): { figure: ChartFigure; group: SeriesGroup }[] =>
  (chart.isWhole === true ? [group] : panelsOf(group)).flatMap((panel) => {
    const figure = chart.draw(panel);
    return figure === null ? [] : [{ figure, group: panel }];
  });

export { averages, averagesOf, bandwidthsOf, hasAverages } from './averages.ts';
export type { ChartFigure, ChartRow, GroupChart } from './chart.ts';
export { heatmap } from './heatmap.ts';
export { rings } from './rings.ts';
export { speedup } from './speedup.ts';
export { systemLoadFigure as meanwhileFigure } from './system-load.ts';
