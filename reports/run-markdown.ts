import { cellTable } from './cell-table.ts';
import type { DocumentBlock } from './document/blocks.ts';
import { markdownText } from './document/markdown.ts';
import { groupsOfRun, type ReportRun } from './series.ts';
import { reportTopics } from './topics/index.ts';
import { topicBlocks } from './topics/topic.ts';

/**
 * Maximum number of rows in the tables of all groups of series together. GitHub accepts 1 MiB per step summary, and a row has about
 * 100 bytes.
 */
const maxRows = 500;

/**
 * Returns a run as Markdown for step summaries of GitHub and GitLab, comments and wikis: failures, summary, results, topics. The
 * tables of all groups of series have at most about 500 rows together, each an equal share of them; other tables and lists are
 * limited to the same share.
 */
export function runMarkdown(run: Pick<ReportRun, 'record' | 'cells'>, topics = reportTopics): string {
  const { id, title, startedAt, state, failures, summary } = run.record;
  const groups = groupsOfRun(run);
  const tables = groups
    .map(cellTable)
    .flatMap((table): DocumentBlock[] => [
      { kind: 'paragraph', text: [{ strong: table.title ?? '' }, ` ${table.caption}`] },
      table,
    ]);
  const time = startedAt.slice(0, 16).replace('T', ' ');
  return markdownText(
    [
      { kind: 'verdict', by: 'collbench', text: title },
      { kind: 'paragraph', text: [`Run ${id}, ${time} UTC, `, { strong: state }] },
      {
        kind: 'list',
        title: '',
        items: [...failures.map(({ message }) => ({ strong: message })), ...(summary?.sentences ?? [])],
      },
      ...tables,
      ...topicBlocks('markdown', groups, topics),
    ],
    { maxRows: Math.ceil(maxRows / Math.max(1, groups.length)) },
  );
}
