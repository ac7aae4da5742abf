import { dtypeNames, loadNames, loadOf, opNames } from '../../results/schema/index.ts';
import { type OptionRowsFor, ValueError } from './flag.ts';
import type { PlanOptions } from './plan-options.ts';
import { dtypeSynonyms, listOf, splitWords, unique, wholeNumber } from './values.ts';

/** Maximum number of connections of one traffic load; must match native/concurrent_load/traffic.cc. */
const mostConnections = 8;

/**
 * Parses the list of concurrent loads. "none" may be in the list and is ignored, because the series without load is always
 * measured.
 */
function loadsValue(text: string): string[] {
  const asked = splitWords(text);
  if (asked.length === 0) throw new ValueError('empty');
  const loads = asked.filter((word) => word !== 'none');
  for (const word of loads) {
    const load = loadOf(word);
    if (load === null) throw new ValueError(`${word} is not allowed`);
    if (load.name === 'traffic' && (load.amount ?? 1) > mostConnections)
      throw new ValueError(`${word} is more than ${mostConnections} connections`);
  }
  return unique(loads);
}

export const whatFlags: OptionRowsFor<Pick<PlanOptions, 'dtype' | 'op' | 'root' | 'inPlace' | 'beside'>> = {
  dtype: {
    name: 'dtype',
    short: 'd',
    alias: 'datatype',
    group: 'What is measured',
    value: 'LIST',
    fallback: ['float32'],
    shown: 'float32',
    allowed: `${dtypeNames.join(', ')}, or all (half, float, double as in nccl-tests); float8 with --engine nccl`,
    help: 'Data types.',
    example: '--dtype float16,bfloat16',
    parse: listOf(dtypeNames, dtypeSynonyms),
    words: [...dtypeNames, 'all'],
  },
  op: {
    name: 'op',
    short: 'o',
    group: 'What is measured',
    value: 'LIST',
    fallback: ['sum'],
    shown: 'sum',
    allowed: `${opNames.join(', ')}, or all; premulsum with --engine nccl`,
    help: 'Reductions; only for collectives that reduce.',
    example: '--op sum,max',
    parse: listOf(opNames),
    words: [...opNames, 'all'],
  },
  root: {
    name: 'root',
    short: 'r',
    group: 'What is measured',
    value: 'RANK',
    fallback: [0],
    shown: '0',
    allowed: 'a rank counted from 0, a comma list, or all (-1 as in nccl-tests)',
    help: 'Root of broadcast, reduce, gather and scatter.',
    example: '--root all',
    parse: (value) => {
      if (['all', '-1'].includes(value.trim())) return 'all';
      const ranks = splitWords(value).map(wholeNumber(0));
      if (ranks.length === 0) throw new ValueError('empty');
      return unique(ranks);
    },
    words: ['0', 'all'],
  },
  inPlace: {
    name: 'in-place',
    group: 'What is measured',
    value: 'WHICH',
    fallback: [false],
    shown: 'no',
    allowed: 'no, yes or both',
    help: 'In place: the result overwrites the input.',
    example: '--in-place both',
    parse: (value) => {
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
    words: ['no', 'yes', 'both'],
  },
  beside: {
    name: 'beside',
    group: 'What is measured',
    value: 'LIST',
    fallback: [],
    shown: 'none',
    allowed: `none, ${loadNames.join(', ')}; with an amount for each rank (compute:2): threads, connections of traffic; on GPUs SMs, copy engines`,
    help: 'Measure again beside a load, interleaved with the quiet series, and report how much each slows the other. compute: threads on all cores of the rank. copy: memory copies. traffic: messages over the same transport.',
    example: '--beside compute,traffic',
    parse: loadsValue,
    words: ['none', ...loadNames],
  },
};
