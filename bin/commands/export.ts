import { writeFileSync } from 'node:fs';
import { CommandError } from '../exit.ts';
import { type Command, jsonOption, rootOption, withExamples } from './command.ts';

type What = 'csv' | 'json' | 'metrics';

async function give(name: string, root: string, what: What, out: string | undefined): Promise<void> {
  const [{ cellsToCsv, cellsToNdjson, metricsToCsv }, { openRun }] = await Promise.all([
    import('../../results/export/index.ts'),
    import('../../results/store/index.ts'),
  ]);
  const run = await openRun(name, root);
  const { cells, warnings } = run;
  for (const warning of warnings) process.stderr.write(`collbench: ${warning}\n`);
  let text = '';
  if (what === 'metrics') {
    const hosts = await run.metrics();
    if (hosts.length === 0) {
      throw new CommandError(`export: run ${run.record.id} has no metrics: --sample-interval was off`, [
        '  allowed: --metrics of a run whose machines were read meanwhile',
      ]);
    }
    for await (const part of metricsToCsv(cells, hosts)) text += part;
  } else text = what === 'json' ? cellsToNdjson(cells) : cellsToCsv(cells);
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
  examples: [
    ['collbench export 7f3a2c --csv > monday.csv', 'one row per cell and kind of trial'],
    ['collbench export 7f3a2c --metrics > load.csv', 'what each host did in each cell'],
  ],
  builder: (parser) =>
    withExamples(parser, exportRun.examples)
      .positional('run', { type: 'string', describe: 'Id or folder of a run' })
      .options({
        csv: {
          type: 'boolean',
          describe: 'Comma separated values, one row per cell and kind of trial (the default)',
        },
        ...jsonOption,
        metrics: {
          type: 'boolean',
          describe:
            'What each host did while each cell was measured: mean, min and max of every value read, as CSV',
        },
        out: { type: 'string', requiresArg: true, describe: 'File instead of stdout' },
        ...rootOption,
      }),
  handler: ({ run, root, csv, json, metrics, out }) => {
    const asked = Object.entries({ csv, json, metrics }).flatMap(([what, is]) => (is === true ? [what] : []));
    const [first = 'csv', second] = asked;
    if (second !== undefined) {
      throw new CommandError(`export: --${first} and --${second} are two formats`, [
        '  allowed: one of them',
      ]);
    }
    return give(run as string, root as string, first as What, out as string | undefined);
  },
};
