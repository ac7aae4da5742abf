import { xTextOfId } from '../../results/axis-text.ts';
import {
  type HistoryNight,
  regimeName,
  type TimeLevel,
  type Trend,
  type TrendReport,
  unconfirmedStep,
} from '../../results/history/index.ts';
import { foldText } from '../../results/judge/verdict-text.ts';
import { column, line } from '../terminal/columns.ts';
import { formatPercent, plural, wrap } from '../wording.ts';
import {
  causeText,
  changeSentence,
  countText,
  halfText,
  levelOf,
  levelText,
  marksOfNight,
  nounOf,
  quietText,
  runText,
  shiftText,
  sparkline,
  trialText,
} from './texts.ts';

/** Maximum number of nights in a sparkline (a row of small bars within a text line). */
const sparkNights = 40;

const logsOf = (trend: Trend): number[] => trend.nights.map((night) => levelOf(night, trend).log);

/** Width in characters of the list's columns, including gaps, without sparkline and series title. */
const factColumns = 58;

/**
 * Returns a list with one row per series and size range (small, middle, large sizes): number of nights, current level, last
 * change. If titles do not fit beside the figures, they get their own lines, because cut titles look alike.
 * @param columns width of the terminal in characters
 * @param since first night whose changes are shown; "" = all
 */
export function listText(trends: readonly Trend[], columns: number, since = ''): string {
  const widest = Math.max(...trends.map(({ title }) => title.length), 6);
  const halfWidth = widestHalf(
    trends.flatMap((trend) => trend.nights.slice(-1).map((last) => levelOf(last, trend))),
    6,
  );
  const facts = factColumns + halfWidth;
  const isWide = columns - facts - widest >= 8;
  const spark = Math.min(20, columns - facts - (isWide ? widest : 2));
  const [first] = trends;
  const shape = [
    ...(isWide ? [column('title', 'series', widest, 'left')] : [column('title', '', 0, 'left', 0)]),
    column('regime', 'sizes', 5, 'left'),
    column('points', `${first === undefined ? 'night' : nounOf(first)}s`, 6),
    column('latest', 'latest', 8),
    column('half', '±', halfWidth),
    ...(spark >= 8 ? [column('spark', '', spark, 'left')] : []),
    column('change', 'last change', 27, 'left'),
  ];
  const rows = trends.flatMap((trend, i) => {
    const last = trend.nights.at(-1);
    const level = last === undefined ? null : levelOf(last, trend);
    const change = trend.changes.findLast(({ night }) => night >= since);
    const suspect = unconfirmedStep(trend, trend.segments.at(-1));
    const row = line(shape, {
      title: isWide ? trend.title : '',
      regime: trend.regime,
      points: String(trend.nights.length),
      latest: level === null ? '' : levelText(level.log, trend.kind),
      half: level === null ? '' : halfText(level),
      spark: sparkline(logsOf(trend).slice(-spark)),
      change:
        suspect !== null
          ? `${foldText(suspect.ratio)}, not confirmed`
          : change === undefined
            ? ''
            : `${shiftText(change.shift)} ${change.night}`,
    });
    return isWide || trends[i - 1]?.title === trend.title ? [row] : [...wrap(trend.title, columns), row];
  });
  const head = line(shape, Object.fromEntries(shape.map(({ key, head: text }) => [key, text])));
  return `${[head, ...rows].join('\n')}\n`;
}

/**
 * Returns one trend as text: what changed and when, then one row per night, the newest last.
 * @param columns width of the terminal in characters
 */
export function trendText(told: TrendReport, columns: number): string {
  const { trend, explained, since } = told;
  const width = Math.max(60, columns);
  const anchored = trend.kind === 'ratio' ? ', time by time of the reference build' : '';
  const sizes = `${regimeName(trend.regime)}; ${trialText(trend)}${anchored}`;
  const shown = trend.nights.filter(({ night }) => night >= since);
  const parts = [
    trend.title,
    `  ${sizes}`,
    `  ${sparkline(logsOf(trend).slice(-sparkNights))}  ${countText(trend)}`,
    ...changesText(told, width),
    ...leftOutText(trend).flatMap((text) => wrap(text, width - 2, '  ').map((part) => `  ${part}`)),
    ...(shown.length === 0 ? [`  no night since ${since}`] : nightRows(trend, shown, explained, width)),
  ];
  return `${parts.join('\n')}\n`;
}

