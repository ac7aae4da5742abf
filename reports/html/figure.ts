import type { Figure, Row } from '../charts/index.ts';
import { renderBoth } from '../charts/render.ts';
import type { ChartSize } from '../theme.ts';
import { compactSvg } from './compact-svg.ts';
import { PageData } from './figure-data.ts';
import { type Html, html, table, trusted } from './markup.ts';

/** A figure as it stands in the page, and its file. */
export interface DrawnFigure {
  figure: Figure;
  number: number;
  /** Of the wide form, for figures/NAME.svg. */
  svg: string;
  markup: Html;
}

/**
 * Draws a figure for wide and for narrow screens, with its caption, the table of its data and the specification
 * it was drawn from.
 * @param number counted through the report, as in print
 * @param hasFiles SVG and CSV lie beside the page, in figures/
 * @param page what the figures of the page share
 */
export async function drawFigure(
  figure: Figure,
  number: number,
  hasFiles = true,
  page: PageData = new PageData(),
): Promise<DrawnFigure> {
  const namesOf = (size: ChartSize) => ({
    title: figure.title,
    description: figure.caption,
    idPrefix: `f${number}${size.charAt(0)}`,
  });
  const spec = figure.spec('wide');
  const { wide: svg, narrow } = await renderBoth((size) => (size === 'wide' ? spec : figure.spec(size)), {
    wide: namesOf('wide'),
    narrow: namesOf('narrow'),
  });
  const { markup: data, labels } = page.of(figure, number, spec);
  const inPage = (drawing: string): Html =>
    trusted(
      compactSvg(drawing, number, (label) => {
        const point = labels.points.get(label);
        if (point !== undefined) return ['i', point];
        const series = labels.series.get(label);
        return series === undefined ? null : ['s', series];
      }),
    );
  const markup = html`<figure id="figure-${number}">
<div class="wide">${inPage(svg)}</div>
<div class="narrow">${inPage(narrow)}</div>
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
  return { figure, number, svg, markup };
}

function dataTable(figure: Figure): Html {
  const first = figure.rows[0] ?? {};
  const columns = Object.keys(first).map((key) => ({
    head: key,
    number: typeof first[key] === 'number',
    cell: (row: Row) => shown(row[key]),
  }));
  const x = figure.points?.find(({ x }) => x > 0) === undefined ? null : xFieldOf(figure);
  return table(`Data of figure: ${figure.title}`, columns, figure.rows, undefined, (row) => ({
    ...(typeof row.transport === 'string' ? { transport: row.transport } : {}),
    ...(x !== null && typeof row[x] === 'number' ? { x: row[x] } : {}),
  }));
}

/** The column that holds x of the points: they are in the order of the rows. */
function xFieldOf({ points = [], rows }: Figure): string | null {
  const fields = Object.keys(rows[0] ?? {});
  return fields.find((field) => rows.every((row, i) => row[field] === points[i]?.x)) ?? null;
}

function shown(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'string' || Number.isInteger(value)) return String(value);
  return String(Number(value.toPrecision(5)));
}
