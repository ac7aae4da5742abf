import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Baseline, Calibration, GateResult, SuiteRecord } from '../../results/schema/index.ts';
import { keepCalibration } from '../../results/store/calibration.ts';
import { openRun } from '../../results/store/read.ts';
import { enterIndex } from '../../results/store/run-index/open.ts';
import { createSuite } from '../../results/store/suites.ts';
import { seededNormal } from '../../results/testing/block.ts';
import { nightAt, writeNight } from '../../results/testing/nights.ts';
import { SuiteGate } from './gate.ts';
import type { SuiteRunner } from './runner.ts';

const entry = 'small';
const idOfSuite = (night: number): string => (0xb00000 + night).toString(16);
const noRunner = { isInterrupted: false } as unknown as SuiteRunner;

/** Stores the suite of one night, with its gate judged against the baseline. */
async function night(
  root: string,
  at: number,
  { level, baseline }: { level: number; baseline: Baseline | null },
) {
  const id = idOfSuite(at);
  const membership = { ...{ id, name: 'nightly', entry }, arm: 'tonight', pass: 'first', turn: 0 } as const;
  const run = await openRun(
    await writeNight(root, {
      ...{ night: at, launches: 5, sizes: [8, 64, 512, 4096], factor: () => level },
      record: { suite: membership },
    }),
  );
  assert.equal(await enterIndex(run), null);
  const record: SuiteRecord = {
    ...{ schemaVersion: 2, id, name: 'nightly', title: 'Suite nightly', command: [], files: [] },
    ...{ startedAt: nightAt(at), endedAt: nightAt(at), state: 'complete', exitCode: 0, gate: null },
    entries: [
      {
        ...{ name: entry, command: 'allreduce', words: [], environment: {}, optional: false },
        ...{ status: 'measured', reason: null, leftOut: [], cells: { expected: 4, measured: 4 }, runs: [] },
      },
    ],
  };
  const writer = await createSuite(record, { root });
  const folder = path.relative(writer.dir, run.dir);
  const turn = { arm: 'tonight', pass: 'first', turn: 0, id: run.record.id, folder, exitCode: 0 } as const;
  record.entries[0]?.runs.push(turn, { ...turn, pass: 'again' });
  const gate = new SuiteGate({ record, dir: writer.dir, root }, { baseline, hasAnchor: false }, 0.2);
  record.gate = await gate.judge([], noRunner);
  await writer.update(record);
  return { run, gate: record.gate, id };
}

const baselineOf = ({ run, id }: Awaited<ReturnType<typeof night>>): Baseline => ({
  ...{ schemaVersion: 3, name: 'nightly', setAt: run.record.startedAt, learned: null },
  source: { kind: 'suite', id, name: 'nightly', title: 'Suite nightly' },
  entries: [{ entry, record: run.record, cells: [...run.cells] }],
});
const methodOf = (gate: GateResult): string => gate.reference?.method ?? '';

test('the gate learns from the nights before how nights differ, and does not get used to a regression', async (t: TestContext) => {
  const root = mkdtempSync(path.join(tmpdir(), 'collbench-gate-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const normal = seededNormal(5);
  const level = (): number => Math.exp(0.01 * normal());
  const baseline = baselineOf(await night(root, 0, { level: level(), baseline: null }));
  let last = await night(root, 1, { level: level(), baseline });
  assert.match(
    methodOf(last.gate),
    /assumed by transport \(fewer than 3 earlier nights known; collbench aa was not run\)/,
  );
  for (let at = 2; at <= 10; at += 1) last = await night(root, at, { level: level(), baseline });
  assert.equal(last.gate.verdict, 'pass');
  assert.match(methodOf(last.gate), /: 9 earlier runs on these hosts differ by \d(\.\d)? %\./);

  for (let at = 11; at <= 14; at += 1) {
    last = await night(root, at, { level: 1.3 * level(), baseline });
    assert.deepEqual([at, last.gate.verdict], [at, 'regression']);
  }
  // The slower level becomes the baseline: nights of the old level must not influence the verdict on the new one.
  const accepted = baselineOf(last);
  last = await night(root, 15, { level: 1.3 * level(), baseline: accepted });
  assert.equal(last.gate.verdict, 'pass');
  assert.match(methodOf(last.gate), /: 3 earlier runs on these hosts differ by \d(\.\d)? %\./);
});

test('before three nights are known, collbench aa of the same hosts shows how much runs differ', async (t: TestContext) => {
  const root = mkdtempSync(path.join(tmpdir(), 'collbench-gate-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const first = await night(root, 0, { level: 1, baseline: null });
  const zSd = { value: 30, low: 20, high: 45, of: 24 };
  await keepCalibration(root, first.run.record, { zSd } as Calibration);
  const { gate } = await night(root, 1, { level: 1, baseline: baselineOf(first) });
  assert.match(methodOf(gate), /: equal runs of collbench aa on these hosts differ by \d+(\.\d)? %\./);
  assert.ok(gate.groups.every(({ change }) => change.betweenNightsFrom === 'aa'));
});
