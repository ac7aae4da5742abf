import type { FlagsOf } from '../../options/flag.ts';
import { switchValue, text } from '../../options/values.ts';
import type { CpuOptions } from './options.ts';

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
    parse: text,
  },
};
