// Two hosts that are two machines, or one machine with two names, whose counters are read twice and must count once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Inventory, type RunPlan, ranksOfMachine } from '../../schema/index.ts';
import { testBlock } from '../../testing/block.ts';
import { testPlan } from '../../testing/plan.ts';
import { deriveCell } from '../cells/cell.ts';
import { machineFlags } from '../cells/flags.ts';

const hosts = {
  'two machines': [
    { name: 'a', ranks: [0] },
    { name: 'b', ranks: [1] },
  ],
  'one machine': [
    { name: 'a', ranks: [0] },
    { name: 'b', ranks: [1], machineOf: 'a', networkOf: 'a' },
  ],
  'one machine, networks apart': [
    { name: 'a', ranks: [0] },
    { name: 'b', ranks: [1], machineOf: 'a' },
  ],
  'two of three names of one machine': [
    { name: 'b', ranks: [0], machineOf: 'a', networkOf: 'a' },
    { name: 'c', ranks: [1], machineOf: 'a', networkOf: 'a' },
  ],
} satisfies Record<string, RunPlan['hosts']>;
type HostNames = keyof typeof hosts;

const operations = 22_000;
/** Bytes that a ring allreduce of 1 KiB over two ranks moves in all operations. */
const due = operations * 2 * 1024;
const [socket, sisci] = [0, 1];

/** A plan in which no interface is requested. */
function planOn(on: HostNames): RunPlan {
  const plan = testPlan({ hosts: hosts[on] });
  return { ...plan, transports: plan.transports.map((one) => ({ ...one, options: {} })) };
}

function evidence(on: HostNames, transport: number, interfaceBytes: Record<string, number>) {
  const counters = [0, 1].map(() => ({
    bytesSent: due / 2,
    bytesReceived: due / 2,
    messagesSent: operations,
    messagesReceived: operations,
  }));
  const block = testBlock(new Array(20).fill(1000), { transport, operations, counters, interfaceBytes });
  const cell = deriveCell(planOn(on), 0, transport, [block]);
  assert.ok(cell.status === 'ok');
  return cell.evidence;
}

for (const [what, on, transport, interfaces, verdict] of [
  ['each received its half', 'two machines', socket, { 'a/eth0': due / 2, 'b/eth0': due / 2 }, 'confirmed'],
  ['one did not', 'two machines', socket, { 'a/eth0': due / 2, 'b/eth0': 100 }, 'contradicted'],
  [
    'both read all of it',
    'one machine',
    socket,
    { 'a/lo': due, 'a/eth0': 9, 'b/lo': due, 'b/eth0': 9 },
    'confirmed',
  ],
  [
    'both read a half',
    'one machine',
    socket,
    { 'a/lo': due / 2, 'a/eth0': 9, 'b/lo': due / 2 },
    'contradicted',
  ],
  [
    'each received its half',
    'one machine, networks apart',
    socket,
    { 'a/eth0': due / 2, 'b/eth0': due / 2 },
    'confirmed',
  ],
  [
    'both together could hide it',
    'two machines',
    sisci,
    { 'a/eth0': 0.6 * due, 'b/eth0': 0.6 * due },
    'unproven',
  ],
  ['as much was read twice', 'one machine', sisci, { 'a/eth0': 0.6 * due, 'b/eth0': 0.6 * due }, 'confirmed'],
  [
    'lo beside the network',
    'two machines',
    sisci,
    { 'a/eth0': 0.6 * due, 'a/lo': 0.6 * due, 'b/eth0': 0 },
    'unproven',
  ],
  [
    'both read all of it',
    'two of three names of one machine',
    socket,
    { 'b/lo': due, 'b/eth0': 9, 'c/lo': due },
    'confirmed',
  ],
  ['one was not watched', 'two machines', sisci, { 'a/eth0': 9 }, 'unproven'],
  ['nobody watched', 'two machines', sisci, {}, 'unproven'],
] as const)
  test(`${transport === socket ? 'socket' : 'sisci'} over ${on}, ${what}: ${verdict}`, () => {
    const found = evidence(on, transport, interfaces);
    assert.equal(found.verdict, verdict, found.reason);
  });

test('the reason says that the hosts are one machine', () => {
  const { reason } = evidence('one machine', socket, { 'a/lo': due + 4000, 'a/eth0': 9, 'b/lo': due + 9000 });
  assert.match(
    reason,
    /^eth0 and lo of 1 machine, named as 2 hosts carried 45\.1 MB, expected 45\.1 MB payload/,
  );
});

test('a machine has the ranks of all its names: that they are more than its processors is seen', () => {
  const small = { cpuCount: 1 } as Inventory;
  const flags = (on: HostNames) => machineFlags(planOn(on), { a: small, b: small }, []);
  assert.deepEqual(flags('two machines'), []);
  assert.deepEqual(flags('one machine, networks apart'), ['oversubscribed']);
  assert.deepEqual(flags('two of three names of one machine'), ['oversubscribed']);
  assert.deepEqual(ranksOfMachine(hosts['one machine'], 'b'), [0, 1]);
});
