import { Refusal } from '../../../results/refusals/refusal.ts';
import { wordsOf } from '../../../results/refusals/words.ts';
import { tuningWords } from '../../../results/schema/index.ts';
import { readTuning } from '../../../results/store/tuning.ts';
import { type FlagsOf, ValueError } from '../../options/flag.ts';
import { switchValue } from '../../options/values.ts';
import type { CpuOptions } from './options.ts';

function tuningIn(text: string): string {
  if (text === 'off') return '';
  try {
    return tuningWords(readTuning(text));
  } catch (error) {
    if (error instanceof Refusal) throw new ValueError(wordsOf(error).message);
    throw error;
  }
}

export const cpuFlags: FlagsOf<CpuOptions> = {
  inProcess: {
    name: 'in-process',
    group: 'Where it runs',
    fallback: false,
    shown: 'off',
    allowed: 'true or false',
    help: 'Ranks are threads of this process: quick to start, no isolation.',
    example: '--in-process',
    parse: switchValue,
  },
  tuning: {
    name: 'tuning',
    group: 'Where it runs',
    value: 'FILE',
    fallback: null,
    shown: "this machine's own, if collbench tune wrote one",
    allowed: 'a table that collbench tune wrote, or off',
    help: 'Which algorithm takes which size where --algo is auto. off: the built-in choice.',
    example: '--tuning ./tuning.json',
    parse: tuningIn,
  },
};
