// Options of `collbench pairs` besides those of measuring commands.
import type { PairThreshold } from '../../orchestration/pairs/options.ts';
import { ValueError } from '../../suites/options/flag.ts';
import { size, sizeAllowed } from '../../suites/options/values.ts';
import type { OptionKey } from './flag.ts';
import { hostKeys } from './host-keys.ts';

/** Options of measuring commands that the command `pairs` has too, in the order of help. */
export const pairsKeys = [
  ...hostKeys,
  'ranks',
  'engine',
  'transport',
  'interface',
  'streams',
  'sisciLibrary',
  'ibgdaQueue',
  'link',
  'nccl',
  'gpus',
  'iters',
  'warmup',
  'check',
  'timeout',
  'seed',
  'out',
  'json',
  'planOnly',
] as const satisfies readonly OptionKey[];

/** Minimum value of --size in bytes: two elements of four bytes, one for each rank of a pair. */
const leastSize = 8;

function badWhen(text: string): PairThreshold {
  const word = text.trim();
  if (word === 'fails' || word === 'wrong') return { kind: word };
  const [, kind, number] = /^(GBps\s*<|us\s*>)\s*(\d+(?:\.\d+)?)$/.exec(word) ?? [];
  const limit = Number(number);
  if (kind === undefined || !(limit > 0)) throw new ValueError('not understood');
  return { kind: kind.startsWith('GBps') ? 'GBps' : 'us', limit };
}

/** Options that only the command `pairs` has, in the form of the option table. */
export const pairsFlags = {
  size: {
    name: 'size',
    value: 'SIZE',
    shown: '16M',
    allowed: `${sizeAllowed}; a multiple of ${leastSize}`,
    help: 'Message size for bandwidth; latency is measured with 8 bytes.',
    example: '--size 64M',
    parse: (text: string): number => {
      const bytes = size(text);
      if (bytes < leastSize || bytes % leastSize !== 0) throw new ValueError('not whole elements for two');
      return bytes;
    },
  },
  oneAtATime: {
    name: 'one-at-a-time',
    shown: 'off: the pairs of a round at the same time',
    allowed: 'true or false',
    help: 'One pair at a time: slower, but without traffic of other pairs.',
    example: '--one-at-a-time',
  },
  bisect: {
    name: 'bisect',
    value: 'WHEN',
    shown: 'off',
    allowed:
      'when a run is bad: fails (an error, or --timeout), wrong (data), GBps<9.5 (bus bandwidth), us>500 (time)',
    help: 'Find the host that breaks a large run, by measuring halves of the hosts.',
    example: "--bisect 'GBps<9.5'",
    parse: (text: string): { text: string; when: PairThreshold } => ({ text, when: badWhen(text) }),
  },
} as const;

export const defaultPairSize = 16 * 2 ** 20;
