import { type BothSizes, drawBoth } from '../charts/drawings.ts';
import type { ChartFigure, ChartRow } from '../charts/index.ts';
import type { ChartSize } from '../theme.ts';
import { compactSvg } from './compact-svg.ts';
import type { PageData } from './figure-data.ts';
import { fillPlaceholders, html, placeholder, type SafeHtml, table } from './markup.ts';

/** A drawn chart of the page, with its number and its SVG. */
export interface RenderedFigure {
  figure: ChartFigure;
  number: number;
  /** The chart as SVG in its form for wide screens, for figures/NAME.svg. */
  svg: string;
}

/**
 * A chart that is still being drawn. Its HTML contains placeholders, which `fillGaps` replaces by the drawings. `drawn` rejects if
 * the chart cannot be drawn.
 */
export interface PendingFigure {
  markup: SafeHtml;
  drawn: Promise<RenderedFigure & { drawings: BothSizes<string> }>;
}

export interface RenderedPage {
  body: SafeHtml;
  figures: RenderedFigure[];
}

export type TitledPage = RenderedPage & { title: string };

/**
 * Starts to draw a chart for wide and for narrow screens. Returns its HTML with caption, data table (unless it is too long), data
 * for the page's script, and placeholders for the drawings.
 * @param number number of the chart in the report, from 1
 * @param hasFiles true if the folder figures/ beside the page contains the chart as SVG and CSV
 * @param page data that all charts of the page share
 */
export function startFigure(
  figure: ChartFigure,
  number: number,
  hasFiles: boolean,
  page: PageData,
): PendingFigure {
  const namesOf = (size: ChartSize) => ({
    title: figure.title,
    description: figure.caption,
    idPrefix: `f${number}${size.charAt(0)}`,
  });
  const specs = { wide: figure.spec('wide'), narrow: figure.spec('narrow') };
  const drawing = drawBoth(specs, { wide: namesOf('wide'), narrow: namesOf('narrow') });
  const { markup: data, labels } = page.of(figure, number, specs.wide);
  const inPage = (svg: string): string =>
    compactSvg(svg, number, (label) => {
      const point = labels.points.get(label);
      if (point !== undefined) return ['i', point];
      const series = labels.series.get(label);
      return series === undefined ? null : ['s', series];
    });
  const drawn = drawing.then(({ wide, narrow }) => ({
    figure,
    number,
    svg: wide,
    drawings: { wide: inPage(wide), narrow: inPage(narrow) },
  }));
  // fillGaps() awaits `drawn` and reports its error; this only avoids an unhandled rejection.
  drawn.catch(() => null);
  const markup = html`<figure id="figure-${number}">
<div class="wide">${gap(number, 'wide')}</div>
<div class="narrow">${gap(number, 'narrow')}</div>
<figcaption id="figure-${number}-caption"><b id="figure-${number}-title">Figure ${number}. ${figure.title}.</b> ${figure.caption}${
    hasFiles
      ? html`
<span class="screen files"> <a href="figures/${figure.name}.svg">SVG</a> · <a href="figures/${figure.name}.csv">CSV</a></span>`
      : ''
  }</figcaption>
${
  figure.hasLongTable === true
    ? ''
    : html`<details class="screen"><summary>Data of figure ${number}</summary>
${dataTable(figure)}</details>`
}
${data}
</figure>`;
  return { markup, drawn };
}

/** Returns the placeholder that the drawing of a chart in one form (wide or narrow) replaces later. */
const gap = (number: number, size: ChartSize): SafeHtml => placeholder(`${size} ${number}`);

/** Waits for the drawings and inserts them into the placeholders of a page's body. @throws the error of a failed drawing */
export async function fillGaps(body: SafeHtml, started: readonly PendingFigure[]): Promise<RenderedPage> {
  const figures = await Promise.all(started.map(({ drawn }) => drawn));
  const drawings = new Map(
    figures.flatMap(({ number, drawings: { wide, narrow } }) => [
      [`wide ${number}`, wide],
      [`narrow ${number}`, narrow],
    ]),
  );
  return { body: fillPlaceholders(body, drawings), figures };
}

function dataTable(figure: ChartFigure): SafeHtml {
  const first = figure.rows[0] ?? {};
  const columns = Object.keys(first).map((key) => ({
    head: key,
    number: typeof first[key] === 'number',
    cell: (row: ChartRow) => shown(row[key]),
  }));
  const x = figure.points?.find(({ x }) => x > 0) === undefined ? null : xFieldOf(figure);
  return table(`Data of figure: ${figure.title}`, columns, figure.rows, undefined, (row) => ({
    ...(typeof row.transport === 'string' ? { transport: row.transport } : {}),
    ...(x !== null && typeof row[x] === 'number' ? { x: row[x] } : {}),
  }));
}

/**
 * Returns the name of the field of a chart's rows that has the same x values as the chart's points; null if there is none. Points
 * and rows have the same order.
 */
function xFieldOf({ points = [], rows }: ChartFigure): string | null {
  const fields = Object.keys(rows[0] ?? {});
  return fields.find((field) => rows.every((row, i) => row[field] === points[i]?.x)) ?? null;
}

function shown(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'string' || Number.isInteger(value)) return String(value);
  return String(Number(value.toPrecision(5)));
}
