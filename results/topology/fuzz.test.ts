// test: soak
// Damaged files must be refused, or read as far as possible, and results must never contain values that are in none of the
// files. COLLBENCH_FUZZ_SECONDS=600 runs longer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machineOf } from '../machine/index.ts';
import { syntheticServer } from '../testing/machines/server.ts';
import { ncclLogFixture, topologyFixture } from '../testing/topology/fixtures.ts';
import { topologyOf } from './from-machine.ts';
import { joinTopologies } from './join.ts';
import { ncclLog } from './nccl-log.ts';
import { pathsOf } from './paths.ts';
import { readSource } from './sources.ts';
import { machineParts } from './stored.ts';
import { type CommGraph, devicesOf, type Topology, TopologyError } from './types.ts';

const seconds = Math.max(0.1, Number(process.env.COLLBENCH_FUZZ_SECONDS ?? 1));

/** xorshift32: the damage is equal in every run. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return below === 0 ? 0 : (state >>> 0) % below;
  };
}
type Random = ReturnType<typeof randomFrom>;

const garbage = [
  '<',
  '>',
  '"',
  '&',
  '/',
  '\0',
  '\n',
  '\t',
  ' ',
  '9',
  '-',
  'x',
  '[',
  ']',
  '{',
  '}',
  '\u001b[4m',
  '😀',
];

function damaged(text: string, random: Random): string {
  let out = text;
  for (let n = 1 + random(4); n > 0; n--) {
    const at = random(out.length + 1);
    switch (random(5)) {
      case 0:
        out = out.slice(0, at);
        break;
      case 1:
        out =
          out.slice(0, at) +
          (garbage[random(garbage.length)] as string).repeat(1 + random(3)) +
          out.slice(at);
        break;
      case 2:
        out = out.slice(0, at) + out.slice(at + 1 + random(20));
        break;
      case 3: {
        const from = random(out.length + 1);
        out = out.slice(0, at) + out.slice(from, from + random(200)) + out.slice(at);
        break;
      }
      default:
        out = out.slice(0, at) + String.fromCharCode(random(65_536)) + out.slice(at + 1);
    }
  }
  return out;
}

/** @returns number of rounds, and number of texts that were still readable */
function fuzz(share: number, round: (random: Random) => boolean): { rounds: number; understood: number } {
  const random = randomFrom(20_261_121);
  const until = performance.now() + seconds * 1000 * share;
  let [rounds, understood] = [0, 0];
  for (; rounds === 0 || performance.now() < until; rounds++) {
    const began = performance.now();
    if (round(random)) understood++;
    assert.ok(performance.now() - began < 10_000, 'it took as long as a hang');
  }
  return { rounds, understood };
}

/** Checks that rates are those of existing links, that no path is faster than its links, and that trees have no circle. */
function assertSound(topology: Topology): void {
  const devices = devicesOf(topology);
  assert.equal(new Set(devices).size, devices.length);
  const rates = [
    ...devices.flatMap(({ up, wire }) => [up, wire]),
    ...topology.peers.map(({ rate }) => rate),
  ].flatMap((rate) => (rate?.GBps == null ? [] : [rate.GBps]));
  for (const GBps of rates) assert.ok(Number.isFinite(GBps) && GBps > 0);
  if (devices.length > 60) return;
  for (const { ceiling } of pathsOf(topology)) {
    assert.ok(ceiling.GBps === null ? !ceiling.isComplete : rates.includes(ceiling.GBps));
  }
}

function assertGraph({ channels, pattern }: CommGraph, isFromLog: boolean): void {
  assert.ok(channels.length > 0);
  for (const { order, edges } of channels) {
    assert.ok(order.length > 0 || edges.length > 0);
    if (!isFromLog) continue;
    if (pattern === 'ring') {
      assert.deepEqual(
        order.map(Number).sort((a, b) => a - b),
        order.map((_, i) => i),
      );
    }
    const children = edges.map(([child]) => child);
    assert.equal(new Set(children).size, children.length);
    if (edges.length > 0) assert.equal(new Set(edges.flat()).size, edges.length + 1);
  }
}

