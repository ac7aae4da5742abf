import { type Flags, ValueError } from './flag.ts';
import { defaultCheck, duration, interval, positive, precision, wholeNumber } from './values.ts';

export const howFlags: Pick<
  Flags,
  | 'precision'
  | 'budget'
  | 'iters'
  | 'warmup'
  | 'batch'
  | 'launches'
  | 'check'
  | 'average'
  | 'timeout'
  | 'seed'
  | 'sampleInterval'
> = {
  precision: {
    name: 'precision',
    group: 'How it is measured',
    value: 'SHARE',
    fallback: 0.01,
    shown: '1%; off with --iters and --groups',
    allowed: 'off, or 0.1% to 50%',
    help: 'Each cell is sampled until the 95 % interval of its median is that narrow (half width), or --budget is spent.',
    example: '--precision 2%',
    parse: precision,
    words: ['1%', '2%', '5%', 'off'],
  },
  budget: {
    name: 'budget',
    group: 'How it is measured',
    value: 'TIME',
    fallback: 120,
    shown: '2m',
    allowed: '1s to 24h with its unit',
    help: 'Time of a run for --precision. Every cell gets its first samples, which may take longer.',
    example: '--budget 10m',
    parse: duration,
    words: ['30s', '2m', '1h'],
  },
  iters: {
    name: 'iters',
    short: 'n',
    group: 'How it is measured',
    value: 'N',
    fallback: null,
    shown: 'as many as --precision needs',
    allowed: 'a whole number above 0',
    help: 'Exactly N isolated samples and N pipelined operations per launch.',
    example: '--iters 100 --warmup 10',
    parse: wholeNumber(1, 1_000_000),
  },
  warmup: {
    name: 'warmup',
    short: 'w',
    group: 'How it is measured',
    value: 'N',
    fallback: 5,
    shown: '5',
    allowed: 'a whole number, 0 or more',
    help: 'Untimed operations before each block; without --iters at most one where an operation takes over 50 ms, and, once a cell is warm, one over 10 ms and two over 1 ms.',
    example: '--warmup 20',
    parse: wholeNumber(0, 1_000_000),
  },
  batch: {
    name: 'batch',
    short: 'm',
    group: 'How it is measured',
    value: 'N',
    fallback: 0,
    shown: 'chosen, a sample of about 50 us; engine nccl: 20, less from 20 ms per operation',
    allowed: 'a whole number, 0 (chosen) or more',
    help: 'Operations back to back in one pipelined sample.',
    example: '--batch 16',
    parse: wholeNumber(0, 1_000_000),
  },
  launches: {
    name: 'launches',
    group: 'How it is measured',
    value: 'N',
    fallback: null,
    shown: '3; engine cpu on one host: up to 6 where --precision needs them',
    allowed: 'a whole number from 1 to 100',
    help: 'Starts of all ranks. Only several give an interval that holds for the next start.',
    example: '--launches 8',
    parse: wholeNumber(1, 100),
  },
  check: {
    name: 'check',
    short: 'c',
    group: 'How it is measured',
    value: 'N',
    fallback: defaultCheck,
    shown: String(defaultCheck),
    allowed: '0 (off) or a whole number',
    help: 'Verify every N-th sample, always the first and the last of a block. As -c N: at least N verified samples.',
    example: '--check 1',
    parse: wholeNumber(0, 1_000_000),
    parseShort: (value) => {
      const samples = wholeNumber(0, 1_000_000)(value);
      if (samples === 0) return 0;
      return samples <= 2 ? defaultCheck : 1;
    },
  },
  average: {
    name: 'average',
    short: 'a',
    group: 'How it is measured',
    value: 'KIND',
    fallback: 'slowest',
    shown: 'slowest (3)',
    allowed: 'slowest, or 3 as in nccl-tests',
    help: 'Ranks to one figure: only the slowest rank tells when the operation is over. All ranks are kept in the samples.',
    example: '--average slowest',
    parse: (value) => {
      if (!['slowest', 'max', '3'].includes(value)) {
        throw new ValueError('an average over ranks hides the straggler and is not computed');
      }
      return 'slowest';
    },
    words: ['slowest'],
  },
  timeout: {
    name: 'timeout',
    short: 'T',
    group: 'How it is measured',
    value: 'SECONDS',
    fallback: 60,
    shown: '60',
    allowed: 'seconds above 0',
    help: 'What one block or one start may take before it counts as a hang.',
    example: '--timeout 300',
    parse: positive,
  },
  seed: {
    name: 'seed',
    group: 'How it is measured',
    value: 'N',
    fallback: null,
    shown: 'drawn, and recorded',
    allowed: 'a whole number from 0 to 4294967295',
    help: 'Seed of the order of blocks and of the data.',
    example: '--seed 7',
    parse: wholeNumber(0, 2 ** 32 - 1),
  },
  sampleInterval: {
    name: 'sample-interval',
    group: 'How it is measured',
    value: 'TIME',
    fallback: 200_000,
    shown: '200ms',
    allowed: 'off, or 1ms to 10s with its unit',
    help: 'How often each machine is read meanwhile: processors, memory, network, GPUs.',
    example: '--sample-interval 50ms',
    parse: interval,
    words: ['200ms', '50ms', '1s', 'off'],
  },
};
