import assert from 'node:assert/strict';
import { test } from 'node:test';
import { XMLValidator } from 'fast-xml-parser';
import { collective } from '../../results/schema/index.ts';
import { ncclLogFixture, topologyFixture } from '../../results/testing/topology/fixtures.ts';
import { type CommGraph, joined, readSource, type Topology } from '../../results/topology/index.ts';
import { chartsOf } from '../charts/index.ts';
import { ncclRun, p2pPlan } from '../fixtures/nccl.ts';
import { buildPage } from '../html/page.ts';
import { groupsOf, type ReportRun } from '../series.ts';
import { graphPicture } from './graph-picture.ts';
import { machinePicture } from './machine-picture.ts';
import { combinePictures } from './pictures.ts';
import { topologyText } from './terminal.ts';

function topologiesOf(...names: string[]): Topology[] {
  return joined(
    names.flatMap((name) => {
      const found = readSource(topologyFixture(name), name);
      return found.kind === 'machines' ? found.topologies : [];
    }),
  );
}
const graphsOf = (name: string): CommGraph[] => {
  const found = readSource(topologyFixture(name), name);
  return found.kind === 'graphs' ? found.graphs : [];
};
const h200 = () => topologiesOf('h200-2-machines.json', 'h200-2-topo.xml');
const nothing = { topologies: [], graphs: [], matrices: [], log: null };

test('two H200 as recorded, on 80 columns', () => {
  const text = topologyText({ ...nothing, topologies: h200() }, 80);
  assert.equal(
    text.split('\n').slice(0, 17).join('\n'),
    `vm
  Intel(R) Xeon(R) Processor, 1 socket, 1 NUMA node; from sysfs and NVML; NCCL,
  h200-2-topo.xml

NUMA node 0
├─ 0000:00:03.0 eth0, virtio, NET 0
├─ 0000:00:06.0 GPU 0, NVIDIA H200, sm 90, rank 0  PCIe gen 5 x16, 63.0 GB/s
└─ 0000:00:07.0 GPU 1, NVIDIA H200, sm 90, rank 1  PCIe gen 5 x16, 63.0 GB/s

between GPUs, one direction
  GPU 0 and GPU 1: 18 NVLinks, 450 GB/s, to a switch

highest rate between two devices, in one direction
  between         through      at most  set by          pairs
  GPU to adapter  CPU      ≤ 63.0 GB/s  PCIe gen 5 x16      2
    devices: GPU 0 - eth0, GPU 1 - eth0
  GPU to GPU      NVLink      450 GB/s  18 NVLinks          1`,
  );
});

test('eight GPUs: every line fits, pairs that are alike are counted', () => {
  const view = {
    ...nothing,
    topologies: topologiesOf('made-8-gpus-topo.xml'),
    graphs: graphsOf('made-8-gpus-graph.xml'),
  };
  for (const width of [60, 80, 120]) {
    for (const line of topologyText(view, width).split('\n')) assert.ok(line.length <= width, line);
  }
  const text = topologyText(view, 80);
  assert.match(
    text,
    /GPU to GPU +NVLink +450 GB\/s +18 NVLinks +28\n +devices: GPU 0 - GPU 1, .*, 24 more\n/,
  );
  assert.match(text, /ring, 8 channels/);
  assert.match(text, /GPU 5 -> GPU 4 ->\n? +GPU 0 -> NET 1|GPU 4 -> GPU 0 ->/);
});

test('a log: rings, trees from the root down, ways, and what was chosen for which sizes', () => {
  const name = 'recorded/nccl-2.28.9-p2p-2xH200-both-ranks.txt';
  const found = readSource(ncclLogFixture(name), 'both.log');
  assert.ok(found.kind === 'log');
  const text = topologyText({ ...nothing, graphs: found.log.graphs, log: found.log }, 80);
  assert.match(text, /channel 0-23\n {4}0 -> 1 -> 0\n/);
  assert.match(text, /channel 0-5, 12-17\n {4}0\n {4}└─ 1\n/);
  assert.match(text, /48 connections over P2P\/CUMEM, channels 0-23/);
  assert.match(text, /AllReduce by Ring\/LL: 8 to 1,048,576 B/);
  const rails = [
    { name: 'mlx5_0:1', ends: 16 },
    { name: 'mlx5_1:1', ends: 0 },
  ];
  const withRails = topologyText({ ...nothing, graphs: [], log: { ...found.log, rails } }, 80);
  assert.match(withRails, /2 rails: 16 connection ends on mlx5_0:1, none on mlx5_1:1/);
});

test('a ring that ends at an adapter is not drawn or listed as closed', () => {
  const graphs = graphsOf('made-4-gpus-open-ring-graph.xml');
  const text = topologyText({ ...nothing, graphs }, 80);
  assert.match(text, /\n {4}NET 0 -> GPU 0 -> GPU 1 -> GPU 2 -> GPU 3 -> NET 3\n/);
  assert.match(text, /continues on another machine/);
  const arrows = (svg: string | null) => svg?.match(/<desc>[^<]*<\/desc>/)?.[0] ?? '';
  assert.match(arrows(graphPicture(graphs[0] as CommGraph)), /GPU 3 to NET 3; channel 1/);
});

