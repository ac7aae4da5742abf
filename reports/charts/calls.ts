import type { TopLevelSpec } from 'vega-lite';
import type { Series } from '../series.ts';
import { isOk } from '../series.ts';
import { type ChartSize, chartConfig, dashes, palette } from '../theme.ts';
import { formatBytes, formatTime } from '../wording.ts';
import type { GroupChart, Row } from './chart.ts';
import { sizeAxis } from './chart.ts';
import { decades, timeLabel } from './time.ts';

/** One panel per series; more than these are in the data only, so that panels stay readable. */
const mostPanels = 6;

const figures = [
  { name: 'latency on the GPUs', colour: palette.black },
  { name: 'pipelined, as nccl-tests', colour: palette.sky },
  { name: 'launch cost on the host', colour: palette.vermillion },
] as const;

/** Latency, pipelined time and launch cost of one call over message size: which of them a small message shows. */
export const calls: GroupChart = {
  id: 'calls',
  draw(group) {
    const drawn = group.series.filter((s) => rowsOf(s).length > 0);
    const rows = drawn.flatMap(rowsOf);
    if (rows.length === 0) return null;
    const panels = drawn.slice(0, mostPanels);
    const rest =
      drawn.length > panels.length
        ? ` The first ${panels.length} of ${drawn.length} series are drawn; all are in the data.`
        : '';
    return {
      name: `${group.key}-calls`,
      title: `Latency, pipelined time and launch cost of ${group.title}`,
      caption: `Time per call over message size, both axes logarithmic. Where the launch cost lies above the latency the pipelined time follows the launch: there nccl-tests shows how fast the host queues calls, not how long the collective takes. Bands are 95 % intervals.${rest}`,
      rows: rows.map(({ tip: _tip, stretch: _stretch, ...row }) => row),
      spec: (size) =>
        spec(
          rows.filter((r) => panels.some((s) => s.label === r.series)),
          panels,
          size,
          group.title,
        ),
    };
  },
};

function rowsOf(series: Series): Row[] {
  return series.slots.flatMap(({ cell, payloadBytes }): Row[] => {
    if (!isOk(cell) || cell.launchCostNs === undefined || payloadBytes === 0) return [];
    // Drawn in this order: where pipelined time and latency agree the thin line lies on the broad one.
    const times = [
      { figure: figures[1].name, time: cell.pipelined },
      { figure: figures[2].name, time: { ...cell.launchCostNs, interval: null } },
      { figure: figures[0].name, time: cell.isolated },
    ];
    return times.flatMap(({ figure, time }) => {
      if (time === null || !(time.medianNs > 0)) return [];
      return {
        series: series.label,
        transport: series.transport,
        medium: series.medium,
        figure,
        payloadBytes,
        timeNs: time.medianNs,
        lowNs: time.interval?.lowNs ?? null,
        highNs: time.interval?.highNs ?? null,
        stretch: `${series.key}/${figure}`,
        tip: `${series.name}, ${formatBytes(payloadBytes)}, ${figure}: ${formatTime(time.medianNs, 'µs')}`,
      };
    });
  });
}

function spec(rows: Row[], panels: readonly Series[], size: ChartSize, title: string): TopLevelSpec {
  const wide = size === 'wide';
  const single = panels.length === 1;
  const ticks = decades(
    rows.flatMap((r) => [r.timeNs, r.lowNs, r.highNs].filter((v) => typeof v === 'number')),
  );
  const y = {
    field: 'timeNs',
    type: 'quantitative',
    scale: { type: 'log', domain: [ticks[0], ticks.at(-1)], nice: false },
    axis: { title: null, values: ticks, labelExpr: timeLabel, minExtent: 46 },
  };
  const color = {
    field: 'figure',
    type: 'nominal',
    sort: null,
    scale: { domain: figures.map((f) => f.name), range: figures.map((f) => f.colour) },
    legend: {
      title: null,
      orient: 'top',
      columns: wide ? 3 : 1,
      symbolType: 'stroke',
      symbolSize: 500,
      symbolOpacity: 1,
      symbolStrokeWidth: 2.5,
    },
  };
  const strokeDash = {
    condition: { test: "datum.medium === 'emulated'", value: dashes.emulated },
    value: dashes.hardware,
  };
  const made = {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    description: `Latency, pipelined time and launch cost of ${title} over message size`,
    padding: 5,
    config: chartConfig,
    data: { values: rows },
    facet: {
      field: 'series',
      type: 'nominal',
      sort: panels.map((s) => s.label),
      header: { labelAnchor: 'start', labelLimit: 1000 },
    },
    columns: wide && !single ? 2 : 1,
    spec: {
      width: wide ? (single ? 640 : 270) : 250,
      height: single ? 240 : 180,
      encoding: {
        x: sizeAxis(
          rows.map((r) => Number(r.payloadBytes)),
          wide && single ? 12 : 5,
        ),
        color,
      },
      layer: [
        {
          transform: [{ filter: 'isValid(datum.lowNs) && isValid(datum.highNs)' }],
          mark: { type: 'area', opacity: 0.22, aria: false },
          encoding: { y: { ...y, field: 'lowNs' }, y2: { field: 'highNs' }, detail: { field: 'stretch' } },
        },
        {
          mark: { type: 'line', aria: false },
          encoding: {
            y,
            strokeDash,
            strokeWidth: {
              condition: { test: `datum.figure === '${figures[1].name}'`, value: 4 },
              value: 1.6,
            },
            detail: { field: 'stretch' },
          },
        },
        {
          mark: { type: 'point', filled: true, size: 12, opacity: 1, aria: true },
          encoding: { y, description: { field: 'tip' } },
        },
      ],
    },
  };
  return made as unknown as TopLevelSpec;
}
