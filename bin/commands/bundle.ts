import { statSync } from 'node:fs';
import { version } from '../../orchestration/build.ts';
import { formatBytes, plural } from '../../results/units.ts';
import type { OptionValues } from '../../suites/options/option.ts';
import { nearPath, printSentences } from '../terminal.ts';
import { defineCommand } from './command.ts';
import { runIds } from './completions.ts';
import { outFile, rootOption } from './options.ts';

const options = {
  out: {
    ...outFile,
    describe: 'File to write; it must not exist',
    defaultDescription: 'collbench-<id>.bundle.gz',
  },
  ...rootOption,
};

async function pack({ run: name, root, out }: OptionValues<typeof options> & { run: string }): Promise<void> {
  const { openRun } = await import('../../results/store/read.ts');
  const { writeBundle } = await import('../../results/bundle/write.ts');
  const run = await openRun(name, root);
  const file = out ?? `collbench-${run.record.id}.bundle.gz`;
  const { cells, blocks } = await writeBundle(run, file, version());
  printSentences(
    `${nearPath(file)}: ${plural(cells, 'configuration')}, ${plural(blocks, 'block')} of samples, ${formatBytes(statSync(file).size)}\n` +
      'redacted: host names, user names, paths, addresses; left out: notes, logs, machine metrics\n' +
      `Next: collbench import ${nearPath(file)}\n`,
  );
}

export const bundle = defineCommand({
  command: 'bundle <run>',
  describe: 'Pack a run into one redacted file that "collbench import" reads elsewhere.',
  examples: [
    ['collbench bundle last', 'collbench-<id>.bundle.gz: run, machine, versions, samples'],
    ['collbench import collbench-7f3a2c.bundle.gz', 'elsewhere: a reference run for compare'],
  ],
  argument: { help: 'Id, label or folder of a run' },
  options,
  offer: runIds,
  handler: pack,
});
