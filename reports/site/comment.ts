import { md } from '../compared/markdown.ts';
import { causeText, changeSentence, halfText, levelOf } from '../history/words.ts';
import { capital, plural } from '../wording.ts';
import type { Board, BoardRow } from './board.ts';
import {
  boardTitle,
  changesOf,
  latestText,
  newestText,
  quietSentence,
  rowTitle,
  stepText,
  troubleText,
  verdictMarks,
  verdictWords,
} from './words.ts';

const mostChanges = 20;
const mostRows = 60;

/** What the site's first page says, as a Markdown comment for a pull request. At most about 60 kB: GitHub takes 65,536 characters. */
export function siteComment(board: Board, url: string | null): string {
  const found = changesOf(board);
  const troubled = [...board.nightRuns].filter(([, runs]) => troubleText(runs) !== '').reverse();
  const list = [
    ...found
      .slice(0, mostChanges)
      .map(
        ({ row, explained }) =>
          `- **${verdictMarks[explained.change.shift > 0 ? 'slower' : 'faster']} ${md(capital(changeSentence(row.told.trend, explained.change)))}**: ${md(rowTitle(row))}. ${md(capital(causeText(explained)))}.`,
      ),
    ...(found.length > mostChanges ? [`- and ${found.length - mostChanges} more changes`] : []),
    ...troubled.slice(0, mostChanges).map(([night, runs]) => `- **✕ ${night}: ${md(troubleText(runs))}.**`),
  ];
  const parts = [
    `### collbench: ${md(boardTitle(board))}`,
    `${plural(board.runs, 'run')}, the newest of ${newestText(board)} UTC.${url === null ? '' : ` [Site](${encodeURI(url)})`}`,
    list.length === 0 ? 'Nothing changed.' : list.join('\n'),
    `<details><summary>All size ranges</summary>\n\n${tableOf(board.rows)}\n\n</details>`,
  ];
  return `${parts.join('\n\n')}\n`;
}

const order = { slower: 0, faster: 1, 'no-verdict': 2, same: 3 } as const;

function tableOf(rows: readonly BoardRow[]): string {
  const sorted = rows.toSorted((a, b) => order[a.state.verdict] - order[b.state.verdict]);
  const line = (row: BoardRow): string => {
    const { trend } = row.told;
    const { verdict } = row.state;
    const last = trend.nights.at(-1);
    const half = last === undefined ? '' : halfText(levelOf(last, trend));
    return `| ${md(trend.title)} | ${trend.regime} | ${latestText(row)} | ${half} | ${stepText(row)} | ${verdictMarks[verdict]} ${verdictWords[verdict]} | ${verdict === 'no-verdict' ? md(quietSentence(row)) : ''} |`;
  };
  const more = sorted.length - mostRows;
  return [
    '| series | sizes | latest | ± | visible | verdict | why |',
    '|---|---|---|---|---|---|---|',
    ...sorted.slice(0, mostRows).map(line),
    ...(more > 0 ? ['', `and ${more} more`] : []),
  ].join('\n');
}
