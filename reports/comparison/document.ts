// The comparison of one or more runs with a base run: verdicts, size ranges, sizes, and which recorded settings differ between the
// runs.
import { nameOfOther, nameOfRun } from '../../results/compare/run.ts';
import { largeRatio } from '../../results/judge/difference.ts';
import { changeText, effectText, intervalText } from '../../results/judge/verdict-text.ts';
import type {
  CellChange,
  ChangeVerdict,
  Comparison,
  ComparisonChange,
  GroupChange,
  PairOfRuns,
  SettingChange,
} from '../../results/schema/index.ts';
import {
  type BadgeTone,
  type CellColumn,
  type DocumentBlock,
  type DocumentTable,
  onlyIn,
  tableOf,
} from '../document/blocks.ts';
import { markdownText } from '../document/markdown.ts';
import { type TerminalForm, terminalText } from '../document/terminal.ts';
import { percentText, plural } from '../wording.ts';
import { ratioFigures } from './chart.ts';
import { hiddenGroups, openSentence } from './open.ts';
import {
  adviceSentence,
  betweenRunsSentences,
  changeVerdictTexts,
  detectableText,
  foldSettings,
  missingSentences,
  plain,
  refusedSentences,
  settingValue,
  trialText,
  xTexts,
} from './texts.ts';

/** Returns the comparison of one or more runs with a base run as text for a terminal, the verdict last. */
export const comparisonText = (comparison: Comparison, form: TerminalForm): string =>
  terminalText(comparisonDocument(comparison), form);

/** Returns the comparison of one or more runs with a base run as Markdown for a comment on a pull request. */
export const comparisonMarkdown = (comparison: Comparison): string =>
  markdownText(comparisonDocument(comparison));

/** Returns the comparison of one or more runs with a base run as an HTML page that loads no other file. */
export async function comparisonPage(comparison: Comparison): Promise<string> {
  // Loaded only here, because the chart library takes long to load and the other output forms need no charts.
  const { documentPage } = await import('../html/document-page.ts');
  const { base, others } = comparison;
  const title = `${others.map((run) => plain(nameOfRun(run), 40)).join(', ')} against ${plain(nameOfRun(base), 40)}`;
  const figures = ratioFigures(comparison).map((figure): DocumentBlock => ({ kind: 'chart', figure }));
  return documentPage(title, comparisonDocument(comparison, figures));
}

/**
 * Returns the comparison as a document: the runs; for each compared run a verdict with advice; tables of size ranges and of single
 * sizes; recorded settings that differ; and on pages the method.
 * @param charts charts to be shown below the verdicts; default: none
 */
function comparisonDocument(comparison: Comparison, charts: readonly DocumentBlock[] = []): DocumentBlock[] {
  const { base, others, pairs } = comparison;
  const hidden = new Map(pairs.map((pair) => [pair, hiddenGroups(pair)]));
  const groups = rowsOf(pairs, (pair) =>
    pair.groups.filter((one) => hidden.get(pair)?.includes(one) !== true),
  );
  const cells = rowsOf(pairs, (pair) => pair.cells);
  const isRange = ({ change: { low, observed } }: GroupChange) => low === null && observed[0] < observed[1];
  return [
    ...[base, ...others].map(
      (run, i): DocumentBlock => ({ kind: 'paragraph', isLine: true, text: runText(run, i === 0) }),
    ),
    ...pairs.map((pair) => verdictOf(comparison, pair)),
    ...charts,
    ...(groups.length === 0 ? [onlyIn('page', { kind: 'paragraph', text: 'Nothing was compared.' })] : []),
    groupTable(groups, pairs.length > 1),
    ...pairs.flatMap((pair) => openRanges(pair, hidden.get(pair) ?? [])),
    ...(groups.some(isRange)
      ? [
          onlyIn('terminal', {
            kind: 'paragraph',
            text: '(a to b): lowest and highest launch, without a 95 % interval',
          }),
        ]
      : []),
    { kind: 'section', title: 'Sizes', body: [cellTable(cells, pairs.length > 1)] },
    { kind: 'section', title: 'Between the runs', body: pairs.map(settingBlock) },
    onlyIn('page', { kind: 'section', title: 'Method', body: [methodOf(comparison)] }),
  ];
}

const endedText = {
  incomplete: 'incomplete',
  failed: 'it failed',
  interrupted: 'interrupted',
  running: 'not ended',
};

