import type { TransportRow } from './row.ts';

export const socket: TransportRow = {
  name: 'socket',
  title: 'TCP',
  evidence: 'interface',
  colour: 'blue',
  gpuLinks: null,
  emulator: null,
  takesInterface: true,
  joins: 'hosts',
  isOwn: true,
  hasFlags: false,
  runScatter: 0.04,
  takesPuts: false,
};
