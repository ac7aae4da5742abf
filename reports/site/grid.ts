import { isInSlowMode } from '../../results/history/modes.ts';
import type { SeriesVerdict } from '../../results/history/state.ts';
import type { TrendChange } from '../../results/history/trend.ts';
import { directionText } from '../../results/judge/verdict-text.ts';
import {
  halfText,
  intervalSuffix,
  levelOf,
  levelText,
  modesSentence,
  nounOf,
  oneSizeText,
  runText,
  shiftText,
} from '../history/texts.ts';
import { html, type SafeHtml } from '../html/markup.ts';
import { months, plural } from '../wording.ts';
import type { ReportAddress } from './links.ts';
import type { SiteIndex, SiteIndexRow } from './site-index.ts';
import {
  latestText,
  seriesVerdictTexts,
  slowModeMark,
  slowModeText,
  stepText,
  troubleText,
  verdictMarks,
} from './texts.ts';

/** Maximum number of nights in one line of the grid; with more, each row takes several lines. */
const maxNightsPerLine = 31;

/**
 * Returns a table with one row per series and size range and one column per night, below a row about all runs of each night. Each
 * cell shows a verdict, or that the night is flagged, by colour and sign, and has the words and the time in a tooltip.
 * @param linkOf returns the URL of a run's report
 */
export function grid(board: SiteIndex, linkOf: ReportAddress): SafeHtml {
  const { nights, rows } = board;
  const noun = nounOf(board);
  return html`<table class="grid${nights.length > maxNightsPerLine ? ' long' : ''}${nights.some(isTimed) ? ' times' : ''}" role="table">
<caption>One row per series and size range, one column per ${noun}, the newest at the right. <q>detectable</q>: the smallest change that would have been found (80 % power).</caption>
<thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">series</th><th role="columnheader" scope="col">sizes</th><th role="columnheader" scope="col">now</th><th role="columnheader" scope="col">latest</th><th role="columnheader" scope="col">±</th><th role="columnheader" scope="col">detectable</th>${nights.map((night, i) => html`<th role="columnheader" scope="col" class="c"><span class="vh">${night}</span><span aria-hidden="true">${monthAbove(night, nights[i - 1])}${shortNight(night)}</span></th>`)}</tr></thead>
<tbody role="rowgroup">
${runsRow(board, linkOf)}
${rows.map((row) => seriesRow(row, nights))}
</tbody>
</table>`;
}

/** True if the column is a single run or commit, whose night has a time: "2026-11-21 18:02"; false for a day. */
const isTimed = (night: string): boolean => night.length > 10;

/** Returns a short column head: "21" for a day, "18:02" if the column is a single run or commit. */
const shortNight = (night: string): string => night.slice(isTimed(night) ? 11 : 8);

/**
 * Returns the month for the head of the first column of a month; '' for other columns. If columns are single runs or commits,
 * returns month and day for the first column of a day.
 * @param before night of the previous column; undefined for the first column
 */
function monthAbove(night: string, before: string | undefined): SafeHtml | string {
  const length = isTimed(night) ? 10 : 7;
  if (before?.slice(0, length) === night.slice(0, length)) return '';
  const month = months[Number(night.slice(5, 7)) - 1]?.slice(0, 3) ?? '';
  return html`${month}${length === 10 ? ` ${night.slice(8, 10)}` : ''}<br>`;
}

function seriesRow(row: SiteIndexRow, nights: readonly string[]): SafeHtml {
  const { report, state, page, anchor } = row;
  const { trend } = report;
  const last = trend.nights.at(-1);
  const modes = modesSentence(trend);
  const two = modes === null ? '' : html` <span title="${modes}">two modes</span>`;
  return html`<tr role="row"><th role="rowheader" scope="row"><a href="${page}#${anchor}">${trend.title}</a></th><td role="cell" class="f a">${trend.regime}</td><td role="cell" class="f"><span class="s ${state.verdict}"><span aria-hidden="true">${verdictMarks[state.verdict]} </span>${seriesVerdictTexts[state.verdict]}</span>${two}</td><td role="cell" class="f b" data-head="latest">${latestText(row)}</td><td role="cell" class="f" data-head="±">${last === undefined ? '' : halfText(levelOf(last, trend))}</td><td role="cell" class="f z" data-head="detectable">${stepText(row)}</td>${nights.map((night) => nightCell(row, night))}</tr>
`;
}

