// Charts of the site's pages. Their drawings are made only when a page is written, because drawing takes long and unchanged pages
// are not written.
import { drawBoth } from '../charts/drawings.ts';
import type { ChartFigure } from '../charts/index.ts';
import { slimSvg, withTitles } from '../charts/slim-svg.ts';
import { html, type SafeHtml, trustHtml } from '../html/markup.ts';
import type { ChartSize } from '../theme.ts';

/** Text of a page with a placeholder for each drawing, and the charts to be drawn. */
export interface UndrawnPage {
  text: string;
  charts: readonly ChartFigure[];
}

const sizes = ['wide', 'narrow'] as const;
const gap = (index: number, size: ChartSize): string => `<!--chart ${index} ${size}-->`;

/**
 * Returns the HTML of a page's chart with its caption, and placeholders for its wide and its narrow drawing, of which the style
 * sheet shows one.
 * @param index position of the chart in `UndrawnPage.charts`
 */
export const chartMarkup = (figure: ChartFigure, index: number): SafeHtml =>
  html`<figure>${sizes.map((size) => html`<div class="${size}">${trustHtml(gap(index, size))}</div>\n`)}
<figcaption class="soft">${figure.caption}</figcaption></figure>`;

/** Draws the charts of a page, and returns its text with the drawings in place of the placeholders. */
export async function drawnText({ text, charts }: UndrawnPage): Promise<string> {
  let whole = text;
  for (const [index, figure] of charts.entries()) {
    const name = (size: ChartSize) => ({
      title: figure.title,
      description: figure.caption,
      idPrefix: `c${index}${size}`,
    });
    const drawn = await drawBoth(
      { wide: figure.spec('wide'), narrow: figure.spec('narrow') },
      { wide: name('wide'), narrow: name('narrow') },
    );
    for (const size of sizes) whole = whole.replace(gap(index, size), () => slimSvg(withTitles(drawn[size])));
  }
  return whole;
}
