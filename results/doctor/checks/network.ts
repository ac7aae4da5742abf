import type { MachineReport, NetworkInterface } from '../../machine/index.ts';
import { wholeNumber } from '../../machine/tree.ts';
import {
  type DoctorCheck,
  type DoctorRequest,
  error,
  listSome,
  note,
  ok,
  unknown,
  warning,
} from '../check.ts';

const byTcp = ['socket', 'ucx', 'plugin'] as const;

/**
 * Returns the interface that carries data between machines: the one that the user named, otherwise that of the default route. Null
 * if the machine does not have the named interface, or if none was named and it has no default route.
 */
export function dataInterface(machine: MachineReport, request: DoctorRequest): NetworkInterface | null {
  const name = request.interface?.replace(/\/ipv[46]$/, '') ?? machine.network.defaultRoute;
  return machine.network.interfaces.find((one) => one.name === name) ?? null;
}

/** True if ranks use a network interface other than lo: if data go between several machines, or if the user named an interface. */
const leaves = (request: DoctorRequest) => request.spansHosts || request.interface !== null;

const gbps = (mbps: number) => `${mbps / 1000} Gb/s`;
const others = ({ network }: MachineReport) =>
  network.interfaces.filter(({ isLoopback, state }) => !isLoopback && state !== 'down');

/** True if the interface has a card or a device driver, unlike bridges and veth pairs of containers. */
export const isWayOut = ({ pci, driver }: NetworkInterface) => pci !== null || driver !== null;

/**
 * Returns the last number of a kernel setting with three numbers, such as "4096 131072 6291456": its maximum. Null if the setting
 * is missing or does not end with a number.
 */
const last = (text: string | undefined) => wholeNumber(text?.split(/\s+/).at(-1));
const mib = (bytes: number) => `${Number((bytes / 2 ** 20).toFixed(1))} MiB`;

/**
 * Size of a socket buffer in bytes that is enough for fast networks: at 100 Gb/s and a round trip of 0.3 ms, 3.75 MB are in flight.
 */
const enoughWindowBytes = 4 * 2 ** 20;

