import { dtypeNames, loadNames, loadOf, longestSkewText, opNames } from '../../results/schema/index.ts';
import { inGroup } from './option.ts';
import {
  dtypeSynonyms,
  listOf,
  parseEach,
  skewTime,
  splitWords,
  unique,
  ValueError,
  wholeNumber,
} from './values.ts';

/** Maximum number of connections of one load `traffic`; must match native/concurrent_load/traffic.cc. */
const maxConnections = 8;

/**
 * Parses the value of --beside, a list of concurrent loads; repeated loads count once. "none" in the list is ignored, because the
 * series without load is always measured.
 * @throws {ValueError} for an empty list, an unknown load, or too many connections of `traffic`
 */
function loadsValue(text: string): string[] {
  const asked = splitWords(text);
  if (asked.length === 0) throw new ValueError('empty');
  const loads = asked.filter((word) => word !== 'none');
  for (const word of loads) {
    const load = loadOf(word);
    if (load === null) throw new ValueError(`${word} is not allowed`);
    if (load.name === 'traffic' && (load.amount ?? 1) > maxConnections)
      throw new ValueError(`${word} is more than ${maxConnections} connections`);
  }
  return unique(loads);
}

export const whatOptionRows = inGroup('What is measured', {
  dtype: {
    synonyms: ['type', 'data-type'],
    alias: ['d', 'datatype'],
    value: 'LIST',
    default: ['float32'],
    defaultDescription: 'float32; moe: bfloat16',
    allowed: `${dtypeNames.join(', ')}, or all (half, float, double as in nccl-tests); float8 with --engine nccl`,
    describe: 'Data types.',
    example: '--dtype float16,bfloat16',
    coerce: listOf(dtypeNames, dtypeSynonyms),
    choices: [...dtypeNames, 'all'],
  },
  op: {
    synonyms: ['operation', 'reduction', 'redop', 'reduce-op'],
    alias: 'o',
    value: 'LIST',
    default: ['sum'],
    allowed: `${opNames.join(', ')}, or all; premulsum with --engine nccl`,
    describe: 'Reductions; only for collectives that reduce.',
    example: '--op sum,max',
    coerce: listOf(opNames),
    choices: [...opNames, 'all'],
  },
  root: {
    alias: 'r',
    value: 'RANK',
    default: [0],
    allowed: 'a rank counted from 0, a comma list, or all (-1 as in nccl-tests)',
    describe: 'Root of broadcast, reduce, gather and scatter.',
    example: '--root all',
    coerce: (value): number[] | 'all' => {
      if (['all', '-1'].includes(value.trim())) return 'all';
      return parseEach(wholeNumber(0))(value);
    },
    choices: ['0', 'all'],
  },
  inPlace: {
    value: 'WHICH',
    default: [false],
    defaultDescription: 'no',
    allowed: 'no, yes or both',
    describe: 'In place: the result overwrites the input.',
    example: '--in-place both',
    coerce: (value): boolean[] => {
      const choices: Record<string, boolean[]> = {
        no: [false],
        yes: [true],
        both: [false, true],
        false: [false],
        true: [true],
      };
      const choice = choices[value.trim().toLowerCase()];
      if (choice === undefined) throw new ValueError('no such value');
      return choice;
    },
    choices: ['no', 'yes', 'both'],
  },
  beside: {
    value: 'LIST',
    default: [],
    defaultDescription: 'none',
    allowed: `none, ${loadNames.join(', ')}; with an amount for each rank (compute:2): threads, connections of traffic; on GPUs SMs, copy engines`,
    describe:
      'Measure again beside a load, interleaved with the quiet series, and report how much each slows the other. compute: threads on all cores of the rank. copy: memory copies. traffic: messages over the same transport.',
    example: '--beside compute,traffic',
    coerce: loadsValue,
    choices: ['none', ...loadNames],
  },
  skew: {
    synonyms: ['delay', 'arrival', 'imbalance'],
    value: 'LIST',
    default: [0],
    defaultDescription: '0',
    allowed: `0, or times up to ${longestSkewText} with their unit: 50us, 1ms`,
    describe:
      'Make ranks late: delay them by this time before each operation. Each time is a separate series. The reported time is from the last arrival; the time from the first arrival is reported too.',
    example: '--skew 0,50us,1ms',
    coerce: parseEach(skewTime),
  },
  skewRank: {
    value: 'RANK',
    default: 0,
    defaultDescription: '0',
    allowed: 'a rank counted from 0, all or random',
    describe:
      'Rank that --skew makes late. all: ranks are spread evenly, rank 0 in time, the last rank by the whole time. random: one rank, drawn for each operation (--seed).',
    example: '--skew 1ms --skew-rank random',
    coerce: (value): number | 'all' | 'random' => {
      const word = value.trim().toLowerCase();
      return word === 'all' || word === 'random' ? word : wholeNumber(0)(word);
    },
    choices: ['all', 'random'],
  },
});
