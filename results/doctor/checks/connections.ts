import { type DoctorRequest, error, listSome, note, ok, unknown, warning } from '../check.ts';
import type { ClusterCheck, ClusterView, HostConnection } from '../cluster.ts';
import { dataInterface } from './network.ts';

const words: Record<string, string> = {
  refused: 'refused',
  unanswered: 'no answer',
  stalled: 'connected, but no answer',
  unreachable: 'no route',
  failed: 'failed',
};

const bad = ({ connections }: ClusterView) => connections.filter(({ outcome }) => outcome !== 'through');
const pair = ({ from, to }: HostConnection) => `${from} -> ${to}`;

/**
 * Returns the hosts to which connections were tried from at least two other hosts, all without success; empty if there are none.
 * @param all all tested connections
 */
export function unreachableHosts(all: readonly HostConnection[]): string[] {
  const targets = [...new Set(all.map(({ to }) => to))];
  return targets.filter((to) => {
    const tries = all.filter((connection) => connection.to === to);
    return tries.length > 1 && tries.every((connection) => connection.outcome !== 'through');
  });
}

/**
 * Returns a phrase about failed connections with the kinds of their outcomes: "nobody reaches b, a -> c (refused)". A host that
 * no other host could reach is named once. At most four are named, the others counted.
 * @param all all tested connections, also successful ones
 */
function failuresPhrase(failed: readonly HostConnection[], all: readonly HostConnection[]): string {
  const outcome = new Set(failed.map((connection) => words[connection.outcome] ?? connection.outcome));
  const how = [...outcome].join(', ');
  const closed = unreachableHosts(all);
  const rest = failed.filter(({ to }) => !closed.includes(to)).map(pair);
  const said = [...closed.map((to) => `nobody reaches ${to}`), ...rest];
  return `${listSome(said, 4)} (${how})`;
}

const firewall =
  'let the hosts of the run talk to each other on ports of net.ipv4.ip_local_port_range: nft list ruleset, firewall-cmd --zone=trusted --add-source=NETWORK/24';

/** Advice if connections carry small packets but lose large ones, because a part of the network path has a smaller MTU. */
const mtuFix = 'one MTU on all hosts and switches of the way: ping -M do -s 8972 HOST shows what passes';

export const reachChecks: ClusterCheck[] = [
  {
    id: 'reach.host',
    title: 'Hosts that answer',
    transports: 'all',
    why: 'A host that does not answer cannot take part.',
    look({ hosts }) {
      if (hosts.length < 2 && hosts.every(({ machine }) => machine !== null)) return null;
      const silent = hosts.filter(({ machine }) => machine === null);
      if (silent.length === 0) return ok(`all ${hosts.length}`);
      const text = silent.map(({ name, unreached }) => `${name}: ${unreached ?? 'no answer'}`);
      return error(listSome(text, 8), `check: ssh ${silent[0]?.name} true; or leave the host out`);
    },
  },
  {
    id: 'reach.listener',
    title: 'Ports that ranks could listen on',
    transports: ['socket', 'ucx', 'plugin'],
    why: 'Each rank listens on the data interface for those that connect to it.',
    look({ hosts }) {
      const tried = hosts.filter(({ listener }) => listener !== null);
      if (tried.length === 0) return null;
      const shut = tried.filter(({ listener }) => listener?.problem !== '');
      if (shut.length > 0) {
        return error(
          listSome(
            shut.map(({ name, listener }) => `${name}: ${listener?.problem}`),
            2,
          ),
          '--interface NAME, or in --hosts host:iface=NAME',
        );
      }
      return ok(
        listSome(tried.map(({ name, listener }) => `${name} ${listener?.address} (${listener?.interface})`)),
      );
    },
  },
  {
    id: 'reach.data',
    title: 'Data connections between all hosts, both ways',
    transports: ['socket', 'ucx', 'plugin'],
    why: 'Ranks connect to each other on ports the kernel picks; a firewall between them makes a start hang.',
    look(view) {
      if (view.hosts.filter(({ listener }) => listener?.problem === '').length < 2) return null;
      if (view.connections.length === 0)
        return unknown('not tried', 'collbench allreduce --max 64 --hosts ...');
      const failed = bad(view).filter(({ outcome }) => outcome !== 'stalled');
      if (failed.length > 0) return error(failuresPhrase(failed, view.connections), firewall);
      if (view.untriedPairs > 0)
        return note(`${view.connections.length} pairs connect, ${view.untriedPairs} were not tried`);
      return ok(`${view.connections.length} paths, 64 KiB each way`);
    },
  },
  {
    id: 'reach.large',
    title: 'Large packets between all hosts',
    transports: ['socket', 'ucx', 'plugin'],
    why: 'If frames are larger than a switch supports, connections open and then hang.',
    look(view) {
      const connected = view.connections.filter(
        ({ outcome }) => outcome === 'through' || outcome === 'stalled',
      );
      if (connected.length === 0) return null;
      const stalled = connected.filter(({ outcome }) => outcome === 'stalled');
      if (stalled.length > 0) return error(failuresPhrase(stalled, view.connections), mtuFix);
      const segments = connected.map(({ segmentBytes }) => segmentBytes).filter((bytes) => bytes !== null);
      if (segments.length === 0) return unknown('passed; segment sizes are not reported');
      return ok(`segments of ${Math.min(...segments)} to ${Math.max(...segments)} bytes`);
    },
  },
  {
    id: 'reach.same-way',
    title: 'The interface of each host',
    transports: ['socket', 'ucx', 'plugin'],
    why: 'Hosts with different interfaces use the slower one, or cannot connect.',
    look(view, request: DoctorRequest) {
      const named = view.hosts.flatMap(({ name, machine, listener }) => {
        const iface =
          listener?.interface ?? (machine === null ? undefined : dataInterface(machine, request)?.name);
        return iface === undefined || iface === '' ? [] : [{ name, iface }];
      });
      const kinds = [...new Set(named.map(({ iface }) => iface))];
      if (named.length < 2) return null;
      if (kinds.length === 1) return ok(`${kinds[0]} everywhere`);
      const text = kinds.map((kind) => {
        const hosts = named.filter(({ iface }) => iface === kind).map(({ name }) => name);
        return `${kind} on ${listSome(hosts)}`;
      });
      return kinds.length > 2
        ? warning(text.join('; '), '--interface NAME, or in --hosts host:iface=NAME')
        : note(text.join('; '), '--interface NAME, or in --hosts host:iface=NAME');
    },
  },
];
