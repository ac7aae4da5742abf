import type { OptionRowsFor } from '../../options/flag.ts';
import { parseEach, switchValue, text, wholeNumber } from '../../options/values.ts';
import { maxChannels } from './channels.ts';
import type { CpuOptions } from './options.ts';

export const cpuFlags: OptionRowsFor<CpuOptions> = {
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
    help: 'Table that maps sizes to algorithms for --algo auto. off: the built-in choice.',
    example: '--tuning ./tuning.json',
    parse: text,
  },
  channels: {
    name: 'channels',
    group: 'Where it runs',
    value: 'LIST',
    fallback: [1],
    shown: '1',
    allowed: `whole numbers from 1 to ${maxChannels}`,
    help: 'Threads per rank, each with its own connections. They split vectors of allreduce, broadcast and reduce from 64K per thread on. Each number is a separate series.',
    example: '--transport shm --channels 1,2,4',
    parse: parseEach(wholeNumber(1, maxChannels)),
  },
};
