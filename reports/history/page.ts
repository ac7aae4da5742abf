import { join } from 'node:path';
import { innerFolder } from '../../results/files/folders.ts';
import {
  regimeName,
  type TrendExplanation,
  type TrendReport,
  unconfirmedStep,
} from '../../results/history/index.ts';
import { trendFigure } from '../charts/trend.ts';
import { drawFigure, type RenderedFigure } from '../html/figure.ts';
import { html, type SafeHtml, table } from '../html/markup.ts';
import { document } from '../html/page.ts';
import { csvOf, explainWriteError, writeWhole } from '../html/write.ts';
import { capitalise, plural } from '../wording.ts';
import { changeSentence, countText, quietText, runText, trialText } from './texts.ts';

/**
 * Writes history.html, a single file with a strict Content-Security-Policy, and figures/trend-*.svg and *.csv.
 * @returns path of history.html
 * @param told trends to be shown, one section each
 * @throws Error with the file and what to do, if a file cannot be written
 */
export async function writeHistory(told: readonly TrendReport[], outDir: string): Promise<string> {
  const figures: RenderedFigure[] = [];
  const sections: SafeHtml[] = [];
  for (const one of told) {
    const figure = trendFigure(one.trend, one.since);
    if (figure === null) continue;
    const drawn = await drawFigure(figure, figures.length + 1);
    figures.push(...drawn.figures);
    sections.push(html`<section><h2>${one.trend.title}</h2>
<p>${regimeName(one.trend.regime)}, ${trialText(one.trend)}, ${countText(one.trend)}. ${one.explained.length === 0 || unconfirmedStep(one.trend, one.trend.segments.at(-1)) !== null ? `${capitalise(quietText(one.trend))}.` : ''}</p>
${one.explained.map((change) => changeSection(one, change))}
${drawn.body}</section>\n`);
  }
  const names = [...new Set(told.map(({ trend }) => trend.title))];
  const title =
    names.length === 1 ? `History of ${names[0]}` : `History of ${plural(names.length, 'series', 'series')}`;
  const page = document(title, html`<main><h1>${title}</h1>\n${sections}</main>`);
  const path = join(outDir, 'history.html');
  const folder = await explainWriteError(outDir, () => innerFolder(outDir, 'figures'));
  for (const { figure, svg } of figures) {
    const file = join(folder, figure.name);
    await writeWhole(`${file}.svg`, `<?xml version="1.0" encoding="UTF-8"?>\n${svg}\n`);
    await writeWhole(`${file}.csv`, csvOf(figure));
  }
  await writeWhole(path, page);
  return path;
}

/** Returns a section about one change: what changed and when, and the recorded settings before and after it. */
export function changeSection(
  { trend }: TrendReport,
  { change, before, after, changed, why }: TrendExplanation,
): SafeHtml {
  const text = changeSentence(trend, change);
  const caption = `Recorded of run ${runText(before.runs.at(-1))} (${before.night}) and of run ${runText(after.runs[0])} (${after.night}), and not the same`;
  const what =
    changed === null
      ? html`<p>${why}</p>`
      : changed.length === 0
        ? html`<p>No recorded setting changed between the two nights.</p>`
        : table(
            caption,
            [
              { head: 'what', cell: (row) => row.name },
              { head: 'before', cell: (row) => row.base ?? 'not there' },
              { head: 'after', cell: (row) => row.other ?? 'not there' },
            ],
            changed,
          );
  return html`<p class="warn">${text.charAt(0).toUpperCase() + text.slice(1)}.</p>${what}`;
}
