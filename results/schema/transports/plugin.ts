import type { TransportRow } from './row.ts';

/** Transport through an NCCL net plugin (libnccl-net-*.so), which the user names by its path. */
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
