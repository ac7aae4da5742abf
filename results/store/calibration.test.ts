import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { calibrate, separateRuns } from '../compare/calibrate.ts';
import { testPlan } from '../testing/plan.ts';
import { syntheticRecord } from '../testing/run.ts';
import { calibrationFor, keepCalibration } from './calibration.ts';

const made = (seed: number) => syntheticRecord({ seed, launches: 4 });

test('what was learned of a machine is kept for its runs, the newest, and for no others', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'calibration-'));
  try {
    const found = calibrate([
      [made(3), made(4)],
      [made(5), made(6)],
    ]);
    const { record } = made(3);
    assert.equal(await calibrationFor(root, [record]), null);
    const zSd = { value: 2.25, low: 1.28, high: 3.96, of: 6 };
    await keepCalibration(root, record, { ...found, zSd: { ...zSd, value: 9 } });
    const file = await keepCalibration(root, record, { ...found, zSd });
    assert.equal(file, path.join(root, 'calibration.json'));
    assert.deepEqual(await calibrationFor(root, [record, made(4).record]), zSd);
    const elsewhere = { ...record, plan: { ...record.plan, engine: 'nccl' } };
    assert.equal(await calibrationFor(root, [elsewhere]), null);
    assert.equal(await calibrationFor(root, [record, elsewhere]), null);
    assert.equal(await keepCalibration(root, record, { ...found, zSd: null }), null);
    assert.deepEqual(await calibrationFor(root, [record]), zSd);
    await writeFile(path.join(root, 'calibration.json'), '{');
    await assert.rejects(calibrationFor(root, [record]), /calibration\.json is no JSON; remove it/);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});

test('a factor above 1 is taken where launches of one run are more alike than those of two for certain enough', () => {
  const { sampling, points: two } = testPlan();
  const points = [...two, ...two];
  const startedAt = '2026-11-21T01:00:00.000Z';
  const apart = { startedAt, plan: { points, sampling: { ...sampling, apart: true } } };
  const beside = { startedAt, plan: { points, sampling } };
  const few = { startedAt, plan: { ...apart.plan, points: two } };
  assert.equal(separateRuns(null, [apart, few]).scatterFactor, 2);
  const same = { history: [], hasFewNights: false, groupSame: 0.1, cellSame: 0.1, falseDiscovery: 0.01 };
  const assumed = { ...same, runScatterFrom: 'transport' as const };
  assert.deepEqual(separateRuns(null, [apart, apart]), { ...assumed, scatterFactor: 1 });
  assert.deepEqual(separateRuns(null, [apart, beside]), { ...assumed, scatterFactor: 2 });
  // The stored scatter of launches that are apart in time does not hold for launches side by side.
  const learned = { value: 0.9, low: 0.7, high: 1.1, of: 40 };
  assert.equal(separateRuns(learned, [apart, beside]).scatterFactor, 2);
  const alike = separateRuns({ value: 1.02, low: 0.73, high: 1.41, of: 18 }, [apart, apart]);
  assert.deepEqual(alike, { ...same, scatterFactor: 1, runScatterFrom: 'aa' });
  const unlike = separateRuns({ value: 2.25, low: 1.28, high: 3.96, of: 6 }, [apart, apart]);
  assert.equal(unlike.scatterFactor, 2.25);
});
