import { nounOf } from '../history/texts.ts';
import { html, type SafeHtml } from '../html/markup.ts';
import { capitalise, plural } from '../wording.ts';
import { changeMarks, siteChanges } from './changes.ts';
import { sitePage } from './document.ts';
import { grid } from './grid.ts';
import type { ReportAddress } from './links.ts';
import type { SiteIndex, SiteIndexRow } from './site-index.ts';
import {
  boardTitle,
  newestText,
  noChangeText,
  quietSentence,
  rowTitle,
  slowModeMark,
  slowModeText,
} from './texts.ts';

/**
 * Returns the HTML text of index.html: the changes, then the grid of series by nights.
 * @param linkOf returns the URL of a run's report
 */
export function indexPage(board: SiteIndex, title: string, linkOf: ReportAddress): string {
  return sitePage(
    title,
    html`<h1>${title}</h1>
<p>${capitalise(boardTitle(board))}.</p>
<p class="soft">${plural(board.runs, 'run')}, the newest of ${newestText(board)} UTC. <a href="feed.json">JSON feed</a> · <a href="atom.xml">Atom feed</a></p>
${changes(board, linkOf)}
<h2 id="nights">Last ${nounOf(board)}s</h2>
<ul class="key"><li><span class="s same" aria-hidden="true">·</span> same</li>${modesKey(board)}<li><span class="s slower" aria-hidden="true">▲</span> slower from here on</li><li><span class="s faster" aria-hidden="true">▼</span> faster from here on</li><li><span class="s unconfirmed" aria-hidden="true">‼</span> much slower or faster, not confirmed</li><li><span class="s no-verdict" aria-hidden="true">?</span> no verdict: too few or too noisy</li><li><span class="s flagged" aria-hidden="true">!</span> flagged</li><li><span class="s failed" aria-hidden="true">✕</span> wrong data or another transport</li><li><span class="s none" aria-hidden="true">–</span> not measured</li></ul>
${grid(board, linkOf)}
${unseen(board)}`,
  );
}

/** Returns the entry of the legend for nights in the slower of two modes; empty if no series has modes. */
const modesKey = ({ rows }: SiteIndex): SafeHtml =>
  rows.some(({ report: { trend } }) => trend.modes.length > 0)
    ? html`<li><span class="s same" aria-hidden="true">${slowModeMark}</span> same, ${slowModeText}</li>`
    : html``;

function changes(board: SiteIndex, linkOf: ReportAddress): SafeHtml {
  const items = siteChanges(board).map(({ row, verdict, text, cause, reports }) => {
    const links = reports.flatMap(({ run, text: link }) => {
      const href = linkOf(run, '');
      return href === null ? [] : [html` <a href="${href}">${link}</a>`];
    });
    return html`<li class="${verdict}">${row === null ? '' : html`<a href="${row.page}#${row.anchor}">${rowTitle(row)}</a><br>`}<strong>${changeMarks[verdict]} ${capitalise(text)}.</strong>${cause === '' ? '' : html`<br>${cause}`}${links}</li>
`;
  });
  return html`<h2 id="changes">What changed</h2>
${items.length === 0 ? html`<p>${noChangeText(board)}</p>` : html`<ul class="changes">${items}</ul>`}`;
}

/**
 * Returns an HTML list of the series and size ranges for which no verdict on changes is possible, with the reasons; empty if there
 * are none.
 */
function unseen({ rows }: SiteIndex): SafeHtml {
  const open = rows.filter(({ state }) => state.verdict === 'no-verdict');
  if (open.length === 0) return html``;
  const line = (row: SiteIndexRow): SafeHtml =>
    html`<li><a href="${row.page}#${row.anchor}">${rowTitle(row)}</a>: ${quietSentence(row)}</li>\n`;
  return html`<h2 id="no-verdict">No verdict</h2>
<ul>${open.map(line)}</ul>`;
}
