import { refuse } from '../../results/refusals/refusal.ts';
import { defaultRoot } from '../../results/store/paths.ts';
import { plural } from '../../results/units.ts';
import type { ParsedLine } from '../line/read.ts';
import { ValueError } from '../options/index.ts';
import { nearPath, printError, printNote, printText } from '../terminal.ts';
import type { CommandDefinition } from './command.ts';
import { type CommandFlagValues, optionTable } from './options/own-options.ts';
import { pointFlag } from './options/points.ts';
import { textOf } from './parsed-values.ts';

const usualNights = 30;
const mostNights = 366;

function webAddress(text: string): string {
  if (!/^https?:\/\/[^\s<>"]+$/.test(text)) throw new ValueError('no web address');
  return text;
}

const flags = {
  runs: {
    help: 'Folders of runs, separated by commas',
    value: 'DIR',
    fallback: defaultRoot,
    parse: (text: string) => text.split(',').filter((one) => one !== ''),
  },
  by: pointFlag,
  nights: {
    help: `Nights (or runs, or commits) in the grid, at most ${mostNights}`,
    value: 'N',
    fallback: String(usualNights),
    allowed: `1 to ${mostNights}`,
    parse: (text: string) => {
      const n = Number(text);
      if (!Number.isInteger(n) || n < 1 || n > mostNights) throw new ValueError('out of range');
      return n;
    },
  },
  title: { help: 'Heading of the site', value: 'TEXT', fallback: 'collbench', parse: String },
  url: {
    help: 'Address where the site is published, for links in feeds and comment',
    value: 'URL',
    allowed: 'http://... or https://...',
    parse: webAddress,
  },
  'report-url': {
    help: 'Address where the run folders are published, for links to their reports',
    shown: 'the folders where they are',
    value: 'URL',
    allowed: 'http://... or https://...',
    parse: webAddress,
  },
  comment: { help: 'Print a Markdown comment for a pull request on stdout' },
  'any-host': { help: 'Runs on other hosts count as the same machine' },
  rebuild: { help: 'Read all runs again; use no cache of an earlier call' },
};
const table = optionTable(flags);
type SiteFlags = CommandFlagValues<typeof flags>;

async function write({ found }: ParsedLine): Promise<void> {
  const [dir, said] = [textOf(found, 'dir'), table.read(found)];
  const [{ openIndexes }, { siteComment, writeSite }] = await Promise.all([
    import('../../results/history/index.ts'),
    import('../../reports/site/index.ts'),
  ]);
  const index = await openIndexes(said.runs, said.rebuild);
  for (const warning of index.warnings) printNote(warning);
  if (index.lines.length === 0) throw refuse('no-runs-for-site', { roots: said.runs });
  const made = await writeSite(index, dir, optionsOf(said));
  const { board, written, removed } = made;
  if (said.comment) printText(siteComment(board, said.url ?? null));
  const gone = removed === 0 ? '' : `, ${removed} removed`;
  printError(
    `site: ${nearPath(made.index)} (${plural(board.runs, 'run')}, ${plural(board.rows.length, 'size range')}; ${plural(written, 'file')} written${gone})\n`,
  );
}

const optionsOf = (said: SiteFlags) => ({
  by: said.by ?? null,
  nights: said.nights,
  anyHost: said['any-host'],
  title: said.title,
  url: said.url ?? null,
  reportUrl: said['report-url'] ?? null,
  anew: said.rebuild,
});

export const site: CommandDefinition = {
  name: 'site',
  command: 'site <dir>',
  describe: 'Write a static site over all runs: last nights, changes, trends, feeds.',
  examples: [
    ['collbench site public', 'public/index.html; the next call updates it'],
    ['collbench site public --runs nightly,collbench-runs', 'over two folders of runs'],
    ['collbench site public --by commit --comment > comment.md', 'also a comment for a pull request'],
  ],
  argument: { help: 'Folder of the site; created if missing' },
  flags: table.flags,
  epilogue:
    'The site is plain files without scripts: any web server or CI artifact holds them. feed.json and atom.xml report each change once.',
  offer: async () => 'files',
  handler: write,
};
