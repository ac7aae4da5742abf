import { writeFileSync } from 'node:fs';
import { CommandError } from '../exit.ts';
import { type Command, jsonOption, rootOption, withExamples } from './command.ts';

async function give(name: string, root: string, json: boolean, out: string | undefined): Promise<void> {
  const [{ cellsToCsv, cellsToNdjson }, { openRun }] = await Promise.all([
    import('../../results/export/index.ts'),
    import('../../results/store/index.ts'),
  ]);
  const { cells, warnings } = await openRun(name, root);
  for (const warning of warnings) process.stderr.write(`collbench: ${warning}\n`);
  const text = json ? cellsToNdjson(cells) : cellsToCsv(cells);
  if (out === undefined) {
    process.stdout.write(text);
    return;
  }
  try {
    writeFileSync(out, text);
  } catch (error) {
    throw new CommandError(`--out ${out}: ${error instanceof Error ? error.message : error}`, [
      '  allowed: a file in a folder that exists and can be written',
    ]);
  }
}

/** The cells of a stored run for other programs. */
export const exportRun: Command = {
  name: 'export',
  command: 'export <run>',
  describe: 'Give a stored run to other programs.',
  examples: [['collbench export 7f3a2c --csv > monday.csv', 'one row per cell and kind of trial']],
  builder: (parser) =>
    withExamples(parser, exportRun.examples)
      .positional('run', { type: 'string', describe: 'Id or folder of a run' })
      .options({
        csv: {
          type: 'boolean',
          describe: 'Comma separated values, one row per cell and kind of trial (the default)',
        },
        ...jsonOption,
        out: { type: 'string', requiresArg: true, describe: 'File instead of stdout' },
        ...rootOption,
      }),
  handler: ({ run, root, csv, json, out }) => {
    if (csv === true && json === true) {
      throw new CommandError('export: --csv and --json are two formats', ['  allowed: one of them']);
    }
    return give(run as string, root as string, json === true, out as string | undefined);
  },
};
