import type { Figure, Row } from '../charts/index.ts';
import { renderBoth } from '../charts/render.ts';
import type { ChartSize } from '../theme.ts';
import { type Html, html, jsonScript, table, trusted } from './markup.ts';

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
 */
export async function drawFigure(figure: Figure, number: number, hasFiles = true): Promise<DrawnFigure> {
  const namesOf = (size: ChartSize) => ({
    title: figure.title,
    description: figure.caption,
    idPrefix: `f${number}${size.charAt(0)}`,
  });
  const { wide: svg, narrow } = await renderBoth(figure.spec, {
    wide: namesOf('wide'),
    narrow: namesOf('narrow'),
  });
  const markup = html`<figure id="figure-${number}">
<div class="wide">${trusted(svg)}</div>
<div class="narrow">${trusted(narrow)}</div>
<figcaption><b>Figure ${number}. ${figure.title}.</b> ${figure.caption}${
    hasFiles
      ? html`
<span class="screen"> <a href="figures/${figure.name}.svg">SVG</a> · <a href="figures/${figure.name}.csv">CSV</a></span>`
      : ''
  }</figcaption>
${
  figure.hasLongTable === true
    ? ''
    : html`<details class="screen"><summary>Data of figure ${number}</summary>
${dataTable(figure)}</details>`
}
${jsonScript(`spec-${figure.name}`, figure.spec('wide'))}
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
  return table(`Data of figure: ${figure.title}`, columns, figure.rows);
}

function shown(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'string' || Number.isInteger(value)) return String(value);
  return String(Number(value.toPrecision(5)));
}
