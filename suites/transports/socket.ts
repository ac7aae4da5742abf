import { overInterface, type TransportPlanning } from './transport.ts';

export const socket: TransportPlanning = {
  name: 'socket',
  options: (options) => ({
    ...overInterface(options),
    streams: options.streams,
    ...(options.socketBuffer === 0 ? {} : { bufferBytes: options.socketBuffer }),
  }),
};
