// Documents about the history of series: a list of series, and for one series its times night after night, with the changes.
import { join } from 'node:path';
import { sampleStandardDeviation } from 'simple-statistics';
import { xTextOfId } from '../../results/axis-text.ts';
import type { TimeLevel } from '../../results/history/levels.ts';
import { modeLevelAt, withoutModes } from '../../results/history/modes.ts';
import type { HistoryNight } from '../../results/history/nights.ts';
import { regimeName } from '../../results/history/series-name.ts';
import { isNotable, stateOf } from '../../results/history/state.ts';
import type { Trend } from '../../results/history/trend.ts';
import type { TrendExplanation, TrendReport } from '../../results/history/trend-report.ts';
import { directionText } from '../../results/judge/verdict-text.ts';
import { trendFigure } from '../charts/trend.ts';
import { settingTable } from '../comparison/document.ts';
import {
  type CellColumn,
  type DocumentBlock,
  type DocumentTable,
  type DocumentText,
  onlyIn,
  tableOf,
} from '../document/blocks.ts';
import { pageMarkup } from '../document/page.ts';
import { terminalText } from '../document/terminal.ts';
import { sparkline } from '../document/text.ts';
import { html } from '../html/markup.ts';
import { formatPercent, plural } from '../wording.ts';
import {
  causeText,
  changeSentence,
  countText,
  halfText,
  levelOf,
  levelText,
  marksOfNight,
  modesSentence,
  newestModes,
  nounOf,
  oneSizeText,
  pastStepText,
  quietText,
  runText,
  shiftText,
  suspectsText,
  trialText,
} from './texts.ts';

/** Maximum number of nights in a sparkline (a row of small bars within a text line). */
const maxSparkNights = 40;

const logsOf = (trend: Trend): number[] => trend.nights.map((night) => levelOf(night, trend).log);

/**
 * Returns a list for a terminal with one row per series and size range (small, middle, large sizes): number of nights, newest mean
 * time (or ratio to the reference build) with interval, sparkline of all nights, last change, and the machine settings that changed
 * with it.
 * @param columns width of the terminal in characters
 * @param since first night whose changes are shown; "" = all
 */
export const listText = (reports: readonly TrendReport[], columns: number, since = ''): string =>
  terminalText([trendTable(reports, since)], { columns, color: false });

/**
 * Returns the history of one series as text for a terminal: changes of time with dates, then a row per night, newest last.
 * @param columns width of the terminal in characters
 */
export const trendText = (report: TrendReport, columns: number): string =>
  terminalText([trendDocument(report)], { columns, color: false });

/**
 * Writes history.html, a single file with a strict Content-Security-Policy, and figures/trend-*.svg and *.csv in `outDir`.
 * @returns path of history.html
 * @throws StoreError with the file and what to do, if a file cannot be written
 */
export async function writeHistory(reports: readonly TrendReport[], outDir: string): Promise<string> {
  // Loaded only here, because the chart library takes long to load and terminals need no charts.
  const { drawer } = await import('../html/sections.ts');
  const { document } = await import('../html/page.ts');
  const { writeFigures, writeWhole } = await import('../html/write.ts');
  const names = [...new Set(reports.map(({ trend }) => trend.title))];
  const title = `History of ${names.length === 1 ? names[0] : plural(names.length, 'series', 'series')}`;
  const { draw, fill } = drawer();
  const markup = pageMarkup(reports.map(trendDocument), { draw });
  const { body, figures } = await fill(html`<main><h1>${title}</h1>\n${markup}</main>`);
  const path = join(outDir, 'history.html');
  await writeFigures(figures, outDir);
  await writeWhole(path, document(title, body));
  return path;
}

const trendTable = (reports: readonly TrendReport[], since: string): DocumentTable =>
  tableOf<TrendReport>(
    [
      ...seriesColumns(reports, ({ trend }) => trend),
      { head: '', maxWidth: 20, minWidth: 8, priority: 1, cell: ({ trend }) => ({ levels: logsOf(trend) }) },
      { head: 'last change', cell: (report) => lastChangeText(report, since) },
      { head: 'came with', maxWidth: 20, minWidth: 8, priority: 1, cell: machineNames },
    ],
    reports,
  );

/**
 * Returns the columns about a series: name, sizes, number of nights, and the time of the newest night (or its ratio to the
 * reference build) with interval.
 * @param trendOf returns the history of the series in a row
 */
