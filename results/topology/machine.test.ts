import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machineOf } from '../machine/index.ts';
import { syntheticServer } from '../testing/machines/server.ts';
import { topologyFixture } from '../testing/topology/fixtures.ts';
import { topologyOf } from './from-machine.ts';
import { disagreements, joinTopologies } from './join.ts';
import { ncclSystem } from './nccl-system.ts';
import { nvlinkCeiling, pathsOf } from './paths.ts';
import { lowestRate, nvlinkRate, nvlinkRateOfMBps, parseTransferRate, pcieRate, wireRate } from './rates.ts';
import { smiMatrix } from './smi.ts';
import { readSource } from './sources.ts';
import { machineParts } from './stored.ts';
import { devicesOf, type Topology } from './types.ts';

const fixture = (name: string): Topology[] => {
  const found = readSource(topologyFixture(name), name);
  assert.equal(found.kind, 'machines');
  return found.kind === 'machines' ? found.topologies : [];
};
const first = (name: string) => fixture(name)[0] as Topology;
const server = () => topologyOf(machineParts.parse(machineOf(syntheticServer())), 'made01');
const told = (topology: Topology) =>
  pathsOf(topology).map(({ a, b, joint, ceiling }) => {
    const most = ceiling.GBps === null ? '?' : ceiling.GBps.toFixed(1);
    return `${a.short} - ${b.short}: ${joint} ${ceiling.isComplete ? '' : '<= '}${most}`;
  });

test('rates: PCIe by generation and lanes, NVLink by compute capability, ports by their speed', () => {
  for (const [speed, width, text, GBps] of [
    [2.5, 1, 'PCIe gen 1 x1', 0.25],
    [8, 16, 'PCIe gen 3 x16', 15.754],
    [16, 8, 'PCIe gen 4 x8', 15.754],
    [32, 16, 'PCIe gen 5 x16', 63.015],
    [64, 16, 'PCIe gen 6 x16', 118],
    [32, 0, 'PCIe gen 5', null],
    [32, 5, 'PCIe gen 5', null],
    [null, 16, 'PCIe x16', null],
    [33, 16, 'PCIe x16', null],
    [null, null, 'PCIe', null],
  ] as const) {
    const rate = pcieRate(speed, width);
    assert.equal(rate.text, text);
    assert.equal(rate.GBps === null ? null : Number(rate.GBps.toFixed(3)), GBps, text);
  }
  assert.deepEqual(nvlinkRate(12, 80), { text: '12 NVLinks', GBps: 300 });
  assert.deepEqual(nvlinkRate(1, 89), { text: '1 NVLink', GBps: null });
  assert.equal(wireRate(0), null);
  assert.deepEqual(wireRate(200_000), { text: '200 Gbit/s', GBps: 25 });
  assert.deepEqual(
    [parseTransferRate('16.0 GT/s PCIe'), parseTransferRate('16 GT/s'), parseTransferRate('Unknown')],
    [16, 16, null],
  );
});

test('what the driver tells of an NVLink is what is signalled: of the coded ones 16/17 are data', () => {
  assert.equal(Math.round(nvlinkRateOfMBps(18, 26_562).GBps ?? 0), 450);
  assert.equal(Math.round(nvlinkRateOfMBps(18, 53_125).GBps ?? 0), 900);
  assert.equal(nvlinkRateOfMBps(12, 25_000).GBps, 300);
  assert.equal(nvlinkRateOfMBps(12, null).GBps, null);
});

test('the least of links that are not all known is an upper bound only', () => {
  const rates = [
    { text: 'a', GBps: 10 },
    { text: 'b', GBps: null },
    { text: 'c', GBps: 5 },
  ];
  assert.deepEqual(lowestRate(rates), { GBps: 5, limit: 'c', isComplete: false });
  assert.deepEqual(lowestRate([]), { GBps: null, limit: null, isComplete: false });
});

