import { CommandError } from '../exit.ts';
import { type Command, jsonOption, rootOption, withExamples } from './command.ts';

/** @throws CommandError not of the form ranks=N */
function ranksOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const ranks = Number(/^ranks=(\d{1,6})$/.exec(text)?.[1]);
  if (ranks >= 2) return ranks;
  throw new CommandError(`--predict ${text}: not a number of ranks`, [
    '  allowed: ranks=N, N from 2 on: ranks=16',
  ]);
}

async function print(name: string, root: string, ranks: number | null, isJson: boolean): Promise<void> {
  const [{ openRun }, { groupsOf }, { modelObjects, modelText }] = await Promise.all([
    import('../../results/store/index.ts'),
    import('../../reports/series.ts'),
    import('../../reports/terminal/model.ts'),
  ]);
  const run = await openRun(name, root);
  for (const warning of run.warnings) process.stderr.write(`collbench: ${warning}\n`);
  const groups = groupsOf([run]);
  if (isJson) {
    for (const one of modelObjects(groups, ranks)) process.stdout.write(`${JSON.stringify(one)}\n`);
    return;
  }
  const columns = process.stdout.isTTY === true ? process.stdout.columns : Number(process.env.COLUMNS) || 80;
  process.stdout.write(modelText(groups, columns, ranks));
}

/** Lines that describe the series of a run, and what they say of other numbers of ranks. */
export const model: Command = {
  name: 'model',
  command: 'model <run>',
  describe: 'Describe the series of a run by a few figures, and predict other numbers of ranks.',
  examples: [
    ['collbench model 7f3a2c', 'latency, saturation, half size and the lines behind them'],
    ['collbench model 7f3a2c --predict ranks=8', 'a range for each size, or why there is none'],
  ],
  builder: (parser) =>
    withExamples(parser, model.examples)
      .positional('run', { type: 'string', describe: 'Id or folder of a run' })
      .options({
        predict: {
          type: 'string',
          requiresArg: true,
          describe:
            'ranks=N: what the same collectives would take with N ranks, at most four times as many or as few',
        },
        ...jsonOption,
        ...rootOption,
      }),
  handler: ({ run, root, predict, json }) =>
    print(run as string, root as string, ranksOf(predict as string | undefined), json === true),
};
