import type { HostRails, Inventory, OkCell, RunPlan, TransportPlan } from '../../schema/index.ts';
import { transportRow } from '../../schema/index.ts';
import { percentText, plural } from '../../units.ts';
import { backgroundBytes } from './interfaces.ts';
import { hostInterface } from './traffic.ts';

/**
 * Rails are interfaces or adapters of equal speed that connect the same hosts. They are even if the fullest carries less than this
 * multiple of an equal part. The fullest rail decides the time: at 1.25 an operation takes a quarter longer than over even rails.
 */
const maxFullness = 1.25;
/**
 * Lowest multiple of an equal part that each rail must carry. A rail that carries nothing hardly adds to the others if there are
 * many, but is a defect.
 */
const minFullness = 0.5;
/**
 * Lowest number of bytes over all rails of a host for which shares of the rails are computed; fewer may be traffic of other
 * programs.
 */
const minBytes = 4 * backgroundBytes;

/**
 * Matches interfaces that never connect hosts, by the first letters of their names: loopback, and virtual ones of containers and
 * tunnels.
 */
const inside = /^(?:lo|docker|virbr|br-|cni|flannel|veth|tun|tap|wg)/;

/** Sum of the bytes received and sent by each RDMA port while a configuration was measured, by host and port ("mlx5_0:1"). */
export type PortBytes = Readonly<Record<string, Readonly<Record<string, number>>>>;

/**
 * True if the bytes of a host's rails are so unequal that one of them limits the operation, or is nearly unused (`maxFullness`,
 * `minFullness`).
 */
export function areUneven({ rails }: HostRails): boolean {
  const equal = rails.reduce((sum, { bytes }) => sum + bytes, 0) / rails.length;
  return rails.some(({ bytes }) => bytes >= maxFullness * equal || bytes < minFullness * equal);
}

/** Returns as text how a host's rails share the bytes: "2 rails: eth0 100 %, eth1 0 %". */
export function railsText({ rails }: HostRails): string {
  const sum = rails.reduce((total, { bytes }) => total + bytes, 0);
  const shares = rails.map(
    ({ name, bytes }) => `${name} ${percentText(Math.round((100 * bytes) / sum) / 100)}`,
  );
  return `${plural(rails.length, 'rail')}: ${shares.join(', ')}`;
}

/**
 * Returns the result with `rails`, how the bytes of each host are shared by its rails, and the flag `uneven-rails` if the shares
 * are not even. Rails and flag of an earlier call are replaced. Rails are found only in runs of several hosts with adapters that
 * are not emulated; hosts with fewer than two rails, or with too few bytes, are left out.
 * @param inventory hardware of each host, by name
 * @param ports bytes of RDMA ports from the readings of the system load; empty if they were not read
 */
export function withRails(
  plan: RunPlan,
  cell: OkCell,
  inventory: Readonly<Record<string, Inventory>>,
  ports: PortBytes,
): OkCell {
  const rails = railsOf(plan, cell, inventory, ports);
  const { rails: _, ...bare } = cell;
  const others = cell.flags.filter(({ name }) => name !== 'uneven-rails');
  if (rails.length === 0) return { ...bare, flags: others };
  const uneven = rails.filter(areUneven);
  const [first] = uneven;
  const reason = first === undefined ? '' : `${first.host}: ${railsText(first)}; ${evenText(first)}`;
  const flags = first === undefined ? [] : [{ name: 'uneven-rails', level: 'note' as const, reason }];
  return { ...bare, rails, flags: [...others, ...flags] };
}

const evenText = ({ rails }: HostRails): string => `even are ${percentText(1 / rails.length)} each`;

function railsOf(
  plan: RunPlan,
  cell: OkCell,
  inventory: Readonly<Record<string, Inventory>>,
  ports: PortBytes,
): HostRails[] {
  const transport = plan.transports.find(
    ({ name, medium }) => name === cell.transport && medium === cell.medium,
  );
  if (plan.hosts.length < 2 || transport === undefined || cell.medium === 'emulated') return [];
  const isTcp = transportRow(cell.transport)?.evidence === 'interface';
  const counted = isTcp ? bytesByHost(cell) : usedPorts(ports);
  return plan.hosts.flatMap((host) => {
    const own = counted[host.name] ?? {};
    const names = isTcp ? interfacesOf(plan, host, transport, inventory, own) : Object.keys(own);
    const rails = names.map((name) => ({ name, bytes: own[name] ?? 0 }));
    const sum = rails.reduce((total, { bytes }) => total + bytes, 0);
    return rails.length < 2 || sum < minBytes ? [] : [{ host: host.name, rails }];
  });
}

/** Returns the bytes that each interface received while the cell was measured, by host and interface. */
function bytesByHost({ traffic }: OkCell): Record<string, Record<string, number>> {
  const found: Record<string, Record<string, number>> = {};
  for (const [key, bytes] of Object.entries(traffic?.interfaces ?? {})) {
    const { host, name } = hostInterface(key);
    found[host] = { ...found[host], [name]: bytes };
  }
  return found;
}

/**
 * Returns the bytes of those ports that carried data (64 KiB or more) on at least one host, by host and port. A port that carried
 * none anywhere is left out, because it may have no cable.
 */
function usedPorts(ports: PortBytes): Record<string, Record<string, number>> {
  const used = new Set(
    Object.values(ports).flatMap((own) =>
      Object.entries(own).flatMap(([name, bytes]) => (bytes >= backgroundBytes ? [name] : [])),
    ),
  );
  return Object.fromEntries(
    Object.entries(ports).map(([host, own]) => [
      host,
      Object.fromEntries(Object.entries(own).filter(([name]) => used.has(name))),
    ]),
  );
}

/**
 * Returns the names of a host's interfaces that are rails: those that the user named; otherwise those that are up, as fast as the
 * busiest one, no VLAN of another, and present with this speed under the same name on another host.
 * @param inventory hardware of each host, by name
 * @param counted bytes that each interface of this host received, by name
 */
function interfacesOf(
  { hosts }: RunPlan,
  { name: host, iface }: RunPlan['hosts'][number],
  { options }: TransportPlan,
  inventory: Readonly<Record<string, Inventory>>,
  counted: Readonly<Record<string, number>>,
): string[] {
  const named = String(iface ?? options.interface ?? '')
    .split(',')
    .filter((name) => name !== '');
  if (named.length > 0) return named;
  const upOn = (one: string) =>
    (inventory[one]?.interfaces ?? []).filter(
      ({ name, state, speedMbps }) => state === 'up' && speedMbps !== null && !inside.test(name),
    );
  const own = upOn(host);
  const [busiest] = own.toSorted((a, b) => (counted[b.name] ?? 0) - (counted[a.name] ?? 0));
  const others = hosts.filter(({ name }) => name !== host).flatMap(({ name }) => upOn(name));
  return own.flatMap(({ name, speedMbps }) => {
    const isVlan = own.some((one) => name.startsWith(`${one.name}.`));
    const isThere = others.some((one) => one.name === name && one.speedMbps === speedMbps);
    return speedMbps === busiest?.speedMbps && isThere && !isVlan ? [name] : [];
  });
}
