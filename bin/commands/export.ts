import { writeFileSync } from 'node:fs';
import type { LoadedRun, LoadedSuite } from '../../results/store/index.ts';
import { CommandError } from '../exit.ts';
import { type Command, jsonOption, rootOption, withExamples } from './command.ts';

/** A row for each format. Those that can tell of a suite, too, say how. */
interface Format {
  ofRun(run: LoadedRun): Promise<string | Uint8Array>;
  ofSuite?(suite: LoadedSuite): Promise<string>;
}

const exports = () => import('../../results/export/index.ts');

const formats = {
  csv: { ofRun: async ({ cells }) => (await exports()).cellsToCsv(cells) },
  json: { ofRun: async ({ cells }) => (await exports()).cellsToNdjson(cells) },
  metrics: { ofRun: metricsOf },
  junit: {
    ofRun: async ({ record, cells }) => (await exports()).runToJunit(record, cells),
    ofSuite: async ({ record }) => (await exports()).suiteToJunit(record),
  },
  markdown: {
    ofRun: async ({ record, cells }) => (await exports()).runToMarkdown(record, cells),
    ofSuite: async ({ record: { gate, id } }) => {
      if (gate === null)
        throw new CommandError(`export: suite ${id} was measured without a gate`, [
          '  allowed: --markdown of a run, or of a suite that was measured with --gate',
        ]);
      return (await import('../../reports/gate.ts')).gateMarkdown(gate);
    },
  },
  'open-metrics': { ofRun: async ({ record, cells }) => (await exports()).runToOpenMetrics(record, cells) },
  // Not among the others: the package that writes it is loaded for nothing else.
  parquet: {
    ofRun: async ({ record, cells }) =>
      (await import('../../results/export/parquet.ts')).cellsToParquet(record, cells),
  },
} as const satisfies Record<string, Format>;
type What = keyof typeof formats;

async function metricsOf(run: LoadedRun): Promise<string> {
  const { metricsToCsv } = await exports();
  const hosts = await run.metrics();
  if (hosts.length === 0) {
    throw new CommandError(`export: run ${run.record.id} has no metrics: --sample-interval was off`, [
      '  allowed: --metrics of a run whose machines were read meanwhile',
    ]);
  }
  let text = '';
  for await (const part of metricsToCsv(run.cells, hosts)) text += part;
  return text;
}

async function contentOf(name: string, root: string, what: What): Promise<string | Uint8Array> {
  const { openRun, openSuite } = await import('../../results/store/index.ts');
  const { ofRun, ofSuite }: Format = formats[what];
  const suite = ofSuite === undefined ? null : await openSuite(name, root);
  if (suite !== null && ofSuite !== undefined) return ofSuite(suite);
  const run = await openRun(name, root);
  for (const warning of run.warnings) process.stderr.write(`collbench: ${warning}\n`);
  return ofRun(run);
}

async function give(name: string, root: string, what: What, out: string | undefined): Promise<void> {
  const content = await contentOf(name, root, what);
  if (out === undefined) {
    process.stdout.write(content);
    return;
  }
  try {
    writeFileSync(out, content);
  } catch (error) {
    const option = what === 'parquet' ? 'parquet' : 'out';
    throw new CommandError(`--${option} ${out}: ${error instanceof Error ? error.message : error}`, [
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
    ['collbench export last --markdown >> "$GITHUB_STEP_SUMMARY"', 'for people, where a job of CI shows it'],
    ['collbench export last --parquet monday.parquet', 'for DuckDB and pandas'],
  ],
  builder: (parser) =>
    withExamples(parser, exportRun.examples)
      .positional('run', {
        type: 'string',
        describe: 'Id or folder of a run; with --junit and --markdown of a suite, too',
      })
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
        junit: { type: 'boolean', describe: 'JUnit XML: a case per cell; of a suite per group of its gate' },
        markdown: { type: 'boolean', describe: 'Markdown, for step summaries of GitHub and GitLab' },
        'open-metrics': { type: 'boolean', describe: 'OpenMetrics text, for Prometheus and its like' },
        parquet: {
          type: 'string',
          requiresArg: true,
          describe: 'Parquet, into this file: the columns of the CSV and those of the run',
        },
        out: { type: 'string', requiresArg: true, describe: 'File instead of stdout' },
        ...rootOption,
      }),
  handler: (found) => {
    const { run, root, out, parquet } = found;
    const asked = Object.keys(formats).filter((what) => found[what] !== undefined && found[what] !== false);
    const [first = 'csv', second] = asked;
    if (second !== undefined) {
      throw new CommandError(`export: --${first} and --${second} are two formats`, [
        '  allowed: one of them',
      ]);
    }
    if (parquet !== undefined && out !== undefined) {
      throw new CommandError(`export: --out ${out}: --parquet names its file itself`, [
        `Next: collbench export ${run} --parquet ${parquet}`,
      ]);
    }
    return give(run as string, root as string, first as What, (parquet ?? out) as string | undefined);
  },
};
