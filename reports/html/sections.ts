import type { ChartFigure } from '../charts/index.ts';
import { fillGaps, type PendingFigure, type RenderedPage, startFigure } from './figure.ts';
import { PageData } from './figure-data.ts';
import { html, type SafeHtml } from './markup.ts';

/** A part of a section of a report page. Links can lead to a part with an id; a part without an id has no heading. */
export interface SectionPart {
  id?: string;
  title?: string;
  body: SafeHtml;
}

/** A section of a page with its heading. Sections are numbered and linked in the table of contents. */
export interface PageSection {
  id: string;
  title: string;
  body: SafeHtml;
  /** Further parts of the section, shown below `body`. */
  parts?: readonly SectionPart[];
}

/** Returns the HTML ids of a page's sections and of their parts, to which links may lead. */
export const idsOf = (sections: readonly PageSection[]): string[] =>
  sections.flatMap(({ id, parts = [] }) => [id, ...parts.flatMap((part) => part.id ?? [])]);

/**
 * Returns a list with the section, without those of its parts that contain only white space. The list is empty if the whole section
 * contains only white space.
 */
export function withoutEmpty(section: PageSection): PageSection[] {
  const isFull = ({ body }: SectionPart) => body.text.trim() !== '';
  const parts = (section.parts ?? []).filter(isFull);
  return isFull(section) || parts.length > 0 ? [{ ...section, parts }] : [];
}

function partMarkup({ id, title, body }: SectionPart): SafeHtml {
  if (id === undefined) return body;
  return html`<section id="${id}">${title === undefined ? '' : html`<h3>${title}</h3>\n`}${body}</section>\n`;
}

/** A function that returns the next table number of a page. */
export type NextTable = () => number;

/** Returns the HTML of the table of contents with links to all sections, followed by the numbered sections. */
export const contents = (sections: readonly PageSection[]): SafeHtml =>
  html`<nav class="contents" aria-label="Contents">${sections.map((s, i) => html`<a href="#${s.id}">${i + 1} ${s.title}</a> `)}</nav>
${sections.map((s, i) => html`<section id="${s.id}"><h2>${i + 1} ${s.title}</h2>\n${s.body}${(s.parts ?? []).map(partMarkup)}</section>\n`)}`;

/** Draws the charts of a page and numbers them in the order of the calls of draw(). */
export interface FigureRenderer {
  /**
   * Returns a chart's HTML with placeholders for its drawings, which fill() inserts later.
   * @param figure null = no chart; the HTML is then empty
   */
  draw(figure: ChartFigure | null): SafeHtml;
  /**
   * Waits until all charts are drawn, and returns the page's body with the drawings; rejects with the error of a failed drawing.
   * @param body HTML with placeholders
   */
  fill(body: SafeHtml): Promise<RenderedPage>;
}

/**
 * Creates the renderer for the charts of one page.
 * @param distributions histograms of samples as text, by `distributionKey` (distributions.ts)
 * @param hasFiles true if the folder figures/ beside the page contains the charts as SVG and CSV
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
