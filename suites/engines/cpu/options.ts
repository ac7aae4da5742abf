import { inGroup, switchOption } from '../../options/option.ts';
import { parseEach, text, wholeNumber } from '../../options/values.ts';
import { maxChannels } from './channels.ts';

export const cpuOptionRows = inGroup('Where it runs', {
  inProcess: {
    ...switchOption,
    describe: 'Ranks are threads of this process: quick to start, no isolation.',
    example: '--in-process',
  },
  tuning: {
    value: 'FILE',
    default: null,
    defaultDescription: "this machine's own, if collbench tune wrote one",
    allowed: 'a table that collbench tune wrote, or off',
    describe: 'Table that maps sizes to algorithms for --algo auto. off: the built-in choice.',
    example: '--tuning ./tuning.json',
    coerce: text,
  },
  channels: {
    value: 'LIST',
    default: [1],
    allowed: `whole numbers from 1 to ${maxChannels}`,
    describe:
      'Threads per rank, each with its own connections. They split vectors of allreduce, broadcast and reduce from 64K per thread on. Each number is a separate series.',
    example: '--transport shm --channels 1,2,4',
    coerce: parseEach(wholeNumber(1, maxChannels)),
  },
});
