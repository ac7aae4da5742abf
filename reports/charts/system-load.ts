import type { HostLoadCurves, LoadPanel } from '../system-load/host-curves.ts';
import { type ChartSize, chartSizes, ink, palette } from '../theme.ts';
import { threeDigits } from '../wording.ts';
import type { ChartFigure, ChartRow } from './chart.ts';
import { type ChartSpec, titleAbove, topLevel } from './spec.ts';

const panelHeight = 62;
/**
 * Minimum width in pixels of a background band that is labelled with its message size, in the wide and in the narrow form of the
 * chart.
 */
const roomForLabel = { wide: 34, narrow: 40 };
const shades = { even: '#e9e9e6', odd: '#d6d6d1', flagged: '#f3c08a' };
/** Legend properties that put the entries in one row between title and plot. */
const legendAbove = {
  title: null,
  orient: 'none',
  direction: 'horizontal',
  legendX: 0,
  legendY: -20,
  padding: 0,
  labelFontSize: 11,
  symbolType: 'stroke',
  symbolSize: 160,
  symbolStrokeWidth: 2.5,
  columnPadding: 12,
};
const lineColours = [palette.blue, palette.vermillion, palette.green, palette.purple];

/**
 * Draws the system load of one host over the time of a run, one small panel per quantity. Grey bands in the background show when
 * each message size was measured; a band is orange if a configuration in it is flagged because of the system load of this host.
 * @param course curves of the host's system load
 * @param fileName file name without ending that is unique among the charts of the report
 */
export function systemLoadFigure(course: HostLoadCurves, fileName: string): ChartFigure {
  const { header, panels, bands, stretchS } = course;
  const flagged = bands.some((band) => band.isFlagged)
    ? ' Orange: a configuration measured at that time is flagged for the load of this host.'
    : '';
  const points =
    stretchS > header.intervalUs / 1e6 ? ` Each point is the mean of ${threeDigits(stretchS)} s.` : '';
  return {
    name: fileName,
    title: `System load of ${header.host}`,
    caption: `Time runs from the first reading. Grey bands are the times in which a message size was measured; between them ranks start or data are checked.${flagged}${points}`,
    rows: rowsOf(course),
    hasLongTable: true,
    host: header.host,
    spec: (size) => spec(panels, course, size),
  };
}

function rowsOf({ header, panels }: HostLoadCurves): ChartRow[] {
  return panels.flatMap((panel) =>
    panel.lines.flatMap(({ name, points }) =>
      points.map(({ s, value }) => ({
        host: header.host,
        panel: panel.title,
        line: name,
        seconds: s,
        value,
      })),
    ),
  );
}

function spec(panels: readonly LoadPanel[], course: HostLoadCurves, size: ChartSize): ChartSpec {
  const drawn = {
    spacing: 30,
    resolve: { scale: { color: 'independent' }, legend: { color: 'independent' } },
    vconcat: panels.map((panel, i) => panelSpec(panel, course, size, i === panels.length - 1)),
  };
  return topLevel(`System load of ${course.header.host} during the run`, drawn);
}

function panelSpec(panel: LoadPanel, course: HostLoadCurves, size: ChartSize, isLast: boolean): object {
  const { width } = chartSizes[size];
  const endS = Math.max(course.lastS, ...course.bands.map(({ toS }) => toS), 1e-3);
  const scale = { domain: [0, endS], nice: false };
  const axis = isLast
    ? { title: 'time since the first reading (s)', tickCount: size === 'wide' ? 8 : 4, grid: false }
    : { title: null, labels: false, ticks: false, grid: false };
  const several = panel.lines.length > 1;
  const domain = panel.lines.map(({ name }) => name);
  // Numbers are rounded to the precision of the drawing, which keeps the HTML page small.
  const values = panel.lines.flatMap(({ name, points }) =>
    points.map(({ s, value }) => ({ l: name, s: Number(s.toPrecision(6)), v: Number(value.toPrecision(4)) })),
  );
  const x = (field: string) => ({ field, type: 'quantitative', scale, axis });
  return {
    width,
    height: panelHeight,
    layer: [
      ...bandLayers(course, { x: x('from'), endS, width, size, isLabelled: isLast }),
      {
        data: { values },
        mark: { type: 'line', strokeWidth: 1.4, interpolate: 'linear', aria: false },
        encoding: {
          x: x('s'),
          y: {
            field: 'v',
            type: 'quantitative',
            scale: { zero: true, nice: true },
            axis: {
              title: panel.title,
              ...titleAbove,
              ...(several ? { titleY: -24 } : {}),
              minExtent: 40,
              tickCount: 3,
            },
          },
          color: {
            field: 'l',
            type: 'nominal',
            sort: null,
            scale: { domain, range: lineColours.slice(0, domain.length) },
            legend: several ? legendAbove : null,
          },
        },
      },
    ],
  };
}

function bandLayers(
  { bands }: HostLoadCurves,
  at: { x: object; endS: number; width: number; size: ChartSize; isLabelled: boolean },
): object[] {
  if (bands.length === 0) return [];
  const values = bands.map(({ fromS, toS, label, isFlagged, isOdd }) => ({
    from: fromS,
    to: toS,
    middle: (fromS + toS) / 2,
    label,
    shade: isFlagged ? shades.flagged : isOdd ? shades.odd : shades.even,
  }));
  const room = (value: (typeof values)[number]): boolean =>
    ((value.to - value.from) / at.endS) * at.width >= roomForLabel[at.size];
  return [
    {
      data: { values },
      mark: { type: 'rect', aria: false },
      encoding: { x: at.x, x2: { field: 'to' }, color: { field: 'shade', type: 'nominal', scale: null } },
    },
    ...(at.isLabelled
      ? [
          {
            data: { values: values.filter(room) },
            mark: { type: 'text', baseline: 'top', dy: 2, fontSize: 10, color: ink.soft, aria: false },
            encoding: { x: { ...at.x, field: 'middle' }, y: { value: 0 }, text: { field: 'label' } },
          },
        ]
      : []),
  ];
}
