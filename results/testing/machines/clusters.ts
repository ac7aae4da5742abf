import type { Severity } from '../../doctor/check.ts';
import type { ClusterView, HostConnection, HostView } from '../../doctor/cluster.ts';
import { machineOf } from '../../machine/index.ts';
import type { MachineFacts } from '../../schema/index.ts';
import { alterServer, syntheticServer } from './server.ts';

const host = (name: string, facts: MachineFacts | null = syntheticServer()): HostView => ({
  name,
  machine: facts === null ? null : machineOf(facts),
  unreached: facts === null ? 'connection refused' : null,
  agentVersion: '0.1.0',
  probed: [],
  interface: null,
  listener: { interface: 'ens1', address: '10.0.0.1', port: 40_000, problem: '' },
  clock: { offsetMs: 3, uncertaintyMs: 1 },
});

const connection = (from: string, to: string, outcome = 'through'): HostConnection => ({
  from,
  to,
  outcome,
  detail: '',
  connectNs: 1e5,
  elapsedNs: 1e6,
  pathMtu: 9000,
  segmentBytes: 8948,
});

/** Two or more synthetic servers, with connection attempts between all of them. */
const view = (
  hosts: HostView[],
  outcome: (from: string, to: string) => string = () => 'through',
): ClusterView => ({
  hosts,
  connections: hosts.flatMap(({ name: from }) =>
    hosts.filter(({ name }) => name !== from).map(({ name: to }) => connection(from, to, outcome(from, to))),
  ),
  untriedPairs: 0,
});

/** Two equal servers without any problem. */
export const content = (): ClusterView => view([host('a'), host('b')]);

const unlike = (text: Record<string, string>): ClusterView => view([host('a'), host('b', alterServer(text))]);
const unlikeBy = (change: (facts: MachineFacts) => void): ClusterView =>
  view([host('a'), host('b', alterServer({}, change))]);
const library = (facts: MachineFacts, name: string) => facts.libraries.find((one) => one.name === name);

export interface ClusterCase {
  view: ClusterView;
  severity: Severity;
  observation: RegExp;
}

/** Synthetic clusters with a fault, by the id of the check that must find it. */
export const clusterCases: Record<string, ClusterCase[]> = {
  'reach.host': [
    { view: view([host('a'), host('b', null)]), severity: 'error', observation: /^b: connection refused$/ },
  ],
  'reach.listener': [
    {
      view: view([
        host('a'),
        {
          ...host('b'),
          listener: { interface: 'ib7', address: '', port: 0, problem: 'there is no network interface ib7' },
        },
      ]),
      severity: 'error',
      observation: /^b: there is no network interface ib7$/,
    },
  ],
  'reach.data': [
    {
      view: view([host('a'), host('b'), host('c')], (_, to) => (to === 'c' ? 'unanswered' : 'through')),
      severity: 'error',
      observation: /^nobody reaches c \(no answer\)$/,
    },
    {
      view: view([host('a'), host('b')], (from) => (from === 'b' ? 'refused' : 'through')),
      severity: 'error',
      observation: /^b -> a \(refused\)$/,
    },
    { view: { ...content(), connections: [] }, severity: 'unknown', observation: /not tried/ },
    { view: { ...content(), untriedPairs: 7 }, severity: 'note', observation: /7 were not tried/ },
  ],
  'reach.large': [
    {
      view: view([host('a'), host('b')], (from) => (from === 'a' ? 'stalled' : 'through')),
      severity: 'error',
      observation: /^a -> b \(connected, but no answer\)$/,
    },
  ],
  'reach.same-way': [
    {
      view: view([
        host('a'),
        { ...host('b'), listener: { interface: 'eno1', address: '10.1.0.2', port: 1, problem: '' } },
      ]),
      severity: 'note',
      observation: /ens1 on a; eno1 on b/,
    },
  ],
  'skew.kernel': [
    {
      view: unlike({ '/proc/sys/kernel/osrelease': '6.1.0\n' }),
      severity: 'warning',
      observation: /on a; 6\.1\.0 on b/,
    },
  ],
  'skew.cpu': [
    {
      view: unlike({ '/proc/cpuinfo': 'model name\t: Old\n' }),
      severity: 'warning',
      observation: /Old on b/,
    },
  ],
  'skew.driver': [
    {
      view: unlike({
        '/proc/driver/nvidia/version': 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  x\n',
      }),
      severity: 'warning',
      observation: /570\.86\.15 on a; 550\.54\.14 on b/,
    },
  ],
  'skew.nccl': [
    {
      view: unlikeBy((facts) => {
        const nccl = library(facts, 'libnccl.so.2');
        if (nccl !== undefined) nccl.path = '/usr/lib64/libnccl.so.2.21.5';
      }),
      severity: 'error',
      observation: /2\.28\.9 on a; 2\.21\.5 on b/,
    },
  ],
  'skew.mpi': [
    {
      view: unlikeBy((facts) => {
        facts.libraries = facts.libraries.filter(({ name }) => !name.startsWith('libmpi'));
      }),
      severity: 'note',
      observation: /none reported on b/,
    },
  ],
  'skew.sisci': [
    {
      view: unlikeBy((facts) => {
        const sisci = library(facts, 'libsisci.so');
        if (sisci !== undefined) sisci.buildId = 'deadbeef';
      }),
      severity: 'warning',
      observation: /build c0ffee on a; build deadbeef on b/,
    },
  ],
  'skew.rdma-firmware': [
    {
      view: unlike({ '/sys/class/infiniband/mlx5_0/fw_ver': '28.30.0\n' }),
      severity: 'note',
      observation: /28\.39\.1002 on a; 28\.30\.0 on b/,
    },
  ],
  'skew.glibc': [
    {
      view: unlikeBy(({ live }) => {
        if (live !== null) live.glibc = '2.28';
      }),
      severity: 'note',
      observation: /glibc 2\.34 on a; glibc 2\.28 on b/,
    },
  ],
  'skew.agent': [
    {
      view: view([host('a'), { ...host('b'), agentVersion: '0.0.9' }]),
      severity: 'error',
      observation: /0\.0\.9 on b/,
    },
  ],
  'skew.mtu': [
    {
      view: unlike({ '/sys/class/net/ens1/mtu': '1500\n' }),
      severity: 'warning',
      observation: /9000 on a; 1500 on b/,
    },
  ],
  'skew.speed': [
    {
      view: unlike({ '/sys/class/net/ens1/speed': '100000\n' }),
      severity: 'warning',
      observation: /100 Gb\/s on b/,
    },
  ],
  'skew.clock': [
    {
      view: view([host('a'), { ...host('b'), clock: { offsetMs: -90_000, uncertaintyMs: 5 } }]),
      severity: 'warning',
      observation: /against a: b -90 s/,
    },
    {
      view: view([{ ...host('a'), clock: null }, host('b')]),
      severity: 'unknown',
      observation: /not measured/,
    },
  ],
};
