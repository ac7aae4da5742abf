import { settingsOf, softmlx5 } from './emulators.ts';
import type { TransportPlanning } from './transport.ts';
import { overInterface } from './transport.ts';

/**
 * InfiniBand transport of GPU engines. The emulated adapter can take the place of a real one, but connects only ranks of one host.
 */
export const ib: TransportPlanning = {
  name: 'ib',
  emulation: { by: softmlx5.name, needs: 'an InfiniBand or RoCE adapter with an active port' },
  within: ({ medium }) => (medium === 'emulated' ? softmlx5.name : null),
  options: (options) => ({
    ...overInterface(options),
    ...settingsOf(softmlx5, options),
    ...(options.medium === 'emulated' ? { library: softmlx5.name } : {}),
  }),
};
