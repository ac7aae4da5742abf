import { type OwnPlanning, overInterface } from './transport.ts';

export const socket: OwnPlanning = {
  name: 'socket',
  options: (options) => ({ ...overInterface(options), streams: options.streams }),
};
