import { cpu } from '../cpu/index.ts';
import type { PlanningEngine } from '../engine.ts';

/** Waits and nothing else; no bytes move, so that its one transport is a name. */
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
