import { type ChartSize, chartConfig, chartSizes } from '../theme.ts';
import { legendText } from './legend.ts';
import { type ChartForm, titleAbove } from './spec.ts';

/** The forms of charts in pages and pictures, for wide and for narrow screens. */
export const screenForms: Record<ChartSize, ChartForm> = {
  wide: screenForm('wide'),
  narrow: screenForm('narrow'),
};

function screenForm(name: ChartSize): ChartForm {
  const { width, height, ticks } = chartSizes[name];
  const columns = name === 'wide' ? 2 : 1;
  return {
    width,
    size: { width, height },
    padding: 5,
    config: chartConfig,
    ticks: { x: ticks, y: 6 },
    xAxis: {},
    yAxis: { ...titleAbove, minExtent: 46 },
    line: 1.8,
    whisker: 1.2,
    point: (isSymbol) => ({ size: isSymbol ? 32 : 22 }),
    rule: {},
    ruleText: { baseline: 'bottom', dx: 4, dy: -3, fontSize: 11 },
    dash: (pattern) => [...pattern],
    legend: (series, symbol) => ({
      title: null,
      orient: 'top',
      offset: 26,
      // A legend with a single entry looks the same with one or two columns. The number is fixed, so that one Vega view can draw
      // the wide and the narrow form.
      columns,
      labelExpr: legendText(series, Math.min(columns, series.length), width),
      ...(symbol === null ? {} : { symbolType: symbol }),
      symbolSize: symbol === 'stroke' ? 700 : 60,
      symbolOpacity: 1,
      symbolStrokeWidth: symbol === null ? 0 : 2.5,
    }),
  };
}
