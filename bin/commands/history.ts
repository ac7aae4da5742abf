import type { Trend } from '../../results/history/trend.ts';
import type { TrendReport } from '../../results/history/trend-report.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import type { RunIndex } from '../../results/store/run-index/open.ts';
import { type OptionValues, switchOption } from '../../suites/options/option.ts';
import { parseOneOf, ValueError } from '../../suites/options/values.ts';
import { printError, printNote, printText, shapeOfStdout } from '../terminal.ts';
import { defineCommand } from './command.ts';
import { chartOptions, outFolder, pointOption, printPlots, rootOption, rootWords } from './options.ts';

/**
 * Number of newest nights that are shown if --since is not given; a page (--out) shows all nights. A night is all runs of one day,
 * all runs of one commit, or a single run (--by).
 */
const usualNights = 14;
/**
 * Maximum number of series that are shown in detail. If more series match, they are only listed; with --out all are shown in
 * detail.
 */
const maxSeries = 1;

const sinceHelp = 'a number of days, weeks or months (30d, 12w, 6m), or a date (2026-11-01)';

const days: Record<string, number> = { d: 1, w: 7, m: 30 };

/**
 * The first day of the period that --since names, as UTC date "YYYY-MM-DD". The text is a span back from now, such as "30d", or a
 * date. A month counts as 30 days.
 * @param now current time, ms since 1970
 * @throws {ValueError} if the text is neither
 */
function parseSince(text: string, now: number): string {
  const [, count, unit = ''] = /^(\d{1,5})([dwm])$/.exec(text) ?? [];
  if (count !== undefined) {
    const date = new Date(now - Number(count) * (days[unit] as number) * 86_400_000);
    return date.toISOString().slice(0, 10);
  }
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : null;
  // The comparison rejects days that do not exist: "2026-02-30" would become the 2nd of March.
  if (date === null || Number.isNaN(date.getTime()) || !date.toISOString().startsWith(text))
    throw new ValueError('is neither a span of time nor a date');
  return text;
}

const options = {
  since: {
    synonyms: ['from', 'after', 'days'],
    value: 'TIME',
    describe: `Oldest night shown and oldest change listed; changes are searched in all nights. ${sinceHelp}`,
    defaultDescription: `the last ${usualNights} nights; of a page all`,
    allowed: sinceHelp,
    coerce: (text: string) => parseSince(text, Date.now()),
  },
  group: {
    value: 'RANGE',
    describe: 'Only one size range: small, mid or large',
    allowed: 'small, mid or large',
    choices: ['small', 'mid', 'large'],
    coerce: parseOneOf(['small', 'mid', 'large']),
  },
  trial: {
    value: 'KIND',
    describe: 'Kind of trial: isolated (where there is one) or pipelined',
    allowed: 'isolated or pipelined',
    choices: ['isolated', 'pipelined'],
    coerce: parseOneOf(['isolated', 'pipelined']),
  },
  ...pointOption,
  'any-host': { ...switchOption, describe: 'Runs on other hosts count as the same machine' },
  rebuild: { ...switchOption, describe: 'Rebuild the index of all runs (runs.ndjson)' },
  json: { ...switchOption, describe: 'One JSON object per series and line' },
  out: { ...outFolder, describe: 'Folder for history.html and its charts' },
  ...chartOptions,
  ...rootOption,
};
type HistoryOptions = OptionValues<typeof options>;

async function tell(values: HistoryOptions & { series: string[] }): Promise<void> {
  const asked = values.series.join(' ');
  const { openIndex } = await import('../../results/store/run-index/open.ts');
  const index = await openIndex(values.root, values.rebuild);
  for (const warning of index.warnings) printNote(warning);
  const trends = await trendsOf(index, asked, values);
  const isList = values.out === undefined && new Set(trends.map(({ series }) => series)).size > maxSeries;
  if (isList) await list(index, trends, values);
  else await tellAll(index, trends, values);
}

