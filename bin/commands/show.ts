import type { RunRecord } from '../../results/schema/index.ts';
import { failureText } from '../../results/verdicts/failure-text.ts';
import type { Line } from '../line/read.ts';
import { shapeOfStdout } from '../terminal.ts';
import type { Command } from './command.ts';
import { textOf } from './found.ts';
import { runIds } from './offers.ts';
import { jsonFlag, optionTable, rootFlag } from './options/own-options.ts';

const table = optionTable({ ...rootFlag, ...jsonFlag });

async function print({ found }: Line): Promise<void> {
  const { root, json } = table.read(found);
  const [
    { openRun },
    { createTable, wholeRows },
    { courseSentence, secondsTaken },
    { bundleSentence },
    { wrap },
  ] = await Promise.all([
    import('../../results/store/index.ts'),
    import('../../reports/terminal/index.ts'),
    import('../../reports/resumed.ts'),
    import('../../reports/imported.ts'),
    import('../../reports/wording.ts'),
  ]);
  const { record, cells, warnings } = await openRun(textOf(found, 'run'), root);
  if (json) {
    for (const cell of cells) process.stdout.write(`${JSON.stringify({ type: 'cell', ...cell })}\n`);
    process.stdout.write(`${JSON.stringify({ type: 'run', ...record, warnings })}\n`);
    return;
  }
  const { plan, id, label, retries } = record;
  const runId = label === undefined ? id : `${id} '${label}'`;
  const options = { plan, ...shapeOfStdout(), runId, ...(retries === undefined ? {} : { retries }) };
  const shown = createTable(options);
  const received = bundleSentence(record);
  if (received !== '') process.stdout.write(`${wrap(received, options.columns, '  ').join('\n')}\n`);
  process.stdout.write(shown.head());
  process.stdout.write(wholeRows(options, cells));
  process.stdout.write(
    shown.foot({
      cells,
      elapsedS: secondsTaken(record),
      reportPath: null,
      resumed: courseSentence(record),
      found: record.summary?.sentences ?? [],
    }),
  );
  printEnd(record, warnings);
}

function printEnd(record: RunRecord, warnings: readonly string[]): void {
  const state = record.state === 'running' ? 'running, or killed (interrupted)' : record.state;
  process.stdout.write(`${record.title}\nstarted ${record.startedAt}, ${state}\n`);
  for (const failure of record.failures) process.stdout.write(failureText(failure));
  for (const warning of warnings) process.stdout.write(`warning: ${warning}\n`);
}

/** A stored run as the terminal showed it. */
export const show: Command = {
  name: 'show',
  command: 'show <run>',
  describe: 'Print the table of a stored run.',
  examples: [
    ['collbench show 7f3a2c', 'by id'],
    ['collbench show results/monday', 'by folder'],
  ],
  argument: { help: 'Id or folder of a run' },
  flags: table.flags,
  offer: runIds,
  handler: print,
};
