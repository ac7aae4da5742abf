import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runPlan } from '../results/schema/index.ts';
import { planningEngines } from './engines/index.ts';
import { makePlan, type PlanInput } from './plan.ts';

const input: PlanInput = {
  typed: ['collbench', 'allreduce'],
  command: 'allreduce',
  words: {},
  engine: 'cpu',
  algorithm: null,
  ranks: 2,
  host: 'here',
  inProcess: false,
  transports: ['socket', 'sisci'].map((name) => ({ name, medium: 'hardware', detail: {}, options: {} })),
  dtypes: ['float32'],
  ops: ['sum'],
  roots: [0],
  inPlace: [false],
  sizes: { kind: 'factor', min: 8, max: 2 ** 30, factor: 2 },
  sampling: { launches: 3, warmup: 5, iterations: null, batch: 0, check: 16, timeoutS: 60, seed: 1 },
};

test('the sweep of the main job: 28 sizes over two transports within four minutes', () => {
  const plan = makePlan(input);
  assert.equal(plan.points.length, 28);
  assert.equal(plan.expected.cells, 56);
  assert.ok(plan.estimateS > 10 && plan.estimateS < 240, `${plan.estimateS} s`);
  assert.ok(plan.expected.checks >= 56 * 3 * 2, 'every launch verifies on every rank');
  assert.deepEqual(runPlan.parse(JSON.parse(JSON.stringify(plan))), plan, 'a plan survives the disk');
});

test('an estimate counts the start of every launch that may be added, and the measured time of preparing', () => {
  const estimate = (maxLaunches: number, preparingS?: number): number => {
    const adaptive = { precision: 0.01, budgetS: 1000, maxLaunches };
    const sizes = { kind: 'list', sizes: [8] } as const;
    return makePlan({
      ...{ ...input, sizes, sampling: { ...input.sampling, adaptive } },
      ...(preparingS === undefined ? {} : { preparingS }),
    }).estimateS;
  };
  const { launchSetupNs } = planningEngines.cpu.pace;
  const startsS = (3 * input.transports.length * launchSetupNs) / 1e9;
  assert.ok(estimate(6) - estimate(3) >= startsS);
  assert.ok(Math.abs(estimate(3, 10) - estimate(3, 2) - 8) < 0.2);
});

test('types, ops, roots, sizes and places are multiplied out; both places of a size stand together', () => {
  const plan = makePlan({
    ...input,
    command: 'reduce',
    ranks: 3,
    dtypes: ['int8', 'float64'],
    ops: ['sum', 'max'],
    roots: 'all',
    inPlace: [false, true],
    sizes: { kind: 'list', sizes: [8, 64] },
  });
  assert.equal(plan.points.length, 2 * 2 * 3 * 2 * 2);
  assert.deepEqual(
    plan.points.slice(0, 4).map(({ axes }) => [axes.bytes, axes.inPlace]),
    [
      [8, false],
      [8, true],
      [64, false],
      [64, true],
    ],
  );
  assert.deepEqual([...new Set(plan.points.map(({ axes }) => axes.root))], [0, 1, 2]);
});

test('op and root are null where they do not apply, however many were asked for', () => {
  const plan = makePlan({
    ...input,
    command: 'allgather',
    ops: ['sum', 'max'],
    roots: 'all',
    sizes: { kind: 'list', sizes: [64] },
  });
  assert.deepEqual(
    plan.points.map(({ axes }) => [axes.op, axes.root]),
    [[null, null]],
  );
});

test('sizes that give a rank nothing are skipped with a reason, per data type', () => {
  const plan = makePlan({
    ...input,
    command: 'allgather',
    ranks: 7,
    dtypes: ['int8', 'int64'],
    sizes: { kind: 'list', sizes: [8, 104] },
  });
  assert.deepEqual(
    plan.points.map(({ axes }) => [axes.dtype, axes.bytes]),
    [
      ['int8', 7],
      ['int8', 98],
      ['int64', 56],
    ],
  );
  assert.equal(plan.skipped.length, 1);
  assert.match(plan.skipped[0]?.reason ?? '', /8 B is less than one int64 for each of 7 ranks/);
});

test('only the root of reduce has results to verify, empty messages have none, --check 0 wants none', () => {
  const checks = (change: Partial<PlanInput>) =>
    makePlan({ ...input, sizes: { kind: 'list', sizes: [64] }, ...change }).expected.checks;
  assert.equal(checks({ ranks: 4 }), 4 * checks({ ranks: 4, command: 'reduce' }));
  assert.equal(checks({ sizes: { kind: 'list', sizes: [0] } }), 0);
  assert.equal(checks({ sampling: { ...input.sampling, check: 0 } }), 0);
});

test('groups: points of one group, cells and checks of all, and the time that sharing a machine takes', () => {
  const members = [0, 1].map((color) => ({ name: `${color}`, ranks: [color, color + 2] }));
  const groups = { rule: 'mod:2', members };
  const sizes: PlanInput['sizes'] = { kind: 'list', sizes: [64] };
  const asked = { ...input, ranks: 4, sizes, command: 'allgather' } as const;
  const two = makePlan({ ...asked, groups });
  assert.deepEqual(two.points, makePlan({ ...asked, ranks: 2 }).points, 'parts are those of two ranks');
  assert.equal(two.expected.cells, 2 * two.points.length * two.transports.length);
  const onRoot = { ...input, ranks: 4, sizes, command: 'reduce', roots: 'all' } as const;
  const all = makePlan({ ...onRoot, groups });
  assert.deepEqual(
    all.points.map(({ axes }) => axes.root),
    [0, 1],
    'roots count within a group',
  );
  assert.equal(all.expected.checks, 2 * makePlan({ ...onRoot, ranks: 2 }).expected.checks);
  assert.ok(two.estimateS > makePlan({ ...asked, ranks: 2 }).estimateS);
});

test('point-to-point: windows and directions are multiplied out, operations that have none take one', () => {
  const sizes: PlanInput['sizes'] = { kind: 'list', sizes: [8, 64] };
  const put = makePlan({ ...input, command: 'put', words: { window: '1,16', direction: 'uni,bi' }, sizes });
  assert.deepEqual(
    put.points.map(({ axes }) => [axes.direction, axes.window, axes.bytes]),
    ['uni', 'bi'].flatMap((direction) =>
      [1, 16].flatMap((window) => [8, 64].map((b) => [direction, window, b])),
    ),
  );
  const pingpong = makePlan({ ...input, command: 'pingpong', words: {}, sizes });
  assert.deepEqual(
    pingpong.points.map(({ axes }) => [axes.direction, axes.window]),
    [
      ['uni', 1],
      ['uni', 1],
    ],
  );
  assert.deepEqual(
    put.workloads.map(({ name }) => name),
    ['p2p'],
    'the row travels with the plan',
  );
});