export function seriesColumns<Row>([first]: readonly Row[], trendOf: (row: Row) => Trend): CellColumn<Row>[] {
  const ofLatest = (row: Row, text: (level: TimeLevel, kind: Trend['kind']) => string): string => {
    const trend = trendOf(row);
    const last = trend.nights.at(-1);
    return last === undefined ? '' : text(levelOf(last, trend), trend.kind);
  };
  return [
    { head: 'series', names: 'beside', cell: (row) => trendOf(row).title },
    { head: 'sizes', width: 5, cell: (row) => trendOf(row).regime },
    {
      head: `${first === undefined ? 'night' : nounOf(trendOf(first))}s`,
      align: 'right',
      width: 6,
      cell: (row) => String(trendOf(row).nights.length),
    },
    {
      head: 'latest',
      align: 'right',
      width: 8,
      cell: (row) => ofLatest(row, ({ log }, kind) => levelText(log, kind)),
    },
    { head: '±', align: 'right', width: 6, cell: (row) => ofLatest(row, halfText) },
  ];
}

/**
 * Returns the change of time that the list shows for a series. It is a notable unconfirmed change of the newest nights, else one of
 * single sizes, else the newer of the last confirmed change and the last large one that is over. If there is none, "two modes" if
 * the newest nights alternate between two times, else "".
 * @param since first night whose changes count; "" = all
 */
function lastChangeText({ trend }: TrendReport, since: string): string {
  const { past, unconfirmed, change, sizes } = stateOf(trend, since);
  const newest = past.at(-1);
  if (unconfirmed !== null && isNotable(unconfirmed))
    return `${directionText(unconfirmed.ratio)}, ${unconfirmed.isSeenAgain ? 'seen again' : 'not confirmed'}`;
  if (sizes.length > 0) return oneSizeText(sizes);
  if (newest !== undefined && newest.at > (change?.at ?? -1))
    return `${directionText(newest.ratio)} ${newest.night}, over`;
  if (change === null) return newestModes(trend) === undefined ? '' : 'two modes';
  return `${shiftText(change.shift)} ${change.night}`;
}

/**
 * Returns the names of the machine settings that changed together with the last change of a series: "kernel, nccl"; "" if none did.
 */
const machineNames = ({ explained }: TrendReport): string =>
  (explained.at(-1)?.machine.changed ?? []).map(({ name }) => name).join(', ');

function trendDocument(report: TrendReport): DocumentBlock {
  const { trend, since } = report;
  const figure = trendFigure(trend, since);
  return {
    kind: 'section',
    title: trend.title,
    body: [
      { kind: 'paragraph', text: `${regimeName(trend.regime)}; ${trialPhrase(trend)}` },
      onlyIn('terminal', {
        kind: 'paragraph',
        isLine: true,
        text: `${sparkline(logsOf(trend).slice(-maxSparkNights))}  ${countText(trend)}`,
      }),
      onlyIn('page', { kind: 'paragraph', isSentence: true, text: countText(trend) }),
      ...trendBlocks(report),
      ...(figure === null ? [] : [{ kind: 'chart' as const, figure }]),
      onlyIn('terminal', shownNights(report)),
    ],
  };
}

/**
 * Returns paragraphs about a series: its changes of time, the two times between which the newest nights alternate (if they do), and
 * which runs and sizes its history leaves out. If there is no change, or one that is not confirmed, a sentence says so.
 */
export function trendBlocks({ trend, explained, suspects, since }: TrendReport): DocumentBlock[] {
  const { past, unconfirmed, sizes } = stateOf(trend, since);
  const isQuiet = explained.length === 0 || unconfirmed !== null || sizes.length > 0;
  const scatter = scatterText(trend);
  const modes = modesSentence(trend);
  const cause = suspectsText(suspects);
  const sentence = (text: string): DocumentBlock => ({ kind: 'paragraph', isSentence: true, text });
  return [
    ...explained.flatMap((one) => changeBlocks(trend, one)),
    ...past.map((step) => sentence(pastStepText(trend, step))),
    ...(isQuiet ? [sentence(`${quietText(trend)}${scatter === null ? '' : `; ${scatter}`}`)] : []),
    ...(unconfirmed !== null && cause !== '' ? [sentence(`it came ${cause}`)] : []),
    ...(modes === null ? [] : [sentence(modes)]),
    ...leftOutText(trend).map(sentence),
  ];
}

/**
 * Returns which times of a series the history has: "isolated latency" or "pipelined interval"; for ratios it adds that they were
 * divided by those of the reference build.
 */
export const trialPhrase = (trend: Trend): string =>
  `${trialText(trend)}${trend.kind === 'ratio' ? ', divided by that of the reference build' : ''}`;

