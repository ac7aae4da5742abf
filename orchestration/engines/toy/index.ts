import { cpu } from '../cpu/index.ts';
import type { Engine } from '../engine.ts';

/** Runs anywhere, with nothing to look for. */
export const toy: Engine = {
  ...cpu,
  name: 'toy',
  headLines: () => ['engine toy: waits; no bytes move, no variable is set'],
  listing: async () => null,
};
