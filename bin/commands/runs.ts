import type { RunEntry } from '../../results/store/types.ts';
import { sanitiseLine, wrapBeside } from '../../results/text.ts';
import type { OptionValues } from '../../suites/options/option.ts';
import { printJson, printSentences, printText, shapeOfStdout } from '../terminal.ts';
import { defineCommand } from './command.ts';
import { jsonOption, rootOption } from './options.ts';

const options = {
  filter: {
    describe:
      'Only runs that match every word: in id, title, state, label, suite or entry, or as a tag NAME=VALUE',
    value: 'WORDS',
    example: '--filter "socket rack=7"',
    coerce: (text: string) =>
      text
        .toLowerCase()
        .split(/[\s,]+/)
        .filter(Boolean),
  },
  ...rootOption,
  ...jsonOption,
};

/** Text of a run in which --filter searches: id, title, state, label, suite and tags, in lower case. */
const aboutOf = ({ id, title, state, label, tags, suite }: RunEntry): string =>
  [id, title, state, label ?? '', suiteText(suite), ...Object.entries(tags).map((tag) => tag.join('='))]
    .join(' ')
    .toLowerCase();

/** Text about a run's suite: "suite nightly 41c2aa: small, reference build, second measurement". "" if it has no suite. */
function suiteText(suite: RunEntry['suite']): string {
  if (suite === null) return '';
  const { id, name, entry, arm, pass } = suite;
  const parts = [
    entry,
    ...(arm === 'anchor' ? ['reference build'] : []),
    ...(pass === 'again' ? ['second measurement'] : []),
  ];
  return `suite ${name} ${id}: ${parts.join(', ')}`;
}

async function list({ root, json, filter = [] }: OptionValues<typeof options>): Promise<void> {
  const { listRuns } = await import('../../results/store/list.ts');
  const all = await listRuns(root);
  const entries = all.filter((entry) => filter.every((word) => aboutOf(entry).includes(word)));
  if (json) {
    for (const entry of entries) printJson(entry);
    return;
  }
  if (entries.length === 0 && all.length > 0) {
    printSentences(`none of ${all.length} runs has all of: ${filter.join(' ')}\n`);
    return;
  }
  if (entries.length === 0) {
    printSentences(`no runs in ${root}. Make one: collbench allreduce --max 1M\n`);
    return;
  }
  const widest = Math.max(...entries.map(({ state }) => state.length));
  for (const entry of entries) {
    const { id, startedAt, state, cellsMeasured, cellsExpected, title, problem, label, tags, suite } = entry;
    const marks = [
      ...(label === null ? [] : [`'${label}'`]),
      ...Object.entries(tags).map((tag) => tag.join('=')),
      ...(suite === null ? [] : [suiteText(suite)]),
    ];
    const time = startedAt.replace('T', ' ').slice(0, 16).padEnd(16);
    const cells = `${cellsMeasured ?? '?'}/${cellsExpected ?? '?'}`.padStart(9);
    const lead = `${id.padEnd(6)}  ${time}  ${state.padEnd(widest)}  ${cells}  `;
    const about = sanitiseLine([problem ?? title, ...marks].join(' · '));
    // A terminal would break a longer line within a word. A pipe gets exactly one line per run.
    const width = Math.max(lead.length + 24, shapeOfStdout().columns);
    const lines = process.stdout.isTTY ? wrapBeside(lead, about, width) : [lead + about];
    printText(`${lines.join('\n')}\n`);
  }
}

export const runs = defineCommand({
  command: 'runs',
  describe: 'List the stored runs.',
  examples: [
    ['collbench runs', 'id, time (UTC), state, configurations, title, label, tags and suite of each'],
    ['collbench runs --filter "socket rack=7"', 'socket runs with that tag'],
  ],
  options,
  handler: list,
});
