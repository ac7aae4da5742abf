// Charts of the site's pages. A page is drawn only if its text or its charts changed, because drawing takes long.
import { drawBoth } from '../charts/drawings.ts';
import type { ChartFigure } from '../charts/index.ts';
import { slimSvg, withTitles } from '../charts/slim-svg.ts';
import { html, type SafeHtml, trustHtml } from '../html/markup.ts';
import type { ChartSize } from '../theme.ts';

/** Text of a page in which each drawing is a placeholder, and the charts of the page. */
export interface UndrawnPage {
  text: string;
  charts: readonly ChartFigure[];
}

const sizes = ['wide', 'narrow'] as const;
const gap = (index: number, size: ChartSize): string => `<!--chart ${index} ${size}-->`;

/**
 * Returns the markup of a page's chart with its caption, and placeholders for its drawings. The style sheet shows the wide or the
 * narrow form.
 * @param index position of the chart in `UndrawnPage.charts`
 */
export const chartMarkup = (figure: ChartFigure, index: number): SafeHtml =>
  html`<figure>${sizes.map((size) => html`<div class="${size}">${trustHtml(gap(index, size))}</div>\n`)}
<figcaption class="soft">${figure.caption}</figcaption></figure>`;

/** Returns the text of a page with its drawings. */
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
