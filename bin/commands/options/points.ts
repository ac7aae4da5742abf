import { ValueError } from '../../options/index.ts';

export const oneOf =
  <T extends string>(...known: readonly T[]) =>
  (text: string): T => {
    const found = known.find((one) => one === text);
    if (found === undefined) throw new ValueError('none of them');
    return found;
  };

/** What one point of a history is. */
export const pointFlag = {
  value: 'WHAT',
  help: 'One point per run, day or commit (of runs with --tag commit=SHA)',
  shown: 'day; run where all runs are of one or two days',
  allowed: 'run, day or commit',
  words: ['run', 'day', 'commit'],
  parse: oneOf('run', 'day', 'commit'),
};
