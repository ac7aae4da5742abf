import { defaultBaselines } from '../../results/baseline/store.ts';
import { nearest } from '../../results/nearest.ts';
import { CommandError } from '../exit.ts';
import { withSeveralWords } from '../parser.ts';
import { type Command, jsonOption, rootOption, withExamples } from './command.ts';

const actions = ['set', 'show', 'list', 'learn'] as const;

async function run(found: Record<string, unknown>): Promise<void> {
  const [word = '', ...names] = found.action as string[];
  const action = actions.find((one) => one === word);
  if (action === undefined) {
    const match = nearest(word, actions);
    throw new CommandError(`baseline ${word}: no such action`, [
      match === null ? `  allowed: ${actions.join(', ')}` : `  did you mean ${match}?`,
    ]);
  }
  const { setBaseline, showBaseline, listAll, learnBaseline } = await import('../baseline/actions.ts');
  const options = {
    baselines: found.baselines as string,
    root: found.root as string,
    name: (found.name as string | undefined) ?? null,
    json: found.json === true,
  };
  if (options.name !== null && action !== 'set' && action !== 'learn') {
    throw new CommandError(`--name says nothing to baseline ${action}`, ['  it is for set and learn']);
  }
  const needs = { set: 1, show: 1, list: 0, learn: 2 }[action];
  const most = action === 'learn' ? Number.POSITIVE_INFINITY : needs;
  if (names.length < needs || names.length > most) {
    const wanted = {
      set: 'one run or suite: collbench baseline set 7f3a2c',
      show: 'one name: collbench baseline show nightly',
      list: 'no name',
      learn:
        'two runs or suites or more of an unchanged thing: collbench baseline learn 7f3a2c 1b2c3d 9e8f7a',
    }[action];
    throw new CommandError(`baseline ${action} takes ${wanted}`);
  }
  const [first = ''] = names;
  if (action === 'set') await setBaseline(first, options);
  else if (action === 'show') await showBaseline(first, options);
  else if (action === 'list') await listAll(options);
  else await learnBaseline(names, options);
}

/** What later suites are held against. */
export const baseline: Command = {
  name: 'baseline',
  command: 'baseline <action..>',
  describe: 'Keep figures that later runs are held against: set, show, list, learn.',
  examples: [
    ['collbench baseline set 7f3a2c', 'a run or a suite becomes the baseline of its name'],
    ['collbench baseline learn 7f3a2c 1b2c3d 9e8f7a', 'how far runs of an unchanged thing scatter'],
    ['collbench baseline show nightly', 'what it holds, and the smallest change it lets see'],
    ['collbench baseline list', 'which there are'],
  ],
  builder: (parser) =>
    withExamples(withSeveralWords(parser), baseline.examples)
      .positional('action', {
        type: 'string',
        array: true,
        describe: 'set RUN, show NAME, list, or learn RUN RUN ...; suites in place of runs',
      })
      .options({
        name: {
          type: 'string',
          requiresArg: true,
          describe: 'Name of the baseline',
          defaultDescription: 'that of the suite; of a run: its collective',
        },
        baselines: {
          type: 'string',
          requiresArg: true,
          describe: 'Where baselines are kept',
          default: defaultBaselines,
        },
        ...rootOption,
        ...jsonOption,
      }),
  handler: (found) => run(found),
};
