import { inGroup, type OptionValues, switchOption } from '../../options/option.ts';
import { listOf, parseEach, size, text, ValueError, wholeNumber } from '../../options/values.ts';

const signals = ['fused', 'separate'] as const;

/**
 * Options of the nvshmem engine; the cuda engine also uses `blocks`, `threads` and `packet`. Each value of `blocks`, `threads`,
 * `packet` and `signal` makes a separate series, combined with each value of the other three.
 */
export const nvshmemOptionRows = inGroup('NVSHMEM engine', {
  nvshmem: {
    value: 'PATH',
    default: null,
    defaultDescription: 'searched: NVSHMEM_HOME, LD_LIBRARY_PATH, Python packages, the system',
    allowed: 'a libnvshmem_host.so.3 with headers and device library beside it, or a folder that has it',
    describe: "NVSHMEM to measure; kernels are compiled against it with the node's nvcc.",
    example: '--engine nvshmem --nvshmem /opt/nvshmem',
    coerce: text,
  },
  tune: {
    ...switchOption,
    default: true,
    defaultDescription: 'on',
    allowed: 'true or false; --no-tune takes the points measured on H200',
    describe: 'Grid, block and packet of every size are tried in its warm-up; the fastest is recorded.',
    example: '--engine nvshmem --no-tune',
  },
  blocks: {
    value: 'LIST',
    default: [0],
    defaultDescription: '0 (tuned)',
    allowed: 'whole numbers from 1 to 128, or 0 for tuned',
    describe:
      'Thread blocks of the kernel. Each value is a separate series, as for --threads, --packet and --signal.',
    example: '--engine nvshmem --algo ring --blocks 16,64',
    coerce: parseEach(wholeNumber(0, 128)),
  },
  threads: {
    value: 'LIST',
    default: [0],
    defaultDescription: '0 (tuned)',
    allowed: 'multiples of 32 from 32 to 1024, or 0 for tuned',
    describe: 'Threads of a block.',
    example: '--engine nvshmem --algo ring --threads 512',
    coerce: parseEach((value) => {
      const threads = wholeNumber(0, 1024)(value);
      if (threads % 32 !== 0) throw new ValueError(`${value} is no multiple of 32`);
      return threads;
    }),
  },
  packet: {
    value: 'LIST',
    default: [0],
    defaultDescription: '0 (tuned)',
    allowed: 'multiples of 16 bytes from 1K to 256K, or 0 for tuned',
    describe: 'Bytes that a block sends before it signals.',
    example: '--engine nvshmem --algo ring --packet 16K,64K',
    coerce: parseEach((value) => {
      const bytes = size(value);
      if (bytes !== 0 && (bytes < 1024 || bytes > 262_144 || bytes % 16 !== 0))
        throw new ValueError(`${value} is not allowed`);
      return bytes;
    }),
  },
  signal: {
    value: 'LIST',
    default: ['fused'],
    allowed: 'fused (put with signal), separate (put, fence, signal), or both',
    describe: 'How the receiver is notified of a message.',
    example: '--engine nvshmem --signal fused,separate',
    coerce: listOf(signals),
    choices: signals,
  },
});

export type NvshmemOptions = OptionValues<typeof nvshmemOptionRows>;
