import { inGroup, type OptionValues, switchOption } from './option.ts';
import {
  defaultCheck,
  duration,
  interval,
  parseWaitTime,
  precision,
  secondsOrTime,
  usualWait,
  ValueError,
  wholeNumber,
} from './values.ts';

export const samplingOptionRows = inGroup('How it is measured', {
  precision: {
    synonyms: ['accuracy', 'confidence'],
    value: 'SHARE',
    default: 0.01,
    defaultDescription: '1%; off with --iters and --groups',
    allowed: 'off, or 0.1% to 50%',
    describe:
      'Sample each configuration until its 95 % interval (half width) is this narrow, or --budget is spent.',
    example: '--precision 2%',
    coerce: precision,
    choices: ['1%', '2%', '5%', 'off'],
  },
  budget: {
    synonyms: ['time', 'duration', 'time-limit', 'max-time', 'walltime'],
    value: 'TIME',
    default: null,
    defaultDescription: '2m; longer where sizes, samples or launches that are named need it',
    allowed: 'a time from 1s to 24h, such as 90s, 10m or 1h',
    describe:
      'Time limit of the whole run: launches, warm-up, verification and report included. It ends earlier where all results are precise. A plan that cannot fit is refused.',
    example: '--budget 10m',
    coerce: duration,
    choices: ['30s', '2m', '1h'],
  },
  waitQuiet: {
    value: '[TIME]',
    bareValue: usualWait,
    default: null,
    defaultDescription: `off; without a time ${usualWait}`,
    allowed: 'off, or a time from 5s to 24h, such as 90s, 10m or 1h',
    describe:
      'Wait until other processes leave all machines quiet, at most TIME. After that the run measures anyway and flags disturbed results.',
    example: '--wait-quiet 30m',
    coerce: parseWaitTime,
    choices: [usualWait, '1h', 'off'],
  },
  retryFlagged: {
    ...switchOption,
    describe:
      'Measure disturbed configurations again at the end, in new launches. A third of --budget is reserved for this. The second measurement replaces the first only if it was not disturbed.',
    example: '--retry-flagged',
  },
  iters: {
    synonyms: ['iterations', 'samples', 'repeat', 'repetitions', 'count'],
    alias: 'n',
    value: 'N',
    default: null,
    defaultDescription: 'as many as --precision needs',
    allowed: 'a whole number above 0',
    describe: 'Exactly N isolated samples and N pipelined operations per launch.',
    example: '--iters 100 --warmup 10',
    coerce: wholeNumber(1, 1_000_000),
  },
  warmup: {
    synonyms: ['warm-up', 'warmup-iters', 'skip'],
    alias: ['w', 'warmup_iters'],
    value: 'N',
    default: 5,
    allowed: 'a whole number, 0 or more',
    describe: 'Untimed operations before each block; without --iters fewer for operations above 1 ms.',
    example: '--warmup 20',
    coerce: wholeNumber(0, 1_000_000),
  },
  batch: {
    alias: ['m', 'agg_iters'],
    value: 'N',
    default: 0,
    defaultDescription: 'auto (about 50 µs per sample); engine nccl: 20, fewer above 20 ms per operation',
    allowed: 'a whole number, 0 (chosen) or more',
    describe: 'Operations back to back in one pipelined sample.',
    example: '--batch 16',
    coerce: wholeNumber(0, 1_000_000),
  },
  launches: {
    synonyms: ['trials', 'starts'],
    value: 'N',
    default: null,
    defaultDescription:
      '3; 5 where a size range has fewer than 5 sizes; engine cpu on one host: up to 12, with --budget up to 32',
    allowed: 'a whole number from 1 to 100',
    describe: 'Number of process launches. An interval that covers the next launch needs at least two.',
    example: '--launches 8',
    coerce: wholeNumber(1, 100),
  },
  check: {
    synonyms: ['verify', 'validate', 'validation'],
    alias: 'c',
    value: 'N|all',
    default: defaultCheck,
    defaultDescription: String(defaultCheck),
    allowed: 'all, 0 (off) or a whole number',
    describe:
      'Verify every N-th sample, plus the first and last of each block; of its batch, results that are still in cache. all (or 1): every operation, warm-up included. The output says how long checking took. -c N: at least N verified samples.',
    example: '--check all',
    coerce: (value) => (value === 'all' ? 1 : wholeNumber(0, 1_000_000)(value)),
    choices: ['all', '0'],
    coerceLetter: (value) => {
      const samples = wholeNumber(0, 1_000_000)(value);
      if (samples === 0) return 0;
      return samples <= 2 ? defaultCheck : 1;
    },
  },
  average: {
    alias: 'a',
    value: 'KIND',
    default: 'slowest',
    defaultDescription: 'slowest (3)',
    allowed: 'slowest, or 3 as in nccl-tests',
    describe: 'How ranks are combined: the slowest rank ends the operation. The samples keep all ranks.',
    example: '--average slowest',
    coerce: (value): 'slowest' => {
      if (!['slowest', 'max', '3'].includes(value)) {
        throw new ValueError('an average over ranks hides stragglers and is not offered');
      }
      return 'slowest';
    },
    choices: ['slowest'],
  },
  timeout: {
    synonyms: ['deadline'],
    alias: 'T',
    value: 'TIME',
    default: 60,
    defaultDescription: '60s',
    allowed: 'a time with its unit, or seconds; above 0, at most 24h',
    describe:
      'Time without progress after which a block counts as hung; longest time that starting the ranks may take.',
    example: '--timeout 5m',
    coerce: secondsOrTime,
    choices: ['20s', '60s', '5m'],
  },
  seed: {
    value: 'N',
    default: null,
    defaultDescription: 'drawn, and recorded',
    allowed: 'a whole number from 0 to 4294967295',
    describe: 'Seed of the order of blocks and of the data.',
    example: '--seed 7',
    coerce: wholeNumber(0, 2 ** 32 - 1),
  },
  sampleInterval: {
    synonyms: ['interval', 'metrics-interval'],
    value: 'TIME',
    default: 200_000,
    defaultDescription: '200ms',
    allowed: 'off, or a time from 1ms to 10s, such as 50ms or 1s',
    describe: 'Interval between system-load samples: processors, memory, network, GPUs.',
    example: '--sample-interval 50ms',
    coerce: interval,
    choices: ['200ms', '50ms', '1s', 'off'],
  },
});

/** Values of the options about how a run is measured: precision, time budget, samples, launches, warm-up, verification. */
export type SamplingOptions = OptionValues<typeof samplingOptionRows>;
