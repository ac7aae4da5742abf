import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ncclLogFixture, topologyFixture } from '../testing/topology/fixtures.ts';
import { ncclGraphs } from './nccl-graphs.ts';
import { ncclLog } from './nccl-log.ts';
import { ncclSystem } from './nccl-system.ts';
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
    'inside NVL, reckoned at 30 GB/s per channel; outside PIX, reckoned at 30 GB/s per channel',
  );
  const [socket] = ncclGraphs(topologyFixture('h200-2-graph-socket.xml'), 'graph.xml');
  assert.deepEqual(socket?.channels[0]?.order, ['NET 0', 'GPU 0']);
});

interface Expected {
  network: string;
  plugin: string;
  paths: Record<string, number>;
  last: string;
}

test('logs of NCCL 2.8 to 2.30 say here what they say to the engine', () => {
  const expected = JSON.parse(ncclLogFixture('expected-logs.json')) as Record<string, Expected>;
  for (const [file, { network, plugin, paths, last }] of Object.entries(expected)) {
    const log = ncclLog(ncclLogFixture(file), file);
    assert.equal(log.network, network, file);
    assert.equal(log.plugin ?? '', plugin, file);
    assert.match(log.version ?? '', /^2\.\d+\.\d+\+cuda/, file);
    // The engine counts lines; both ends of a connection over a network write one.
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

test('a warning that quotes a connection is none', () => {
  const text = 'n:1:1 [0] a.cc:1 NCCL WARN x NCCL INFO Channel 00 : 0[0] -> 1[1] via SHM/direct';
  assert.deepEqual(ncclLog(text, 'x').connections, []);
});
