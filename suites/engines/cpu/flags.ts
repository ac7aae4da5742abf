import type { FlagsOf } from '../../options/flag.ts';
import { each, switchValue, text, wholeNumber } from '../../options/values.ts';
import { mostChannels } from './channels.ts';
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
  channels: {
    name: 'channels',
    group: 'Where it runs',
    value: 'LIST',
    fallback: [1],
    shown: '1',
    allowed: `whole numbers from 1 to ${mostChannels}`,
    help: 'Threads of a rank, each with connections of its own, that share the vector of allreduce, broadcast and reduce from 64K each on. Each number is a series of its own.',
    example: '--transport shm --channels 1,2,4',
    parse: each(wholeNumber(1, mostChannels)),
  },
};
