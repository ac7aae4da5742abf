import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellRecord, derivedOf, type GroupPlan, type RunPlan } from '../../schema/index.ts';
import { testBlock } from '../../testing/block.ts';
import { testPlan } from '../../testing/plan.ts';
import { deriveCells, overlapOf, planOfGroup } from './groups.ts';

const members: GroupPlan[] = [
  { name: 'rail 0', ranks: [0, 2, 4] },
  { name: 'rail 1', ranks: [1, 3, 5] },
];
const plan: RunPlan = testPlan({
  ranks: 6,
  hosts: [
    { name: 'a', ranks: [0, 1] },
    { name: 'b', ranks: [2, 3] },
    { name: 'c', ranks: [4, 5] },
  ],
  groups: { rule: 'rail', members },
});

/** A block of a group: 10 samples of 100 us, one each ms, from `fromNs` on the clock that all groups share. */
const block = (index: number, round: number, fromNs: number, toCommonNs = 0, uncertaintyNs = 0) =>
  testBlock(
    Array.from({ length: 10 }, () => 100_000),
    { baseNs: fromNs - toCommonNs, group: { index, round, toCommonNs, uncertaintyNs } },
    3,
  );
/** Time from the first start to the last end. */
const lengthNs = 9_100_000;

test('a group has a plan of its own: ranks from 0, and the hosts they are on', () => {
  const own = planOfGroup(plan, { ranks: [1, 2, 3] });
  assert.equal(own.ranks, 3);
  assert.equal(own.groups, undefined);
  assert.deepEqual(own.hosts, [
    { name: 'a', ranks: [0] },
    { name: 'b', ranks: [1, 2] },
  ]);
});

test('overlap: the part of its own time in which all groups measured', () => {
  const near = (a: number, b: number) => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);
  near(overlapOf(0, 2, [block(0, 0, 0), block(1, 0, 0)]), 1);
  near(overlapOf(0, 2, [block(0, 0, 0), block(1, 0, lengthNs / 2)]), 0.5);
  near(overlapOf(1, 2, [block(0, 0, 0), block(1, 0, lengthNs)]), 0);
  near(overlapOf(0, 3, [block(0, 0, 0), block(1, 0, 0)]), 0);
  near(overlapOf(0, 1, [block(0, 0, 0)]), 1);
  near(overlapOf(0, 2, []), 0);
});

test('overlap is told on the common clock, less what that may be off', () => {
  const elsewhere = [block(0, 0, 5e9), block(1, 0, 5e9, -7e12, 91_000)];
  assert.ok(Math.abs(overlapOf(0, 2, elsewhere) - 0.99) < 1e-9);
});

test('overlap is that of all rounds together; rounds of another start do not mix', () => {
  const rounds = [block(0, 0, 0), block(1, 0, 0), block(0, 2, 1e9), block(1, 2, 2e9)];
  assert.equal(overlapOf(0, 2, rounds), 0.5);
  const resumed = [block(0, 0, 0), { ...block(1, 0, 0), attempt: 1 }];
  assert.equal(overlapOf(0, 2, resumed), 0);
});

test('a cell for each group, of its own ranks, with group and overlap', () => {
  const cells = deriveCells(plan, 0, 0, [block(0, 0, 0), block(1, 0, lengthNs * 0.75)]);
  assert.deepEqual(
    cells.map((cell) => [cell.group?.name, cell.ranks, cell.nodes]),
    [
      ['rail 0', 3, 3],
      ['rail 1', 3, 3],
    ],
  );
  assert.notEqual(cells[0]?.id, cells[1]?.id);
  for (const cell of cells) {
    cellRecord.parse(cell);
    assert.ok(cell.status === 'ok');
    assert.equal(derivedOf(cell, 'busbw', 'latency')?.factor, 4 / 3, 'allreduce over 3 ranks, not over 6');
    assert.ok(Math.abs((cell.overlap ?? 0) - 0.25) < 1e-9);
    assert.ok(cell.flags.some(({ name }) => name === 'groups-apart'));
  }
});

test('a group that measured nothing has a cell that says so', () => {
  const [, rail1] = deriveCells(plan, 0, 0, [block(0, 0, 0)], ['interrupted']);
  assert.equal(rail1?.status, 'aborted');
  assert.equal(rail1?.group?.index, 1);
});

test('bytes of other groups on the same interface are not taken for strangers', () => {
  const moved = 4 * 1024 * 12;
  const counters = [0, 1, 2].map(() => ({
    bytesSent: moved / 3,
    bytesReceived: moved / 3,
    messagesSent: 0,
    messagesReceived: 0,
  }));
  const own = (bytes: number) =>
    deriveCells(planOfLo, 0, 0, [
      { ...block(0, 0, 0), counters, interfaceBytes: { lo: bytes } },
      { ...block(1, 0, 0), counters: counters.map((one) => ({ ...one, bytesSent: 100e6 })) },
    ])[0];
  const planOfLo: RunPlan = { ...plan, hosts: [{ name: 'a', ranks: [0, 1, 2, 3, 4, 5] }] };
  for (const [bytes, verdict, reason] of [
    [300e6, 'confirmed', /and up to 301 MB of the groups beside it/],
    [900e6, 'unproven', /also counts other processes, which hide/],
    [1000, 'contradicted', /carried 1/],
  ] as const) {
    const cell = own(bytes);
    assert.ok(cell?.status === 'ok');
    assert.equal(cell.evidence.verdict, verdict, cell.evidence.reason);
    assert.match(cell.evidence.reason, reason);
  }
});
