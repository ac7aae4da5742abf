import { jobsOf } from '../../suites/jobs/index.ts';
import type { Line } from '../line/read.ts';
import { ValueError } from '../options/index.ts';
import { shapeOfStdout } from '../terminal.ts';
import type { Command } from './command.ts';
import { textOf } from './found.ts';
import { runIds } from './offers.ts';
import { jsonFlag, optionTable, rootFlag } from './options/own-options.ts';

function ranksOf(text: string): number {
  const ranks = Number(/^ranks=(\d{1,6})$/.exec(text)?.[1]);
  if (ranks >= 2) return ranks;
  throw new ValueError('not a number of ranks');
}

const table = optionTable({
  predict: {
    help: 'ranks=N: predicted times of the same collectives with N ranks, up to four times more or fewer',
    allowed: 'ranks=N, N from 2 on: ranks=16',
    parse: ranksOf,
  },
  step: {
    help: 'Time of one step of these jobs over each transport of the run, by its collectives',
    value: 'LIST',
    allowed: 'names of collbench replay, FILE or RUN, with commas between',
    parse: jobsOf,
  },
  ...jsonFlag,
  ...rootFlag,
});

async function print({ found }: Line): Promise<void> {
  const { predict: ranks = null, step: jobs = null, json, root } = table.read(found);
  const [{ openRun }, { groupsOf }, { modelObjects, modelText }] = await Promise.all([
    import('../../results/store/index.ts'),
    import('../../reports/series.ts'),
    import('../../reports/terminal/model.ts'),
  ]);
  const run = await openRun(textOf(found, 'run'), root);
  for (const warning of run.warnings) process.stderr.write(`collbench: ${warning}\n`);
  const groups = groupsOf([run]);
  if (jobs !== null) {
    const { predictedSteps, stepModelText } = await import('../../reports/terminal/step-model.ts');
    const lines = json
      ? jobs
          .flatMap((job) => predictedSteps(groups, job))
          .map((one) => `${JSON.stringify({ type: 'step', ...one })}\n`)
      : [stepModelText(groups, jobs, shapeOfStdout(80).columns)];
    process.stdout.write(lines.join(''));
    return;
  }
  if (json) for (const one of modelObjects(groups, ranks)) process.stdout.write(`${JSON.stringify(one)}\n`);
  else process.stdout.write(modelText(groups, shapeOfStdout(80).columns, ranks));
}

/** Lines that describe the series of a run, and what they say of other numbers of ranks. */
export const model: Command = {
  name: 'model',
  command: 'model <run>',
  describe: 'Fit a model to each series of a run, and predict other numbers of ranks.',
  examples: [
    ['collbench model 7f3a2c', 'latency, saturation, half size and the fitted lines'],
    ['collbench model 7f3a2c --step resnet50', 'what a training step would take over each transport'],
    ['collbench model 7f3a2c --predict ranks=8', 'a range for each size, or the reason why there is none'],
  ],
  argument: { help: 'Id or folder of a run' },
  flags: table.flags,
  offer: runIds,
  handler: print,
};
