import { addTo } from '../../collections.ts';
import type { MachineReport, NetworkInterface } from '../../machine/index.ts';
import {
  type CheckRow,
  type DoctorRequest,
  error,
  listSome,
  note,
  ok,
  type Severity,
  unknown,
  warning,
} from '../check.ts';
import type { ClusterCheck, ClusterView, HostView } from '../cluster.ts';
import { ncclVersionOf } from './libraries.ts';
import { dataInterface } from './network.ts';

/**
 * Groups the names of hosts by a property such as the kernel version; hosts whose value is not known are under null. Hosts that did
 * not answer are left out.
 * @param of returns the value of a host
 */
function byValue(view: ClusterView, of: (host: HostView) => string | null): Map<string | null, string[]> {
  const groups = new Map<string | null, string[]>();
  for (const host of view.hosts) {
    if (host.machine === null) continue;
    const value = of(host);
    addTo(groups, value, host.name);
  }
  return groups;
}

interface VersionSkew extends CheckRow {
  severity: Exclude<Severity, 'ok' | 'unknown'>;
  fix: string;
  of: (host: HostView, request: DoctorRequest) => string | null;
}

const makers = { note, warning, error };

/**
 * Returns a doctor check that a property (`of`, such as the driver version) is equal on all hosts. A host whose value is not known
 * counts as different. The check has no result if fewer than two hosts answered, or if the value of no host is known.
 */
function sameEverywhere({ severity, fix, of, ...row }: VersionSkew): ClusterCheck {
  return {
    ...row,
    look(view, asked) {
      if (view.hosts.filter(({ machine }) => machine !== null).length < 2) return null;
      const groups = byValue(view, (host) => of(host, asked));
      const values = [...groups.keys()].filter((value) => value !== null);
      if (values.length === 0) return null;
      if (groups.size === 1) return ok(`${values[0]} everywhere`);
      const text = [...groups]
        .map(([value, hosts]) => `${value ?? 'none reported'} on ${listSome(hosts)}`)
        .join('; ');
      return makers[severity](text, fix);
    },
  };
}

const all = 'all' as const;
const libraryOf = (host: HostView, name: string) =>
  host.machine?.libraries.find((library) => library.name === name) ?? null;

/** Returns the network interface that the host's ranks would use for data; undefined if it is not known. */
function interfaceOf({ machine, listener }: HostView, asked: DoctorRequest): NetworkInterface | undefined {
  const name = listener?.interface ?? (machine && dataInterface(machine, asked)?.name);
  return machine?.network.interfaces.find((one) => one.name === name);
}

