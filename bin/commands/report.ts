import { CommandError, exitCode } from '../exit.ts';
import { withSeveralWords } from '../parser.ts';
import { type Command, rootOption, withExamples } from './command.ts';

async function writeReports(
  names: readonly string[],
  root: string,
  asked: string | undefined,
): Promise<void> {
  const [{ writeReport }, { openRun }] = await Promise.all([
    import('../../reports/html/index.ts'),
    import('../../results/store/index.ts'),
  ]);
  const loaded = [];
  for (const name of names) loaded.push(await openRun(name, root));
  const pairs = loaded.find(({ record }) => record.plan.pairs !== undefined);
  if (pairs !== undefined && loaded.length > 1) {
    throw new CommandError(`run ${pairs.record.id} is one of pairs, which has a report of its own`, [
      '  allowed: that run alone',
      `Next: collbench report ${pairs.record.id}`,
    ]);
  }
  const only = loaded.length === 1 ? loaded[0] : undefined;
  for (const warning of loaded.flatMap(({ warnings }) => warnings))
    process.stderr.write(`collbench: ${warning}\n`);
  const { html, figures } = await writeReport(loaded, asked ?? only?.dir ?? 'collbench-report');
  process.stdout.write(`report: ${html}\nfigures: ${figures.length} files beside it\n`);
  process.exitCode = exitCode.ok;
}

/** report.html and figures/, into the folder of the only run or into `--out`. */
export const report: Command = {
  name: 'report',
  command: 'report <run..>',
  describe: 'Write report.html and figures/ of one or several runs.',
  examples: [
    ['collbench report 7f3a2c', 'anew, into the folder of the run'],
    ['collbench report monday tuesday --out compared', 'several runs in one report'],
  ],
  builder: (parser) =>
    withExamples(withSeveralWords(parser), report.examples)
      .positional('run', { type: 'string', array: true, describe: 'Ids or folders of runs' })
      .options({
        out: {
          type: 'string',
          requiresArg: true,
          describe: 'Folder to write into; of several runs: collbench-report',
        },
        ...rootOption,
      }),
  handler: ({ run, root, out }) => writeReports(run as string[], root as string, out as string | undefined),
};
