import { harmless } from '../../results/text.ts';
import type { Line } from '../line/read.ts';
import type { Command } from './command.ts';
import { jsonFlag, optionTable, rootFlag } from './options/own-options.ts';

const table = optionTable({ ...rootFlag, ...jsonFlag });

async function list({ found }: Line): Promise<void> {
  const { root, json } = table.read(found);
  const { listRuns } = await import('../../results/store/index.ts');
  const entries = await listRuns(root);
  if (json) {
    for (const entry of entries) process.stdout.write(`${JSON.stringify(entry)}\n`);
    return;
  }
  if (entries.length === 0) {
    process.stdout.write(`no runs in ${root}. Make one: collbench allreduce --max 1M\n`);
    return;
  }
  const widest = Math.max(...entries.map(({ state }) => state.length));
  for (const { id, startedAt, state, cellsMeasured, cellsExpected, title, problem } of entries) {
    const time = startedAt.replace('T', ' ').slice(0, 16).padEnd(16);
    const cells = `${cellsMeasured ?? '?'}/${cellsExpected ?? '?'}`.padStart(9);
    process.stdout.write(
      harmless(`${id.padEnd(6)}  ${time}  ${state.padEnd(widest)}  ${cells}  ${problem ?? title}\n`),
    );
  }
}

/** Stored runs, oldest first as `ls` would. */
export const runs: Command = {
  name: 'runs',
  command: 'runs',
  describe: 'List the stored runs.',
  examples: [['collbench runs', 'id, time (UTC), state, cells and title of each']],
  flags: table.flags,
  handler: list,
};
