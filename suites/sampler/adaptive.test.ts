// test: soak
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { xValueOf } from '../../results/derive/cells/cell-group.ts';
import { type BlockRequest, measuredOf, type OkCell, type RunPlan } from '../../results/schema/index.ts';
import { testBlock } from '../../results/testing/block.ts';
import { testPlan, testPoint } from '../../results/testing/plan.ts';
import { trials } from '../../results/testing/trials.ts';
import { endS } from '../costs.ts';
import { pointPasses } from '../passes.ts';
import { schedule } from '../schedule.ts';
import { noiseProfiles, simulateRun, trueMedian } from '../testing/noise.ts';
import { AdaptiveSampler } from './adaptive.ts';
import { SamplingBudget } from './budget.ts';
import { launchesInTime } from './pass-launches.ts';

const adaptive = { precision: 0.01, budgetS: 240, maxLaunches: 3 };

function planOf(parts: Partial<RunPlan['sampling']> = {}, bytes: number[] = [1024, 4096]): RunPlan {
  const { sampling } = testPlan();
  return testPlan({
    points: bytes.map((one) => testPoint({ count: one / 4 })),
    sampling: { ...sampling, launches: 3, apart: true, adaptive, ...parts },
  });
}

const quick = {
  profile: noiseProfiles.quiet,
  betweenLaunches: 0,
  operationNs: () => 10_000,
  overheadS: 0.005,
  seed: 1,
};
const keyOf = ({ transport, launch, trial }: BlockRequest) => `${transport} ${launch} ${trial}`;

/**
 * Runs a sampler with figures from a function.
 * @returns the requested blocks, and when each cell was complete
 */
function drive(plan: RunPlan, figureNs: (request: BlockRequest) => number[], costS: number) {
  const sampler = new AdaptiveSampler(plan, schedule(plan));
  const requests: BlockRequest[] = [];
  const closed: { at: number; point: number; transport: number }[] = [];
  for (const request of sampler) {
    requests.push(request);
    const record = testBlock(figureNs(request), { ...placeOf(request), batch: 1 });
    for (const { point, transport } of sampler.take(record, false, requests.length * costS))
      closed.push({ at: requests.length, point, transport });
  }
  return { requests, closed, sampler };
}
const placeOf = ({ point, transport, launch, trial }: BlockRequest) => ({ point, transport, launch, trial });

for (const isLimit of [false, true])
  test(`on a slow machine no estimate exceeds the time after which nothing starts, ${isLimit ? 'the' : 'twice the'} budget`, () => {
    const plan = planOf({ adaptive: { ...adaptive, budgetS: 60, isLimit } }, [1024, 4096, 16_384, 65_536]);
    const sampler = new AdaptiveSampler(plan, schedule(plan));
    const latestS = isLimit ? 60 : 120;
    let atS = 0;
    for (const request of sampler) {
      atS += 5;
      sampler.take(testBlock([4e9, 6e9], { ...placeOf(request), batch: 1 }), false, atS);
      const leftS = sampler.leftS(atS);
      assert.ok(leftS <= Math.max(endS(plan), latestS - atS), `${leftS} s left after ${atS} s`);
    }
    assert.ok(atS > 0);
  });

test('quiet cells end with their launches; every cell has both trials of every launch, and closes once', () => {
  const { requests, closed } = drive(planOf(), () => new Array(25).fill(10_000), 0.005);
  assert.deepEqual(closed.map(({ point, transport }) => `${point} ${transport}`).sort(), [
    '0 0',
    '0 1',
    '1 0',
    '1 1',
  ]);
  for (const point of [0, 1]) {
    const mine = requests.filter((request) => request.point === point);
    const times = new Map<string, number>();
    for (const request of mine) times.set(keyOf(request), (times.get(keyOf(request)) ?? 0) + 1);
    assert.equal(times.size, 2 * 3 * 2);
    assert.deepEqual(
      [...new Set(times.values())],
      [10],
      'all as often: the second look is at the tenth block',
    );
  }
  const slots = requests.map(({ point, launch }) => `${launch} ${point}`);
  assert.deepEqual(slots, slots.toSorted(), 'launch by launch over all points');
});

