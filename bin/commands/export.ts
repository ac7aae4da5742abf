import path from 'node:path';
import { refuse } from '../../results/refusals/refusal.ts';
import type { CellRecord } from '../../results/schema/index.ts';
import type { LoadedSuite } from '../../results/store/suites.ts';
import type { LoadedRun } from '../../results/store/types.ts';
import { type OptionValues, switchOption } from '../../suites/options/option.ts';
import { printBytes, printNote, printText } from '../terminal.ts';
import { writeNamed } from '../write-file.ts';
import { defineCommand } from './command.ts';
import { runIds } from './completions.ts';
import { jsonOption, outFile, rootOption } from './options.ts';

/**
 * An output format of `collbench export`: functions that convert one stored run, or all entries of a stored suite. They reject with
 * a Refusal if the run or suite lacks the data for this format, or if the format is only for runs.
 */
interface ExportFormat {
  ofRun(run: LoadedRun): Promise<string | Uint8Array>;
  ofSuite(suite: LoadedSuite): Promise<string | Uint8Array>;
}

const formats = {
  csv: {
    ofRun: async ({ cells }) => (await import('../../results/export/csv.ts')).cellsToCsv(cells),
    ofSuite: async (suite) =>
      (await import('../../results/export/csv.ts')).entriesToCsv(await entriesOf(suite)),
  },
  json: {
    ofRun: async ({ cells }) => (await import('../../results/export/ndjson.ts')).cellsToNdjson(cells),
    ofSuite: async (suite) =>
      (await import('../../results/export/ndjson.ts')).entriesToNdjson(await entriesOf(suite)),
  },
  metrics: { ofRun: metricsOf, ofSuite: onlyOfRun },
  junit: {
    ofRun: async ({ record, cells }) =>
      (await import('../../results/export/junit.ts')).runToJunit(record, cells),
    ofSuite: async ({ record }) => (await import('../../results/export/junit.ts')).suiteToJunit(record),
  },
  markdown: {
    ofRun: async (run) => (await import('../../reports/run-markdown.ts')).runMarkdown(run),
    ofSuite: async ({ record: { gate, id } }) => {
      if (gate === null) throw refuse('suite-without-gate', { suite: id });
      return (await import('../../reports/gate/gate.ts')).gateMarkdown(gate);
    },
  },
  'open-metrics': {
    ofRun: async ({ record, cells }) =>
      (await import('../../results/export/open-metrics.ts')).runToOpenMetrics(record, cells),
    ofSuite: async (suite) => {
      const { armOf } = await import('../../results/baseline/source.ts');
      const entries = await armOf(suite, 'tonight', 'first');
      return (await import('../../results/export/open-metrics.ts')).suiteToOpenMetrics(suite.record, entries);
    },
  },
  // Parquet is in a file of its own, because only it needs a large package.
  parquet: {
    ofRun: async ({ record, cells }) =>
      (await import('../../results/export/parquet.ts')).cellsToParquet(record, cells),
    ofSuite: onlyOfRun,
  },
} as const satisfies Record<string, ExportFormat>;
type ExportTarget = keyof typeof formats;

/**
 * Results of each run of a suite with the name of its entry, in the order of the suite file. Runs of the reference build are
 * included; entries without runs are left out.
 * @throws StoreError if a run does not exist or cannot be read
 */
async function entriesOf(suite: LoadedSuite): Promise<{ entry: string; cells: CellRecord[] }[]> {
  const { openRun } = await import('../../results/store/read.ts');
  const { runsOfSuite } = await import('../../results/store/suites.ts');
  return Promise.all(
    runsOfSuite(suite).map(async ({ entry, folder }) => ({
      entry,
      cells: (await openRun(path.join(suite.dir, folder))).cells,
    })),
  );
}

async function onlyOfRun(suite: LoadedSuite): Promise<never> {
  const { runsOfSuite } = await import('../../results/store/suites.ts');
  throw refuse('export-one-run', { suite: suite.record.id, runs: runsOfSuite(suite).map(({ id }) => id) });
}

async function metricsOf(run: LoadedRun): Promise<string> {
  const { metricsToCsv } = await import('../../results/export/metrics.ts');
  const hosts = await run.metrics();
  if (hosts.length === 0) throw refuse('run-without-metrics', { run: run.record.id });
  let text = '';
  for await (const part of metricsToCsv(run.cells, hosts)) text += part;
  return text;
}

async function contentOf(name: string, root: string, what: ExportTarget): Promise<string | Uint8Array> {
  const { namesFinding } = await import('../../results/store/findings.ts');
  const { openNamed } = await import('../../results/store/stored-record.ts');
  const { ofRun, ofSuite }: ExportFormat = formats[what];
  const named = await openNamed(name, root);
  if (named.kind === 'suite') return ofSuite(named.suite);
  if (named.kind !== 'run') throw namesFinding(name, named);
  const { run } = named;
  for (const warning of run.warnings) printNote(warning);
  return ofRun(run);
}

const options = {
  csv: {
    ...switchOption,
    describe:
      'Comma separated values, one row per configuration and kind of trial (the default); of a suite with a column for the entry',
  },
  ...jsonOption,
  metrics: {
    ...switchOption,
    describe: 'System load of each host per configuration: mean, min and max of every metric, as CSV',
  },
  junit: {
    ...switchOption,
    describe: 'JUnit XML: a test case per configuration; for a suite per size range of its gate',
  },
  markdown: { ...switchOption, describe: 'Markdown, for step summaries of GitHub and GitLab' },
  'open-metrics': {
    ...switchOption,
    describe: 'OpenMetrics text, for Prometheus and similar; of a suite with labels for suite and entry',
  },
  parquet: {
    describe: 'Parquet, into this file: the columns of the CSV plus those of the run',
    value: 'FILE',
    coerce: String,
  },
  out: { ...outFile, describe: 'Write to a file instead of stdout' },
  ...rootOption,
};
const isFormat = (name: string): name is ExportTarget => Object.hasOwn(formats, name);

async function give(values: OptionValues<typeof options> & { run: string }): Promise<void> {
  const { run, out, parquet, root } = values;
  const asked = Object.entries(values).flatMap(([name, value]) =>
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

export const exportRun = defineCommand({
  command: 'export <run>',
  describe: 'Convert a stored run for other programs.',
  examples: [
    ['collbench export 7f3a2c --csv > monday.csv', 'one row per configuration and kind of trial'],
    ['collbench export 7f3a2c --metrics > load.csv', 'system load of each host per configuration'],
    ['collbench export last --markdown >> "$GITHUB_STEP_SUMMARY"', 'shown in the summary of a CI job'],
    ['collbench export last --parquet monday.parquet', 'for DuckDB and pandas'],
  ],
  argument: { help: 'Id, label or folder of a run or of a suite; last: the newest of both' },
  options,
  offer: runIds,
  handler: give,
});
