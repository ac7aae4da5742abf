import type { PlanningEngine } from '../engine.ts';
import { torch } from '../torch/index.ts';

/** TensorFlow in one Python process for each rank. */
export const tensorflow: PlanningEngine = {
  ...torch,
  name: 'tensorflow',
  over: 'TensorFlow over ',
  abilities: { training: { numerics: ['fp32', 'amp-bf16'], observed: ['none'] } },
  transports: ['socket'],
  options: ['python', 'workerThreads', 'joinTimeout'],
  usual: { ranks: 2, here: ['socket'], pick: () => 'socket', betweenHosts: 'socket' },
  devices: null,
  /** Imported in seconds, traced in tens of seconds. */
  patience: { probeMs: 30_000, launchMs: 180_000 },
  optionsOf: ({ python, workerThreads, joinTimeout }) => [
    '--engine tensorflow',
    ...(python === undefined ? [] : [`--python ${python}`]),
    ...(workerThreads === undefined ? [] : [`--worker-threads ${workerThreads}`]),
    ...(joinTimeout === undefined ? [] : [`--join-timeout ${joinTimeout}`]),
  ],
};
