import { verdictOrder } from '../../results/history/index.ts';
import { md } from '../comparison/markdown.ts';
import { causeText, changeSentence, halfText, levelOf } from '../history/texts.ts';
import { capitalise, plural } from '../wording.ts';
import type { SiteIndex, SiteIndexRow } from './site-index.ts';
import {
  boardTitle,
  changesOf,
  latestText,
  newestText,
  noChangeText,
  quietSentence,
  rowTitle,
  seriesVerdictTexts,
  stepText,
  troubleText,
  unconfirmedRows,
  unconfirmedRowText,
  verdictMarks,
} from './texts.ts';

const mostChanges = 20;
const mostRows = 60;

/**
 * Returns the content of the site's first page as a Markdown comment for a pull request. It has at most about 60 kB, because
 * GitHub accepts 65,536 characters.
 * @param url URL of the published site for links; null = no links
 */
export function siteComment(board: SiteIndex, url: string | null): string {
  const found = changesOf(board);
  const suspects = unconfirmedRows(board);
  const troubled = [...board.nightRuns].filter(([, runs]) => troubleText(runs) !== '').reverse();
  const list = [
    ...found
      .slice(0, mostChanges)
      .map(
        ({ row, explained }) =>
          `- **${verdictMarks[explained.change.shift > 0 ? 'slower' : 'faster']} ${md(capitalise(changeSentence(row.told.trend, explained.change)))}**: ${md(rowTitle(row))}. ${md(capitalise(causeText(explained)))}.`,
      ),
    ...(found.length > mostChanges ? [`- and ${found.length - mostChanges} more changes`] : []),
    ...suspects
      .slice(0, mostChanges)
      .map(
        ({ row, step }) =>
          `- **${verdictMarks.unconfirmed} ${md(capitalise(unconfirmedRowText(row, step)))}**: ${md(rowTitle(row))}.`,
      ),
    ...(suspects.length > mostChanges
      ? [`- and ${suspects.length - mostChanges} more that are not confirmed`]
      : []),
    ...troubled.slice(0, mostChanges).map(([night, runs]) => `- **✕ ${night}: ${md(troubleText(runs))}.**`),
  ];
  const parts = [
    `### collbench: ${md(boardTitle(board))}`,
    `${plural(board.runs, 'run')}, the newest of ${newestText(board)} UTC.${url === null ? '' : ` [Site](${encodeURI(url)})`}`,
    list.length === 0 ? noChangeText(board) : list.join('\n'),
    `<details><summary>All size ranges</summary>\n\n${tableOf(board.rows)}\n\n</details>`,
  ];
  return `${parts.join('\n\n')}\n`;
}

function tableOf(rows: readonly SiteIndexRow[]): string {
  const sorted = rows.toSorted(
    (a, b) => verdictOrder.indexOf(a.state.verdict) - verdictOrder.indexOf(b.state.verdict),
  );
  const line = (row: SiteIndexRow): string => {
    const { trend } = row.told;
    const { verdict } = row.state;
    const last = trend.nights.at(-1);
    const half = last === undefined ? '' : halfText(levelOf(last, trend));
    return `| ${md(trend.title)} | ${trend.regime} | ${latestText(row)} | ${half} | ${stepText(row)} | ${verdictMarks[verdict]} ${seriesVerdictTexts[verdict]} | ${verdict === 'no-verdict' || verdict === 'unconfirmed' ? md(quietSentence(row)) : ''} |`;
  };
  const more = sorted.length - mostRows;
  return [
    '| series | sizes | latest | ± | detectable | verdict | why |',
    '|---|---|---|---|---|---|---|',
    ...sorted.slice(0, mostRows).map(line),
    ...(more > 0 ? ['', `and ${more} more`] : []),
  ].join('\n');
}
