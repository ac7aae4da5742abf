import { changeText, intervalText, nameOfOther, nameOfRun } from '../../results/compare/index.ts';
import { largeRatio } from '../../results/judge/large.ts';
import type { CellChange, Comparison, GroupChange, PairOfRuns } from '../../results/schema/index.ts';
import { drawFigure } from '../html/figure.ts';
import { html, type SafeHtml, type TableColumn, table } from '../html/markup.ts';
import { document } from '../html/page.ts';
import { formatTime, percentText } from '../wording.ts';
import { ratioFigures } from './chart.ts';
import { hiddenGroups, openSentence } from './open.ts';
import {
  adviceSentence,
  betweenRunsSentences,
  changeVerdictTexts,
  detectableText,
  missingSentences,
  plain,
  refusedSentences,
  trialText,
  xTexts,
} from './texts.ts';

/** Returns a self-contained HTML page that compares all other runs with the first run. */
export async function comparisonPage(comparison: Comparison): Promise<string> {
  const { base, others, pairs } = comparison;
  const figures = ratioFigures(comparison);
  const drawn = [];
  for (const [i, figure] of figures.entries()) drawn.push(await drawFigure(figure, i + 1, false));
  const title = `${others.map((run) => plain(nameOfRun(run), 40)).join(', ')} against ${plain(nameOfRun(base), 40)}`;
  const body = html`<main>
<h1>${title}</h1>
<p class="byline">${plain(base.title, 300)}; measured ${[base, ...others].map(({ startedAt }) => startedAt.slice(0, 16).replace('T', ' ')).join(', ')} UTC</p>
<div class="lead">${pairs.map((pair) => lead(comparison, pair))}</div>
${drawn.map(({ body }) => body)}
${pairs.map(
  (
    pair,
  ) => html`<section><h2>${pairs.length > 1 ? `${plain(nameOfOther(pair), 40)}: size ranges` : 'Size ranges'}</h2>${groupTables(pair)}
<h2>Sizes</h2>${cellTable(pair)}
<h2>Between the runs</h2>${settingTable(pair)}</section>`,
)}
<section><h2>Method</h2>${rulesOf(comparison)}</section>
</main>`;
  return document(title, body);
}

function lead(comparison: Comparison, pair: PairOfRuns): SafeHtml {
  const seen = detectableText(pair);
  const advice = adviceSentence(comparison, pair);
  const notes = [...refusedSentences(pair), ...missingSentences(pair)];
  return html`<p>${plain(pair.summary, 600)}</p>
${seen === null ? '' : html`<p>Smallest detectable change: ${seen}.</p>`}
${notes.length === 0 ? '' : html`<ul class="warn">${notes.map((note) => html`<li>${note}</li>`)}</ul>`}
${advice === null ? '' : html`<p>Advice: ${advice}.</p>`}`;
}

const percent = (share: number | null): string => (share === null ? '–' : percentText(share));
const small = (p: number | null): string =>
  p === null ? '–' : p < 1e-4 ? p.toExponential(0) : p.toPrecision(2);
const isBad = ({ change }: { change: GroupChange['change'] }) =>
  change.verdict === 'slower' || change.verdict === 'unconfirmed' ? 'bad' : '';
const said = ({ change }: { change: GroupChange['change'] }) =>
  change.reason === null
    ? changeVerdictTexts[change.verdict]
    : `${changeVerdictTexts[change.verdict]}: ${change.reason}`;

function groupTables(pair: PairOfRuns): SafeHtml {
  if (pair.groups.length === 0) return html`<p>Nothing was compared.</p>`;
  const hidden = hiddenGroups(pair);
  const shown = pair.groups.filter((group) => !hidden.includes(group));
  return html`${shown.length === 0 ? '' : groupTable(shown)}
${hidden.length === 0 ? '' : html`<details><summary>${plain(openSentence(pair, hidden), 600)}</summary>${groupTable(hidden)}</details>`}`;
}

/**
 * Returns the series title for a table's caption if all rows have the same one, otherwise a column with titles. A column with
 * equal titles would only make narrow screens scroll.
 */
function seriesOf<Row>(
  rows: readonly Row[],
  titleOf: (row: Row) => string,
): { name: string; column: TableColumn<Row>[] } {
  const [title = '', ...others] = new Set(rows.map(titleOf));
  if (others.length === 0) return { name: ` of ${plain(title, 160)}`, column: [] };
  return {
    name: '',
    column: [{ head: 'series', isLong: true, cell: (row) => plain(titleOf(row), 160) }],
  };
}

