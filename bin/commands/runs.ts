import type { RunEntry } from '../../results/store/index.ts';
import { oneLine } from '../../results/text.ts';
import type { Line } from '../line/read.ts';
import { printJson, printText } from '../terminal.ts';
import type { Command } from './command.ts';
import { jsonFlag, optionTable, rootFlag } from './options/own-options.ts';

const table = optionTable({
  filter: {
    help: 'Only runs that match every word: in id, title, state or label, or as a tag NAME=VALUE',
    value: 'WORDS',
    example: '--filter "socket rack=7"',
    parse: (text) =>
      text
        .toLowerCase()
        .split(/[\s,]+/)
        .filter(Boolean),
  },
  ...rootFlag,
  ...jsonFlag,
});

/** Everything about a run that a word may be in. */
const aboutOf = ({ id, title, state, label, tags }: RunEntry): string =>
  [id, title, state, label ?? '', ...Object.entries(tags).map((tag) => tag.join('='))]
    .join(' ')
    .toLowerCase();

async function list({ found }: Line): Promise<void> {
  const { root, json, filter = [] } = table.read(found);
  const { listRuns } = await import('../../results/store/index.ts');
  const all = await listRuns(root);
  const entries = all.filter((entry) => filter.every((word) => aboutOf(entry).includes(word)));
  if (json) {
    for (const entry of entries) printJson(entry);
    return;
  }
  if (entries.length === 0 && all.length > 0) {
    printText(`none of ${all.length} runs has all of: ${filter.join(' ')}\n`);
    return;
  }
  if (entries.length === 0) {
    printText(`no runs in ${root}. Make one: collbench allreduce --max 1M\n`);
    return;
  }
  const widest = Math.max(...entries.map(({ state }) => state.length));
  for (const entry of entries) {
    const { id, startedAt, state, cellsMeasured, cellsExpected, title, problem, label, tags } = entry;
    const marks = [
      ...(label === null ? [] : [`'${label}'`]),
      ...Object.entries(tags).map((tag) => tag.join('=')),
    ];
    const time = startedAt.replace('T', ' ').slice(0, 16).padEnd(16);
    const cells = `${cellsMeasured ?? '?'}/${cellsExpected ?? '?'}`.padStart(9);
    printText(
      `${id.padEnd(6)}  ${time}  ${state.padEnd(widest)}  ${cells}  ${oneLine([problem ?? title, ...marks].join('  '))}\n`,
    );
  }
}

/** Stored runs, oldest first as `ls` would. */
export const runs: Command = {
  name: 'runs',
  command: 'runs',
  describe: 'List the stored runs.',
  examples: [
    ['collbench runs', 'id, time (UTC), state, configurations and title of each'],
    ['collbench runs --filter "socket rack=7"', 'socket runs with that tag'],
  ],
  flags: table.flags,
  handler: list,
};
