import { cpu } from './cpu/index.ts';
import type { PlanningEngine } from './engine.ts';

/** Test engine that only waits. It moves no bytes, so its one transport is only a name. */
export const toy: PlanningEngine = {
  ...cpu,
  name: 'toy',
  abilities: { hostClock: {} },
  transports: ['none'],
  options: [],
  usual: { ranks: 2, here: ['none'], pick: () => 'none', betweenHosts: 'none' },
  ringAlgorithm: null,
  loads: [],
};