function nightCell(row: SiteIndexRow, night: string): SafeHtml {
  const cell = row.cells.get(night);
  if (cell === undefined) return signCell(night, 'none', '', 'not measured', null);
  const { trend } = row.report;
  const one = trend.nights[cell.index];
  if (one === undefined) return html`<td></td>`;
  const isChange = cell.verdict !== 'same' && cell.verdict !== 'no-verdict';
  const change = trend.changes.find(({ at }) => at === cell.index);
  const level = levelOf(one, trend);
  const isSlow = isInSlowMode(trend.modes, cell.index, level.log);
  const words = [
    seriesVerdictTexts[cell.verdict],
    ...(isSlow ? [slowModeText] : []),
    ...(isChange ? sizeWords(row, cell.index, change) : []),
    `${levelText(level.log, trend.kind)}${intervalSuffix(level)}`,
    ...one.warnings,
  ].join(', ');
  const isFlagged = one.warnings.length > 0 && !isChange;
  const kind: SeriesVerdict | 'flagged' = isFlagged ? 'flagged' : cell.verdict;
  const sign = isFlagged
    ? '!'
    : isSlow && cell.verdict === 'same'
      ? slowModeMark
      : verdictMarks[cell.verdict];
  return signCell(night, kind, sign, words, isChange ? `${row.page}#${row.anchor}` : null);
}

/**
 * Returns words about the change of time that one night shows: by how much the time changed and, for a change that later nights do
 * not show, since when it is over. Empty if the night shows no change.
 * @param index position of the night in the trend
 * @param change confirmed change that began in this night; undefined = none
 */
function sizeWords(
  { state, report }: SiteIndexRow,
  index: number,
  change: TrendChange | undefined,
): string[] {
  if (change !== undefined) return [shiftText(change.shift)];
  const past = state.past.find(({ at, overAt }) => index >= at && index < overAt);
  if (past !== undefined) return [directionText(past.ratio), `over since ${past.overNight}`];
  const isNewest = index === report.trend.nights.length - 1;
  if (isNewest && state.sizes.length > 0) return [oneSizeText(state.sizes)];
  return state.unconfirmed?.at === index ? [directionText(state.unconfirmed.ratio)] : [];
}

/** Returns the first row of the grid, about all runs of each night. It also shows failed runs without results. */
function runsRow({ nights, nightRuns }: SiteIndex, linkOf: ReportAddress): SafeHtml {
  const cells = nights.map((night) => {
    const runs = nightRuns.get(night);
    if (runs === undefined) return signCell(night, 'none', '', 'no run', null);
    const trouble = troubleText(runs);
    const count = plural(runs.runs, 'run');
    if (trouble === '') return signCell(night, 'same', '✓', `${count}, all complete and verified`, null);
    const [first] = runs.troubled;
    const isWrong = runs.wrong + runs.contradicted > 0;
    const words = `${count}: ${trouble} (${runs.troubled.slice(0, 6).map(runText).join(', ')})`;
    return signCell(
      night,
      isWrong ? 'failed' : 'flagged',
      '✕',
      words,
      first === undefined ? null : linkOf(first, ''),
    );
  });
  return html`<tr role="row"><th role="rowheader" scope="row">all runs</th><td role="cell" class="f"></td><td role="cell" class="f"></td><td role="cell" class="f"></td><td role="cell" class="f"></td><td role="cell" class="f"></td>${cells}</tr>`;
}

function signCell(
  night: string,
  kind: SeriesVerdict | 'failed' | 'flagged' | 'none',
  sign: string,
  words: string,
  href: string | null,
): SafeHtml {
  const shown = html`<span class="s ${kind}" aria-hidden="true">${sign === '' ? '–' : sign}</span><span class="vh">${words}</span>`;
  return html`<td role="cell" class="c" title="${night}: ${words}"><span class="day" aria-hidden="true">${shortNight(night)}</span>${href === null ? shown : html`<a href="${href}">${shown}</a>`}</td>`;
}
