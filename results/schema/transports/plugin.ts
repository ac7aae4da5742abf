import type { TransportRow } from './row.ts';

/** Any NCCL net plugin, loaded from a path. */
export const plugin: TransportRow = {
  name: 'plugin',
  title: 'plugin',
  evidence: 'found',
  colour: 'sky',
  gpuLinks: null,
  emulator: null,
  takesInterface: true,
  joins: 'hosts',
  isOwn: true,
  hasFlags: false,
  runScatter: 0.04,
  takesPuts: false,
};
