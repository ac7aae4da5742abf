import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FailureError } from '../../results/verdicts/failure.ts';
import { sampleCell } from '../../suites/block-shapes.ts';
import { type CrosscheckRequest, planFor } from '../../suites/crosscheck/plan.ts';
import { mockLauncher } from '../testing/mock.ts';
import { measure } from './engine.ts';

const where = {
  engine: 'nccl' as const,
  ranks: 2,
  settings: { gpus: '0,1' },
  over: { name: 'p2p', medium: 'emulated' as const, detail: { adapter: 'mock' }, options: {} },
};
const request: CrosscheckRequest = {
  collective: 'allreduce',
  sizes: [8, 1024, 2 ** 20],
  dtype: 'float32',
  op: 'sum',
  root: null,
  round: 0,
};
const session = (fault: string, signal = new AbortController().signal) => ({
  agentPath: '',
  signal,
  launcher: mockLauncher(fault),
});

test('one launch, five pipelined samples of as many calls as nccl-tests takes', () => {
  const plan = planFor(request, 9, where);
  const { sampling, engine, settings, points } = plan;
  assert.equal(engine, 'nccl');
  assert.deepEqual(settings, { gpus: '0,1' });
  assert.equal(sampling.launches, 1);
  assert.equal(sampling.batch, 20);
  assert.equal(sampling.iterations, 100);
  assert.equal(sampling.warmup, 5);
  for (const point of points) {
    const pipelined = sampleCell(plan, point, 0, 1).blocks.filter(({ trial }) => trial === 'pipelined');
    assert.deepEqual(
      pipelined.map(({ minSamples, maxSamples, batch }) => [minSamples, maxSamples, batch]),
      [[5, 5, 20]],
    );
  }
  assert.equal(sampling.timeoutS, 9);
  assert.deepEqual(
    points.map(({ axes }) => [axes.bytes, axes.inPlace, axes.op]),
    [
      [8, false, 'sum'],
      [1024, false, 'sum'],
      [2 ** 20, false, 'sum'],
    ],
  );
});

test('a session gives both figures of every size', async () => {
  const plan = planFor(request, 30, where);
  const figures = await measure(plan, session(''));
  assert.deepEqual([...figures.keys()], [8, 1024, 2 ** 20]);
  for (const { comparedNs, isolatedNs, wrongElements } of figures.values()) {
    // The mock agent reports about 700 ns plus 4.5 bytes per ns for both figures, with random variation.
    assert.ok(comparedNs > 500);
    assert.ok(Math.abs(comparedNs / (isolatedNs ?? 0) - 1) < 1);
    assert.equal(wrongElements, 0);
  }
});

test('wrong data is counted', async () => {
  const figures = await measure(planFor(request, 30, where), session('wrong:0'));
  const wrong = [...figures.values()].reduce((sum, { wrongElements }) => sum + wrongElements, 0);
  assert.equal(wrong, 3);
});

test('a launch that fails or is interrupted is no figure', async () => {
  const plan = planFor(request, 30, where);
  const kindOf = async (fault: string, signal?: AbortSignal) => {
    try {
      await measure(plan, session(fault, signal));
    } catch (error) {
      return error instanceof FailureError ? error.failure.kind : error;
    }
    return 'none';
  };
  assert.equal(await kindOf('rank-died:1'), 'rank-died');
  assert.equal(await kindOf('', AbortSignal.abort()), 'interrupted');
});
