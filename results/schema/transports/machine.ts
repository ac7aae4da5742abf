import type { TransportRow } from './row.ts';

/** Transport through host memory that ranks of one machine share. */
export const shm: TransportRow = {
  name: 'shm',
  title: 'shared memory',
  evidence: 'beside',
  colour: 'green',
  gpuLinks: 'pcie',
  emulator: null,
  takesInterface: false,
  joins: 'processes',
  isOwn: true,
  hasFlags: true,
  runScatter: 0.04,
  takesPuts: false,
};

/** Transport between GPUs of one machine, over NVLink or PCIe. */
export const p2p: TransportRow = {
  ...shm,
  name: 'p2p',
  evidence: 'mapped',
  title: 'GPU peer to peer',
  colour: 'orange',
  gpuLinks: 'nvlink',
  joins: 'gpus',
  isOwn: false,
  hasFlags: false,
  runScatter: 0.01,
};
