import { type HistoryNight, regimeName, type Trend } from '../../results/history/index.ts';
import { leftOutText } from '../history/document.ts';
import {
  causeText,
  changeSentence,
  countText,
  halfText,
  levelOf,
  levelText,
  marksOfNight,
  nounOf,
  pastStepText,
  runText,
  shiftText,
  trialText,
} from '../history/texts.ts';
import { html, type SafeHtml } from '../html/markup.ts';
import { capitalise } from '../wording.ts';
import { maxPointsDrawn, trendCharts } from './chart.ts';
import { sitePage } from './document.ts';
import type { ReportAddress } from './links.ts';
import type { SiteIndexRow } from './site-index.ts';
import { quietSentence, seriesVerdictTexts, verdictMarks } from './texts.ts';

/** Maximum number of nights in a table (`mostRows`), and of runs that are named per night (`mostRuns`). */
const mostRows = 60;
const mostRuns = 4;

/**
 * Returns the HTML text of a series' page. For each size range it has a chart, changes, and nights with links to reports.
 * @param rows size ranges of the series
 * @param site title of the site
 */
export function seriesPage(rows: readonly SiteIndexRow[], site: string, linkOf: ReportAddress): string {
  const title = rows[0]?.told.trend.title ?? '';
  return sitePage(
    `${title} · ${site}`,
    html`<p><a href="../index.html">${site}</a></p>
<h1>${title}</h1>
${rows.map((row) => section(row, linkOf))}`,
    '../',
  );
}

function section(row: SiteIndexRow, linkOf: ReportAddress): SafeHtml {
  const { told, state, anchor, others } = row;
  const { trend, explained } = told;
  const left = leftOutText(trend);
  return html`<section><h2 id="${anchor}">${capitalise(regimeName(trend.regime))}</h2>
<p><span class="s ${state.verdict}"><span aria-hidden="true">${verdictMarks[state.verdict]} </span>${seriesVerdictTexts[state.verdict]}</span> ${trialText(trend)}, ${countText(trend)}${trend.kind === 'ratio' ? ', time divided by that of the reference build' : ''}. ${explained.length === 0 || state.unconfirmed !== null || state.sizes.length > 0 ? `${capitalise(quietSentence(row))}.` : ''}</p>
${trend.medium === 'emulated' ? html`<p>The medium is emulated: this does not show the speed of the real adapter.</p>` : ''}
${explained.length + state.past.length === 0 ? '' : html`<ul class="changes">${explained.map((one) => html`<li class="${one.change.shift > 0 ? 'slower' : 'faster'}"><strong>${capitalise(changeSentence(trend, one.change))}.</strong><br>${capitalise(causeText(one))}.</li>`)}${state.past.map((step) => html`<li class="unconfirmed"><strong>${capitalise(pastStepText(trend, step))}.</strong></li>`)}</ul>`}
${left.length === 0 ? '' : html`<p class="soft">${capitalise(left.join('; '))}.</p>`}
${chart(trend, anchor)}
${nightTable(row, linkOf)}
${others.map((other) => html`<h3>By ${other.by}</h3>\n${chart(other, anchor)}`)}
</section>`;
}

function chart(trend: Trend, anchor: string): SafeHtml {
  const cut =
    trend.nights.length > maxPointsDrawn
      ? html` The last ${maxPointsDrawn} of ${trend.nights.length} are drawn.`
      : '';
  return html`<figure>${trendCharts(trend, `${anchor}-${trend.by}`)}
<figcaption class="soft">${trend.kind === 'time' ? 'Geometric mean of times over the sizes' : 'Time divided by that of the reference build'} by ${nounOf(trend)}, with 95 % intervals; lines are the levels between changes.${cut}</figcaption></figure>`;
}

function nightTable({ told: { trend } }: SiteIndexRow, linkOf: ReportAddress): SafeHtml {
  const first = Math.max(0, trend.nights.length - mostRows);
  const shown = trend.nights.slice(first).map((night, i) => ({ night, index: first + i }));
  const line = ({ night, index }: { night: HistoryNight; index: number }): SafeHtml => {
    const level = levelOf(night, trend);
    const segment = trend.segments.find(({ from, to }) => index >= from && index < to);
    const isNew = trend.changes.some(({ at }) => at === index);
    const marks = [...(isNew ? ['new level'] : []), ...marksOfNight(trend, night)].join(', ');
    return html`<tr role="row"><th role="rowheader" scope="row">${night.night}</th><td role="cell" data-head="runs">${runs(night, linkOf)}</td><td role="cell" class="n" data-head="${trend.kind}">${levelText(level.log, trend.kind)}</td><td role="cell" class="n" data-head="±">${halfText(level)}</td><td role="cell" class="n" data-head="to its level">${segment === undefined ? '' : shiftText(level.log - segment.log)}</td><td role="cell" data-head="marks">${marks}</td></tr>
`;
  };
  const heads = [nounOf(trend), 'runs', trend.kind, '±', 'to its level', 'marks'];
  return html`<details><summary>The last ${shown.length} ${nounOf(trend)}s, with their reports</summary>
<table class="rows" role="table"><thead role="rowgroup"><tr role="row">${heads.map((head, i) => html`<th role="columnheader" scope="col"${i > 1 && i < 5 ? html` class="n"` : ''}>${head}</th>`)}</tr></thead>
<tbody role="rowgroup">
${shown.toReversed().map(line)}</tbody></table></details>`;
}

function runs(night: HistoryNight, linkOf: ReportAddress): SafeHtml {
  const more = night.runs.length - mostRuns;
  const named = night.runs.slice(0, mostRuns).map((run, i) => {
    const href = linkOf(run, '../');
    const name = runText(run);
    return html`${i === 0 ? '' : ', '}${href === null ? name : html`<a href="${href}">${name}</a>`}`;
  });
  return html`${named}${more > 0 ? ` and ${more} more` : ''}`;
}