function changesText({ trend, explained }: TrendReport, width: number): string[] {
  const changes = explained.flatMap((one) => [
    ...wrap(changeSentence(trend, one.change), width - 2, '  ').map((text) => `  ${text}`),
    ...wrap(causeText(one), width - 4, '  ').map((text) => `    ${text}`),
  ]);
  if (explained.length > 0 && unconfirmedStep(trend, trend.segments.at(-1)) === null) return changes;
  const scatter = scatterText(trend);
  const text = quietText(trend) + (scatter === null ? '' : `; ${scatter}`);
  return [...changes, ...wrap(text, width - 2, '  ').map((line) => `  ${line}`)];
}

/** Returns which runs and sizes the trend leaves out, and why; one sentence each. */
export function leftOutText({ leftOut, open: xs, series, nights, by }: Trend): string[] {
  const partial = nights.filter(({ open }) => open.length > 0).length;
  const { unlike, otherHosts, open, noCommit, noAnchor } = leftOut;
  return [
    ...(xs.length > 0
      ? [`left out: ${xs.map((x) => xTextOfId(series, x)).join(', ')}, without an interval in most runs`]
      : []),
    ...(partial > 0
      ? [`judged without some sizes: ${plural(partial, nounOf({ by }))} that had no interval there`]
      : []),
    ...(unlike > 0 ? [`left out: ${plural(unlike, 'run')} with other sizes or by another method`] : []),
    ...(otherHosts > 0
      ? [`left out: ${plural(otherHosts, 'run')} on other hosts (include them with --any-host)`]
      : []),
    ...(open > 0 ? [`left out: ${plural(open, 'run')} without an interval at any of these sizes`] : []),
    ...(noCommit > 0
      ? [`left out: ${plural(noCommit, 'run')} without the tag commit (--tag commit=SHA)`]
      : []),
    ...(noAnchor > 0 ? [`left out: ${plural(noAnchor, 'night')} without a reference build`] : []),
  ];
}

/** Returns the width in characters of the column with half widths of intervals. @param min minimum width */
const widestHalf = (levels: readonly TimeLevel[], min: number): number =>
  Math.max(min, ...levels.map((level) => halfText(level).length));

/** Maximum number of characters of a run's label; longer labels are cut. */
const runWidth = 20;

function nightRows(
  trend: Trend,
  shown: Trend['nights'],
  explained: TrendReport['explained'],
  width: number,
): string[] {
  const runsOf = ({ runs }: HistoryNight): string =>
    runs.length === 1 ? runText(runs[0]) : plural(runs.length, 'run');
  const offset = trend.nights.length - shown.length;
  const marksOf = (night: HistoryNight, i: number): string => {
    const isNew = explained.some(({ change }) => change.at === offset + i);
    return [...(isNew ? ['new level'] : []), ...marksOfNight(trend, night)].join(', ');
  };
  const halfWidth = widestHalf(
    shown.map((night) => levelOf(night, trend)),
    7,
  );
  const besides = 44 + halfWidth + Math.max(0, ...shown.map((night, i) => marksOf(night, i).length));
  const widest = Math.max(6, ...shown.map((night) => runsOf(night).length));
  const shape = [
    column('night', trend.by === 'day' ? 'night' : 'time (UTC)', trend.by === 'day' ? 10 : 16, 'left', 2),
    column('runs', 'run', Math.min(widest, Math.max(6, Math.min(runWidth, width - besides))), 'left'),
    column('level', trend.kind === 'time' ? 'time' : 'ratio', 8),
    column('half', '±', halfWidth),
    column('against', 'to level', 8),
    column('marks', '', 60, 'left'),
  ];
  const rows = shown.map((night, i) => {
    const index = offset + i;
    const level = levelOf(night, trend);
    const segment = trend.segments.find(({ from, to }) => index >= from && index < to);
    return line(shape, {
      night: night.night,
      runs: runsOf(night),
      level: levelText(level.log, trend.kind),
      half: halfText(level),
      against: segment === undefined ? '' : shiftText(level.log - segment.log),
      marks: marksOf(night, i),
    });
  });
  const head = line(shape, Object.fromEntries(shape.map(({ key, head: text }) => [key, text])));
  return [head, ...rows].map((text) => `  ${text}`);
}

/**
 * Returns the standard deviation of the nights since the last change, from which a new change must differ. Null with fewer
 * than ten such nights.
 */
function scatterText(trend: Trend): string | null {
  const last = trend.segments.at(-1);
  if (last === undefined || last.to - last.from < 10) return null;
  const logs = trend.nights.slice(last.from, last.to).map((night) => levelOf(night, trend).log - last.log);
  const sd = Math.sqrt(logs.reduce((sum, x) => sum + x * x, 0) / (logs.length - 1));
  return `${nounOf(trend)}s scatter by ${formatPercent(sd)} (standard deviation)`;
}
