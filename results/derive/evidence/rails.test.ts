// Several interfaces or adapters between the same hosts: how they shared the bytes, and when that is a defect.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CellRecord, Inventory, OkCell, RunPlan } from '../../schema/index.ts';
import { testBlock } from '../../testing/block.ts';
import { testPlan } from '../../testing/plan.ts';
import { deriveCell } from '../cells/cell.ts';
import { type PortBytes, railsText, withRails } from './rails.ts';

const hosts = ['a', 'b', 'c'].map((name, rank) => ({ name, ranks: [rank] }));
const plan: RunPlan = testPlan({ hosts, ranks: 3 });
const [socket, plugin] = [0, 1];
const million = 1_000_000;

const up = (name: string, speedMbps: number | null = 10_000, state = 'up') => ({
  name,
  state,
  mtu: 1500,
  speedMbps,
});
const machine = (...interfaces: Inventory['interfaces']) =>
  Object.fromEntries(hosts.map(({ name }) => [name, { interfaces } as unknown as Inventory]));

/** A result whose hosts received these bytes on each interface. */
function cellWith(bytes: Readonly<Record<string, number>>, transport = socket, on: RunPlan = plan): OkCell {
  const interfaceBytes = Object.fromEntries(
    hosts.flatMap(({ name }) => Object.entries(bytes).map(([iface, n]) => [`${name}/${iface}`, n])),
  );
  const cell: CellRecord = deriveCell(on, 0, transport, [testBlock([1, 1], { transport, interfaceBytes })]);
  assert.ok(cell.status === 'ok');
  return { ...cell, medium: 'hardware' };
}

const onHardware: RunPlan = {
  ...plan,
  transports: plan.transports.map((one) => ({ ...one, medium: 'hardware', options: {} })),
};

function judged(cell: OkCell, inventory: Record<string, Inventory>, ports: PortBytes = {}, on = onHardware) {
  const { rails = [], flags } = withRails(on, cell, inventory, ports);
  const flag = flags.find(({ name }) => name === 'uneven-rails');
  return { texts: rails.map(railsText), reason: flag?.reason ?? null, level: flag?.level };
}

test('a dead rail: 100 % and 0 %, flagged on the first host as a note', () => {
  const { texts, reason, level } = judged(
    cellWith({ eth0: 10 * million, eth1: 500, lo: 9 * million }),
    machine(up('eth0'), up('eth1'), up('lo', null, 'unknown')),
  );
  assert.deepEqual(texts, new Array(3).fill('2 rails: eth0 100 %, eth1 0 %'));
  assert.equal(reason, 'a: 2 rails: eth0 100 %, eth1 0 %; even are 50 % each');
  assert.equal(level, 'note');
});

test('the flag begins at 1.25 times an equal part, or below half of it', () => {
  const two = machine(up('eth0'), up('eth1'));
  for (const [first, second, isUneven] of [
    [5, 5, false],
    [6, 4, false],
    [6.3, 3.7, true],
  ] as const)
    assert.equal(
      judged(cellWith({ eth0: first * million, eth1: second * million }), two).reason !== null,
      isUneven,
    );
  const eight = Array.from({ length: 8 }, (_, i) => `eth${i}`);
  const dead = Object.fromEntries(eight.map((name, i) => [name, i === 0 ? 0 : million]));
  assert.notEqual(judged(cellWith(dead), machine(...eight.map((name) => up(name)))).reason, null);
});

test('interfaces that are down, slower, virtual, or on one host alone are no rails', () => {
  const bytes = { eth0: 10 * million };
  for (const other of [
    up('eth1', 10_000, 'down'),
    up('eth1', 1000),
    up('eth1', null),
    up('docker0'),
    up('eth0.7'),
  ])
    assert.deepEqual(judged(cellWith(bytes), machine(up('eth0'), other)).texts, [], other.name);
  const alone = { ...machine(up('eth0')), a: machine(up('eth0'), up('eth1')).a as Inventory };
  assert.deepEqual(judged(cellWith(bytes), alone).texts, []);
});

test('named interfaces alone are the rails; one has no verdict, and neither have few bytes', () => {
  const inventory = machine(up('eth0'), up('eth1'));
  const named = (name: string): RunPlan => ({
    ...onHardware,
    transports: onHardware.transports.map((one) => ({ ...one, options: { interface: name } })),
  });
  const bytes = { eth0: 10 * million, eth1: 10 };
  assert.deepEqual(judged(cellWith(bytes), inventory, {}, named('eth0')).texts, []);
  assert.equal(judged(cellWith(bytes), inventory, {}, named('eth0,eth1')).texts.length, 3);
  assert.deepEqual(judged(cellWith({ eth0: 1000, eth1: 10 }), inventory).texts, []);
});

test('ports of RDMA adapters: those that carry data on any host; a port without data anywhere is not judged', () => {
  const ib: RunPlan = {
    ...onHardware,
    transports: onHardware.transports.map((one, at) => (at === plugin ? { ...one, name: 'ib' } : one)),
  };
  const cell = { ...cellWith({}, plugin), transport: 'ib' };
  const both = { 'mlx5_0:1': 5 * million, 'mlx5_1:1': 5 * million, 'mlx5_2:1': 0 };
  const { texts, reason } = judged(cell, {}, { a: both, b: { ...both, 'mlx5_1:1': 0 }, c: both }, ib);
  assert.deepEqual(texts, [
    '2 rails: mlx5_0:1 50 %, mlx5_1:1 50 %',
    '2 rails: mlx5_0:1 100 %, mlx5_1:1 0 %',
    '2 rails: mlx5_0:1 50 %, mlx5_1:1 50 %',
  ]);
  assert.match(reason ?? '', /^b: /);
});
