import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ncclLogFixture, topologyFixture } from '../testing/topology/fixtures.ts';
import { ncclGraphs } from './nccl-graphs.ts';
import { ncclLog } from './nccl-log.ts';
import { ncclSystem } from './nccl-system.ts';
import { pathsOf } from './paths.ts';
import { devicesOf, type Topology } from './types.ts';

const only = (all: Topology[]): Topology => {
  assert.equal(all.length, 1);
  return all[0] as Topology;
};

test('the topology that NCCL 2.28.9 wrote on two H200: what it did not know stays unknown', () => {
  const found = only(ncclSystem(topologyFixture('h200-2-topo.xml'), 'topo.xml'));
  assert.equal(found.source, 'NCCL, topo.xml');
  assert.equal(found.processor, 'Intel x86_64');
  assert.deepEqual(
    found.domains.map(({ node }) => node),
    [null],
  );
  assert.deepEqual(
    devicesOf(found).map(({ id, short, up, wire }) => [id, short, up?.text, up?.GBps, wire]),
    [
      ['0000:00:06.0', 'GPU 0', 'PCIe gen 5', null, null],
      ['net eth0', 'eth0', undefined, undefined, null],
      ['0000:00:07.0', 'GPU 1', 'PCIe gen 5', null, null],
    ],
  );
  assert.deepEqual(
    found.peers.map(({ from, to, rate }) => [from, to, rate.text, rate.GBps]),
    [
      ['0000:00:06.0', 'switch', '18 NVLinks', 450],
      ['0000:00:07.0', 'switch', '18 NVLinks', 450],
    ],
  );
  assert.match(found.notes.join(), /10 Gbit\/s/);
});

test('eight GPUs behind four switches: the tree, adapters with their ports', () => {
  const found = only(ncclSystem(topologyFixture('made-8-gpus-topo.xml'), 'x.xml'));
  assert.deepEqual(
    found.domains.map(({ node, devices }) => [node, devices.length, devices[0]?.children.length]),
    [
      [0, 2, 4],
      [1, 2, 4],
    ],
  );
  const adapter = devicesOf(found).find(({ short }) => short === 'mlx5_5');
  assert.equal(adapter?.id, '0000:75:00.0'.replace('75', '55'));
  assert.equal(adapter?.detail, 'NET 5, GPUDirect RDMA');
  assert.equal(adapter?.wire?.GBps, 50);
  assert.equal(adapter?.up?.text, 'PCIe gen 5 x16');
});

test('without a switch each NVLink leads to a GPU', () => {
  const { peers } = only(ncclSystem(topologyFixture('made-4-v100-topo.xml'), 'x.xml'));
  assert.equal(peers.length, 12);
  const pair = peers.find(({ from, to }) => from === '0000:1a:00.0' && to === '0000:3e:00.0');
  assert.deepEqual(pair?.rate, { text: '2 NVLinks', GBps: 50 });
});

const peersIn = (name: string) =>
  only(ncclSystem(topologyFixture(name), 'x.xml')).peers.map(({ from, to, kind, count, rate }) => [
    from,
    to,
    kind,
    count,
    rate.GBps,
  ]);

test('links of one kind to the same end are one row with their sum, as the four NVSwitches of an H100 machine', () => {
  assert.deepEqual(peersIn('made-2-h100-four-nvswitches-topo.xml'), [
    ['0000:13:00.0', 'switch', 'NVLink', 18, 450],
    ['0000:19:00.0', 'switch', 'NVLink', 18, 450],
  ]);
  const half = topologyFixture('made-2-h100-four-nvswitches-topo.xml').replaceAll('sm="90"', 'sm="999"');
  assert.deepEqual(
    only(ncclSystem(half, 'x.xml')).peers.map(({ count, rate }) => [count, rate]),
    [
      [18, { text: '18 NVLinks', GBps: null }],
      [18, { text: '18 NVLinks', GBps: null }],
    ],
  );
});

test('xGMI links of RCCL are read', () => {
  assert.deepEqual(peersIn('made-2-mi210-xgmi-topo.xml'), [
    ['0000:c1:00.0', '0000:c6:00.0', 'xGMI', 4, 200],
    ['0000:c6:00.0', '0000:c1:00.0', 'xGMI', 4, 200],
  ]);
  const gfx = topologyFixture('made-2-mi210-xgmi-topo.xml').replaceAll('gcn="910"', 'gcn="gfx942"');
  assert.equal(only(ncclSystem(gfx, 'x.xml')).peers[0]?.rate.GBps, 4 * 64);
});

