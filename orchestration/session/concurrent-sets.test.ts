import assert from 'node:assert/strict';
import { test } from 'node:test';
import { overlapOf } from '../../results/derive/index.ts';
import {
  type BlockRecord,
  blockRecord,
  type Failure,
  type GroupPlan,
  type LaunchRecord,
  type RunPlan,
} from '../../results/schema/index.ts';
import { testBlocks, testPlan } from '../../results/testing/plan.ts';
import { deadlinesOf } from '../deadlines.ts';
import { Fleet } from '../fleet.ts';
import { LaunchTokens } from '../launch.ts';
import { mockLauncher } from '../testing/mock.ts';
import { measureSets } from './concurrent-sets.ts';
import { runSession } from './session.ts';

const hosts = [
  { name: 'a', ranks: [0, 1] },
  { name: 'b', ranks: [2, 3] },
];
const rails: GroupPlan[] = [
  { name: 'rail 0', ranks: [0, 2] },
  { name: 'rail 1', ranks: [1, 3] },
];
const planWith = (members: GroupPlan[], rule = 'rail'): RunPlan =>
  testPlan({ ranks: 4, hosts, groups: { rule, members } });

async function run(plan: RunPlan, fault: string | Record<string, string> = '') {
  const blocks: BlockRecord[] = [];
  const launches: LaunchRecord[] = [];
  let failure: Failure | null = null;
  let completed = 0;
  for await (const event of runSession(plan, testBlocks(plan), {
    agentPath: '',
    launcher: mockLauncher(fault),
    signal: new AbortController().signal,
    deadlines: { marginMs: 500, endMs: 500 },
  })) {
    if (event.type === 'block') {
      blocks.push(event.record);
      if (event.completesCell) completed += 1;
    }
    if (event.type === 'launch') launches.push(event.record);
    if (event.type === 'failure') failure = event.failure;
  }
  return { blocks, launches, failure, completed };
}

test('each block is measured by all groups at the same time: a record for each, of its own ranks', async () => {
  const plan = planWith(rails);
  const { blocks, launches, failure, completed } = await run(plan);
  assert.equal(failure, null);
  assert.equal(blocks.length, 2 * testBlocks(plan).length);
  for (const block of blocks) blockRecord.parse(block);
  assert.deepEqual(
    blocks.slice(0, 4).map(({ block, group }) => [block, group?.index, group?.round]),
    [
      [0, 0, 0],
      [1, 1, 0],
      [2, 0, 2],
      [3, 1, 2],
    ],
  );
  assert.equal(blocks[0]?.startNs.length, 2, 'a row for each rank of the group');
  assert.equal(completed, 4, 'a cell is complete once, with its last group');
  assert.deepEqual(
    launches.map(({ transport, group, ranks }) => [transport, group, ranks.map(({ rank }) => rank)]),
    [
      [0, 0, [0, 2]],
      [0, 1, [1, 3]],
      [1, 0, [0, 2]],
      [1, 1, [1, 3]],
    ],
  );
  assert.deepEqual(
    blocks[1]?.wrong.map(({ rank }) => rank),
    [1, 3],
    'ranks are named by their numbers in the run',
  );
});

test('groups on unlike machines begin at the same instant of their clocks', async () => {
  const perNode: GroupPlan[] = [
    { name: 'a', ranks: [0, 1] },
    { name: 'b', ranks: [2, 3] },
  ];
  const { blocks } = await run(planWith(perNode, 'node'));
  const round = blocks.filter(({ group }) => group?.round === 0);
  const starts = round.map(({ baseNs, group }) => baseNs + (group?.toCommonNs ?? 0));
  const unsureNs = round.reduce((sum, { group }) => sum + (group?.uncertaintyNs ?? 0), 0);
  assert.ok(Math.abs((starts[0] as number) - (starts[1] as number)) <= unsureNs + 100, `${starts}`);
  for (const { group } of round) assert.ok((group?.uncertaintyNs ?? 0) > 0, 'each clock was read');
});

test('a failure names the group, and the rank by its number in the run', async () => {
  const { failure } = await run(planWith(rails), { b: 'rank-died:1' });
  // The failed rank is rank 1 of the group of ranks 1 and 3; the mock agent of host b has only this rank.
  assert.equal(failure?.kind, 'rank-died');
  assert.equal(failure?.rank, 3);
  assert.match(
    failure?.message ?? '',
    /rank 3 on b was killed by SIGKILL in .* in group rail 1 \(ranks 1, 3\)/,
  );
  assert.match(String(failure?.next), /--ranks 4 --groups rail /);
});

test('sets that are no groups of the plan: one that fails ends alone, and the agents go on with other sets', async () => {
  const plan = testPlan({ ranks: 2, hosts });
  const deadlines = deadlinesOf(plan, { marginMs: 500, endMs: 500 });
  const fleet = new Fleet(plan.hosts, deadlines, () => undefined);
  const tokens = new LaunchTokens();
  const token = () => tokens.make();
  const requests = testBlocks(plan).filter(({ transport }) => transport === 0);
  try {
    await fleet.start(mockLauncher({ b: 'card:3' }), '');
    const [rail0, rail1] = await measureSets(fleet, plan, rails, requests, { deadlines, token });
    assert.equal(rail0?.failure, null);
    assert.equal(rail0?.blocks.length, requests.length);
    assert.equal(rail1?.blocks.length, 1, 'its second block, number 3, failed');
    assert.match(rail1?.failure?.message ?? '', /rank 3 on b failed in .* in group rail 1/);
    const across: GroupPlan[] = [{ name: 'across', ranks: [1, 2] }];
    const [pair] = await measureSets(fleet, plan, across, requests.slice(0, 1), { deadlines, token });
    assert.equal(pair?.failure, null);
    assert.equal(overlapOf(0, 1, pair?.blocks ?? []), 1);
  } finally {
    await fleet.stop();
  }
});
