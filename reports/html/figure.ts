import { type BothSizes, drawBoth } from '../charts/drawings.ts';
import type { ChartFigure, ChartRow } from '../charts/index.ts';
import type { ChartSize } from '../theme.ts';
import { compactSvg } from './compact-svg.ts';
import { PageData } from './figure-data.ts';
import { html, type SafeHtml, table, trustHtml } from './markup.ts';

/** A figure as it stands in the page, and its file. */
export interface RenderedFigure {
  figure: ChartFigure;
  number: number;
  /** Of the wide form, for figures/NAME.svg. */
  svg: string;
}

/** A figure in the page while it is drawn: `drawings` go into the gaps of its markup (`filled`). */
export interface PendingFigure {
  markup: SafeHtml;
  drawn: Promise<RenderedFigure & { drawings: BothSizes<string> }>;
}

export interface RenderedPage {
  body: SafeHtml;
  figures: RenderedFigure[];
}

/**
 * Starts to draw a figure for wide and for narrow screens, with its caption, the table of its data and the specification
 * it is drawn from.
 * @param number counted through the report, as in print
 * @param hasFiles SVG and CSV lie beside the page, in figures/
 * @param page what the figures of the page share
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
  // Who fills the page learns of it.
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

/** No text from elsewhere is a comment: markup.ts escapes it. */
const gap = (number: number, size: ChartSize): SafeHtml => trustHtml(`<!--drawing ${number} ${size}-->`);

/** A body with its drawings in their gaps. @throws what a drawing failed with */
export async function fillGaps(body: SafeHtml, started: readonly PendingFigure[]): Promise<RenderedPage> {
  const figures = await Promise.all(started.map(({ drawn }) => drawn));
  const drawings = new Map(figures.map(({ number, drawings }) => [String(number), drawings]));
  const text = body.text.replaceAll(
    /<!--drawing (\d+) (wide|narrow)-->/g,
    (_all, number: string, size: ChartSize) => drawings.get(number)?.[size] ?? '',
  );
  return { body: trustHtml(text), figures };
}

/** A figure of a page that draws one after the other. */
export async function drawFigure(
  figure: ChartFigure,
  number: number,
  hasFiles = true,
): Promise<RenderedPage> {
  const started = startFigure(figure, number, hasFiles, new PageData());
  return fillGaps(started.markup, [started]);
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

/** The column that holds x of the points: they are in the order of the rows. */
function xFieldOf({ points = [], rows }: ChartFigure): string | null {
  const fields = Object.keys(rows[0] ?? {});
  return fields.find((field) => rows.every((row, i) => row[field] === points[i]?.x)) ?? null;
}

function shown(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'string' || Number.isInteger(value)) return String(value);
  return String(Number(value.toPrecision(5)));
}