test('an element that is not read is named; below a GPU it is a link with an unknown rate', () => {
  const xgmi = topologyFixture('made-2-mi210-xgmi-topo.xml');
  const odd = only(ncclSystem(xgmi.replaceAll('<xgmi', '<warp'), 'x.xml'));
  assert.deepEqual(
    odd.peers.map(({ kind, count, rate }) => [kind, count, rate.GBps]),
    [
      ['warp', 4, null],
      ['warp', 4, null],
    ],
  );
  const [path] = pathsOf(odd);
  assert.deepEqual([path?.joint, path?.ceiling.GBps], [null, null]);
  const links = xgmi.replaceAll('<gpu ', '<pcilink target="0000:00:01.0"/><gpu ');
  assert.match(
    only(ncclSystem(links, 'x.xml')).notes.join(),
    /<pcilink> is not read \(2 times in the file\): a path through it may be faster/,
  );
});

test('adapters of a PCI device are kept, whatever else is in the device', () => {
  const adapter = '<nic><net name="mlx5_7" dev="7" speed="400000" gdr="1"/></nic>';
  const devices = {
    gpu: '<gpu dev="0" sm="90" rank="0"/>',
    bridge: '<pci busid="0000:02:00.0" class="0x030200"><gpu dev="1" sm="90" rank="1"/></pci>',
    nothing: '',
  };
  for (const [name, inside] of Object.entries(devices)) {
    const file = `<system><cpu numaid="0"><pci busid="0000:01:00.0" class="0x030200">${inside}${adapter}</pci></cpu></system>`;
    const found = devicesOf(only(ncclSystem(file, 'x.xml'))).map(({ short }) => short);
    assert.ok(found.includes('mlx5_7'), `${name}: ${found.join(', ')}`);
  }
});

test('a link of a GPU to itself and a port that no adapter has are left out, and named', () => {
  const found = only(ncclSystem(topologyFixture('made-self-nvlink-topo.xml'), 'x.xml'));
  assert.deepEqual(found.peers, []);
  assert.equal(devicesOf(found).find(({ short }) => short === 'cxi0')?.wire, null);
  assert.match(found.notes.join(), /GPU 0: the file has 12 NVLinks to the GPU itself, which are left out/);
  assert.match(found.notes.join(), /cxi0: no port has 200000 Gbit\/s/);
});

