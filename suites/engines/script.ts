import type { PlanOptions } from '../options/plan-options.ts';
import type { PlanningEngine } from './engine.ts';
import { torch } from './torch/index.ts';

/** Engine that runs training programs of users, started in the same way as torchrun starts them. */
export const script: PlanningEngine = {
  ...torch,
  name: 'script',
  titlePrefix: 'own program over ',
  abilities: { program: {} },
  options: ['backend', 'workerThreads', 'joinTimeout', 'gpus', 'shareGpu'],
  settings: (options: PlanOptions) => ({
    ...torch.settings(options),
    command: options.words.command ?? '[]',
  }),
  optionsOf: ({ command, ...settings }) => [
    '--engine script',
    ...torch.optionsOf(settings).slice(1),
    ...(command === undefined ? [] : [`--command '${command}'`]),
  ],
};
