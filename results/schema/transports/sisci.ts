import type { TransportRow } from './row.ts';

/** Transport through Dolphin PCIe adapters (non-transparent bridges), by the vendor's SISCI library. */
export const sisci: TransportRow = {
  name: 'sisci',
  title: 'SISCI',
  evidence: 'beside',
  colour: 'vermillion',
  gpuLinks: null,
  emulator: 'softntb',
  takesInterface: false,
  joins: 'hosts',
  isOwn: true,
  hasFlags: true,
  runScatter: 0.01,
  takesPuts: false,
};
