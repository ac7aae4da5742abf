import { median } from 'simple-statistics';
import type { ChartRow, GroupChart } from '../charts/chart.ts';
import { type ChartSpec, topLevel } from '../charts/spec.ts';
import { namedX } from '../rows.ts';
import { firstMiddleLast, type SeriesGroup, xsOf } from '../series.ts';
import { type ChartSize, ink, palette } from '../theme.ts';
import { formatPercent, formatTime, joinWords, linesAfterCommas } from '../wording.ts';
import { partAt, partInterval, partRows, stepsOf, variantName, wholePartAt } from './variants.ts';

/** Colours of the steps in a bar, in order: those of Okabe and Ito first, then further ones. */
const colours = [
  palette.blue,
  palette.orange,
  palette.black,
  palette.vermillion,
  palette.purple,
  palette.sky,
  palette.green,
  '#F0E442',
  '#8C6D31',
  '#7F7F7F',
  '#1B3A5C',
];
const restColour = '#D9D9D9';

/** Returns the name of the time that a whole bar shows: "time", "collective time". */
const wholeOf = ({ row }: SeriesGroup): string => {
  const [whole] = partRows(row, 'whole');
  return whole === undefined || whole.name === 'total' ? 'time' : whole.title;
};

/**
 * Returns the start of the chart's title: "Steps of one operation". For training steps, whose noun is "step", it is "Mean
 * collective time of one step"; "Mean" because tables show the median of the same time.
 */
const nameOf = (group: SeriesGroup): string =>
  `${group.row.noun === 'step' ? `Mean ${wholeOf(group)}` : 'Steps'} of one ${group.row.noun}`;

/**
 * Chart of the steps of one operation as stacked bars. Each panel (three at most) is for one x and has one bar per series. Bars
 * much longer than the others are cut, with their time behind them. `draw` returns null if no step was measured.
 */
export const steps: GroupChart = {
  id: 'steps',
  chapter: 'parts',
  draw(group) {
    const rows = rowsOf(group);
    if (rows.length === 0) return null;
    const { x, row, title } = group;
    const hasRest = partRows(row, 'rest').length > 0;
    // Planned sizes that were not measured have no bars.
    const measured = xsOf(group.series).filter((at) => rows.some((one) => one[x.field] === at));
    // With a panel for each x the chart would be as long as a page; the table has every x.
    const panels = firstMiddleLast(measured);
    const shown = `${panels.length < measured.length ? ` Shown: ${joinWords(panels.map(x.text))}; the data have every ${x.noun}.` : ''}`;
    const emulated = rows.some(({ medium }) => medium === 'emulated')
      ? ' The adapter is emulated: times do not show the speed of a real one.'
      : '';
    return {
      name: `${group.key}-steps`,
      title: `${nameOf(group)}, ${title}`,
      caption: `${isCut(rows) ? 'A bar that ends with a time is longer than its axis. ' : ''}Means over the middle half of the operations by total time, the same operations for every step, then over launches: steps add up to the total, which is not the median time of the tables. ${hasRest ? 'Unattributed is what they leave of it. ' : ''}The thin line is the 95 % interval of the total between launches.${shown}${emulated}`,
      rows: rows.map(
        ({ tip: _tip, panel: _panel, place: _place, startNs: _start, endNs: _end, cut: _cut, ...data }) =>
          data,
      ),
      spec: (size) =>
        spec(
          rows.filter(({ [x.field]: at }) => panels.includes(Number(at))),
          panels,
          size,
          group,
        ),
    };
  },
};

/**
 * Ratio of a bar's total to the median total above which the bar is cut. If it were not cut, the steps in all other bars would be
 * too small to see.
 */
const longestDrawn = 4;

/**
 * Returns the length in ns at which long bars are cut: 1.25 times the longest bar that is not cut. Infinity if no bar is cut.
 * @param totals lengths of all bars of a panel, in ns
 */
function limitOf(totals: readonly number[]): number {
  if (totals.length === 0) return Number.POSITIVE_INFINITY;
  const drawn = totals.filter((ns) => ns <= longestDrawn * median(totals));
  return drawn.length === totals.length ? Number.POSITIVE_INFINITY : 1.25 * Math.max(...drawn);
}

const isCut = (rows: readonly ChartRow[]): boolean => rows.some(({ cut }) => cut !== null);

