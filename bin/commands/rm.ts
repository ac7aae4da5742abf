import { exitCode } from '../../results/verdicts/exit-code.ts';
import { wholeNumber } from '../../suites/options/values.ts';
import type { Line } from '../line/read.ts';
import { nearPath } from '../terminal.ts';
import type { Command } from './command.ts';
import { texts } from './found.ts';
import { runIds } from './offers.ts';
import { optionTable, rootFlag } from './options/own-options.ts';

const table = optionTable(rootFlag);

async function remove({ found }: Line): Promise<void> {
  const { root } = table.read(found);
  const { findRun, removeRun } = await import('../../results/store/index.ts');
  // All are found before the first is gone.
  const folders: string[] = [];
  for (const name of new Set(texts(found, 'run'))) folders.push(await findRun(name, root));
  for (const dir of new Set(folders)) {
    await removeRun(dir);
    process.stdout.write(`removed ${nearPath(dir)}\n`);
  }
}

/** Stored runs that are not wanted any more. */
export const rm: Command = {
  name: 'rm',
  command: 'rm <run..>',
  describe: 'Remove stored runs with all their samples.',
  examples: [['collbench rm 7f3a2c last~1', 'two runs; baselines made from them are kept']],
  argument: { help: 'Ids, labels or folders of runs' },
  flags: table.flags,
  offer: runIds,
  handler: remove,
};

const pruneTable = optionTable({
  keep: {
    help: 'How many of the newest runs to keep',
    value: 'N',
    allowed: 'a whole number from 0',
    example: '--keep 50',
    fallback: '50',
    parse: wholeNumber(0),
  },
  'dry-run': { help: 'List the runs that would be removed; remove nothing' },
  ...rootFlag,
});

async function pruneRuns({ found }: Line): Promise<void> {
  const { keep, root, 'dry-run': isDry } = pruneTable.read(found);
  const { prunable, removeRun } = await import('../../results/store/index.ts');
  const old = await prunable(root, keep);
  for (const { id, dir, startedAt, title } of old) {
    if (!isDry) await removeRun(dir);
    process.stdout.write(
      `${isDry ? 'would remove' : 'removed'} ${id}  ${startedAt.slice(0, 16)}  ${title}\n`,
    );
  }
  if (old.length === 0) process.stdout.write(`nothing to remove in ${root}: --keep ${keep}\n`);
  process.exitCode = exitCode.ok;
}

/** The same for all that are old and that nobody named. */
export const prune: Command = {
  name: 'prune',
  command: 'prune',
  describe: 'Remove old runs; those with a label or a note are kept.',
  examples: [
    ['collbench prune --keep 100 --dry-run', 'list what would be removed'],
    ['collbench prune --keep 100', 'all but the newest hundred and those with a label or note'],
  ],
  flags: pruneTable.flags,
  handler: pruneRuns,
};