test('transports take turns, in an order that is the seed’s', () => {
  const order = (seed: number) =>
    drive(planOf({ seed }), () => new Array(25).fill(10_000), 0.005).requests.map(keyOf);
  assert.deepEqual(order(3), order(3));
  assert.notDeepEqual(order(3), order(4));
  const changes = order(3).filter((key, i, all) => i > 0 && key[0] !== all[i - 1]?.[0]).length;
  assert.ok(changes > 10);
});

const noisyNs = Array.from({ length: 25 }, (_, i) => 9000 + ((i * 997) % 2000));

test('a budget that fits one launch: every cell has it, and none has another', () => {
  const plan = planOf({ adaptive: { ...adaptive, budgetS: 10 } });
  const { requests, closed } = drive(plan, () => noisyNs, 1);
  assert.deepEqual([...new Set(requests.map(({ launch }) => launch))], [0]);
  assert.equal(new Set(requests.map(({ point, transport }) => `${point} ${transport}`)).size, 4);
  assert.equal(closed.length, 4);
});

test('a budget that was given ends in the first launch: what is left out closes without a block', () => {
  const plan = planOf({ adaptive: { ...adaptive, budgetS: 2, isLimit: true } });
  const { requests, closed } = drive(plan, () => noisyNs, 3);
  assert.deepEqual([...new Set(requests.map(({ point }) => point))], [0]);
  assert.deepEqual(closed.map(({ point }) => point).sort(), [0, 0, 1, 1]);
});

test('a budget that nobody gave may take twice as long until each configuration has its first launch', () => {
  const pointsOf = (blockS: number) => {
    const plan = planOf({ adaptive: { ...adaptive, budgetS: 10 } });
    const { requests } = drive(plan, () => noisyNs, blockS);
    assert.deepEqual([...new Set(requests.map(({ launch }) => launch))], [0]);
    return [...new Set(requests.map(({ point }) => point))].sort();
  };
  assert.deepEqual(pointsOf(2), [0, 1]);
  assert.deepEqual(pointsOf(6), [0]);
});

test('the time left is what the budget has, however many launches would not fit, and the first of each point', () => {
  const leftAfterFirst = (budgetS: number): number => {
    const slots = Array.from({ length: 12 }, (_, at) => ({ point: at % 2, firstS: 20, moreS: 0 }));
    const budget = new SamplingBudget(budgetS, slots);
    budget.begin(0);
    budget.firstDone(20, 0);
    budget.end(20);
    return budget.leftS(20);
  };
  assert.ok(leftAfterFirst(60) <= 40);
  // The other point gets its first launch although the budget is used up.
  assert.ok(leftAfterFirst(10) >= 10);
});

test('points of many passes: each has its first launch before any has its second', () => {
  const bytes = Array.from({ length: 40 }, (_, i) => 1024 * (i + 1));
  const plan = planOf({ adaptive: { ...adaptive, budgetS: 400 } }, bytes);
  assert.ok(pointPasses(plan).length > 1);
  const { requests } = drive(plan, () => noisyNs, 0.1);
  const second = requests.findIndex(({ launch }) => launch > 0);
  assert.equal(new Set(requests.slice(0, second).map(({ point }) => point)).size, 40);
});

test('cells that stay imprecise use the budget, however few they are, and the run ends within it', () => {
  const noisy = { ...quick, profile: { ...noiseProfiles.sticky, sigma: 0.5 }, operationNs: () => 5_000_000 };
  for (const [bytes, budgetS] of [
    [[2 ** 20], 8],
    [[2 ** 20, 2 ** 22], 20],
    [[1024, 4096, 2 ** 14, 2 ** 16, 2 ** 18, 2 ** 20], 60],
  ] as const) {
    const plan = planOf({ adaptive: { ...adaptive, budgetS } }, [...bytes]);
    const { elapsedS, cells } = simulateRun(plan, noisy);
    assert.ok(elapsedS > 0.75 * budgetS && elapsedS <= budgetS, `${elapsedS} of ${budgetS} s`);
    const reasons = (cells as OkCell[]).map((cell) => measuredOf(cell, 'latency')?.stopped);
    assert.deepEqual([...new Set(reasons)], ['budget']);
  }
});