/** Returns texts about one change of time: its size and night, and the recorded settings (versions, options) that changed too. */
function changeBlocks(trend: Trend, explanation: TrendExplanation): DocumentBlock[] {
  const { change, before, after, changed, why } = explanation;
  const caption = `Recorded of run ${runText(before.runs.at(-1))} (${before.night}) and of run ${runText(after.runs[0])} (${after.night}), and not the same`;
  const settings = settingTable(changed ?? [], caption, '');
  const reason = changed === null ? (why ?? '') : 'No recorded setting changed between the two nights.';
  return [
    {
      kind: 'paragraph',
      isSentence: true,
      isBad: change.shift > 0,
      text: changeSentence(trend, explanation),
    },
    onlyIn('terminal', { kind: 'paragraph', text: causeText(explanation) }),
    onlyIn('page', settings.rows.length > 0 ? settings : { kind: 'paragraph', text: reason }),
  ];
}

/** Returns the table of the nights from `since` on, newest last; a sentence if there is no such night. */
function shownNights({ trend, since }: TrendReport): DocumentBlock {
  const offset = trend.nights.findIndex(({ night }) => night >= since);
  return offset < 0
    ? { kind: 'paragraph', text: `no night since ${since}` }
    : nightTable(trend, offset, ({ runs }) =>
        runs.length === 1 ? runText(runs[0]) : plural(runs.length, 'run'),
      );
}

/**
 * Returns a table with a row per night: runs, time (or ratio to the reference build) with interval, the difference of this value
 * from the level (mean of the night's mode if the series alternates between two, else mean between two changes), marks.
 * @param first index of the first night to show
 * @param runsOf returns the cell about a night's runs
 */
export function nightTable(
  trend: Trend,
  first: number,
  runsOf: (night: HistoryNight) => DocumentText,
): DocumentTable {
  const rows = trend.nights.slice(first).map((night, i) => ({
    night,
    index: first + i,
    level: levelOf(night, trend),
  }));
  return tableOf(
    [
      { head: trend.by === 'day' ? 'night' : 'time (UTC)', cell: ({ night }) => night.night },
      { head: 'run', width: 6, minWidth: 6, maxWidth: 20, cell: ({ night }) => runsOf(night) },
      {
        head: trend.kind === 'time' ? 'time' : 'ratio',
        align: 'right',
        width: 8,
        cell: ({ level }) => levelText(level.log, trend.kind),
      },
      { head: '±', align: 'right', width: 7, cell: ({ level }) => halfText(level) },
      {
        head: 'to level',
        align: 'right',
        cell: ({ level, index }) => {
          const segment = trend.segments.find(({ from, to }) => index >= from && index < to);
          const own = modeLevelAt(trend.modes, index, level.log) ?? segment?.log;
          return own === undefined ? '' : shiftText(level.log - own);
        },
      },
      {
        head: 'marks',
        cell: ({ night, index }) => {
          const isNew = trend.changes.some(({ at }) => at === index);
          return [...(isNew ? ['new level'] : []), ...marksOfNight(trend, night)].join(', ');
        },
      },
    ],
    rows,
  );
}

/**
 * Returns one sentence per reason why runs or message sizes are left out of the history of this series, or estimated, with their
 * number.
 */
function leftOutText({ leftOut, open: xs, series, nights, by }: Trend): string[] {
  const partial = nights.filter(({ open }) => open.length > 0).length;
  const { unlike, otherHosts, open, noCommit, noAnchor } = leftOut;
  return [
    ...(xs.length > 0
      ? [`left out: ${xs.map((x) => xTextOfId(series, x)).join(', ')}, without an interval in most runs`]
      : []),
    ...(partial > 0
      ? [
          `some sizes estimated from other ${nounOf({ by })}s: ${plural(partial, nounOf({ by }))} without an interval there`,
        ]
      : []),
    ...(unlike > 0 ? [`left out: ${plural(unlike, 'run')} with other sizes or by another method`] : []),
    ...(otherHosts > 0
      ? [`left out: ${plural(otherHosts, 'run')} on other hosts (include them with --any-host)`]
      : []),
    ...(open > 0
      ? [
          `left out: ${plural(open, 'run')} without an interval at these sizes, or with too few to estimate the others`,
        ]
      : []),
    ...(noCommit > 0
      ? [`left out: ${plural(noCommit, 'run')} without the tag commit (--tag commit=SHA)`]
      : []),
    ...(noAnchor > 0 ? [`left out: ${plural(noAnchor, 'night')} without a reference build`] : []),
  ];
}

/**
 * Returns as text how much times scatter (standard deviation) over the nights since the last change, or over all nights without
 * one. A new change must exceed this scatter. Null with fewer than ten such nights.
 */
function scatterText(trend: Trend): string | null {
  const last = trend.segments.at(-1);
  if (last === undefined || last.to - last.from < 10) return null;
  const measured = trend.nights.slice(last.from, last.to).map((night) => levelOf(night, trend).log);
  const sd = sampleStandardDeviation(withoutModes(measured, trend.modes, last.from));
  return `${nounOf(trend)}s scatter by ${formatPercent(sd)} (standard deviation)`;
}