test('the made server: two bridges, two GPUs and an adapter below them, an NTB adapter of its own', () => {
  const made = server();
  assert.equal(made.source, 'sysfs and NVML');
  assert.deepEqual(
    made.domains.map(({ node, devices }) => [node, devices.map(({ short }) => short)]),
    [
      [0, ['bridge', 'NTB']],
      [null, ['eno1']],
    ],
  );
  assert.deepEqual(told(made), [
    'GPU 0 - GPU 1: switch 63.0',
    'GPU 0 - mlx5_0: switch 63.0',
    'GPU 0 - NTB: processor 15.8',
    'GPU 0 - eno1: null <= 63.0',
    'GPU 1 - mlx5_0: switch 63.0',
    'GPU 1 - NTB: processor 15.8',
    'GPU 1 - eno1: null <= 63.0',
    'mlx5_0 - NTB: processor 15.8',
    'mlx5_0 - eno1: null <= 63.0',
    'NTB - eno1: null <= 15.8',
  ]);
});

test('eight GPUs: through switches of NVLinks, below one PCIe switch, across nodes', () => {
  const paths = told(first('made-8-gpus-topo.xml'));
  assert.ok(paths.includes('GPU 0 - GPU 7: nvlink 450.0'));
  assert.ok(paths.includes('GPU 0 - mlx5_1: switch 63.0'));
  assert.ok(paths.includes('GPU 0 - mlx5_2: processor 63.0'));
  assert.ok(paths.includes('GPU 0 - mlx5_7: nodes <= 63.0'));
});

test('the recorded machine: the run knows the lanes, NCCL the NVLinks; together they know both', () => {
  const run = first('h200-2-machines.json');
  assert.deepEqual(told(run).slice(0, 2), [
    'eth0 - GPU 0: processor <= 63.0',
    'eth0 - GPU 1: processor <= 63.0',
  ]);
  const [both, ...more] = joinTopologies([run, first('h200-2-topo.xml')]);
  assert.equal(more.length, 0);
  assert.equal(both?.host, 'vm');
  assert.ok(told(both as Topology).includes('GPU 0 - GPU 1: nvlink 450.0'));
  assert.equal(nvlinkCeiling(both as Topology)?.GBps, 450);
  assert.equal(run.peers.length, 0, 'what is joined is a copy');
  const matrix = smiMatrix(topologyFixture('h200-2-smi-topo-m.txt'));
  assert.deepEqual(disagreements(both as Topology, matrix), []);
  assert.deepEqual(disagreements(run, matrix), [
    "GPU 0 has 0 NVLinks in one source, 18 in nvidia-smi's table",
    "GPU 1 has 0 NVLinks in one source, 18 in nvidia-smi's table",
  ]);
});

test('NVLinks that NVML counts, but not where they lead, give the ceiling of a GPU', () => {
  const facts = syntheticServer();
  for (const gpu of facts.nvml?.gpus ?? []) Object.assign(gpu, { nvlinks: 18, nvlinkMBps: 26_562 });
  const made = topologyOf(machineParts.parse(machineOf(facts)), 'made01');
  assert.equal(Math.round(nvlinkCeiling(made)?.GBps ?? 0), 450);
  assert.equal(nvlinkCeiling(server()), null);
  const uneven = first('made-4-v100-topo.xml');
  assert.equal(nvlinkCeiling(uneven)?.GBps, 100);
  uneven.peers.pop();
  assert.equal(nvlinkCeiling(uneven), null);
});

test('NVLinks to a switch join all GPUs that have them; where they lead nobody knows where, no way is made up', () => {
  const facts = syntheticServer();
  const [one, other] = facts.nvml?.gpus ?? [];
  assert.ok(one !== undefined && other !== undefined);
  const between = (ends: Record<string, number>) => {
    for (const gpu of [one, other]) Object.assign(gpu, { nvlinks: 18, nvlinkMBps: 26_562, nvlinkEnds: ends });
    const made = topologyOf(machineParts.parse(machineOf(facts)), 'made01');
    const ofBoth = (id: string) => [one.pci, other.pci].includes(id);
    return pathsOf(made).find(({ a, b }) => ofBoth(a.id) && ofBoth(b.id));
  };
  const joined = between({ switch: 18 });
  assert.equal(joined?.joint, 'nvlink');
  assert.equal(Math.round(joined?.ceiling.GBps ?? 0), 450);
  const unsaid = between({ '': 18 });
  assert.equal(unsaid?.joint, null);
  assert.equal(unsaid?.ceiling.GBps, null);
});

