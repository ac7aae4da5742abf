import { parseSeriesName } from '../series-name.ts';
import { ib, ibgda } from './ib.ts';
import { p2p, shm } from './machine.ts';
import { plugin } from './plugin.ts';
import type { TransportRow } from './row.ts';
import { sisci } from './sisci.ts';
import { socket } from './socket.ts';
import { ucx } from './ucx.ts';

export type { TransportRow } from './row.ts';

const own = { socket, sisci, ib, ibgda, shm, p2p, plugin, ucx };

export type TransportName = keyof typeof own;
const isTransportName = (name: string): name is TransportName => Object.hasOwn(own, name);
/** Names of all transports that collbench can use (socket, ib, shm, ...), in the order of help and lists. */
export const transportNames: readonly TransportName[] = Object.keys(own).filter(isTransportName);

/** All transports that collbench can use. */
export const transports: readonly TransportRow[] = Object.values(own);

/**
 * Returns the description of a transport, by the name of a series in a plan ("socket@ring/LL", "plugin:/path.so"). Null if this
 * version has no such transport, which may occur in imported runs and in those of newer versions.
 */
export function transportRow(name: string): TransportRow | null {
  const { transport } = parseSeriesName(name);
  return (
    transports.find(({ name: known }) => transport === known || transport.startsWith(`${known}:`)) ?? null
  );
}