test("NCCL's tree in a log is a machine; its estimates are not taken for rates", () => {
  const log = ncclLog(topologyFixture('made-system-tree.log'), 'a.log');
  const found = only(log.topologies);
  assert.equal(found.host, 'gpu02');
  assert.deepEqual(
    devicesOf(found).map(({ id, kind, detail, up, wire }) => [
      id,
      kind,
      detail,
      up?.text,
      up?.GBps,
      wire?.GBps,
    ]),
    [
      ['0000:65:00.0', 'bridge', '', 'PCIe (NCCL estimates 0.2 GB/s)', null, undefined],
      ['0000:67:00.0', 'bridge', '', 'PCIe (NCCL estimates 48 GB/s)', null, undefined],
      ['net NET c', 'network', '', undefined, undefined, 50],
      ['0000:68:00.0', 'gpu', 'rank 8', 'PCIe (NCCL estimates 48 GB/s)', null, undefined],
      ['0000:69:00.0', 'bridge', '', 'PCIe (NCCL estimates 0.2 GB/s)', null, undefined],
      ['0000:6c:00.0', 'bridge', '', 'PCIe (NCCL estimates 48 GB/s)', null, undefined],
    ],
  );
  assert.deepEqual(
    found.peers.map(({ from, to, kind, rate }) => [from, to, kind, rate.GBps]),
    [['0000:68:00.0', 'switch', 'NVLink', null]],
  );
  assert.match(found.notes.join(), /ends within NCCL's tree/);
});

const treeOf = (head: string) =>
  [
    '=== System : maxBw 24.0 totalBw 24.0 ===',
    'CPU/0-0 (1/1/2)',
    '+ PCI[12.0] - GPU/0-b000 (0)',
    '======',
  ].map((text) => `${head} NCCL INFO ${text}`);

test('trees that ranks of several hosts write at the same time are told apart by the head of their lines', () => {
  const [a, b, again] = [treeOf('a:1:2 [0]'), treeOf('b:7:8 [0]'), treeOf('a:3:4 [1]')];
  const mixed = a.flatMap((line, at) => [line, b[at], again[at]]).join('\n');
  assert.deepEqual(
    ncclLog(mixed, 'x').topologies.map(({ host, domains }) => [
      host,
      domains[0]?.devices.map(({ id }) => id),
    ]),
    [
      ['a', ['0000:0b:00.0']],
      ['b', ['0000:0b:00.0']],
    ],
  );
});

test('a line of the tree whose device has no number is left out', () => {
  const [begin = '', cpu = '', gpu = '', end = ''] = treeOf('a:1:2 [0]');
  const damaged = [gpu.replace('b000', ''), gpu.replace('GPU/0-b000', 'NET/0-')];
  const { domains } = only(ncclLog([begin, cpu, ...damaged, gpu, end].join('\n'), 'x').topologies);
  assert.deepEqual(
    devicesOf({ domains }).map(({ id }) => id),
    ['0000:0b:00.0'],
  );
});

test('RCCL logs a device and the GPU in it apart', () => {
  const lines = [
    '=== System : maxBw 24.0 totalBw 48.0 ===',
    'CPU/0-0 (1/1/2)',
    '+ PCI[12.0] - DEV/0-b000 (100266a3106b0203)',
    '              + LOC[5000.0] - GPU/0-b000',
    '              + XGMI[24.0] - DEV/0-e000',
    '+ PCI[12.0] - DEV/0-e000 (100266a3106b0203)',
    '              + LOC[5000.0] - GPU/0-e000',
    '              + XGMI[24.0] - DEV/0-b000',
    '==========================================',
  ];
  const { domains, peers } = only(
    ncclLog(lines.map((text) => `n:1:2 [0] NCCL INFO ${text}`).join('\n'), 'x').topologies,
  );
  assert.deepEqual(
    devicesOf({ domains }).map(({ id, kind }) => [id, kind]),
    [
      ['0000:0b:00.0', 'gpu'],
      ['0000:0e:00.0', 'gpu'],
    ],
  );
  assert.deepEqual(
    peers.map(({ from, to, kind }) => [from, to, kind]),
    [
      ['0000:0b:00.0', '0000:0e:00.0', 'xGMI'],
      ['0000:0e:00.0', '0000:0b:00.0', 'xGMI'],
    ],
  );
});

test('XML that is torn, of another kind, or dangerous is an error that says so', () => {
  const whole = topologyFixture('h200-2-topo.xml');
  for (const [text, says] of [
    [whole.slice(0, 300), /XML: the file is torn: not closed are system, cpu/],
    ['<graphs version="1"/>', /the root is <graphs>/],
    ['<system version="1"/>', /has no <cpu>/],
    ['<!DOCTYPE x [<!ENTITY a "b">]><system/>', /document type/],
    [`${'<system>'.repeat(100)}${'</system>'.repeat(100)}`, /deeper than 64/],
    ['<system/><system/>', /XML: /],
    ['', /XML: /],
  ] as const)
    assert.throws(() => ncclSystem(text, 'x.xml'), says);
});

test('rings and trees that NCCL 2.28.9 wrote: GPU numbers with and without 0x', () => {
  const graphs = ncclGraphs(topologyFixture('h200-2-graph-p2p.xml'), 'graph.xml');
  assert.deepEqual(
    graphs.map(({ pattern, channels }) => [
      pattern,
      channels.length,
      channels[0]?.order,
      channels.at(-1)?.order,
    ]),
    [
      ['ring', 12, ['GPU 0', 'GPU 1'], ['GPU 0', 'GPU 1']],
      ['balanced tree', 12, ['GPU 0', 'GPU 1'], ['GPU 1', 'GPU 0']],
    ],
  );
  assert.equal(
    graphs[0]?.detail,
    'inside NVL, estimated at 30 GB/s per channel; outside PIX, estimated at 30 GB/s per channel',
  );
  const [socket] = ncclGraphs(topologyFixture('h200-2-graph-socket.xml'), 'graph.xml');
  assert.deepEqual(socket?.channels[0]?.order, ['NET 0', 'GPU 0', 'NET 0']);
  assert.equal(socket?.channels[0]?.isClosed, false);
  assert.equal(graphs[0]?.channels[0]?.isClosed, true);
  const [open] = ncclGraphs(topologyFixture('made-4-gpus-open-ring-graph.xml'), 'graph.xml');
  assert.deepEqual(
    open?.channels.map(({ order, isClosed }) => [order.join(' '), isClosed]),
    [
      ['NET 0 GPU 0 GPU 1 GPU 2 GPU 3 NET 3', false],
      ['NET 3 GPU 3 GPU 2 GPU 1 GPU 0 NET 0', false],
    ],
  );
});

interface ExpectedPaths {
  network: string;
  plugin: string;
  paths: Record<string, number>;
  last: string;
}

test('logs of NCCL 2.8 to 2.30 say here what they say to the engine', () => {
  const expected = JSON.parse(ncclLogFixture('expected-logs.json')) as Record<string, ExpectedPaths>;
  for (const [file, { network, plugin, paths, last }] of Object.entries(expected)) {
    const log = ncclLog(ncclLogFixture(file), file);
    assert.equal(log.network, network, file);
    assert.equal(log.plugin ?? '', plugin, file);
    assert.match(log.version ?? '', /^2\.\d+\.\d+\+cuda/, file);
    // The engine counts lines, and both ends of a connection over a network write one.
    const ways = Object.keys(paths).filter((way) => !/^(GIN|NVLS|COLLNET)/.test(way));
    assert.deepEqual([...new Set(log.connections.map(({ way }) => way))].sort(), ways.sort(), file);
    const choice = log.choices.at(-1);
    if (choice !== undefined) {
      assert.deepEqual([choice.algorithm, choice.protocol], last.split(' ').slice(0, 2), file);
    }
  }
});

test('a log of both ranks, as recorded on two H200: rings, trees and connections in full', () => {
  const log = ncclLog(ncclLogFixture('recorded/nccl-2.28.9-p2p-2xH200-both-ranks.txt'), 'both.log');
  assert.deepEqual(
    log.graphs.map(({ pattern, channels }) => [pattern, channels.length]),
    [
      ['ring', 24],
      ['tree', 24],
    ],
  );
  assert.deepEqual(log.graphs[1]?.channels[0]?.edges, [['1', '0']]);
  assert.equal(log.connections.length, 48);
  assert.deepEqual(log.noGpuDirect, ['Socket eth0']);
  assert.deepEqual(log.notes, []);
});

test('of one rank alone the trees are not told in full, and are left out', () => {
  const log = ncclLog(ncclLogFixture('recorded/nccl-2.28.9-sisci-rank0.txt'), 'one.log');
  assert.deepEqual(
    log.graphs.map(({ pattern }) => pattern),
    ['ring'],
  );
  assert.match(log.notes.join(), /incomplete trees/);
});

const said = (...texts: string[]) =>
  ncclLog(texts.map((text) => `node7:1:2 [0] NCCL INFO ${text}`).join('\n'), 'x.log');

test('a ring that NCCL cut off at the end of its line is left out and told', () => {
  const whole = 'Channel 00/01 : 0 1 2 3';
  assert.equal(said('comm 0x1 rank 0 nRanks 4 nNodes 1', whole).graphs.length, 1);
  const cut = said('comm 0x1 rank 0 nRanks 4 nNodes 1', whole.slice(0, -2));
  assert.equal(cut.graphs.length, 0);
  assert.match(cut.notes.join(), /left out/);
  assert.equal(said('Channel 00/01 : 0 2 1 3 1').graphs.length, 0);
});

test('trees of four ranks; parents and children that do not agree make none', () => {
  const lines = ['1/2/-1->0->-1', '-1/-1/-1->1->0', '3/-1/-1->2->0', '-1/-1/-1->3->2'];
  const trees = (all: string[]) => said(...all.map((line) => `Trees [0] ${line} [1] ${line}`)).graphs;
  assert.deepEqual(trees(lines)[0]?.channels[1]?.edges, [
    ['1', '0'],
    ['2', '0'],
    ['3', '2'],
  ]);
  for (const [at, wrong] of [
    [0, '2/-1/-1->0->-1'],
    [3, '-1/-1/-1->3->1'],
    [0, '1/2/-1->0->3'],
  ] as const)
    assert.deepEqual(trees(lines.with(at, wrong)), [], wrong);
});

test('who serves GIN, and adapters with and without GPUDirect RDMA', () => {
  const log = said(
    'GIN/Plugin: Assigned plugin GIN_IB_GDAKI type 3 to comm',
    "NET/IB : GPU Direct RDMA Enabled for HCA 0 'mlx5_0'",
    "NET/IB : GPU Direct RDMA Disabled for HCA 1 'mlx5_1'",
  );
  assert.equal(log.gin, 'GDAKI');
  assert.deepEqual(log.gpuDirect, ['IB mlx5_0']);
  assert.deepEqual(log.noGpuDirect, ['IB mlx5_1']);
});

test('several adapters: how many connection ends are on each, also on one that has none', () => {
  const ends = [0, 1].flatMap((channel) => [
    `Channel 0${channel}/0 : 0[0] -> 8[0] [send] via NET/IB/0(0)/GDRDMA`,
    `Channel 0${channel}/0 : 8[0] -> 0[0] [receive] via NET/IB/0/GDRDMA`,
  ]);
  const listed = 'NET/IB : Using [0]mlx5_0:1/RoCE [1]mlx5_1:1/RoCE [RO]; OOB eth0:192.0.2.2<0>';
  const log = said('NET/Socket : Using [0]eth0:192.0.2.2<0>', listed, 'Using network IB', ...ends);
  assert.deepEqual(log.rails, [
    { name: 'mlx5_0:1', ends: 4 },
    { name: 'mlx5_1:1', ends: 0 },
  ]);
  assert.equal(said('NET/IB : Using [0]mlx5_0:1/RoCE [RO]', 'Using network IB', ...ends).rails, undefined);
});

test('a warning that quotes a connection is none', () => {
  const text = 'n:1:1 [0] a.cc:1 NCCL WARN x NCCL INFO Channel 00 : 0[0] -> 1[1] via SHM/direct';
  assert.deepEqual(ncclLog(text, 'x').connections, []);
});
