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

/**
 * InfiniBand transport without a proxy thread: the GPUs or CPU threads that hold the data write to the adapter's queues and ring
 * its doorbells themselves.
 */
export const ibgda: TransportRow = {
  ...ib,
  name: 'ibgda',
  title: 'IBGDA',
  evidence: 'beside',
  colour: 'black',
  isOwn: true,
  takesPuts: true,
};