test('verifying that takes most of the time goes without further blocks, never without the first of a launch', () => {
  const sampler = new AdaptiveSampler(planOf(), schedule(planOf()));
  const firsts = new Set<string>();
  let [checked, unchecked, atS] = [0, 0, 0];
  for (const request of sampler) {
    if (request.check) checked += 1;
    else unchecked += 1;
    if (!firsts.has(keyOf(request) + request.point)) assert.ok(request.check);
    firsts.add(keyOf(request) + request.point);
    atS += request.check ? 0.5 : 0.05;
    const record = testBlock(noisyNs, { ...placeOf(request), batch: 1 });
    sampler.take({ ...record, checkingNs: record.checks.map(() => (request.check ? 4.5e8 : 0)) }, false, atS);
  }
  assert.ok(checked >= 24 && unchecked > checked, `${checked} verified, ${unchecked} not`);
});

test('small messages whose blocks take far longer than thought leave large ones their time, and get theirs', () => {
  const bytes = Array.from({ length: 27 }, (_, i) => 8 * 2 ** i);
  const plan = planOf({ adaptive: { ...adaptive, budgetS: 120, maxLaunches: 6 } }, bytes);
  const { cells, elapsedS } = simulateRun(plan, {
    ...quick,
    profile: noiseProfiles.small,
    betweenLaunches: 0.02,
    operationNs: (point) => 5_000 + (bytes[point] ?? 0) / 2,
    overheadS: 0.02,
  });
  assert.ok(elapsedS < 120, `${elapsedS} s`);
  for (const cell of cells as OkCell[]) {
    const samples = measuredOf(cell, 'latency')?.samples ?? 0;
    const size = xValueOf(cell);
    if (size <= 2 ** 16) assert.ok(samples > 200, `${size} B: ${samples} samples`);
  }
});

test('launches that differ: more are opened up to the bound, then that is the reason', () => {
  const apart = { ...quick, betweenLaunches: 0.05 };
  const { cells } = simulateRun(planOf({ adaptive: { ...adaptive, maxLaunches: 5 } }), apart);
  for (const cell of cells as OkCell[]) {
    assert.deepEqual(
      [measuredOf(cell, 'latency')?.launches, measuredOf(cell, 'latency')?.stopped],
      [5, 'launches'],
    );
    assert.ok((measuredOf(cell, 'latency')?.samples ?? 0) < 5 * 1000, 'no samples that cannot help');
  }
});

test('how many launches a cell gets depends on time alone, not on whether its launches agree', () => {
  const launchesOf = (betweenLaunches: number, budgetS: number) => {
    const plan = planOf({ adaptive: { ...adaptive, budgetS, maxLaunches: 6 } });
    const { cells } = simulateRun(plan, { ...quick, betweenLaunches });
    return (cells as OkCell[]).map((cell) => measuredOf(cell, 'latency')?.launches);
  };
  for (const budgetS of [240, 1.2]) {
    const [equal, ...unequal] = [0, 0.01, 0.05].map((sd) => launchesOf(sd, budgetS));
    for (const counts of unequal) assert.deepEqual(counts, equal);
  }
  assert.deepEqual(launchesOf(0, 240), [6, 6, 6, 6]);
});

