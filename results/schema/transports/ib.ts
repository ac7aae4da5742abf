import type { TransportRow } from './row.ts';

export const ib: TransportRow = {
  name: 'ib',
  title: 'InfiniBand',
  evidence: 'none',
  colour: 'purple',
  gpuLinks: null,
  emulator: null,
  takesInterface: true,
  joins: 'hosts',
  isOwn: false,
};

/** GPUs drive the adapter themselves. */
export const ibgda: TransportRow = { ...ib, name: 'ibgda', title: 'IBGDA', colour: null };
