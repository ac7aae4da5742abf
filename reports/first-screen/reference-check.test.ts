import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Background, emptyBackground } from '../../results/background.ts';
import { referencesFor } from '../../results/reference-runs.ts';
import { allMeasuredFigures, type CellRecord } from '../../results/schema/index.ts';
import { openRun } from '../../results/store/read.ts';
import { socketPlan, syntheticRun } from '../fixtures/synthetic.ts';
import { groupsOf, type ReportRun } from '../series.ts';
import { headlinesOf } from './headlines.ts';
import { isGoodAnswer } from './reference-check.ts';

const judged = (run: Pick<ReportRun, 'record' | 'cells'>, background: Background = emptyBackground) =>
  isGoodAnswer(headlinesOf(groupsOf([run]), background), background);

const recorded = fileURLToPath(new URL('../../../results/reference/nccl-2-h200-precision', import.meta.url));

test('a run on GPUs is judged by the recorded run of as many GPUs of that model, with both figures', async () => {
  const run = await openRun(path.resolve(recorded));
  const background = { last: null, references: await referencesFor(run.record) };
  const good = judged(run, background);
  assert.equal(good.word, 'Yes');
  assert.match(
    good.texts.join('; '),
    /^p2p is as fast as the reference run on 2 NVIDIA H200 \(nccl-2-h200\): 6\.\d+ µs at 8 B \(there 6\.\d+ µs\) and 3\d\d GB\/s at 1 GiB \(there 3\d\d GB\/s\)/,
  );
  const slow = structuredClone(run.cells) as CellRecord[];
  for (const figure of slow.flatMap(allMeasuredFigures)) figure.value *= 1.5;
  const bad = judged({ record: run.record, cells: slow }, background);
  assert.equal(bad.word, 'No');
  assert.match(bad.texts.join('; '), /p2p is slower than the reference run/);
});

test('sizes at which other processes disturbed a run are not compared; without another size it is not judged', async () => {
  const run = await openRun(path.resolve(recorded));
  const background = { last: null, references: await referencesFor(run.record) };
  const disturbed = (isHit: (cell: CellRecord) => boolean) => {
    const cells = structuredClone(run.cells) as CellRecord[];
    for (const cell of cells) {
      if (cell.status !== 'ok' || !isHit(cell)) continue;
      for (const figure of allMeasuredFigures(cell)) figure.value *= 1.5;
      cell.flags.push({ name: 'cpu-busy', level: 'disturbs', reason: null });
    }
    return judged({ record: run.record, cells }, background);
  };
  const smallest = disturbed(({ axes }) => axes.bytes === 8);
  assert.equal(smallest.word, 'Yes');
  assert.match(smallest.texts.join('; '), /p2p is as fast as the reference run .* µs at (?!8 B)\d+ B/);
  const all = disturbed(() => true);
  assert.equal(all.word, 'Not known');
  assert.match(
    all.texts.join('; '),
    /p2p is not compared with the reference run on .*: flagged at all \d+ common sizes/,
  );
});

test('a known link rate judges a run; without one nothing is claimed', () => {
  const over = { ...socketPlan, detail: { networkInterface: 'eth0' } };
  const run = syntheticRun({ transports: [over], maxBytes: 2 ** 20 });
  for (const { interfaces } of Object.values(run.record.inventory))
    for (const one of interfaces) if (one.name === 'eth0') one.speedMbps = 100_000;
  const slow = judged(run);
  assert.equal(slow.word, 'No');
  assert.match(slow.texts.join(), /^socket reaches \d+ % of eth0 \(12\.5 GB\/s\) at 1 MiB/);
  const unknown = judged(syntheticRun({ transports: [socketPlan], maxBytes: 64 }));
  assert.equal(unknown.word, 'Not known');
  assert.match(unknown.texts.join(), /no link rate is known for socket/);
});

test('figures of emulated media are never called good or bad', () => {
  const [, sisci] = syntheticRun({ maxBytes: 64 }).record.plan.transports;
  assert.ok(sisci);
  const found = judged(syntheticRun({ transports: [sisci], maxBytes: 64 }));
  assert.equal(found.word, 'Not judged');
});
