import type { ChartFigure } from '../charts/index.ts';
import { fillGaps, type PendingFigure, type RenderedPage, startFigure } from './figure.ts';
import { PageData } from './figure-data.ts';
import { html, type SafeHtml } from './markup.ts';

/** A numbered part of a page, linked from its contents. */
export interface PageSection {
  id: string;
  title: string;
  body: SafeHtml;
}

/** Numbers tables through a page. */
export type NextTable = () => number;

/** The links to all sections, and the sections. */
export const contents = (sections: readonly PageSection[]): SafeHtml =>
  html`<nav class="contents" aria-label="Contents">${sections.map((s, i) => html`<a href="#${s.id}">${i + 1} ${s.title}</a> `)}</nav>
${sections.map((s, i) => html`<section id="${s.id}"><h2>${i + 1} ${s.title}</h2>\n${s.body}</section>\n`)}`;

/** Numbers figures in the order in which they are put into a page. */
export interface FigureRenderer {
  /** Its markup, with gaps for the drawings until the body is filled. @param figure null = nothing to show */
  draw(figure: ChartFigure | null): SafeHtml;
  /** The body of the page once all figures are drawn. */
  fill(body: SafeHtml): Promise<RenderedPage>;
}

/**
 * @param distributions of samples (distributions.ts)
 * @param hasFiles SVG and CSV lie beside the page, in figures/
 */
export function drawer(distributions?: ReadonlyMap<string, string>, hasFiles = true): FigureRenderer {
  const page = new PageData(distributions);
  const started: PendingFigure[] = [];
  const draw = (figure: ChartFigure | null): SafeHtml => {
    if (figure === null) return html``;
    const one = startFigure(figure, started.length + 1, hasFiles, page);
    started.push(one);
    return one.markup;
  };
  return { draw, fill: (body) => fillGaps(body, started) };
}