export const skewChecks: ClusterCheck[] = [
  sameEverywhere({
    id: 'skew.kernel',
    title: 'Kernel of all hosts',
    transports: all,
    why: 'Another kernel has another network stack: its host may be slower or faster.',
    severity: 'warning',
    fix: 'bring all hosts to one kernel, and reboot',
    of: ({ machine }) => machine?.system.kernel ?? null,
  }),
  sameEverywhere({
    id: 'skew.cpu',
    title: 'Processor of all hosts',
    transports: all,
    why: 'A collective is as fast as its slowest rank.',
    severity: 'warning',
    fix: 'compare hosts of one kind: --hosts with those of one model',
    of: ({ machine }) => machine?.cpu.model ?? null,
  }),
  sameEverywhere({
    id: 'skew.driver',
    title: 'GPU driver of all hosts',
    transports: ['p2p', 'shm', 'ib', 'ibgda', 'plugin'],
    why: 'NCCL uses features that both ends have; an older driver has fewer.',
    severity: 'warning',
    fix: 'install one driver on all hosts',
    of: ({ machine }) => machine?.nvidia?.release ?? null,
  }),
  sameEverywhere({
    id: 'skew.nccl',
    title: 'NCCL of all hosts',
    transports: ['p2p', 'shm', 'ib', 'ibgda', 'plugin'],
    why: 'Ranks with different versions of NCCL hang or refuse each other.',
    severity: 'error',
    fix: 'install one version on all hosts, or --nccl PATH',
    of: ({ machine, probed }) =>
      (machine?.gpus?.length ?? 0) > 0 ? ncclVersionOf(machine as MachineReport, probed) : null,
  }),
  sameEverywhere({
    id: 'skew.mpi',
    title: 'MPI of all hosts',
    transports: all,
    why: 'Different versions of MPI cannot communicate.',
    severity: 'note',
    fix: 'install one version on all hosts',
    of: (host) => {
      const mpi = host.machine?.libraries.find(({ name }) => name.startsWith('libmpi.so.'));
      return mpi === undefined ? null : mpi.path.slice(mpi.path.lastIndexOf('/') + 1);
    },
  }),
  sameEverywhere({
    id: 'skew.sisci',
    title: 'libsisci of all hosts',
    transports: ['sisci'],
    why: "Dolphin's library, driver and firmware must match at both ends of a cable.",
    severity: 'warning',
    fix: "install one release of Dolphin's eXpressWare on all hosts",
    of: (host) => {
      const library = libraryOf(host, 'libsisci.so');
      return library === null ? null : `build ${library.buildId.slice(0, 12) || `of ${library.bytes} bytes`}`;
    },
  }),
  sameEverywhere({
    id: 'skew.rdma-firmware',
    title: 'Firmware of RDMA adapters',
    transports: ['ib', 'ibgda'],
    why: 'Adapters with different firmware behave differently under load.',
    severity: 'note',
    fix: 'mlxfwmanager -u, or ibv_devinfo to see which',
    of: ({ machine }) =>
      [...new Set(machine?.rdma.map(({ firmware }) => firmware ?? '?'))].sort().join(', ') || null,
  }),
  sameEverywhere({
    id: 'skew.glibc',
    title: 'C library of all hosts',
    transports: all,
    why: 'Mostly harmless; memory copies and threads differ in speed.',
    severity: 'note',
    fix: 'bring all hosts to one release of the system',
    of: ({ machine }) => (machine?.glibc ? `glibc ${machine.glibc}` : null),
  }),
  sameEverywhere({
    id: 'skew.agent',
    title: 'Agent of all hosts',
    transports: all,
    why: 'Agents of different versions measure differently.',
    severity: 'error',
    fix: 'with --launcher slurm or command: put the same collbench-agent on all nodes, --agent PATH',
    of: ({ agentVersion }) => agentVersion,
  }),
  sameEverywhere({
    id: 'skew.mtu',
    title: 'MTU of the data interfaces',
    transports: ['socket', 'ib', 'ucx', 'plugin'],
    why: 'Frames that the other end does not support are lost: small messages work, large ones hang.',
    severity: 'warning',
    fix: 'one MTU on all hosts and switches, as root: ip link set NAME mtu 9000',
    of: (host, asked) => {
      const mtu = interfaceOf(host, asked)?.mtuBytes;
      return mtu == null ? null : `${mtu}`;
    },
  }),
  sameEverywhere({
    id: 'skew.speed',
    title: 'Speed of the data interfaces',
    transports: ['socket', 'ib', 'ucx', 'plugin'],
    why: 'A ring is as fast as its slowest link.',
    severity: 'warning',
    fix: 'ethtool NAME: another cable, port or transceiver',
    of: (host, asked) => {
      const mbps = interfaceOf(host, asked)?.speedMbps;
      return mbps == null ? null : `${mbps / 1000} Gb/s`;
    },
  }),
  {
    id: 'skew.clock',
    title: 'Wall clocks of all hosts',
    transports: all,
    why: 'Logs of several hosts are aligned by the wall clock; measurements use another clock.',
    look({ hosts }) {
      const told = hosts.filter(({ machine }) => machine !== null);
      const clocks = told.flatMap(({ name, clock }) => (clock === null ? [] : [{ name, ...clock }]));
      if (clocks.length < 2)
        return told.length < 2 ? null : unknown('not measured', 'date +%s.%N on all hosts');
      // A difference below the uncertainty of its measurement may be none.
      const apart = clocks.filter(({ offsetMs, uncertaintyMs }) => Math.abs(offsetMs) - uncertaintyMs > 1000);
      const widest = clocks.reduce((a, b) => (Math.abs(a.offsetMs) >= Math.abs(b.offsetMs) ? a : b));
      const text = ({ name, offsetMs }: { name: string; offsetMs: number }) =>
        `${name} ${offsetMs > 0 ? '+' : ''}${Number((offsetMs / 1000).toPrecision(3))} s`;
      if (apart.length === 0) {
        return ok(`within ${Math.max(1, Math.ceil(Math.abs(widest.offsetMs) + widest.uncertaintyMs))} ms`);
      }
      return warning(
        `against ${clocks[0]?.name}: ${listSome(apart.map(text))}`,
        'as root: systemctl enable --now chrony, then chronyc makestep',
      );
    },
  },
];