test('launches beyond those of the plan replace each other, and each has a number of its own', () => {
  const bytes = Array.from({ length: 40 }, (_, i) => 1024 * (i + 1));
  const plan = planOf({ adaptive: { ...adaptive, budgetS: 400, maxLaunches: 8 } }, bytes);
  assert.ok(pointPasses(plan).length > 1);
  const { requests } = drive(plan, () => new Array(25).fill(10_000), 0.01);
  const launchesOf = (index: number) =>
    new Set(requests.flatMap(({ point, launch }) => (point === index ? [launch] : [])));
  assert.equal(launchesOf(0).size, 8);
  assert.equal(launchesOf(39).size, 8);
  const shared = [...launchesOf(0)].filter((launch) => launchesOf(39).has(launch));
  assert.deepEqual(shared.sort(), [0, 1, 2], 'passes share the launches of the plan');
  const open = new Map<number, number>();
  for (const { transport, launch, replaces } of requests) {
    if (launch < 3) continue;
    const before = open.get(transport);
    assert.equal(replaces, before === launch ? undefined : before);
    open.set(transport, launch);
  }
});

test('a pass has as many launches as fit, at least those of the plan', () => {
  const { sampling } = planOf({ adaptive: { ...adaptive, maxLaunches: 32 } });
  const launches = (launchS: number) => launchesInTime({ sampling }, launchS, 30);
  assert.deepEqual([0, 0.1, 1, 2, 20].map(launches), [32, 32, 20, 10, 3]);
});

test('a launch beyond those of the plan leaves out the number of the untimed one', () => {
  const plan = planOf({ attest: true, adaptive: { ...adaptive, maxLaunches: 4 } });
  const { requests } = drive(
    plan,
    ({ launch, trial }) => new Array(25).fill(trial === 'attest' ? 1 : 10_000 * (1 + launch / 10)),
    0.001,
  );
  const [first] = requests;
  assert.deepEqual([first?.trial, first?.launch], ['attest', 3]);
  const timed = requests.filter(({ trial }) => trial !== 'attest');
  assert.deepEqual([...new Set(timed.map(({ launch }) => launch))].sort(), [0, 1, 2, 4]);
});

test('large buffers: the blocks of a launch stay together, and its pages are given back after the last', () => {
  const { requests } = drive(planOf({}, [2 ** 28]), () => [3e8, 3.1e8, 3.2e8], 0.05);
  for (const [i, request] of requests.entries()) {
    const next = requests[i + 1];
    const goesOn = next?.transport === request.transport && next.launch === request.launch;
    if (!goesOn) assert.ok(request.release);
  }
  assert.ok(requests.filter(({ trial }) => trial === 'isolated').every(({ maxSamples }) => maxSamples <= 25));
});

test('the time to go is known before anything was measured, and ends at that of the end of the run', () => {
  const plan = planOf();
  const fresh = new AdaptiveSampler(plan, schedule(plan)).leftS(0);
  assert.ok(fresh > 0 && fresh < 240);
  const { sampler, requests } = drive(plan, () => new Array(25).fill(10_000), 0.005);
  assert.ok(sampler.leftS(requests.length * 0.005) < endS(plan) + 0.5);
});

test('on four profiles of noise the reported interval holds the truth in 93 % of cells at least', () => {
  const bytes = Array.from({ length: 6 }, (_, i) => 1024 * (i + 1));
  for (const launches of [1, 3]) {
    const plan = planOf(
      { launches, adaptive: { ...adaptive, budgetS: 1e4, maxLaunches: launches === 1 ? 1 : 6 } },
      bytes,
    );
    let held = 0;
    let all = 0;
    for (const [name, profile] of Object.entries(noiseProfiles)) {
      const truth = 10_000 * trueMedian(profile);
      const betweenLaunches = launches === 1 ? 0 : 0.005;
      for (const seed of trials(1)) {
        const { cells } = simulateRun(plan, { ...quick, profile, betweenLaunches, seed: 100 * seed });
        for (const cell of cells as OkCell[]) {
          const { interval, stopped, samples } = measuredOf(cell, 'latency') ?? assert.fail(name);
          assert.ok(samples <= 6 * 2100);
          all += 1;
          if (interval !== null && interval.low <= truth && truth <= interval.high) held += 1;
          assert.match(stopped ?? '', /^(precise|launches|noise)$/, name);
        }
      }
    }
    assert.ok(held / all >= 0.93, `${launches} launches: ${held} of ${all}`);
  }
});
