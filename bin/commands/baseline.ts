import { refuse } from '../../results/refusals/refusal.ts';
import { type OptionValues, switchOption } from '../../suites/options/option.ts';
import { nearPath, printNote, printSentences, printText } from '../terminal.ts';
import { defineCommand } from './command.ts';
import { baselineNames, runIds } from './completions.ts';
import { baselinesOption, jsonOption, rootOption } from './options.ts';

/**
 * Actions of the command `baseline`. `least` and `most` limit the number of names after the action, and `takes` describes these
 * names. `makes` is true if the action creates a baseline, so that --name may be given.
 */
const actions = {
  set: { least: 1, most: 1, takes: 'one run or suite: collbench baseline set 7f3a2c', makes: true },
  show: { least: 1, most: 1, takes: 'one name: collbench baseline show nightly', makes: false },
  list: { least: 0, most: 0, takes: 'no name', makes: false },
  learn: {
    least: 2,
    most: Number.POSITIVE_INFINITY,
    takes: 'two or more runs or suites of the same build: collbench baseline learn 7f3a2c 1b2c3d 9e8f7a',
    makes: true,
  },
} as const;
const options = {
  name: {
    value: 'NAME',
    describe: 'Name of the baseline',
    defaultDescription: 'name of the suite; for a run: its collective',
    coerce: String,
  },
  ...baselinesOption,
  force: { ...switchOption, describe: 'learn: take runs of one night, too' },
  ...rootOption,
  ...jsonOption,
};
const isAction = (word: string): word is keyof typeof actions => Object.hasOwn(actions, word);

async function run(values: OptionValues<typeof options> & { action: string[] }): Promise<void> {
  const {
    action: [action = '', ...names],
    name,
    baselines,
    root,
    json,
    force,
  } = values;
  if (!isAction(action)) {
    const known = Object.keys(actions);
    throw refuse('unknown-word', { where: 'baseline', word: action, problem: 'no such action', known });
  }
  const { least, most, takes, makes } = actions[action];
  if (name !== undefined && !makes) throw refuse('baseline-name-unused', { action });
  if (names.length < least || names.length > most) throw refuse('baseline-takes', { action, takes });
  const { learnBaseline, nightsWanted, requiredBaseline, setBaseline } = await import(
    '../../results/baseline/keep.ts'
  );
  const { listBaselines } = await import('../../results/baseline/store.ts');
  const reports = await import('../../reports/baseline.ts');
  const tell = (value: object, text: string) =>
    json ? printText(`${JSON.stringify(value)}\n`) : printSentences(text);
  const place = { baselines, root, name: name ?? null };
  const [first = ''] = names;
  const learn = async () => {
    const { baseline: value, nights } = await learnBaseline(names, place, force);
    if (nights < nightsWanted) {
      printNote(
        `${nights} of ${nightsWanted} nights: the scatter between nights is little known; learn again with more`,
      );
    }
    return value;
  };
  if (action === 'set') {
    const { baseline, before, file } = await setBaseline(first, place);
    tell(reports.baselineJson(baseline), reports.baselineSetText(baseline, before, nearPath(file)));
  } else if (action === 'list') {
    const known = await listBaselines(baselines);
    if (known.length === 0 && !json)
      printSentences(`no baselines in ${baselines}. Set one: collbench baseline set RUN\n`);
    for (const one of known) {
      const value = await requiredBaseline(one, baselines).catch((error: Error) => error.message);
      if (typeof value === 'string') tell({ name: one, problem: value }, `${one}  ${value}\n`);
      else tell(reports.baselineJson(value), reports.baselineLine(value));
    }
  } else {
    const value = await (action === 'show' ? requiredBaseline(first, baselines) : learn());
    tell(reports.baselineJson(value), reports.baselineText(value));
  }
}

export const baseline = defineCommand({
  command: 'baseline <action..>',
  describe: 'Store results that later runs are compared with: set, show, list, learn.',
  examples: [
    ['collbench baseline set 7f3a2c', 'a run or a suite becomes the baseline of its name'],
    ['collbench baseline learn 7f3a2c 1b2c3d 9e8f7a', 'how much runs of the same build scatter'],
    ['collbench baseline show nightly', 'its contents, and the smallest change it can detect'],
    ['collbench baseline list', 'list all'],
  ],
  argument: { help: 'set RUN, show NAME, list, or learn RUN RUN ...; suites in place of runs' },
  options,
  async offer([action, ...names], before) {
    if (action === undefined) return Object.keys(actions).map((word) => ({ word }));
    if (!isAction(action) || names.length >= actions[action].most) return [];
    return action === 'show' ? baselineNames(before) : runIds([], before);
  },
  handler: run,
});
