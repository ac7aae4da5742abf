import { choiceOption, inGroup } from '../../options/option.ts';
import { text, wholeNumber } from '../../options/values.ts';

export const workerOptionRows = inGroup('Training', {
  python: {
    value: 'PATH',
    default: 'python3',
    allowed: 'a Python that has the framework; with --hosts the same path on every node',
    describe: 'Python that runs the workers, e.g. of a virtual environment.',
    example: '--python ~/venv/bin/python',
    coerce: text,
  },
  backend: {
    value: 'NAME',
    default: null,
    defaultDescription: 'gloo',
    ...choiceOption(['gloo', 'nccl']),
    allowed: 'gloo or nccl',
    describe:
      'Engine torch: library of the collectives. gloo: host memory, over socket. nccl: GPUs, over the transports of NCCL.',
    example: '--backend nccl',
  },
  workerThreads: {
    value: 'N',
    default: 0,
    defaultDescription: 'an equal share of the CPUs',
    allowed: 'a whole number from 0 (an equal share) to 1024',
    describe: 'Threads that each worker computes with (OMP_NUM_THREADS).',
    example: '--worker-threads 8',
    coerce: wholeNumber(0, 1024),
  },
  joinTimeout: {
    value: 'SECONDS',
    default: null,
    defaultDescription: '120, TensorFlow 180, or --timeout where that is longer',
    allowed: 'a whole number from 1 to 86400',
    describe: 'Seconds for workers to start and join. After that the launch ends and names the missing rank.',
    example: '--join-timeout 600',
    coerce: wholeNumber(1, 86_400),
  },
});
