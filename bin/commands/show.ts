import path from 'node:path';
import type { RunRecord } from '../../results/schema/index.ts';
import type { LoadedRun } from '../../results/store/types.ts';
import { sanitiseLine } from '../../results/text.ts';
import { failureText } from '../../results/verdicts/failure.ts';
import type { OptionValues } from '../../suites/options/option.ts';
import { printJson, printSentences, printText, shapeOfStdout } from '../terminal.ts';
import { writePicture } from '../write-file.ts';
import { defineCommand } from './command.ts';
import { runIds } from './completions.ts';
import { chartOptions, jsonOption, pngOption, printPlots, rootOption } from './options.ts';

const options = { ...rootOption, ...jsonOption, ...chartOptions, ...pngOption };

async function print(values: OptionValues<typeof options> & { run: string }): Promise<void> {
  const { root, json } = values;
  const { namesFinding } = await import('../../results/store/findings.ts');
  const { openRunOrFinding } = await import('../../results/store/stored-record.ts');
  const named = await openRunOrFinding(values.run, root);
  if (named.kind === 'run') return printRun(named.run, values);
  if (values.png !== undefined || values.chart) throw namesFinding(values.run, named);
  const { printFinding } = await import('../finding.ts');
  await printFinding(named, json);
}

async function printRun(
  run: LoadedRun,
  { json, png, ...values }: OptionValues<typeof options>,
): Promise<void> {
  const { finalTable } = await import('../../reports/terminal/run-table.ts');
  const { secondsTaken } = await import('../../reports/resume-lines.ts');
  const { bundleSentence } = await import('../../reports/imported.ts');
  const { wrap } = await import('../../reports/wording.ts');
  const { explanationsOf } = await import('../../results/store/findings.ts');
  const { record, cells, warnings } = run;
  const explanations = (await explanationsOf(record, path.dirname(run.dir))).map((one) => one.record.id);
  if (png !== undefined) {
    const { runPicture } = await import('../../reports/picture/index.ts');
    await writePicture(png, await runPicture(run));
  }
  if (json) {
    for (const cell of cells) printJson({ type: 'cell', ...cell });
    printJson({ type: 'run', ...record, warnings, explanations });
    return;
  }
  const shape = shapeOfStdout();
  const { head, rows, foot } = finalTable(run, shape, secondsTaken(record), null);
  const received = bundleSentence(record);
  if (received !== '') printText(`${wrap(received, shape.columns, '  ').join('\n')}\n`);
  for (const text of [head, rows, foot]) printText(text);
  printEnd(record, warnings);
  for (const id of explanations) printText(`explained: collbench show ${id}\n`);
  if (values.chart) await chart(run, values.ascii);
}

async function chart(run: LoadedRun, ascii: boolean): Promise<void> {
  const { runPlots } = await import('../../reports/plots/run.ts');
  const { plots, left } = runPlots(run);
  await printPlots(plots, ascii);
  if (plots.length === 0) printText('no chart: nothing was measured over an axis\n');
  if (left > 0) printText(`${left} more charts: collbench report ${run.record.id}\n`);
}

function printEnd(record: RunRecord, warnings: readonly string[]): void {
  const state = record.state === 'running' ? 'running, or killed (interrupted)' : record.state;
  printText(`${record.title}\nstarted ${record.startedAt}, ${state}\n`);
  for (const failure of record.failures) printSentences(failureText(failure));
  for (const warning of warnings) printSentences(`warning: ${sanitiseLine(warning)}\n`);
}

export const show = defineCommand({
  command: 'show <run>',
  describe: 'Print the table of a stored run, an explanation of it, or a bisection.',
  examples: [
    ['collbench show 7f3a2c', 'by id'],
    ['collbench show results/monday', 'by folder'],
    ['collbench show last --chart', 'with a chart of characters'],
    ['collbench show last --png chart.png', 'with a picture of the main chart, for a chat'],
  ],
  argument: { help: 'Id or folder of a run, an explanation (collbench explain) or a bisection' },
  options,
  offer: runIds,
  handler: print,
});
