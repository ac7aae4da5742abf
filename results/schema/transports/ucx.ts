import type { TransportRow } from './row.ts';
import { socket } from './socket.ts';

/** UCX over TCP, which an MPI uses in place of its own TCP code. */
export const ucx: TransportRow = { ...socket, name: 'ucx', title: 'UCX', colour: 'indigo', isOwn: false };
