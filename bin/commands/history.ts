import type { Trend } from '../../results/history/index.ts';
import { CommandError } from '../exit.ts';
import { parseSince, sinceAllowed } from '../history/since.ts';
import { withSeveralWords } from '../parser.ts';
import { type Command, rootOption, withExamples } from './command.ts';
import { own } from './shared-option.ts';

interface Asked {
  series: string;
  root: string;
  since: string | undefined;
  group: 'small' | 'mid' | 'large' | undefined;
  trial: 'isolated' | 'pipelined' | undefined;
  anyHost: boolean;
  rebuild: boolean;
  json: boolean;
  out: string | undefined;
}

/** Nights of a series that are shown when nothing is said. */
const usualNights = 14;
/** More series than these are listed; as many are told in full. */
const mostSeries = 1;

async function tell(asked: Asked): Promise<void> {
  const [{ explain, groupsMeant, openIndex, trendOf }, { harmless }] = await Promise.all([
    import('../../results/history/index.ts'),
    import('../../results/text.ts'),
  ]);
  const { root, series, group: regime, trial, anyHost } = asked;
  const index = await openIndex(root, asked.rebuild);
  for (const warning of index.warnings) process.stderr.write(`collbench: ${harmless(warning)}\n`);
  const query = {
    asked: series,
    anyHost,
    ...(regime === undefined ? {} : { regime }),
    ...(trial === undefined ? {} : { trial }),
  };
  const names = groupsMeant(index, query);
  if (names.length === 0) throw nothing(asked, index.lines.length, groupsMeant(index, { asked: '' }));
  const all = names.flatMap((name) => trendOf(index, name, query) ?? []);
  const trends = all.filter((one) => (one.nights.at(-1)?.night ?? '') >= (asked.since ?? ''));
  if (trends.length === 0) throw nothingSince(asked, all);
  const count = new Set(trends.map((one) => one.series)).size;
  const isList = asked.out === undefined && count > mostSeries;
  const columns = (process.stdout.isTTY ? process.stdout.columns : Number(process.env.COLUMNS)) || 120;
  const reports = await import('../../reports/history/index.ts');
  if (isList) {
    const text = asked.json
      ? trends.map((one) => `${JSON.stringify(reports.listJson(one, asked.since))}\n`).join('')
      : `${reports.listText(trends, columns, asked.since)}Next: collbench history WORDS, as many as name one series: ${wordsFor(trends[0]?.series)}\n`;
    process.stdout.write(asked.json ? text : harmless(text));
    return;
  }
  const tales = [];
  for (const one of trends) {
    const since = asked.since ?? (asked.out === undefined ? one.nights.at(-usualNights)?.night : '') ?? '';
    tales.push(await explain(index, one, since));
  }
  for (const one of tales) {
    if (asked.json) process.stdout.write(`${JSON.stringify(reports.trendJson(one))}\n`);
    else process.stdout.write(`${harmless(reports.trendText(one, columns))}\n`);
  }
  if (asked.out === undefined) return;
  const { writeHistory } = await import('../../reports/history/page.ts');
  const page = await writeHistory(tales, asked.out);
  process.stderr.write(`history: ${page}\n`);
}

/** "allreduce float32 sum socket" */
const wordsFor = (series = ''): string =>
  series
    .split('/')
    .filter((word) => word !== '-' && word !== 'out' && word !== 'r-')
    .join(' ');

function nothingSince({ since, series }: Asked, all: readonly Trend[]): CommandError {
  const newest = all
    .map((one) => one.nights.at(-1)?.night ?? '')
    .sort()
    .at(-1);
  return new CommandError(`--since ${since}: there is no night since then`, [
    newest === undefined ? '  no run has that kind of trial' : `  the newest is ${newest}`,
    `Next: collbench history ${series}`.trimEnd(),
  ]);
}

function nothing(asked: Asked, runs: number, all: readonly { series: string }[]): CommandError {
  if (runs === 0) {
    return new CommandError(`history: there are no runs in ${asked.root}`, [
      'Next: collbench allreduce --max 1M',
    ]);
  }
  const known = [...new Set(all.map(({ series }) => series))];
  return new CommandError(`history: no series is called '${asked.series}'`, [
    '  allowed: words of its name, as in: collbench history allreduce socket',
    ...known.slice(0, 5).map((series) => `  there is ${series}`),
    'Next: collbench history',
  ]);
}

/** How series changed from run to run. */
export const history: Command = {
  name: 'history',
  command: 'history [series..]',
  describe: 'Show how figures changed over the nights, since when, and what else changed then.',
  examples: [
    ['collbench history', 'all series, with their last change'],
    ['collbench history allreduce socket --since 30d', 'one series, night by night'],
    ['collbench history allreduce socket --out trend', 'as a page with charts, trend/history.html'],
  ],
  builder: (parser) =>
    withExamples(withSeveralWords(parser), history.examples)
      .positional('series', { type: 'string', array: true, describe: 'Words that its name must have' })
      .options({
        since: own(
          'since',
          { parse: (text) => parseSince(text, Date.now()), allowed: sinceAllowed },
          `First night that is shown, oldest change that is listed; changes are looked for in all nights. ${sinceAllowed}`,
          `the last ${usualNights} nights; of a page all`,
        ),
        group: { type: 'string', choices: ['small', 'mid', 'large'], describe: 'These sizes alone' },
        trial: {
          type: 'string',
          choices: ['isolated', 'pipelined'],
          describe: 'Kind of trial (isolated, where there is one)',
        },
        'any-host': { type: 'boolean', describe: 'Runs on other hosts count as the same machine' },
        rebuild: { type: 'boolean', describe: 'Read all runs and write their index (runs.ndjson) anew' },
        json: { type: 'boolean', describe: 'One JSON object per series and line' },
        out: { type: 'string', requiresArg: true, describe: 'Folder for history.html and its charts' },
        ...rootOption,
      }),
  handler: (found) =>
    tell({
      series: ((found.series as string[] | undefined) ?? []).join(' '),
      root: found.root as string,
      since: found.since as string | undefined,
      group: found.group as Asked['group'],
      trial: found.trial as Asked['trial'],
      anyHost: found['any-host'] === true,
      rebuild: found.rebuild === true,
      json: found.json === true,
      out: found.out as string | undefined,
    }),
};
