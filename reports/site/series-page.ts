import { regimeName } from '../../results/history/series-name.ts';
import type { Trend } from '../../results/history/trend.ts';
import type { ChartFigure } from '../charts/index.ts';
import { trendFigure } from '../charts/trend.ts';
import type { TextPart } from '../document/blocks.ts';
import { pageMarkup } from '../document/page.ts';
import { nightTable, trendBlocks, trialPhrase } from '../history/document.ts';
import { countText, nounOf, runText } from '../history/texts.ts';
import { html, type SafeHtml } from '../html/markup.ts';
import { capitalise } from '../wording.ts';
import { chartMarkup, type UndrawnPage } from './chart.ts';
import { sitePage } from './document.ts';
import type { ReportAddress } from './links.ts';
import type { SiteIndexRow } from './site-index.ts';
import { seriesVerdictTexts, verdictMarks } from './texts.ts';

/** Maximum number of nights in the table of a series' page (`maxRows`), and of runs that the table names per night (`maxRuns`). */
const maxRows = 60;
const maxRuns = 4;

/**
 * Returns the page of one series of a site, whose charts are not yet drawn. For each size range it has a chart, the changes, and a
 * table of nights with links to reports.
 * @param rows size ranges of the series, at least one
 * @param site title of the site
 * @param linkOf returns the URL of a run's report
 */
export function seriesPage(rows: readonly SiteIndexRow[], site: string, linkOf: ReportAddress): UndrawnPage {
  const charts: ChartFigure[] = [];
  const chart = (trend: Trend): SafeHtml => {
    const figure = trendFigure(trend, '');
    return figure === null ? html`` : chartMarkup(figure, charts.push(figure) - 1);
  };
  const title = rows[0]?.report.trend.title ?? '';
  const text = sitePage(
    `${title} · ${site}`,
    html`<p><a href="../index.html">${site}</a></p>
<h1>${title}</h1>
${rows.map((row) => section(row, linkOf, chart))}`,
    '../',
  );
  return { text, charts };
}

function section(row: SiteIndexRow, linkOf: ReportAddress, chart: (trend: Trend) => SafeHtml): SafeHtml {
  const { report, state, anchor, others } = row;
  const { trend } = report;
  return html`<section><h2 id="${anchor}">${capitalise(regimeName(trend.regime))}</h2>
<p><span class="s ${state.verdict}"><span aria-hidden="true">${verdictMarks[state.verdict]} </span>${seriesVerdictTexts[state.verdict]}</span> ${trialPhrase(trend)}, ${countText(trend)}.</p>
${pageMarkup(trendBlocks(report))}
${chart(trend)}
${nights(row, linkOf)}
${others.map((other) => html`<h3>By ${other.by}</h3>\n${chart(other)}`)}
</section>`;
}

/**
 * Returns the table of the newest 60 nights, the newest first, with links to the reports of up to four runs each; the page folds
 * it.
 */
function nights({ report: { trend } }: SiteIndexRow, linkOf: ReportAddress): SafeHtml {
  const first = Math.max(0, trend.nights.length - maxRows);
  const table = nightTable(trend, first, ({ runs }) => {
    const more = runs.length - maxRuns;
    const links = runs.slice(0, maxRuns).flatMap((run, i): TextPart[] => {
      const [link, text] = [linkOf(run, '../'), runText(run)];
      return [...(i === 0 ? [] : [', ']), link === null ? text : { link, text }];
    });
    return [...links, ...(more > 0 ? [` and ${more} more`] : [])];
  });
  const caption = `The last ${table.rows.length} ${nounOf(trend)}s, with their reports`;
  const body = [{ ...table, caption, rows: table.rows.toReversed() }];
  return pageMarkup([{ kind: 'folded', summary: caption, body }]);
}
