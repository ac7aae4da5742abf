import { overInterface, type PlanningTransport } from './transport.ts';

export const socket: PlanningTransport = {
  name: 'socket',
  takesInterface: true,
  emulation: null,
  within: () => null,
  options: (options) => ({ ...overInterface(options), streams: options.streams }),
};
