import { type FlagsOf, ValueError } from '../../options/flag.ts';
import { switchValue } from '../../options/values.ts';
import type { CpuOptions } from './options.ts';

export const cpuFlags: FlagsOf<CpuOptions> = {
  algorithm: {
    name: 'algorithm',
    group: 'Where it runs',
    value: 'NAME',
    fallback: null,
    shown: 'chosen by size',
    allowed: 'direct or ring',
    help: 'Engine cpu. direct: every rank sends to all that need its data. ring: chunks travel around all ranks.',
    example: '--algorithm ring',
    parse: (value) => {
      if (!['direct', 'ring'].includes(value)) throw new ValueError('no such algorithm');
      return value;
    },
    words: ['direct', 'ring'],
  },
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
