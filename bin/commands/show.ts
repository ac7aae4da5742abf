import type { RunRecord } from '../../results/schema/index.ts';
import { failureText } from '../../results/verdicts/failure-text.ts';
import { type Command, jsonOption, rootOption, withExamples } from './command.ts';

async function print(name: string, root: string, json: boolean): Promise<void> {
  const [
    { openRun },
    { createTable, pairsFoot, pairsHead },
    { resumedSentence, secondsTaken },
    { wantsColor },
  ] = await Promise.all([
    import('../../results/store/index.ts'),
    import('../../reports/terminal/index.ts'),
    import('../../reports/resumed.ts'),
    import('../output.ts'),
  ]);
  const { record, cells, warnings } = await openRun(name, root);
  if (json) {
    for (const cell of cells) process.stdout.write(`${JSON.stringify({ type: 'cell', ...cell })}\n`);
    process.stdout.write(`${JSON.stringify({ type: 'run', ...record, warnings })}\n`);
    return;
  }
  const isTerminal = process.stdout.isTTY === true;
  const columns = isTerminal ? process.stdout.columns : Number(process.env.COLUMNS) || 120;
  if (record.plan.pairs !== undefined) {
    const text = { plan: record.plan, columns, color: wantsColor(isTerminal), runId: record.id };
    const end = { elapsedS: secondsTaken(record), found: record.summary?.sentences ?? [], reportPath: null };
    process.stdout.write(pairsHead(text) + pairsFoot(text, cells, end));
    return printEnd(record, warnings);
  }
  const table = createTable({ plan: record.plan, columns, color: wantsColor(isTerminal), runId: record.id });
  process.stdout.write(table.head());
  record.plan.points.forEach((_, point) => {
    const row = cells.filter((cell) => cell.point === point);
    if (row.length > 0) process.stdout.write(table.row(point, row));
  });
  const resumed = resumedSentence(record);
  process.stdout.write(table.foot({ cells, elapsedS: secondsTaken(record), reportPath: null, resumed }));
  printEnd(record, warnings);
}

function printEnd(record: RunRecord, warnings: readonly string[]): void {
  const state =
    record.state === 'running' ? 'running, or killed before it could end (interrupted)' : record.state;
  process.stdout.write(`${record.title}\nstarted ${record.startedAt}, ${state}\n`);
  for (const failure of record.failures) process.stdout.write(failureText(failure));
  for (const warning of warnings) process.stdout.write(`warning: ${warning}\n`);
}

/** A stored run as the terminal showed it. */
export const show: Command = {
  name: 'show',
  command: 'show <run>',
  describe: 'Show a stored run as the terminal showed it.',
  examples: [
    ['collbench show 7f3a2c', 'by id'],
    ['collbench show results/monday', 'by folder'],
  ],
  builder: (parser) =>
    withExamples(parser, show.examples)
      .positional('run', { type: 'string', describe: 'Id or folder of a run' })
      .options({ ...rootOption, ...jsonOption }),
  handler: ({ run, root, json }) => print(run as string, root as string, json === true),
};
