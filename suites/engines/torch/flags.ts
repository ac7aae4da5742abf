import { type OptionRowsFor, ValueError } from '../../options/flag.ts';
import { text, wholeNumber } from '../../options/values.ts';
import type { WorkerOptions } from './options.ts';

const group = 'Training';
const backends = ['gloo', 'nccl'];

export const workerFlags: OptionRowsFor<WorkerOptions> = {
  python: {
    name: 'python',
    group,
    value: 'PATH',
    fallback: 'python3',
    shown: 'python3',
    allowed: 'a Python that has the framework; with --hosts the same path on every node',
    help: 'Python that runs the workers, e.g. of a virtual environment.',
    example: '--python ~/venv/bin/python',
    parse: text,
  },
  backend: {
    name: 'backend',
    group,
    value: 'NAME',
    fallback: null,
    shown: 'gloo',
    allowed: backends.join(' or '),
    help: 'Engine torch: library of the collectives. gloo: host memory, over socket. nccl: GPUs, over the transports of NCCL.',
    example: '--backend nccl',
    parse: (value) => {
      if (!backends.includes(value)) throw new ValueError('no such backend');
      return value;
    },
    words: backends,
  },
  workerThreads: {
    name: 'worker-threads',
    group,
    value: 'N',
    fallback: 0,
    shown: 'an equal share of the CPUs',
    allowed: 'a whole number from 0 (an equal share) to 1024',
    help: 'Threads that each worker computes with (OMP_NUM_THREADS).',
    example: '--worker-threads 8',
    parse: wholeNumber(0, 1024),
  },
  joinTimeout: {
    name: 'join-timeout',
    group,
    value: 'SECONDS',
    fallback: null,
    shown: '120, TensorFlow 180, or --timeout where that is longer',
    allowed: 'a whole number from 1 to 86400',
    help: 'Seconds for workers to start and join. After that the launch ends and names the missing rank.',
    example: '--join-timeout 600',
    parse: wholeNumber(1, 86_400),
  },
};
