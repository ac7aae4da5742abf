import { refuse } from '../../results/refusals/refusal.ts';
import type { SettingChange } from '../../results/schema/index.ts';
import { jobsOf } from '../../suites/jobs/index.ts';
import type { OptionValues } from '../../suites/options/option.ts';
import { ValueError } from '../../suites/options/values.ts';
import { printJson, printNote, printText, shapeOfStdout } from '../terminal.ts';
import { defineCommand } from './command.ts';
import { runIds } from './completions.ts';
import { jsonOption, rootOption } from './options.ts';
import { measuredSteps, pairJobs, predictedTime } from './step-times.ts';

function ranksOf(text: string): number {
  const ranks = Number(/^ranks=(\d{1,6})$/.exec(text)?.[1]);
  if (ranks >= 2) return ranks;
  throw new ValueError('not a number of ranks');
}

const options = {
  predict: {
    value: 'ranks=N',
    describe: 'ranks=N: predicted times of the same collectives with N ranks, up to four times more or fewer',
    allowed: 'ranks=N, N from 2 on: ranks=16',
    coerce: ranksOf,
  },
  step: {
    describe: 'Time of one step of these jobs over each transport of the run, by its collectives',
    value: 'LIST',
    allowed: 'names of collbench replay, FILE or RUN, with commas between',
    coerce: jobsOf,
  },
  measured: {
    describe: 'Compare predicted with measured steps: of a run of train or replay, or TRANSPORT=TIME',
    value: 'RUN|LIST',
    allowed: 'a run, or times by transport: p2p=21.9ms,socket=44.2ms',
    coerce: measuredSteps,
  },
  ...jsonOption,
  ...rootOption,
};

type ModelOptions = OptionValues<typeof options>;
type OpenedRun = Awaited<ReturnType<typeof import('../../results/store/read.ts')['openRun']>>;

/**
 * Prints predicted and measured times of training steps next to each other; nothing without --measured. If --step names jobs, the
 * model of the run predicts these jobs. Otherwise the steps that the run replayed are the predictions; if it replayed none, the job
 * of the measured run is predicted.
 * @throws Refusal if predictions and measurements have no job in common
 */
async function printChecked(run: OpenedRun, { step, measured, json, root }: ModelOptions): Promise<void> {
  if (measured === undefined) return;
  const { openRun } = await import('../../results/store/read.ts');
  const { groupsOf } = await import('../../reports/series.ts');
  const { checkSteps, stepsMeasured } = await import('../../results/models/step-check.ts');
  const { predictedSteps } = await import('../../reports/terminal/step-model.ts');
  const { stepCheckText, stepSettingsText } = await import('../../reports/terminal/step-check.ts');
  const other = 'run' in measured ? await openRun(measured.run, root) : null;
  for (const warning of other?.warnings ?? []) printNote(warning);
  const replayed = stepsMeasured(run.cells);
  const jobs = step ?? (replayed.size === 0 && other !== null ? jobsOf(other.dir) : []);
  const groups = jobs.length === 0 ? [] : groupsOf([run]);
  const modelled = new Map(jobs.map((job) => [job.name, predictedSteps(groups, job)]));
  const predicted =
    jobs.length === 0
      ? replayed
      : new Map([...modelled].map(([job, steps]) => [job, steps.map(predictedTime)]));
  const times = 'times' in measured ? measured.times : stepsMeasured(other?.cells ?? []);
  const pairs = pairJobs(predicted, times);
  if (pairs.length === 0) {
    const names = (all: Iterable<string>) => [...all].join(', ') || 'none';
    const has = times instanceof Map ? names(times.keys()) : 'one';
    throw refuse('no-common-step', { predicted: names(predicted.keys()), measured: has });
  }
  const settings = other === null ? [] : await settingsBetween(run, other);
  const checks = pairs.map(({ job, ...both }) => ({ job, check: checkSteps(both.predicted, both.measured) }));
  const { columns } = shapeOfStdout(80);
  for (const { job, check } of checks) {
    const missing = [...new Set((modelled.get(job) ?? []).flatMap((one) => one.missing))];
    printText(
      json
        ? `${JSON.stringify({ type: 'step-check', job, missing, ...check, settings })}\n`
        : `${stepCheckText(job, check, missing, columns)}\n`,
    );
  }
  const found = checks.map(({ check }) => check);
  if (!json) printText(stepSettingsText(found, settings, columns));
}

/**
 * Settings that differ between two runs: machine, environment, and versions of programs that both runs have; [] if there are none.
 * A version that only one run has, for example of a framework, is left out, because it cannot explain a difference.
 */
async function settingsBetween(run: OpenedRun, other: OpenedRun): Promise<SettingChange[]> {
  const { changedSettings } = await import('../../results/compare/settings.ts');
  return changedSettings(run.record, other.record, []).filter(
    ({ about, base, other: to }) =>
      about === 'machine' ||
      about === 'environment' ||
      (about === 'versions' && base !== null && to !== null),
  );
}

async function print(values: ModelOptions & { run: string }): Promise<void> {
  const { predict: ranks = null, step: jobs = null, json, root } = values;
  const { openRun } = await import('../../results/store/read.ts');
  const { groupsOf } = await import('../../reports/series.ts');
  const { modelObjects, modelText } = await import('../../reports/model-document.ts');
  const run = await openRun(values.run, root);
  for (const warning of run.warnings) printNote(warning);
  if (values.measured !== undefined) return printChecked(run, values);
  const groups = groupsOf([run]);
  if (jobs !== null) {
    const { predictedSteps, stepModelText } = await import('../../reports/terminal/step-model.ts');
    const lines = json
      ? jobs
          .flatMap((job) => predictedSteps(groups, job))
          .map((one) => `${JSON.stringify({ type: 'step', ...one })}\n`)
      : [stepModelText(groups, jobs, shapeOfStdout(80).columns)];
    printText(lines.join(''));
    return;
  }
  if (json) for (const one of modelObjects(groups, ranks)) printJson(one);
  else printText(modelText(groups, shapeOfStdout(80).columns, ranks));
}

export const model = defineCommand({
  command: 'model <run>',
  describe: 'Fit a model to each series of a run, and predict other numbers of ranks.',
  examples: [
    ['collbench model 7f3a2c', 'latency, saturation, half size and the fitted lines'],
    ['collbench model 7f3a2c --step resnet50', 'what a training step would take over each transport'],
    ['collbench model 7f3a2c --measured 9b1e04', 'replayed steps of 7f3a2c beside trained ones of 9b1e04'],
    ['collbench model 7f3a2c --predict ranks=8', 'a range for each size, or the reason why there is none'],
  ],
  argument: { help: 'Id or folder of a run' },
  options,
  offer: runIds,
  handler: print,
});