function runText(
  { id, label, startedAt, launches, ended, title }: Comparison['base'],
  isBase: boolean,
): string {
  const name = `${isBase ? 'base' : 'with'}  ${plain(id, 12)}${label === undefined ? '' : `  '${plain(label, 30)}'`}`;
  const when = startedAt.replace('T', ' ').slice(0, 16);
  return `${name}  ${when}  ${plural(launches, 'launch', 'launches')}${ended === undefined ? '' : `, ${endedText[ended]}`}  ${plain(title)}`;
}

function verdictOf(comparison: Comparison, pair: PairOfRuns): DocumentBlock {
  const detectable = detectableText(pair);
  const advice = adviceSentence(comparison, pair);
  return {
    kind: 'verdict',
    by: 'collbench',
    text: plain(pair.summary, 600),
    notes: [
      ...betweenRunsSentences(comparison),
      ...refusedSentences(pair),
      ...missingSentences(pair),
      ...(detectable === null ? [] : [`smallest detectable change: ${detectable}`]),
    ],
    advice: advice === null ? [] : [advice],
  };
}

/**
 * A change of time between two runs, with the name of the run that was compared with the base (`run`) and the title of the series.
 */
type ChangeRow<Change> = Change & { run: string; title: string };

/**
 * Returns the changes of time in all compared runs, sorted by size range, then x, so that rows of different runs are neighbours.
 * @param changesOf returns the changes to be listed for one pair of runs
 */
function rowsOf<Change extends GroupChange | CellChange>(
  pairs: readonly PairOfRuns[],
  changesOf: (pair: PairOfRuns) => readonly Change[],
): ChangeRow<Change>[] {
  const keys = [...new Set(pairs.flatMap(({ groups }) => groups.map(({ key }) => key)))];
  const keyOf = (one: GroupChange | CellChange) => ('key' in one ? one.key : one.group);
  const xOf = (one: GroupChange | CellChange) => ('x' in one ? one.x : 0);
  const titles = new Map(pairs.flatMap(({ groups }) => groups.map(({ key, title }) => [key, title])));
  return pairs
    .flatMap((pair) =>
      changesOf(pair).map((one) => ({
        ...one,
        run: plain(nameOfOther(pair), 20),
        title: plain(titles.get(keyOf(one)) ?? '', 160),
      })),
    )
    .sort((a, b) => keys.indexOf(keyOf(a)) - keys.indexOf(keyOf(b)) || xOf(a) - xOf(b));
}

/**
 * Returns one sentence about the size ranges of a compared run that have no verdict, with their table folded below it. Empty if
 * `hidden` is empty.
 * @param hidden size ranges that the main table leaves out, because there are many without a verdict
 */
function openRanges(pair: PairOfRuns, hidden: readonly GroupChange[]): DocumentBlock[] {
  if (hidden.length === 0) return [];
  const rows = rowsOf([pair], () => hidden);
  const changes = hidden.map(({ change }) => change);
  const summary = plain(openSentence(changes, pair.groups.length), 600);
  return [{ kind: 'folded', summary, body: [groupTable(rows, false)] }];
}

const tones: Record<ChangeVerdict, BadgeTone> = {
  faster: 'good',
  slower: 'bad',
  same: 'same',
  unconfirmed: 'doubt',
  'not-enough-data': 'unknown',
};

const probabilityText = (p: number | null): string | null =>
  p === null ? null : p < 1e-4 ? p.toExponential(0) : p.toPrecision(2);
const percent = (share: number | null): string | null => (share === null ? null : percentText(share));

/**
 * Returns the table columns about a change of time and its verdict: run, time ratio with interval, verdict with reason, and on
 * pages the p-value.
 * @param isSeveral true = several runs are compared with the base, so a column has the run's name
 */
const changeColumns = <Row extends { change: ComparisonChange; run: string }>(
  rows: readonly Row[],
  isSeveral: boolean,
): CellColumn<Row>[] => [
  ...(isSeveral ? [{ head: 'run', cell: ({ run }: Row) => run }] : []),
  { head: 'time', align: 'right', cell: ({ change }) => intervalText(change) },
  {
    head: 'verdict',
    isVerdict: true,
    isLong: rows.some(({ change }) => change.reason !== null),
    cell: ({ change: { verdict, reason } }) => ({
      badge: tones[verdict],
      text: changeVerdictTexts[verdict],
      reason,
    }),
  },
  { head: 'p', align: 'right', only: ['page'], cell: ({ change }) => probabilityText(change.adjustedP) },
];

const isBad = ({ change: { verdict } }: { change: ComparisonChange }): boolean =>
  verdict === 'slower' || verdict === 'unconfirmed';

