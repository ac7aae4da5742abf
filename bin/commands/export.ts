import path from 'node:path';
import { refuse } from '../../results/refusals/refusal.ts';
import type { CellRecord } from '../../results/schema/index.ts';
import type { LoadedRun, LoadedSuite } from '../../results/store/index.ts';
import type { Line } from '../line/read.ts';
import { printBytes, printNote, printText } from '../terminal.ts';
import { writeNamed } from '../write-file.ts';
import type { Command } from './command.ts';
import { textOf } from './found.ts';
import { runIds } from './offers.ts';
import { jsonFlag, optionTable, rootFlag } from './options/own-options.ts';

/** A row for each format. Those that can tell of a suite, too, say how. */
interface Format {
  ofRun(run: LoadedRun): Promise<string | Uint8Array>;
  ofSuite?(suite: LoadedSuite): Promise<string>;
}

const exports = () => import('../../results/export/index.ts');

const formats = {
  csv: {
    ofRun: async ({ cells }) => (await exports()).cellsToCsv(cells),
    ofSuite: async (suite) => (await exports()).entriesToCsv(await entriesOf(suite)),
  },
  json: { ofRun: async ({ cells }) => (await exports()).cellsToNdjson(cells) },
  metrics: { ofRun: metricsOf },
  junit: {
    ofRun: async ({ record, cells }) => (await exports()).runToJunit(record, cells),
    ofSuite: async ({ record }) => (await exports()).suiteToJunit(record),
  },
  markdown: {
    ofRun: async ({ record, cells }) => (await exports()).runToMarkdown(record, cells),
    ofSuite: async ({ record: { gate, id } }) => {
      if (gate === null) throw refuse('suite-without-gate', { suite: id });
      return (await import('../../reports/gate/gate.ts')).gateMarkdown(gate);
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

/** Cells of the runs of each entry, those of a reference build included; entries that did not run have none. */
async function entriesOf({ dir, record }: LoadedSuite): Promise<{ entry: string; cells: CellRecord[] }[]> {
  const { openRun } = await import('../../results/store/index.ts');
  const runs = record.entries.flatMap(({ name, runs }) => runs.map((run) => ({ entry: name, run })));
  return Promise.all(
    runs.map(async ({ entry, run }) => ({ entry, cells: (await openRun(path.join(dir, run.folder))).cells })),
  );
}

async function metricsOf(run: LoadedRun): Promise<string> {
  const { metricsToCsv } = await exports();
  const hosts = await run.metrics();
  if (hosts.length === 0) throw refuse('run-without-metrics', { run: run.record.id });
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
  for (const warning of run.warnings) printNote(warning);
  return ofRun(run);
}

const table = optionTable({
  csv: {
    help: 'Comma separated values, one row per configuration and kind of trial (the default); also of a suite',
  },
  ...jsonFlag,
  metrics: {
    help: 'System load of each host per configuration: mean, min and max of every metric, as CSV',
  },
  junit: { help: 'JUnit XML: a test case per configuration; for a suite per size range of its gate' },
  markdown: { help: 'Markdown, for step summaries of GitHub and GitLab' },
  'open-metrics': { help: 'OpenMetrics text, for Prometheus and similar' },
  parquet: {
    help: 'Parquet, into this file: the columns of the CSV plus those of the run',
    value: 'FILE',
    parse: String,
  },
  out: { help: 'Write to a file instead of stdout', value: 'FILE', parse: String },
  ...rootFlag,
});
const isFormat = (name: string): name is What => Object.hasOwn(formats, name);

async function give({ found }: Line): Promise<void> {
  const [run, said] = [textOf(found, 'run'), table.read(found)];
  const { out, parquet, root } = said;
  const asked = Object.entries(said).flatMap(([name, value]) =>
    isFormat(name) && value !== undefined && value !== false ? [name] : [],
  );
  const [first = 'csv', second] = asked;
  if (second !== undefined) {
    throw refuse('two-formats', { command: 'export', one: first, other: second });
  }
  if (parquet !== undefined && out !== undefined) {
    throw refuse('parquet-names-its-file', { run, out, parquet });
  }
  const content = await contentOf(run, root, first);
  if (parquet !== undefined) await writeNamed('--parquet', parquet, content);
  else if (out !== undefined) await writeNamed('--out', out, content);
  else if (typeof content === 'string') printText(content);
  else printBytes(content);
}

/** The cells of a stored run for other programs. */
export const exportRun: Command = {
  name: 'export',
  command: 'export <run>',
  describe: 'Convert a stored run for other programs.',
  examples: [
    ['collbench export 7f3a2c --csv > monday.csv', 'one row per configuration and kind of trial'],
    ['collbench export 7f3a2c --metrics > load.csv', 'system load of each host per configuration'],
    ['collbench export last --markdown >> "$GITHUB_STEP_SUMMARY"', 'shown in the summary of a CI job'],
    ['collbench export last --parquet monday.parquet', 'for DuckDB and pandas'],
  ],
  argument: { help: 'Id or folder of a run; with --junit and --markdown of a suite, too' },
  flags: table.flags,
  offer: runIds,
  handler: give,
};
