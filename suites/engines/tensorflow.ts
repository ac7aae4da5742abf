import type { PlanningEngine } from './engine.ts';
import { optionsIn } from './settings.ts';
import { torch } from './torch/index.ts';

/** Engine that trains with TensorFlow, in one Python process per rank. */
export const tensorflow: PlanningEngine = {
  ...torch,
  name: 'tensorflow',
  titlePrefix: 'TensorFlow over ',
  abilities: { training: { numerics: ['fp32', 'amp-bf16'], observed: ['none'] } },
  transports: ['socket'],
  options: ['python', 'workerThreads', 'joinTimeout'],
  usual: { ranks: 2, here: ['socket'], pick: () => 'socket', betweenHosts: 'socket' },
  devices: null,
  /** Minimum timeouts are long, because TensorFlow takes seconds to import and tens of seconds to trace a model. */
  patience: { probeMs: 30_000, launchMs: 180_000 },
  optionsOf: (settings) => optionsIn('tensorflow', settings, tensorflow.options),
};
