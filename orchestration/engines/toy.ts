import { cpu } from './cpu.ts';
import type { Engine } from './engine.ts';

/** Engine whose operations only wait and move no data; it runs anywhere without libraries or devices. */
export const toy: Engine = {
  ...cpu,
  name: 'toy',
  headLines: () => ['engine toy: waits; no bytes move, no variable is set'],
  listing: async () => null,
};
