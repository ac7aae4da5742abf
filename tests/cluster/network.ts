import { existsSync, readFileSync } from 'node:fs';
import { execute, mustExecute } from './command.ts';

/** The bridge between the hosts of a test cluster. Names and addresses contain its number, which is unique on this machine. */
export interface TestNetwork {
  number: number;
  bridge: string;
  /** Address of this machine on the bridge. */
  gateway: string;
  ipv6: boolean;
}

export const hostAddress = (network: TestNetwork, index: number) => `10.77.${network.number}.${index + 1}`;
export const hostAddress6 = (network: TestNetwork, index: number) =>
  network.ipv6 ? `fd77::${(network.number + 1).toString(16)}:${(index + 1).toString(16)}` : null;
/** Name of the bridge-side network interface of a host. */
export const hostLink = (network: TestNetwork, index: number) => `cbbed${network.number}h${index + 1}`;

export const maxHosts = 253;
const maxBeds = 200;

/** Start time of a process in clock ticks since boot; null if it does not exist. Distinguishes two processes with one pid. */
function startTicks(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

interface NetworkOwner {
  bridge: string;
  pid: number;
  ticks: string;
  folder: string;
}

async function owners(): Promise<NetworkOwner[]> {
  const listed = await mustExecute('ip', ['-json', '-details', 'link', 'show', 'type', 'bridge']);
  const links = JSON.parse(listed === '' ? '[]' : listed) as { ifname?: string; ifalias?: string }[];
  return links.flatMap(({ ifname, ifalias }) => {
    const match = /^test bed of (\d+) (\d+) (\/.+)$/.exec(ifalias ?? '');
    if (!ifname?.startsWith('cbbed') || match === null) return [];
    return [{ bridge: ifname, pid: Number(match[1]), ticks: String(match[2]), folder: String(match[3]) }];
  });
}

/**
 * Shell commands that remove the bridge `$1`, the interfaces of its hosts and the folder `$2`. The kernel removes interfaces
 * by itself, but only some time after the host's last process has ended.
 */
export const removeNetwork =
  'for link in /sys/class/net/"$1"h*; do echo "link delete $(basename "$link")"; done | ip -force -batch - 2>/dev/null; ' +
  'ip link delete "$1"; rm -rf "$2"';

/** Removes networks and folders of test clusters whose process has ended and whose guard process (guard.ts) was killed, too. */
export async function removeStaleNetworks(): Promise<void> {
  for (const { bridge, pid, ticks, folder } of await owners())
    if (startTicks(pid) !== ticks) await execute('sh', ['-c', removeNetwork, 'sh', bridge, folder]);
}

/**
 * Creates a bridge with the first free number. Two clusters cannot get the same number, because the kernel refuses a second
 * bridge with the same name.
 */
export async function makeNetwork(folder: string): Promise<TestNetwork> {
  for (let number = 0; number < maxBeds; number++) {
    const bridge = `cbbed${number}`;
    if (existsSync(`/sys/class/net/${bridge}`)) continue;
    const made = await execute('ip', ['link', 'add', bridge, 'type', 'bridge']);
    if (/File exists/.test(made.stderr)) continue;
    if (made.code !== 0) throw new Error(`cannot make a bridge: ${made.stderr}`);
    const gateway = `10.77.${number}.254`;
    const ipv6 = existsSync('/proc/net/if_inet6');
    const steps = [
      `link set ${bridge} alias "test bed of ${process.pid} ${startTicks(process.pid)} ${folder}"`,
      `address add ${gateway}/24 dev ${bridge}`,
      ...(ipv6 ? [`address add fd77::${(number + 1).toString(16)}:fe/112 dev ${bridge} nodad`] : []),
      `link set ${bridge} up`,
    ];
    await mustExecute('ip', ['-batch', '-'], steps.join('\n'));
    return { number, bridge, gateway, ipv6 };
  }
  throw new Error(`no free number for a bed below ${maxBeds}`);
}

/**
 * Connects each host to the bridge by an interface `eth0` in the network namespace of its first process (`pids`).
 * @param rateMbit limit of the rate towards each host, Mbit/s; null = no limit
 */
export async function plugIn(
  network: TestNetwork,
  pids: readonly number[],
  rateMbit: number | null,
): Promise<void> {
  const links = pids.map((_, index) => hostLink(network, index));
  await mustExecute(
    'ip',
    ['-batch', '-'],
    links
      .flatMap((link, index) => [
        `link add ${link} type veth peer name eth0 netns ${pids[index]}`,
        `link set ${link} master ${network.bridge} up`,
      ])
      .join('\n'),
  );
  if (rateMbit === null) return;
  const shape = `root tbf rate ${rateMbit}mbit burst 256kb latency 20ms`;
  await mustExecute('tc', ['-batch', '-'], links.map((link) => `qdisc add dev ${link} ${shape}`).join('\n'));
}
