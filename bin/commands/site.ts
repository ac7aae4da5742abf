import { refuse } from '../../results/refusals/refusal.ts';
import { defaultRoot } from '../../results/store/paths.ts';
import { plural } from '../../results/units.ts';
import { type OptionValues, switchOption } from '../../suites/options/option.ts';
import { ValueError, wholeNumber } from '../../suites/options/values.ts';
import { nearPath, printMessage, printNote, printText } from '../terminal.ts';
import { defineCommand } from './command.ts';
import { pointOption } from './options.ts';

const maxNights = 366;

function webAddress(text: string): string {
  if (!/^https?:\/\/[^\s<>"]+$/.test(text)) throw new ValueError('no web address');
  return text;
}

const options = {
  runs: {
    synonyms: ['root', 'runs-dir', 'store'],
    describe: 'Folders of runs, separated by commas',
    value: 'DIR',
    default: [defaultRoot],
    coerce: (text: string) => text.split(',').filter((one) => one !== ''),
  },
  ...pointOption,
  nights: {
    describe: `Nights (or runs, or commits) in the grid, at most ${maxNights}`,
    value: 'N',
    default: 30,
    allowed: `1 to ${maxNights}`,
    coerce: wholeNumber(1, maxNights),
  },
  title: { describe: 'Heading of the site', value: 'TEXT', default: 'collbench', coerce: String },
  url: {
    describe: 'Address where the site is published, for links in feeds and comment',
    value: 'URL',
    allowed: 'http://... or https://...',
    coerce: webAddress,
  },
  'report-url': {
    describe: 'Address where the run folders are published, for links to their reports',
    defaultDescription: 'the folders where they are',
    value: 'URL',
    allowed: 'http://... or https://...',
    coerce: webAddress,
  },
  comment: { ...switchOption, describe: 'Print a Markdown comment for a pull request on stdout' },
  'any-host': { ...switchOption, describe: 'Runs on other hosts count as the same machine' },
  rebuild: { ...switchOption, describe: 'Read all runs again; use no cache of an earlier call' },
};
type SiteOptions = OptionValues<typeof options>;

async function write(values: SiteOptions & { folder: string }): Promise<void> {
  const { openIndexes } = await import('../../results/history/together.ts');
  const { siteComment } = await import('../../reports/site/comment.ts');
  const { writeSite } = await import('../../reports/site/write.ts');
  const index = await openIndexes(values.runs, values.rebuild);
  for (const warning of index.warnings) printNote(warning);
  if (index.lines.length === 0) throw refuse('no-runs-for-site', { roots: values.runs });
  const made = await writeSite(index, values.folder, optionsOf(values));
  const { board, written, removed } = made;
  if (values.comment) printText(siteComment(board, values.url ?? null));
  const gone = removed === 0 ? '' : `, ${removed} removed`;
  printMessage(
    `site: ${nearPath(made.index)} (${plural(board.runs, 'run')}, ${plural(board.rows.length, 'size range')}; ${plural(written, 'file')} written${gone})`,
  );
}

const optionsOf = (values: SiteOptions) => ({
  by: values.by ?? null,
  nights: values.nights,
  anyHost: values['any-host'],
  title: values.title,
  url: values.url ?? null,
  reportUrl: values['report-url'] ?? null,
  anew: values.rebuild,
});

export const site = defineCommand({
  command: 'site <folder>',
  describe: 'Write a static site over all runs: last nights, changes, trends, feeds.',
  examples: [
    ['collbench site public', 'public/index.html; the next call updates it'],
    ['collbench site public --runs nightly,collbench-runs', 'over two folders of runs'],
    ['collbench site public --by commit --comment > comment.md', 'also a comment for a pull request'],
  ],
  argument: { help: 'Folder of the site; created if missing' },
  options,
  epilogue:
    'The site is plain files without scripts: any web server or CI artifact holds them. feed.json and atom.xml report each change once.',
  offer: async () => 'files',
  handler: write,
});
