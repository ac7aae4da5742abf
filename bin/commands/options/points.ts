import { parseOneOf } from '../../../suites/options/values.ts';

const points = ['run', 'day', 'commit'] as const;

/** Option that says what one point in a history stands for: a run, all runs of a day, or all runs of a commit. */
export const pointFlag = {
  value: 'WHAT',
  help: 'One point per run, day or commit (of runs with --tag commit=SHA)',
  shown: 'day; run where all runs are of one or two days',
  allowed: 'run, day or commit',
  words: points,
  parse: parseOneOf(points),
};