/**
 * Trends (one value per night) of the series whose names contain all words of `requested`, without series whose newest night is
 * before --since.
 * @throws Refusal if there are no runs or no series matches, or if no matching series has values, runs with a commit (--by commit),
 * or a night since --since
 */
async function trendsOf(index: RunIndex, requested: string, values: HistoryOptions): Promise<Trend[]> {
  const { matchingGroups, trendOf } = await import('../../results/history/trend.ts');
  const { root, since, group: regime, trial } = values;
  const query = {
    ...{ asked: requested, anyHost: values['any-host'], by: values.by ?? null },
    ...(regime === undefined ? {} : { regime }),
    ...(trial === undefined ? {} : { trial }),
  };
  if (index.lines.length === 0) throw refuse('no-runs-for-history', { root });
  const names = matchingGroups(index, query);
  if (names.length === 0) {
    const known = [...new Set(matchingGroups(index, { asked: '' }).map(({ series }) => series))];
    throw refuse('no-such-series', { asked: requested, known });
  }
  const all = names.flatMap((name) => trendOf(index, name, query) ?? []);
  const trends = all.filter((one) => (one.nights.at(-1)?.night ?? '') >= (since ?? ''));
  if (trends.length > 0) return trends;
  if (values.by === 'commit' && all.length === 0) throw refuse('no-commit-tags');
  if (all.length === 0) throw refuse('no-points', { asked: requested });
  const [newest = ''] = all.map((one) => one.nights.at(-1)?.night ?? '').sort((a, b) => (a < b ? 1 : -1));
  throw refuse('no-night-since', { since: since ?? '', newest });
}

async function list(
  index: RunIndex,
  trends: readonly Trend[],
  { json, since, root }: HistoryOptions,
): Promise<void> {
  const { searchWords } = await import('../../results/history/series-name.ts');
  const { explainLast } = await import('../../results/history/trend-report.ts');
  const { listJson } = await import('../../reports/history/json.ts');
  const { listText } = await import('../../reports/history/document.ts');
  const reports = await explainLast(index, trends);
  const text = json
    ? reports.map((one) => `${JSON.stringify(listJson(one, since))}\n`).join('')
    : `${listText(reports, shapeOfStdout().columns, since)}for one series: collbench history ${searchWords(trends[0]?.series ?? '')}${rootWords(root)}\n`;
  printText(text);
}

async function tellAll(index: RunIndex, trends: readonly Trend[], values: HistoryOptions): Promise<void> {
  const { explainChanges: explain } = await import('../../results/history/trend-report.ts');
  const { trendJson } = await import('../../reports/history/json.ts');
  const { trendText } = await import('../../reports/history/document.ts');
  const tales = [];
  for (const one of trends) {
    const first = values.out === undefined ? one.nights.at(-usualNights)?.night : '';
    tales.push(await explain(index, one, values.since ?? first ?? ''));
  }
  for (const one of tales) {
    const text = values.json ? JSON.stringify(trendJson(one)) : trendText(one, shapeOfStdout().columns);
    printText(`${text}\n`);
    if (values.chart && !values.json) await chart(one, values.ascii);
  }
  if (values.out === undefined) return;
  const { writeHistory } = await import('../../reports/history/document.ts');
  printError(`history: ${await writeHistory(tales, values.out)}\n`);
}

async function chart({ trend, since }: TrendReport, ascii: boolean): Promise<void> {
  const { trendPlot } = await import('../../reports/plots/trend.ts');
  const plot = trendPlot(trend, since);
  if (plot !== null) await printPlots([plot], ascii);
}

export const history = defineCommand({
  command: 'history [series..]',
  describe: 'Show how results changed over the nights, since when, and which settings changed then.',
  examples: [
    ['collbench history', 'all series, with their last change'],
    ['collbench history allreduce socket --since 30d', 'one series, night by night'],
    ['collbench history allreduce socket --chart', 'with charts of characters'],
    ['collbench history allreduce socket --out trend', 'as a page with charts, trend/history.html'],
  ],
  argument: { help: 'Words that the name of a series must contain' },
  options,
  handler: tell,
});
