import type { TransportRow } from './row.ts';

export const ib: TransportRow = {
  name: 'ib',
  title: 'InfiniBand',
  evidence: 'none',
  colour: 'purple',
  gpuLinks: null,
  emulator: 'softmlx5',
  takesInterface: true,
  joins: 'hosts',
  isOwn: false,
  hasFlags: false,
  runScatter: 0.04,
  takesPuts: false,
};

/** Whoever has the data writes the queues of the adapter and rings: GPUs, or CPU threads. */
export const ibgda: TransportRow = {
  ...ib,
  name: 'ibgda',
  title: 'IBGDA',
  evidence: 'beside',
  colour: 'black',
  isOwn: true,
  takesPuts: true,
};
