import { measuredOf, sideOf } from '../../results/schema/index.ts';
import { figureRow } from '../rows.ts';
import { isOk, type Series, type SeriesGroup } from '../series.ts';
import { type ChartSize, dashes, palette } from '../theme.ts';
import { formatTime } from '../wording.ts';
import { type ChartRow, type GroupChart, withoutDrawing } from './chart.ts';
import { logAxis } from './over-x.ts';
import { decadeScale, numbersIn, timeLabel } from './scales.ts';
import { type ChartSpec, topLevel } from './spec.ts';

/** Maximum number of panels, one per series, so that panels stay readable. The chart's data contain further series. */
const maxPanels = 6;

const colours = [palette.black, palette.sky, palette.vermillion];

/**
 * Returns the names of the three drawn times for the legend: latency, pipelined time ("as nccl-tests" if nccl-tests prints it) and
 * enqueue time.
 */
function namesOf({ row }: SeriesGroup): [latency: string, pipelined: string, enqueue: string] {
  const known = figureRow(row, 'pipelined')?.sameAs;
  return [
    'latency on the GPUs',
    `pipelined${known === undefined ? '' : `, as ${known}`}`,
    'enqueue cost on the host',
  ];
}

/**
 * Chart of three times of one operation over x: latency on the GPUs, time per pipelined operation, and the host's time to enqueue
 * it. The chart shows which of them limits small messages. `draw` returns null if no configuration has an enqueue time.
 */
export const calls: GroupChart = {
  id: 'calls',
  chapter: 'latency',
  isAlone: true,
  draw(group) {
    const drawn = group.series.filter((s) => rowsOf(s, group).length > 0);
    const rows = drawn.flatMap((s) => rowsOf(s, group));
    if (rows.length === 0) return null;
    const panels = drawn.slice(0, maxPanels);
    const rest =
      drawn.length > panels.length
        ? ` The first ${panels.length} of ${drawn.length} series are drawn; all are in the data.`
        : '';
    const shows = figureRow(group.row, 'pipelined')?.sameAs ?? 'it';
    return {
      name: `${group.key}-calls`,
      title: `Latency, pipelined time and enqueue cost of ${group.title}`,
      caption: `Time per call over ${group.x.title}, both axes logarithmic. Where the enqueue cost lies above the latency the pipelined time follows the enqueue cost: there ${shows} shows how fast the host queues calls, not how long the ${group.row.noun} takes. Bands are 95 % intervals.${rest}`,
      rows: withoutDrawing(rows),
      spec: (size) =>
        spec(
          rows.filter((r) => panels.some((s) => s.label === r.series)),
          panels,
          size,
          group,
        ),
    };
  },
};

function rowsOf(series: Series, group: SeriesGroup): ChartRow[] {
  const [latency, pipelined, enqueue] = namesOf(group);
  return series.slots.flatMap(({ cell, x }): ChartRow[] => {
    const cost = isOk(cell) ? sideOf(cell, 'enqueue') : null;
    if (cost === null || x === 0) return [];
    // In this order the thin line of the latency is drawn over the broad line of the pipelined time if both are equal.
    const times = [
      { figure: pipelined, time: measuredOf(cell, 'pipelined') },
      { figure: enqueue, time: { value: cost.value, interval: null } },
      { figure: latency, time: measuredOf(cell, 'latency') },
    ];
    return times.flatMap(({ figure, time }) => {
      if (time === null || !(time.value > 0)) return [];
      return {
        series: series.label,
        transport: series.transport,
        medium: series.medium,
        figure,
        [group.x.field]: x,
        timeNs: time.value,
        lowNs: time.interval?.low ?? null,
        highNs: time.interval?.high ?? null,
        stretch: `${series.key}/${figure}`,
        tip: `${series.name}, ${group.x.text(x)}, ${figure}: ${formatTime(time.value)}`,
      };
    });
  });
}

function spec(rows: ChartRow[], panels: readonly Series[], size: ChartSize, group: SeriesGroup): ChartSpec {
  const { x, title } = group;
  const names = namesOf(group);
  const wide = size === 'wide';
  const single = panels.length === 1;
  const { scale, values: ticks } = decadeScale(numbersIn(rows, 'timeNs', 'lowNs', 'highNs'));
  const y = {
    field: 'timeNs',
    type: 'quantitative',
    scale,
    axis: { title: null, values: ticks, labelExpr: timeLabel, minExtent: 46 },
  };
  const color = {
    field: 'figure',
    type: 'nominal',
    sort: null,
    scale: { domain: names, range: colours },
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
    value: dashes.solid,
  };
  const drawn = {
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
        x: logAxis(
          x,
          rows.map((r) => Number(r[x.field])),
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
              condition: { test: `datum.figure === '${names[1]}'`, value: 4 },
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
  return topLevel(`Latency, pipelined time and enqueue cost of ${title} over ${x.title}`, drawn);
}