function rowsOf(group: SeriesGroup): ChartRow[] {
  const { row, x } = group;
  const all = stepsOf(group);
  return xsOf(group.series).flatMap((at) => {
    const limit = limitOf(group.series.flatMap((series) => wholePartAt(series, at, row)?.value ?? []));
    return group.series.flatMap((series): ChartRow[] => {
      const whole = wholePartAt(series, at, row);
      if (whole === null) return [];
      const interval = partInterval(whole);
      const name = variantName(group, series);
      let endNs = 0;
      return all.flatMap((of, place): ChartRow[] => {
        const part = partAt(series, at, of);
        if (part === null) return [];
        const startNs = endNs;
        endNs += part.value;
        return [
          {
            series: name,
            transport: series.transport,
            medium: series.medium,
            [x.field]: at,
            step: of.title,
            timeNs: part.value,
            lowNs: partInterval(part)?.low ?? null,
            highNs: partInterval(part)?.high ?? null,
            share: part.value / whole.value,
            totalNs: whole.value,
            totalLowNs: interval?.low ?? null,
            totalHighNs: interval?.high ?? null,
            panel: namedX(x, at),
            place,
            startNs: Math.min(startNs, limit),
            endNs: Math.min(endNs, limit),
            cut: whole.value > limit ? formatTime(whole.value) : null,
            tip: `${name}, ${x.text(at)}, ${of.title}: ${formatTime(part.value)}, ${formatPercent(part.value / whole.value)}`,
          },
        ];
      });
    });
  });
}

function spec(rows: ChartRow[], panels: readonly number[], size: ChartSize, group: SeriesGroup): ChartSpec {
  const wide = size === 'wide';
  const all = stepsOf(group);
  const restName = partRows(group.row, 'rest')[0]?.name;
  const names = group.series.map((one) => variantName(group, one));
  const domain = all.map(({ title }) => title);
  const known = partRows(group.row, 'step');
  const range = all.map(({ name }) =>
    name === restName
      ? restColour
      : (colours[known.findIndex((one) => one.name === name) % colours.length] ?? ink.soft),
  );
  const time = {
    type: 'quantitative',
    axis: {
      title: `mean ${wholeOf(group)} of one ${group.row.noun}`,
      labelExpr: plainTime,
      grid: true,
      tickCount: wide ? 6 : 4,
    },
  };
  // Names are wrapped after commas on narrow screens.
  const lines = Object.fromEntries(names.map((name) => [name, wide ? [name] : linesAfterCommas(name)]));
  const deepest = Math.max(...Object.values(lines).map(({ length }) => length));
  const y = {
    field: 'series',
    type: 'nominal',
    sort: names,
    axis: {
      title: null,
      labelExpr: `(${JSON.stringify(lines)})[datum.label]`,
      labelLimit: 0,
      ticks: false,
      domain: false,
    },
  };
  // The interval of the total is drawn once per bar, by the row of its first step.
  const isFirst = `datum.place === ${Math.min(...rows.map(({ place }) => Number(place)))}`;
  const drawn = {
    data: { values: rows },
    facet: {
      row: {
        field: 'panel',
        type: 'nominal',
        sort: panels.map((at) => namedX(group.x, at)),
        header: { labelAngle: 0, labelOrient: 'top', labelAnchor: 'start', title: null },
      },
    },
    spacing: 26,
    resolve: { scale: { x: 'independent' } },
    spec: {
      width: wide ? 460 : 170,
      height: { step: wide ? 24 : 8 + 14 * deepest },
      layer: [
        {
          mark: { type: 'bar', aria: true, height: { band: 0.72 } },
          encoding: {
            y,
            x: { field: 'startNs', ...time },
            x2: { field: 'endNs' },
            color: {
              field: 'step',
              type: 'nominal',
              sort: domain,
              scale: { domain, range },
              legend: { title: null, orient: 'top', columns: wide ? 6 : 3, symbolType: 'square' },
            },
            description: { field: 'tip' },
          },
        },
        {
          transform: [
            {
              filter: `${isFirst} && datum.cut === null && isValid(datum.totalLowNs) && isValid(datum.totalHighNs)`,
            },
          ],
          mark: { type: 'rule', strokeWidth: 1.2, color: ink.text, aria: false },
          encoding: { y, x: { field: 'totalLowNs', ...time }, x2: { field: 'totalHighNs' } },
        },
        {
          transform: [
            { filter: 'datum.cut !== null' },
            {
              aggregate: [{ op: 'max', field: 'endNs', as: 'endNs' }],
              groupby: ['series', 'panel', 'cut'],
            },
          ],
          mark: { type: 'text', align: 'left', dx: 5, color: ink.text, aria: false },
          encoding: { y, x: { field: 'endNs', ...time }, text: { field: 'cut' } },
        },
      ],
    },
  };
  return topLevel(`${nameOf(group)}, ${group.title}`, drawn);
}

/** Vega expression for the tick labels of a linear time axis in ns: 0, 500 ns, 2.5 µs. */
const plainTime =
  "datum.value === 0 ? '0' : datum.value >= 1e6 ? format(datum.value/1e6, '~r') + ' ms' : datum.value >= 1e3 ? " +
  "format(datum.value/1e3, '~r') + ' µs' : format(datum.value, '~r') + ' ns'";
