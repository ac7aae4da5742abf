import { verdictOrder } from '../../results/history/index.ts';
import { type DocumentBlock, type DocumentText, tableOf } from '../document/blocks.ts';
import { markdownText } from '../document/markdown.ts';
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
  suspectChanges,
  troubleText,
  verdictMarks,
} from './texts.ts';

const maxChanges = 20;

/** Returns the first items as texts, and the number of further ones. @param noun noun of the further ones: "changes" */
function firstOf<T>(all: readonly T[], noun: string, textOf: (one: T) => DocumentText): DocumentText[] {
  const more = all.length - maxChanges;
  return [...all.slice(0, maxChanges).map(textOf), ...(more > 0 ? [`and ${more} more ${noun}`] : [])];
}

/**
 * Returns the content of the site's first page as a Markdown comment for a pull request.
 * @param url URL of the published site for links; null = no links
 */
export function siteComment(board: SiteIndex, url: string | null): string {
  const troubled = [...board.nightRuns].filter(([, runs]) => troubleText(runs) !== '').reverse();
  const items = [
    ...firstOf(changesOf(board), 'changes', ({ row, explained: { change }, explained }) => [
      {
        strong: `${verdictMarks[change.shift > 0 ? 'slower' : 'faster']} ${capitalise(changeSentence(row.told.trend, change))}`,
      },
      `: ${rowTitle(row)}. ${capitalise(causeText(explained))}.`,
    ]),
    ...firstOf(suspectChanges(board), 'that the nights alone do not prove', ({ row, verdict, text }) => [
      { strong: `${verdictMarks[verdict]} ${capitalise(text)}` },
      `: ${rowTitle(row)}.`,
    ]),
    ...firstOf(troubled, 'nights', ([night, runs]) => ({ strong: `✕ ${night}: ${troubleText(runs)}.` })),
  ];
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
      { head: 'series', cell: ({ told: { trend } }) => trend.title },
      { head: 'sizes', cell: ({ told: { trend } }) => trend.regime },
      { head: 'latest', cell: latestText },
      {
        head: '±',
        cell: ({ told: { trend } }) => {
          const last = trend.nights.at(-1);
          return last === undefined ? '' : halfText(levelOf(last, trend));
        },
      },
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
