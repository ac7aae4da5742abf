// The budget is the limit of the whole run, for every workload and however slow the machine is. The clock is simulated.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BlockRequest, type EngineName, engineNames, type RunPlan } from '../../results/schema/index.ts';
import { testBlock } from '../../results/testing/block.ts';
import { endS, estimateBlockNs, estimateCheckNs, overheadS, plannedPace, startS } from '../costs.ts';
import { planningEngines } from '../engines/index.ts';
import { defaultsOf } from '../options/option.ts';
import { makePlan } from '../plan.ts';
import { schedule } from '../schedule.ts';
import { plannings, type WorkloadPlanning } from '../workloads/index.ts';
import { AdaptiveSampler } from './adaptive.ts';

/** Values of options without which a workload has no points. */
const needed: Record<string, Record<string, string>> = {
  replay: { job: 'resnet50' },
  script: { command: '["python","train.py"]' },
  stencil: { path: 'rank' },
};

function engineFor({ needs, either = [], usualEngine }: WorkloadPlanning): EngineName {
  const has = (engine: EngineName) => {
    const { abilities } = planningEngines[engine];
    return (
      needs.every((one) => one in abilities) &&
      (either.length === 0 || either.some((one) => one in abilities))
    );
  };
  return usualEngine ?? engineNames.find((name) => name in planningEngines && has(name)) ?? 'cpu';
}

function planOf(
  planning: WorkloadPlanning,
  command: string,
  budgetS: number,
  isLimit: boolean,
  maxBytes = 2 ** 26,
): RunPlan {
  return makePlan({
    ...{ typed: ['collbench', command], command, engine: engineFor(planning), algorithm: null, ranks: 4 },
    words: { ...defaultsOf(planning.options), ...needed[planning.row.name] },
    inProcess: false,
    transports: ['socket', 'sisci'].map((name) => ({ name, medium: 'emulated', detail: {}, options: {} })),
    ...{ dtypes: ['float32'], ops: ['sum'], roots: [0], inPlace: [false] },
    sizes: { kind: 'factor', min: 8, max: maxBytes, factor: 4 },
    sampling: {
      ...{
        launches: 3,
        apart: true,
        warmup: 5,
        iterations: null,
        batch: 0,
        check: 10,
        timeoutS: 60,
        seed: 1,
      },
      adaptive: { precision: 0.01, budgetS, maxLaunches: 6, ...(isLimit ? { isLimit } : {}) },
    },
  });
}

interface SimulatedTimes {
  /** Seconds since the start of the run at which the first and the last block ended. */
  firstEndS: number;
  lastEndS: number;
  smallestBlockS: number;
  requests: BlockRequest[];
}

/**
 * Measures a plan on a machine on which everything takes `times` as long as estimated.
 * @param slowdown factor by which the machine is thought to lengthen the end of the run
 */
function simulate(plan: RunPlan, times: number, slowdown = 1): SimulatedTimes {
  const started = new Set<string>();
  const requests: BlockRequest[] = [];
  let atS = times * (overheadS(plan) - endS(plan));
  const sampler = new AdaptiveSampler(plan, schedule(plan), slowdown, atS);
  let firstEndS = Number.POSITIVE_INFINITY;
  let smallestBlockS = Number.POSITIVE_INFINITY;
  for (const request of sampler) {
    const { transport, launch, trial } = request;
    const point = plan.points[request.point];
    assert.ok(point !== undefined);
    const beganS = atS;
    if (!started.has(`${transport} ${launch}`)) atS += times * startS(plan);
    started.add(`${transport} ${launch}`);
    const planned = plannedPace(plan, point, transport);
    const operationNs = times * planned.operationNs;
    const batch = request.batch > 0 ? request.batch : Math.max(1, Math.round(50_000 / operationNs));
    const wanted = request.targetNs > 0 ? request.targetNs / (operationNs * batch) : request.maxSamples;
    const samples = Math.round(Math.min(request.maxSamples, Math.max(request.minSamples, wanted)));
    // Unequal samples keep every cell imprecise, so that the run uses its budget.
    const ns = Array.from(
      { length: samples },
      (_, i) => operationNs * batch * (0.9 + 0.2 * ((i * 0.618) % 1)),
    );
    const shape = { ...request, batch, minSamples: samples, maxSamples: samples };
    const checks = request.check ? times : 0;
    const pace = { operationNs, checks, overheadNs: times * planned.overheadNs };
    const blockS = estimateBlockNs(plan, point, transport, shape, pace) / 1e9;
    atS += blockS;
    smallestBlockS = Math.min(smallestBlockS, atS - beganS);
    firstEndS = Math.min(firstEndS, atS);
    requests.push(request);
    const checkingNs = Math.round(checks * estimateCheckNs(plan, point, samples, batch));
    const record = testBlock(ns, {
      ...{ point: request.point, transport, launch, trial, batch, checkingNs: [checkingNs] },
      operations: request.warmup + samples * batch,
    });
    sampler.take(record, request.completesCell, atS);
  }
  return { firstEndS, lastEndS: atS, smallestBlockS, requests };
}

for (const planning of plannings)
  for (const command of new Set([planning.commands.at(0)?.name ?? '', planning.commands.at(-1)?.name ?? '']))
    test(`${command}: no run exceeds its budget by more than its smallest block, however slow the machine`, () => {
      for (const isLimit of [true, false])
        for (const times of [1, 4, 20]) {
          const budgetS = isLimit ? 10 : 60;
          const plan = planOf(planning, command, budgetS, isLimit);
          const { firstEndS, lastEndS, smallestBlockS } = simulate(plan, times);
          // The first launch of each point may take twice the time if the user set no budget.
          const limitS = (isLimit ? 1 : 2) * budgetS - Math.min(endS(plan), budgetS / 2);
          const overS = lastEndS - Math.max(limitS, firstEndS) - smallestBlockS;
          assert.ok(overS <= 0, `${overS.toFixed(2)} s over ${budgetS} s at ${times} times, ${isLimit}`);
        }
    });

test('on a busy machine the end of the run keeps at most a quarter of the budget from the first launch of a point', () => {
  const planning = plannings.find(({ row }) => row.name === 'collective') as WorkloadPlanning;
  const plan = planOf(planning, 'allreduce', 10, true);
  const { lastEndS, smallestBlockS } = simulate(plan, 6, 8);
  assert.ok(
    lastEndS > 5.5 && lastEndS <= 7.5 + smallestBlockS,
    `the last block ended after ${lastEndS} s of 10 s`,
  );
});

test('where the usual first launches do not fit, long operations have one sample and no point is left out', () => {
  const planning = plannings.find(({ row }) => row.name === 'collective') as WorkloadPlanning;
  const plan = planOf(planning, 'allreduce', 120, false, 2 ** 30);
  for (const [times, isBrief] of [
    [1, false],
    [4, false],
    [8, true],
    [14, true],
  ] as const) {
    const { requests } = simulate(plan, times);
    const firsts = new Map<string, BlockRequest>();
    for (const request of requests) {
      const key = `${request.point} ${request.transport} ${request.trial}`;
      if (!firsts.has(key)) firsts.set(key, request);
    }
    assert.equal(firsts.size, 2 * plan.points.length * plan.transports.length, `${times} times as slow`);
    const first = [...firsts.values()];
    const brief = first.filter(({ maxSamples }) => maxSamples === 1);
    assert.equal(brief.length > 0, isBrief, `${times} times as slow`);
    // Operations that are not long keep their samples.
    const small = first.filter(({ point }) => point < 6);
    assert.ok(small.every(({ minSamples }) => minSamples > 1));
  }
});
