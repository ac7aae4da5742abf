import { effectText, intervalText, nameOfRun } from '../../results/compare/index.ts';
import { escapeMarkdown } from '../../results/markup-text.ts';
import type { CellChange, Comparison, GroupChange, PairOfRuns } from '../../results/schema/index.ts';
import { formatTime } from '../wording.ts';
import { hiddenGroups, openSentence } from './open.ts';
import {
  adviceSentence,
  betweenRunsSentences,
  bySeries,
  changeVerdictTexts,
  detectableText,
  foldLoad,
  missingSentences,
  plain,
  refusedSentences,
  settingText,
  xTexts,
} from './texts.ts';

/** Escapes text from runs for Markdown, and cuts it after 400 characters. */
export const md = (text: string): string => escapeMarkdown(plain(text, 400));

const marks = { faster: '🟢', slower: '🔴', same: '⚪', unconfirmed: '🟠', 'not-enough-data': '🟡' } as const;

/**
 * Returns the comparison of all runs with the first run as Markdown for a comment on a pull request. It has at most about 60
 * kB, because GitHub accepts 65,536 characters.
 */
export function comparisonMarkdown(comparison: Comparison): string {
  const { base, others, pairs } = comparison;
  return pairs
    .map((pair, i) => {
      const other = others[i];
      const head = `### collbench: ${md(pair.summary)}`;
      const runs = `Base ${md(nameOfRun(base))} (${base.startedAt.slice(0, 16).replace('T', ' ')}, ${base.launches} launches) against ${md(other === undefined ? '' : nameOfRun(other))} (${(other?.startedAt ?? '').slice(0, 16).replace('T', ' ')}, ${other?.launches} launches).`;
      return `${[head, runs, ...groupsPart(pair), ...cellsPart(pair), ...notes(comparison, pair), ...settings(pair)].join('\n\n')}\n`;
    })
    .join('\n');
}

const mostRows = 60;

function rowsOf(head: readonly string[], rows: readonly string[][]): string {
  const more = rows.length - mostRows;
  return [
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---').join('|')}|`,
    ...rows.slice(0, mostRows).map((row) => `| ${row.join(' | ')} |`),
    ...(more > 0 ? ['', `and ${more} more rows`] : []),
  ].join('\n');
}

const verdict = ({ change }: { change: GroupChange['change'] }) =>
  `${marks[change.verdict]} ${changeVerdictTexts[change.verdict]}`;
const seen = ({ change }: GroupChange): string =>
  change.detectable === null ? '' : effectText(change.detectable);

function groupsPart(pair: PairOfRuns): string[] {
  if (pair.groups.length === 0) return [];
  const hidden = hiddenGroups(pair);
  const shown = pair.groups.filter((group) => !hidden.includes(group));
  return [
    ...(shown.length === 0 ? [] : [groupRows(shown)]),
    ...(hidden.length === 0
      ? []
      : [
          `<details><summary>${md(openSentence(pair, hidden))}</summary>\n\n${groupRows(hidden)}\n\n</details>`,
        ]),
  ];
}

function groupRows(shown: readonly GroupChange[]): string {
  const rows = [...bySeries(shown)].flatMap(([title, groups]) =>
    groups.map((group) => [
      md(title),
      xTexts(group.key, group.xs),
      intervalText(group.change),
      verdict(group),
      seen(group),
    ]),
  );
  return rowsOf(['series', 'sizes', 'time, 95 % interval', 'verdict', 'detectable'], rows);
}

function cellsPart({ cells, groups }: PairOfRuns): string[] {
  const changed = cells.filter(({ change }) => change.verdict === 'slower' || change.verdict === 'faster');
  if (changed.length === 0) return [];
  const titleOf = (cell: CellChange) => groups.find(({ key }) => key === cell.group)?.title ?? '';
  const rows = changed.map((cell) => [
    md(titleOf(cell)),
    xTexts(cell.id, [cell.x]),
    `${formatTime(cell.base)} → ${formatTime(cell.other)}`,
    intervalText(cell.change),
    verdict(cell),
  ]);
  const table = rowsOf(['series', 'size', 'base → other', 'time, 95 % interval', 'verdict'], rows);
  return [`<details><summary>${changed.length} sizes changed</summary>\n\n${table}\n\n</details>`];
}

function notes(comparison: Comparison, pair: PairOfRuns): string[] {
  const detectable = detectableText(pair);
  const advice = adviceSentence(comparison, pair);
  const lines = [
    ...betweenRunsSentences(comparison),
    ...refusedSentences(pair),
    ...missingSentences(pair),
    ...(detectable === null ? [] : [`smallest detectable change: ${detectable}`]),
    ...(advice === null ? [] : [`advice: ${advice}`]),
  ];
  return lines.length === 0 ? [] : [lines.map((text) => `- ${md(text)}`).join('\n')];
}

function settings(pair: PairOfRuns): string[] {
  const changed = foldLoad(pair.settings);
  if (changed.length === 0) return ['No recorded setting differs between the runs.'];
  const shown = changed.slice(0, mostRows).map((setting) => `- ${md(settingText(setting, '→'))}`);
  const more = changed.length - mostRows;
  if (more > 0) shown.push(`- and ${more} more`);
  return [
    `<details><summary>${changed.length} settings differ between the runs</summary>\n\n${shown.join('\n')}\n\n</details>`,
  ];
}