test('a link with fewer lanes than it could have says so', () => {
  const facts = syntheticServer();
  facts.files.text['/sys/bus/pci/devices/0000:05:00.0/current_link_width'] = '8\n';
  const made = topologyOf(machineParts.parse(machineOf(facts)), 'made01');
  const adapter = devicesOf(made).find(({ short }) => short === 'mlx5_0');
  assert.equal(adapter?.problem, 'has x8 of x16');
  assert.equal(adapter?.up?.text, 'PCIe gen 5 x8');
});

test("nvidia-smi's table, as recorded, and with adapters named in its legend", () => {
  const matrix = smiMatrix(topologyFixture('h200-2-smi-topo-m.txt'));
  assert.deepEqual(matrix, {
    names: ['GPU0', 'GPU1'],
    cells: [
      [null, 'NV18'],
      ['NV18', null],
    ],
    cpus: ['0-31', '0-31'],
    numaNodes: [0, 0],
  });
  const more = smiMatrix(topologyFixture('made-smi-topo-m-with-adapters.txt'));
  assert.deepEqual(more.names, ['GPU0', 'GPU1', 'mlx5_0', 'mlx5_1']);
  assert.deepEqual(more.cells[2], ['PIX', 'SYS', null, 'SYS']);
  assert.deepEqual(more.numaNodes, [0, 1, null, null]);
});

test('blanks where nvidia-smi wrote tabs, as a terminal or an issue tracker shows its table', () => {
  const pasted = smiMatrix(topologyFixture('made-smi-topo-m-blanks.txt'));
  assert.deepEqual(pasted.names, ['GPU0', 'GPU1', 'GPU2', 'mlx5_0', 'mlx5_1']);
  assert.deepEqual(pasted.cells[2], ['NV12', 'NV12', null, 'PXB', 'SYS']);
  assert.deepEqual(pasted.cpus, ['24-31,88-95', '24-31,88-95', '8-15,72-79', null, null]);
  assert.deepEqual(pasted.numaNodes, [3, 3, 1, null, null]);
  for (const name of ['h200-2-smi-topo-m.txt', 'made-smi-topo-m-with-adapters.txt']) {
    const tabs = topologyFixture(name);
    assert.deepEqual(smiMatrix(tabs.replaceAll('\t', '     ')), smiMatrix(tabs), name);
  }
});

test('machines of one file that have GPUs at the same addresses stay apart', () => {
  const one = topologyFixture('made-2-h100-four-nvswitches-topo.xml');
  const cpu = /<cpu [\s\S]*<\/cpu>/.exec(one)?.[0] ?? '';
  const two = one.replace(
    cpu,
    ['0x1', '0x2'].map((hash) => cpu.replace('<cpu ', `<cpu host_hash="${hash}" `)).join(''),
  );
  assert.deepEqual(
    joinTopologies(ncclSystem(two, 'x.xml')).map(({ host }) => host),
    ['machine 0', 'machine 1'],
  );
});

test('a table that is torn or contradicts itself is an error that names the place', () => {
  const whole = topologyFixture('made-smi-topo-m-with-adapters.txt');
  for (const [text, says] of [
    [whole.replace('GPU1\tNV18', 'GPU1\tNV12'), /GPU0 and GPU1 are joined in two ways/],
    [whole.replace(/^NIC1.*\n/m, ''), /one row of NIC1 is wanted, 0 are there/],
    [whole.replace('NIC1\tSYS', 'NIC1\tsys'), /NIC1 and GPU0 are joined by 'sys'/],
    [whole.replace('mlx5_1', 'mlx5_0'), /named twice/],
    ['GPU 0: NVIDIA H200', /its first line/],
  ] as const)
    assert.throws(() => smiMatrix(text), says);
});

test('files are known by their content; others are an error', () => {
  const kinds = ['h200-2-topo.xml', 'h200-2-graph-p2p.xml', 'h200-2-smi-topo-m.txt', 'h200-2-machines.json'];
  assert.deepEqual(
    kinds.map((name) => readSource(topologyFixture(name), name).kind),
    ['machines', 'graphs', 'matrix', 'machines'],
  );
  for (const [text, says] of [
    ['', /nothing in it is known/],
    ['{"a":1}', /neither machines\.json/],
    ['{', /JSON: Expected/],
    ['{"schemaVersion":1,"machines":{"a":{}}}', /machines\.a\.cpu/],
  ] as const)
    assert.throws(() => readSource(text, 'x'), says);
});
