import { writeFileSync } from 'node:fs';
import { cellsToCsv, cellsToNdjson } from '../../results/export/index.ts';
import { openRun } from '../../results/store/index.ts';
import { CommandError, type ExitCode, exitCode } from '../exit.ts';

/** The cells of a stored run for other programs. */
export async function exportRun(asked: {
  run: string;
  json: boolean;
  root?: string | undefined;
  out?: string | undefined;
}): Promise<ExitCode> {
  const { cells, warnings } = await openRun(asked.run, asked.root);
  for (const warning of warnings) process.stderr.write(`collbench: ${warning}\n`);
  const text = asked.json ? cellsToNdjson(cells) : cellsToCsv(cells);
  if (asked.out === undefined) {
    process.stdout.write(text);
    return exitCode.ok;
  }
  try {
    writeFileSync(asked.out, text);
  } catch (error) {
    throw new CommandError(`--out ${asked.out}: ${error instanceof Error ? error.message : error}`, [
      '  allowed: a file in a folder that exists and can be written',
    ]);
  }
  return exitCode.ok;
}
