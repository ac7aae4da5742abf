import { type OptionRowsFor, ValueError } from '../../options/flag.ts';
import { listOf, parseEach, size, switchValue, text, wholeNumber } from '../../options/values.ts';
import { type NvshmemOptions, signallings } from './options.ts';

const group = 'NVSHMEM engine';

export const nvshmemFlags: OptionRowsFor<NvshmemOptions> = {
  nvshmem: {
    name: 'nvshmem',
    group,
    value: 'PATH',
    fallback: null,
    shown: 'searched: NVSHMEM_HOME, LD_LIBRARY_PATH, Python packages, the system',
    allowed: 'a libnvshmem_host.so.3 with headers and device library beside it, or a folder that has it',
    help: "NVSHMEM to measure; kernels are compiled against it with the node's nvcc.",
    example: '--engine nvshmem --nvshmem /opt/nvshmem',
    parse: text,
  },
  tune: {
    name: 'tune',
    group,
    fallback: true,
    shown: 'on',
    allowed: 'true or false; --no-tune takes the points measured on H200',
    help: 'Grid, block and packet of every size are tried in its warm-up; the fastest is recorded.',
    example: '--engine nvshmem --no-tune',
    parse: switchValue,
  },
  blocks: {
    name: 'blocks',
    group,
    value: 'LIST',
    fallback: [0],
    shown: '0 (tuned)',
    allowed: 'whole numbers from 1 to 128, or 0 for tuned',
    help: 'Thread blocks of the kernel. Each value is a separate series, as for --threads, --packet and --signal.',
    example: '--engine nvshmem --algo ring --blocks 16,64',
    parse: parseEach(wholeNumber(0, 128)),
  },
  threads: {
    name: 'threads',
    group,
    value: 'LIST',
    fallback: [0],
    shown: '0 (tuned)',
    allowed: 'multiples of 32 from 32 to 1024, or 0 for tuned',
    help: 'Threads of a block.',
    example: '--engine nvshmem --algo ring --threads 512',
    parse: parseEach((value) => {
      const threads = wholeNumber(0, 1024)(value);
      if (threads % 32 !== 0) throw new ValueError(`${value} is no multiple of 32`);
      return threads;
    }),
  },
  packet: {
    name: 'packet',
    group,
    value: 'LIST',
    fallback: [0],
    shown: '0 (tuned)',
    allowed: 'multiples of 16 bytes from 1K to 256K, or 0 for tuned',
    help: 'Bytes that a block sends before it signals.',
    example: '--engine nvshmem --algo ring --packet 16K,64K',
    parse: parseEach((value) => {
      const bytes = size(value);
      if (bytes !== 0 && (bytes < 1024 || bytes > 262_144 || bytes % 16 !== 0))
        throw new ValueError(`${value} is not allowed`);
      return bytes;
    }),
  },
  signal: {
    name: 'signal',
    group,
    value: 'LIST',
    fallback: ['fused'],
    shown: 'fused',
    allowed: 'fused (put with signal), separate (put, fence, signal), or both',
    help: 'How the receiver is notified of a message.',
    example: '--engine nvshmem --signal fused,separate',
    parse: listOf(signallings),
    words: [...signallings],
  },
};
