import type { PlanningEngine } from './engine.ts';
import { optionsIn } from './settings.ts';
import { torch } from './torch/index.ts';

/** Engine that runs training programs of users, started in the same way as torchrun starts them. */
export const script: PlanningEngine = {
  ...torch,
  name: 'script',
  titlePrefix: 'own program over ',
  abilities: { program: {} },
  options: ['backend', 'workerThreads', 'joinTimeout', 'gpus', 'shareGpu'],
  settings: (options) => ({
    ...torch.settings(options),
    command: options.words.command ?? '[]',
  }),
  optionsOf: ({ command, ...settings }) => [
    ...optionsIn('script', settings, torch.options),
    ...(command === undefined ? [] : [`--command '${command}'`]),
  ],
};