export const networkChecks: DoctorCheck[] = [
  {
    id: 'net.interface',
    title: 'Data interface compared with the fastest',
    transports: byTcp,
    why: 'Data between machines use the default route by default; a faster card stays idle.',
    look(machine, asked) {
      const ways = others(machine);
      const taken = dataInterface(machine, asked);
      if (asked.interface !== null && taken === null) {
        return error(
          `no interface ${asked.interface}; there are ${listSome(ways.map(({ name }) => name))}`,
          `--interface ${ways[0]?.name ?? 'lo'}`,
        );
      }
      if (ways.length === 0)
        return asked.spansHosts ? error('none but lo is up', 'ip link set NAME up') : null;
      if (taken === null) {
        const severity = asked.spansHosts ? warning : note;
        return severity(
          'no default route: uses the first interface that is up',
          'choose with --interface NAME',
        );
      }
      const faster = ways
        .filter(
          (one) => one.name !== taken.name && isWayOut(one) && (one.speedMbps ?? 0) > (taken.speedMbps ?? 0),
        )
        .sort((a, b) => (b.speedMbps ?? 0) - (a.speedMbps ?? 0))[0];
      if (faster !== undefined && taken.speedMbps === null && isWayOut(taken)) {
        return unknown(
          `${taken.name} does not report its speed`,
          `ethtool ${taken.name}; or --interface ${faster.name}`,
        );
      }
      if (faster !== undefined) {
        const text = `${taken.name}, ${taken.speedMbps === null ? 'no card' : gbps(taken.speedMbps)}; ${faster.name} has ${gbps(faster.speedMbps ?? 0)}`;
        const fix = `--interface ${faster.name} (NCCL alone: NCCL_SOCKET_IFNAME==${faster.name})`;
        return asked.spansHosts ? warning(text, fix) : note(text, fix);
      }
      if (taken.isWireless) return warning(`${taken.name} is wireless`, 'take a cable: --interface NAME');
      return ok(taken.speedMbps === null ? taken.name : `${taken.name}, ${gbps(taken.speedMbps)}`);
    },
  },
  {
    id: 'net.link',
    title: 'The link of the data interface',
    transports: byTcp,
    why: 'An interface that is down or below the speed of its card wastes bandwidth.',
    look(machine, asked) {
      const taken = dataInterface(machine, asked);
      if (taken === null || !leaves(asked)) return null;
      if (taken.state === 'down')
        return error(`${taken.name} is down`, `ip link set ${taken.name} up; see ethtool ${taken.name}`);
      if (taken.speedMbps === null) {
        if (!isWayOut(taken) || taken.isLoopback) return null;
        return unknown(`${taken.name} does not report its speed`, `ethtool ${taken.name}`);
      }
      if (taken.speedMbps < 1000) {
        return warning(
          `${taken.name} at ${taken.speedMbps} Mb/s`,
          `another cable or port; see ethtool ${taken.name}`,
        );
      }
      return ok(`${taken.name} ${taken.state}, ${gbps(taken.speedMbps)}`);
    },
  },
  {
    id: 'net.mtu',
    title: 'MTU of the data interface',
    transports: byTcp,
    why: 'Frames of 9000 bytes cost far fewer interrupts than 1500; the whole path must support them.',
    look(machine, asked) {
      const taken = dataInterface(machine, asked);
      if (taken === null || taken.isLoopback || !leaves(asked)) return null;
      if (taken.mtuBytes === null)
        return unknown(`${taken.name} does not report it`, `ip link show ${taken.name}`);
      if (taken.mtuBytes < 1280) {
        return warning(`${taken.mtuBytes} on ${taken.name}`, `as root: ip link set ${taken.name} mtu 1500`);
      }
      const isFast = (taken.speedMbps ?? 0) >= 10_000 && taken.pci !== null;
      if (taken.mtuBytes < 9000 && isFast) {
        return note(
          `${taken.mtuBytes} on ${taken.name}, ${gbps(taken.speedMbps ?? 0)}`,
          `on all hosts and switches alike, as root: ip link set ${taken.name} mtu 9000`,
        );
      }
      return ok(`${taken.mtuBytes} on ${taken.name}`);
    },
  },
  {
    id: 'net.tcp-buffers',
    title: 'Limit of the TCP window',
    transports: byTcp,
    why: 'The kernel grows buffers up to tcp_rmem and tcp_wmem; a small limit caps a fast link.',
    look({ network }) {
      const limits = {
        tcp_rmem: last(network.sysctls['net.ipv4.tcp_rmem']),
        tcp_wmem: last(network.sysctls['net.ipv4.tcp_wmem']),
      };
      if (limits.tcp_rmem === null && limits.tcp_wmem === null)
        return unknown('the kernel does not report it', 'sysctl net.ipv4.tcp_rmem');
      const small = Object.entries(limits).filter(([, bytes]) => bytes !== null && bytes < enoughWindowBytes);
      const [first] = small;
      if (first === undefined)
        return ok(`tcp_rmem ${mib(limits.tcp_rmem ?? 0)}, tcp_wmem ${mib(limits.tcp_wmem ?? 0)}`);
      const isFast = network.interfaces.some(
        ({ speedMbps, pci }) => pci !== null && (speedMbps ?? 0) >= 10_000,
      );
      const fix = `as root: sysctl -w net.ipv4.${first[0]}="4096 131072 16777216"`;
      const text = small.map(([name, bytes]) => `${name} ${mib(bytes ?? 0)}`).join(', ');
      return isFast ? warning(text, fix) : note(`${text}; enough below 10 Gb/s`, fix);
    },
  },
  {
    id: 'net.socket-buffers',
    title: 'Limit of socket buffers',
    transports: byTcp,
    why: 'Plugins that set their own buffers are silently limited to rmem_max and wmem_max.',
    look({ network }) {
      const limits = ['rmem_max', 'wmem_max'].map(
        (name) => [name, wholeNumber(network.sysctls[`net.core.${name}`])] as const,
      );
      if (limits.every(([, bytes]) => bytes === null))
        return unknown('the kernel does not report it', 'sysctl net.core.rmem_max');
      const text = limits.map(([name, bytes]) => `${name} ${mib(bytes ?? 0)}`).join(', ');
      const small = limits.find(([, bytes]) => bytes !== null && bytes < enoughWindowBytes);
      if (small === undefined) return ok(text);
      return note(`${text}; collbench and NCCL set none`, `as root: sysctl -w net.core.${small[0]}=16777216`);
    },
  },
  {
    id: 'net.backlog',
    title: 'Queue of incoming connections',
    transports: byTcp,
    why: 'When many ranks connect at the same time, those beyond the queue retry a second later.',
    look({ network }) {
      const most = wholeNumber(network.sysctls['net.core.somaxconn']);
      if (most === null) return unknown('the kernel does not report it', 'sysctl net.core.somaxconn');
      if (most >= 512) return ok(`somaxconn ${most}`);
      return note(`somaxconn ${most}`, 'as root: sysctl -w net.core.somaxconn=4096');
    },
  },
  {
    id: 'net.ports',
    title: 'Ports for data connections',
    transports: byTcp,
    why: 'Ranks listen on ports of this range; many ranks need many ports.',
    look({ network }) {
      const text = network.sysctls['net.ipv4.ip_local_port_range'];
      const [low, high] = (text ?? '').split(/\s+/).map((word) => wholeNumber(word));
      if (low == null || high == null)
        return unknown('the kernel does not report it', 'sysctl net.ipv4.ip_local_port_range');
      if (high - low >= 8192) return ok(`${low} to ${high}`);
      return warning(
        `only ${low} to ${high}`,
        'as root: sysctl -w net.ipv4.ip_local_port_range="32768 60999"',
      );
    },
  },
];
