import { writeReport } from '../../reports/html/index.ts';
import { openRun } from '../../results/store/index.ts';
import { type ExitCode, exitCode } from '../exit.ts';

/** report.html and figures/, into the folder of the only run or into `--out`. */
export async function report(asked: {
  runs: readonly string[];
  root?: string | undefined;
  out?: string | undefined;
}): Promise<ExitCode> {
  const loaded = [];
  for (const name of asked.runs) loaded.push(await openRun(name, asked.root));
  const only = loaded.length === 1 ? loaded[0] : undefined;
  const out = asked.out ?? only?.dir ?? 'collbench-report';
  for (const warning of loaded.flatMap(({ warnings }) => warnings))
    process.stderr.write(`collbench: ${warning}\n`);
  const { html, figures } = await writeReport(loaded, out);
  process.stdout.write(`report: ${html}\nfigures: ${figures.length} files beside it\n`);
  return exitCode.ok;
}