/** Returns the first column of a table, the verdict. Its text may wrap into lines (`isLong`) if any verdict has a reason. */
const verdictColumn = <Row extends { change: GroupChange['change'] }>(
  rows: readonly Row[],
): TableColumn<Row> => ({
  head: 'verdict',
  isLong: rows.some(({ change }) => change.reason !== null),
  cell: said,
});

function groupTable(groups: readonly GroupChange[]): SafeHtml {
  const { name, column } = seriesOf(groups, ({ title }) => title);
  return table<GroupChange>(
    `Mean over the sizes of a range${name}, ratio of times with its [95 % interval] or (lowest to highest launch)`,
    [
      verdictColumn(groups),
      ...column,
      { head: 'sizes', cell: ({ key, xs }) => xTexts(key, xs) },
      { head: 'time', number: true, cell: ({ change }) => intervalText(change) },
      { head: 'trial', cell: ({ key, change }) => trialText(key, change) },
      { head: 'p', number: true, cell: ({ change }) => small(change.adjustedP) },
      { head: 'scatter', number: true, cell: ({ change }) => percent(change.scatter) },
      { head: 'detectable', number: true, cell: ({ change }) => percent(change.detectable) },
    ],
    groups,
    isBad,
  );
}

function cellTable({ cells, groups }: PairOfRuns): SafeHtml {
  const titles = new Map(groups.map(({ key, title }) => [key, title]));
  const { name, column } = seriesOf(cells, ({ group }) => titles.get(group) ?? '');
  return table<CellChange>(
    `Every size${name}`,
    [
      verdictColumn(cells),
      ...column,
      { head: 'size', number: true, cell: ({ id, x }) => xTexts(id, [x]) },
      { head: 'time', number: true, cell: ({ change }) => intervalText(change) },
      { head: 'base', number: true, cell: ({ base }) => formatTime(base, 'µs') },
      { head: 'other', number: true, cell: ({ other }) => formatTime(other, 'µs') },
      { head: 'p', number: true, cell: ({ change }) => small(change.adjustedP) },
      {
        head: 'other trial',
        number: true,
        cell: ({ beside }) => (beside === null ? '–' : intervalText(beside)),
      },
      { head: 'flags', cell: ({ flags }) => plain(flags.join(', '), 80) },
    ],
    cells,
    isBad,
  );
}

function settingTable({ settings }: PairOfRuns): SafeHtml {
  if (settings.length === 0) return html`<p>No recorded setting differs.</p>`;
  const value = (text: string | null) => (text === null ? '–' : plain(text, 200));
  return table<PairOfRuns['settings'][number]>(
    'What differs between the runs',
    [
      { head: 'about', cell: ({ about }) => about },
      { head: 'name', cell: ({ name }) => plain(name, 120) },
      { head: 'base', cell: ({ base }) => value(base) },
      { head: 'other', cell: ({ other }) => value(other) },
    ],
    settings,
  );
}

/**
 * Returns the half sentence about the wider limit for "same" that applies to separate runs, whose intervals are seldom as
 * narrow as the threshold; '' if no such limit is set.
 */
const sameText = ({ groupSame = 0, groupThreshold }: Comparison['rules']): string =>
  groupSame > groupThreshold ? `, or within ${percent(groupSame)} and around no change` : '';

function rulesOf(comparison: Comparison): SafeHtml {
  const { rules } = comparison;
  const allowed = rules.allowed.length === 0 ? 'nothing' : rules.allowed.join(', ');
  return html`<p>A launch is one start of all ranks and counts as one observation: the median of its samples, as a logarithm. Size ranges are the
sizes of one series up to 32 KiB, below 4 MiB and from there; small and middle sizes are judged by isolated operations, large ones by pipelined ones.
Two sets of launches are compared by a t test: Welch's, or a moderated one (Smyth 2004) where other sizes or a baseline say more about the scatter.
Faster or slower: kept at a false discovery rate of ${percent(rules.falseDiscovery)} (Benjamini and Hochberg) over all size ranges and, separately, over all sizes, and at least
${percent(rules.groupThreshold)} (size ranges) or ${percent(rules.cellThreshold)} (sizes). Same: the whole 95 % interval is within that${sameText(rules)}. A change of
${changeText(largeRatio)} or more that the launches cannot prove is not confirmed. Everything else has no verdict.
“Detectable” is the change that would be found in 4 of 5 such comparisons (80 % power). Accepted differences: ${allowed}.</p>${betweenRunsSentences(comparison).map((text) => html`<p>${text}.</p>`)}`;
}
