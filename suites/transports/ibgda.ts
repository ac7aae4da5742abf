import { settingsOf, softmlx5 } from './emulators.ts';
import type { TransportPlanning } from './transport.ts';
import { overInterface } from './transport.ts';

export const ibgda: TransportPlanning = {
  name: 'ibgda',
  emulation: {
    by: softmlx5.name,
    needs: 'a ConnectX-5 or newer with an active port, rdma-core 28 or newer, and access to /dev/infiniband',
  },
  /**
   * Name of the software device if the emulation is requested; otherwise null, although the agents may emulate the adapter. Only a
   * real adapter can connect hosts, so for several hosts agents that offer only the emulation are rejected.
   */
  within: ({ medium }) => (medium === 'emulated' ? softmlx5.name : null),
  options: (options) => ({
    ...overInterface(options),
    ...settingsOf(softmlx5, options),
    queue: options.ibgdaQueue,
    ...(options.medium === 'emulated' ? { library: softmlx5.name } : {}),
  }),
};
