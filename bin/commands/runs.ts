import { defaultRoot, listRuns } from '../../results/store/index.ts';
import { type ExitCode, exitCode } from '../exit.ts';

/** Stored runs, oldest first as `ls` would. */
export async function runs(asked: { root?: string | undefined; json: boolean }): Promise<ExitCode> {
  const root = asked.root ?? defaultRoot;
  const entries = await listRuns(root);
  if (asked.json) {
    for (const entry of entries) process.stdout.write(`${JSON.stringify(entry)}\n`);
    return exitCode.ok;
  }
  if (entries.length === 0) {
    process.stdout.write(`no runs in ${root}. Make one: collbench allreduce --max 1M\n`);
    return exitCode.ok;
  }
  const widest = Math.max(...entries.map(({ state }) => state.length));
  for (const { id, startedAt, state, cellsMeasured, cellsExpected, title, problem } of entries) {
    const time = startedAt.replace('T', ' ').slice(0, 16).padEnd(16);
    const cells = `${cellsMeasured ?? '?'}/${cellsExpected ?? '?'}`.padStart(9);
    process.stdout.write(
      `${id.padEnd(6)}  ${time}  ${state.padEnd(widest)}  ${cells}  ${problem ?? title}\n`,
    );
  }
  return exitCode.ok;
}