const groupTable = (rows: readonly ChangeRow<GroupChange>[], isSeveral: boolean): DocumentTable =>
  tableOf(
    [
      { head: 'series', names: 'above', isLong: true, cell: ({ title }) => title },
      { head: 'sizes', cell: ({ key, xs }) => xTexts(key, xs) },
      ...changeColumns(rows, isSeveral),
      { head: 'trial', priority: 1, cell: ({ key, change }) => trialText(key, change) },
      { head: 'scatter', align: 'right', only: ['page'], cell: ({ change }) => percent(change.scatter) },
      {
        head: 'detectable',
        align: 'right',
        priority: 2,
        cell: ({ change: { detectable } }) => (detectable === null ? null : effectText(detectable)),
      },
    ],
    rows,
    {
      caption:
        'Mean over the sizes of a range, ratio of times with its [95 % interval] or (lowest to highest launch)',
    },
    (row) => ({ isBad: isBad(row) }),
  );

const cellTable = (rows: readonly ChangeRow<CellChange>[], isSeveral: boolean): DocumentTable =>
  tableOf(
    [
      { head: 'series', names: 'above', isLong: true, cell: ({ title }) => title },
      { head: 'size', cell: ({ id, x }) => xTexts(id, [x]) },
      ...changeColumns(rows, isSeveral),
      { head: 'base', quantity: 'ns', priority: 1, cell: ({ base }) => base },
      { head: 'other', quantity: 'ns', priority: 1, cell: ({ other }) => other },
      {
        head: 'other trial',
        align: 'right',
        only: ['page'],
        cell: ({ beside }) => (beside === null ? null : intervalText(beside)),
      },
      { head: 'flags', only: ['page'], cell: ({ flags }) => plain(flags.join(', '), 80) },
    ],
    rows,
    { caption: 'Every size', maxRows: 48, rowNoun: 'size', rest: ' (--all)' },
    (row) => ({
      isBad: isBad(row),
      isDetail: row.change.verdict === 'same' || row.change.verdict === 'not-enough-data',
    }),
  );

function settingBlock(pair: PairOfRuns): DocumentBlock {
  const settings = foldSettings(pair.settings);
  const name = plain(nameOfOther(pair), 40);
  return settings.length === 0
    ? { kind: 'paragraph', text: `No recorded setting of ${name} differs.` }
    : settingTable(settings, `What differs in ${name}`, ' (--json)');
}

/**
 * Returns a table of recorded settings that differ. Its columns: what the setting is about, its name, its values before and after,
 * and `columns`. Terminals show the first twelve settings.
 * @param rest where the other rows can be found, such as " (suite.json)"
 * @param columns further columns at the right
 */
export function settingTable<Setting extends SettingChange>(
  settings: readonly Setting[],
  caption: string,
  rest: string,
  columns: readonly CellColumn<Setting>[] = [],
): DocumentTable {
  return tableOf<Setting>(
    [
      { head: 'about', cell: ({ about }) => about },
      { head: 'name', cell: ({ name }) => plain(name, 60) },
      { head: 'before', isLong: true, cell: ({ base }) => settingValue(base) },
      { head: 'after', isLong: true, cell: ({ other }) => settingValue(other) },
      ...columns,
    ],
    settings,
    { caption, rest, maxRows: 12, rowNoun: 'setting' },
  );
}

/**
 * Returns the clause about the wider limit within which separate runs count as "same", because their intervals are seldom as narrow
 * as the threshold; '' if there is no such limit.
 */
const sameText = ({ groupSame = 0, groupThreshold }: Comparison['rules']): string =>
  groupSame > groupThreshold ? `, or within ${percentText(groupSame)} and around no change` : '';

function methodOf({ rules }: Comparison): DocumentBlock {
  const allowed = rules.allowed.length === 0 ? 'nothing' : rules.allowed.join(', ');
  const text = `A launch is one start of all ranks and counts as one observation: the median of its samples, as a logarithm. Size ranges are the
sizes of one series up to 32 KiB, below 4 MiB and from there; small and middle sizes are judged by isolated operations, large ones by pipelined ones.
Two sets of launches are compared by a t test: Welch's, or a moderated one (Smyth 2004) where other sizes or a baseline say more about the scatter.
Faster or slower: kept at a false discovery rate of ${percentText(rules.falseDiscovery)} (Benjamini and Hochberg) over all size ranges and, separately, over all sizes, and at least
${percentText(rules.groupThreshold)} (size ranges) or ${percentText(rules.cellThreshold)} (sizes). Same: the whole 95 % interval is within that${sameText(rules)}. A change of
${changeText(largeRatio)} or more that the launches cannot prove is not confirmed. Everything else has no verdict.
“Detectable” is the change that would be found in 4 of 5 such comparisons (80 % power). Accepted differences: ${allowed}.`;
  return { kind: 'paragraph', text };
}