test('pictures are well-formed, named, and draw every device and every member', () => {
  for (const svg of [
    machinePicture(h200()[0] as Topology),
    machinePicture(topologiesOf('made-8-gpus-topo.xml')[0] as Topology),
    machinePicture(topologiesOf('made-4-v100-topo.xml')[0] as Topology),
    ...graphsOf('made-8-gpus-graph.xml').map(graphPicture),
    ...graphsOf('h200-2-graph-p2p.xml').map(graphPicture),
  ]) {
    assert.ok(svg);
    assert.equal(XMLValidator.validate(svg), true);
    assert.match(svg, /^<svg [^>]*role="img"/);
    assert.match(svg, /<title>[^<]+<\/title><desc>[^<]+<\/desc>/);
    assert.doesNotMatch(svg, /style=|<script|href=|NaN|Infinity|undefined/);
  }
  const eight = machinePicture(topologiesOf('made-8-gpus-topo.xml')[0] as Topology) ?? '';
  for (let i = 0; i < 8; i++) for (const word of [`GPU ${i}`, `mlx5_${i}`]) assert.ok(eight.includes(word));
  const both = combinePictures({ topologies: h200(), graphs: graphsOf('h200-2-graph-p2p.xml') }) ?? '';
  assert.equal(XMLValidator.validate(both), true);
});

test('what machines call themselves stays text', () => {
  const [topology] = h200();
  const evil = '</text><script>alert(1)</script>\u0000\ud800"\'&';
  const hostile = structuredClone(topology as Topology);
  hostile.host = hostile.processor = evil;
  for (const { devices } of hostile.domains) for (const device of devices) device.detail = evil.repeat(30);
  const svg = machinePicture(hostile) ?? '';
  assert.equal(XMLValidator.validate(svg), true);
  assert.doesNotMatch(svg, /<script/);
});

test('a machine without devices, rings of too many members: no picture', () => {
  const [topology] = h200();
  assert.equal(machinePicture({ ...(topology as Topology), domains: [] }), null);
  const order = Array.from({ length: 100 }, (_, i) => String(i));
  const graph = {
    source: '',
    pattern: 'ring',
    detail: '',
    channels: [{ channel: 0, order, isClosed: true, edges: [] }],
  };
  assert.equal(graphPicture(graph), null);
  assert.equal(combinePictures({ topologies: [], graphs: [graph] }), null);
});

const withTopologies = (run: ReportRun, topologies: Topology[]): ReportRun => ({
  ...run,
  topologies: () => Promise.resolve(topologies),
});
const p2pRun = () => {
  const run = ncclRun({ transports: [p2pPlan] });
  run.record.plan.hosts = run.record.plan.hosts.slice(0, 1);
  return run;
};

test('the report shows how machines are connected; equal machines once, what is broken in its place', async () => {
  const [one] = h200();
  const other = { ...(one as Topology), host: 'vm2' };
  const { html } = await buildPage([withTopologies(p2pRun(), [one as Topology, other])]);
  assert.match(html, /<section id="connected"><h3>Topology<\/h3>/);
  assert.equal(html.match(/How vm and vm2 is connected<\/title>|How vm and vm2/g) !== null, true);
  assert.match(html, /Highest rate between any two devices of vm and vm2/);
  const without = await buildPage([p2pRun()]);
  assert.doesNotMatch(without.html, /Topology/);
  const broken = { ...p2pRun(), topologies: () => Promise.reject(new Error('machines.json is <torn>')) };
  assert.match((await buildPage([broken])).html, /machines\.json is &lt;torn&gt;/);
});

test('NVLinks are the ceiling of p2p where all GPUs have the same, and of nothing else', () => {
  const busbw = chartsOf(collective).find(({ id }) => id === 'busbw');
  const captionOf = (run: ReportRun, topologies: Topology[]) => {
    const [group] = groupsOf([run], new Map([[run, topologies]]));
    assert.ok(group);
    return busbw?.draw(group)?.caption ?? '';
  };
  assert.match(captionOf(p2pRun(), h200()), /The best of p2p is [\d.<>]+ % of 18 NVLinks of each GPU\./);
  assert.match(captionOf(p2pRun(), []), /No ceiling is drawn/);
  assert.match(captionOf(p2pRun(), topologiesOf('h200-2-machines.json')), /No ceiling is drawn/);
  const shm = ncclRun({ transports: [{ ...p2pPlan, name: 'shm' }] });
  shm.record.plan.hosts = shm.record.plan.hosts.slice(0, 1);
  assert.match(captionOf(shm, h200()), /of PCIe gen 5 x16 of each GPU/);
});
