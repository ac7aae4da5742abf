import { createTable } from '../../reports/terminal/index.ts';
import { openRun } from '../../results/store/index.ts';
import { type ExitCode, exitCode, failureText } from '../exit.ts';
import { wantsColor } from '../output.ts';

/** A stored run as the terminal showed it. */
export async function show(asked: {
  run: string;
  root?: string | undefined;
  json: boolean;
}): Promise<ExitCode> {
  const run = await openRun(asked.run, asked.root);
  const { record, cells, warnings } = run;
  if (asked.json) {
    for (const cell of cells) process.stdout.write(`${JSON.stringify({ type: 'cell', ...cell })}\n`);
    process.stdout.write(`${JSON.stringify({ type: 'run', ...record, warnings })}\n`);
    return exitCode.ok;
  }
  const isTerminal = process.stdout.isTTY === true;
  const columns = isTerminal ? process.stdout.columns : Number(process.env.COLUMNS) || 120;
  const table = createTable({ plan: record.plan, columns, color: wantsColor(isTerminal), runId: record.id });
  process.stdout.write(table.head());
  record.plan.points.forEach((_, point) => {
    const row = cells.filter((cell) => cell.point === point);
    if (row.length > 0) process.stdout.write(table.row(point, row));
  });
  const ended = record.endedAt === null ? 0 : Date.parse(record.endedAt) - Date.parse(record.startedAt);
  process.stdout.write(table.foot({ cells, elapsedS: ended / 1000, reportPath: null }));
  const state =
    record.state === 'running' ? 'running, or killed before it could end (interrupted)' : record.state;
  process.stdout.write(`${record.title}\nstarted ${record.startedAt}, ${state}\n`);
  for (const failure of record.failures) process.stdout.write(failureText(failure));
  for (const warning of warnings) process.stdout.write(`warning: ${warning}\n`);
  return exitCode.ok;
}