/** Reads a text and checks the result. @returns true if the text was readable */
function look(text: string): boolean {
  try {
    const found = readSource(text, 'fuzz');
    if (found.kind === 'machines') {
      for (const one of found.topologies) assertSound(one);
      for (const one of joinTopologies([...found.topologies, ...found.topologies])) assertSound(one);
    } else if (found.kind === 'graphs') {
      for (const one of found.graphs) assertGraph(one, false);
    } else if (found.kind === 'matrix') {
      const { names, cells } = found.matrix;
      assert.equal(cells.length, names.length);
      for (const [row, line] of cells.entries()) {
        assert.equal(line.length, names.length);
        for (const [column, joint] of line.entries()) assert.equal(joint, cells[column]?.[row]);
      }
    } else {
      for (const one of found.log.graphs) assertGraph(one, true);
    }
    return true;
  } catch (error) {
    if (error instanceof TopologyError) return false;
    throw error;
  }
}

const files = {
  xml: [
    'h200-2-topo.xml',
    'made-8-gpus-topo.xml',
    'made-4-v100-topo.xml',
    'h200-2-graph-p2p.xml',
    'made-8-gpus-graph.xml',
  ],
  'nvidia-smi topo -m': ['h200-2-smi-topo-m.txt', 'made-smi-topo-m-with-adapters.txt'],
  'machines.json': ['h200-2-machines.json'],
};

for (const [kind, names] of Object.entries(files)) {
  test(`damaged ${kind}: refused with a reason, or sound`, (t) => {
    const texts = names.map(topologyFixture);
    const { rounds, understood } = fuzz(0.25, (random) =>
      look(damaged(texts[random(texts.length)] as string, random)),
    );
    t.diagnostic(`${rounds} texts, ${understood} of them understood`);
  });
}

test('a table of nvidia-smi in which one joint was changed is refused, unless it says the same', () => {
  const whole = topologyFixture('made-smi-topo-m-with-adapters.txt');
  for (const word of ['NV1', 'PIX', 'SYS', 'PHB', 'X', '', 'NV']) {
    for (const { index } of whole.matchAll(/(?<=\t)(NV18|PIX|SYS)(?=\t)/g)) {
      const end = whole.indexOf('\t', index);
      if (whole.slice(index, end) === word) continue;
      assert.equal(look(whole.slice(0, index) + word + whole.slice(end)), false);
    }
  }
});

test('damaged logs of NCCL: no rank, way or plugin that stands in none of its lines', (t) => {
  const expected = JSON.parse(ncclLogFixture('expected-logs.json')) as Record<string, unknown>;
  const texts = Object.keys(expected).map(ncclLogFixture);
  const { rounds } = fuzz(0.25, (random) => {
    const text = damaged(texts[random(texts.length)] as string, random);
    const log = ncclLog(text, 'fuzz');
    for (const one of log.graphs) assertGraph(one, true);
    for (const { from, to, channel, way } of log.connections) {
      assert.ok([from, to, channel].every(Number.isSafeInteger));
      assert.ok(way !== '' && text.includes(way.replace(/\/GDRDMA$/, '')), way);
      if (way.endsWith('/GDRDMA')) assert.ok(text.includes('/GDRDMA'));
    }
    for (const { bytes } of log.choices) assert.ok(text.includes(`${bytes}`));
    if (log.plugin !== null) assert.ok(text.includes(log.plugin.replace(/ v\d+$/, '')));
    return true;
  });
  t.diagnostic(`${rounds} logs`);
});

test('files of /proc and /sys with damage: the tree is sound', (t) => {
  const { rounds } = fuzz(0.25, (random) => {
    const facts = syntheticServer();
    const paths = Object.keys(facts.files.text);
    for (let n = 1 + random(12); n > 0; n--) {
      const path = paths[random(paths.length)] as string;
      facts.files.text[path] = damaged(facts.files.text[path] ?? '', random);
    }
    for (let n = random(4); n > 0; n--) {
      const links = Object.keys(facts.files.links);
      const path = links[random(links.length)] as string;
      facts.files.links[path] = damaged(facts.files.links[path] ?? '', random);
    }
    const topology = topologyOf(machineParts.parse(machineOf(facts)), 'fuzz');
    assertSound(topology);
    return true;
  });
  t.diagnostic(`${rounds} machines`);
});
