import type { FlagsOf } from '../../options/flag.ts';
import { switchValue } from '../../options/values.ts';
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
};
