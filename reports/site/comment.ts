import { verdictOrder } from '../../results/history/state.ts';
import { type DocumentBlock, type DocumentText, tableOf } from '../document/blocks.ts';
import { markdownText } from '../document/markdown.ts';
import { seriesColumns } from '../history/document.ts';
import { capitalise, plural } from '../wording.ts';
import { changeMarks, siteChanges } from './changes.ts';
import type { SiteIndex, SiteIndexRow } from './site-index.ts';
import {
  boardTitle,
  newestText,
  noChangeText,
  quietSentence,
  rowTitle,
  seriesVerdictTexts,
  stepText,
  verdictMarks,
} from './texts.ts';

/**
 * Returns the content of the site's first page as Markdown for a comment on a pull request.
 * @param url URL of the published site, to which the comment links; null = no link
 */
export function siteComment(board: SiteIndex, url: string | null): string {
  const items = siteChanges(board).map(({ row, verdict, text, cause }): DocumentText => {
    const about = row === null ? '' : `: ${rowTitle(row)}`;
    return [{ strong: `${changeMarks[verdict]} ${capitalise(text)}` }, `${about}. ${cause}`.trimEnd()];
  });
  const newest = `${plural(board.runs, 'run')}, the newest of ${newestText(board)} UTC.`;
  const list: DocumentBlock = { kind: 'list', title: '', items };
  return markdownText([
    { kind: 'verdict', by: 'collbench', text: boardTitle(board) },
    { kind: 'paragraph', text: url === null ? newest : [newest, ' ', { link: url, text: 'Site' }] },
    items.length === 0 ? { kind: 'paragraph', text: noChangeText(board) } : list,
    { kind: 'folded', summary: 'All size ranges', body: [rowTable(board.rows)] },
  ]);
}

const rowTable = (rows: readonly SiteIndexRow[]) =>
  tableOf<SiteIndexRow>(
    [
      ...seriesColumns(rows, ({ report: { trend } }) => trend),
      { head: 'detectable', cell: stepText },
      {
        head: 'verdict',
        isVerdict: true,
        cell: ({ state: { verdict } }) => `${verdictMarks[verdict]} ${seriesVerdictTexts[verdict]}`,
      },
      {
        head: 'why',
        cell: (row) =>
          row.state.verdict === 'no-verdict' || row.state.verdict === 'unconfirmed' ? quietSentence(row) : '',
      },
    ],
    rows.toSorted((a, b) => verdictOrder.indexOf(a.state.verdict) - verdictOrder.indexOf(b.state.verdict)),
  );
