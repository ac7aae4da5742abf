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

/** Returns the next table number of a page. */
export type NextTable = () => number;

/** Returns the links to all sections, then the sections. */
export const contents = (sections: readonly PageSection[]): SafeHtml =>
  html`<nav class="contents" aria-label="Contents">${sections.map((s, i) => html`<a href="#${s.id}">${i + 1} ${s.title}</a> `)}</nav>
${sections.map((s, i) => html`<section id="${s.id}"><h2>${i + 1} ${s.title}</h2>\n${s.body}</section>\n`)}`;

/** Draws figures and numbers them in the order of the calls. */
export interface FigureRenderer {
  /**
   * Returns a figure's markup with gaps for its drawings; fill() replaces the gaps. @param figure null = no figure, empty markup
   */
  draw(figure: ChartFigure | null): SafeHtml;
  /** Returns the body of the page after all figures are drawn. */
  fill(body: SafeHtml): Promise<RenderedPage>;
}

/**
 * Creates the renderer of a page.
 * @param distributions distributions of samples (distributions.ts)
 * @param hasFiles true if figures/ beside the page has SVG and CSV files
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
