import assert from 'node:assert/strict';
import { test } from 'node:test';
import { derivedOf } from '../results/schema/index.ts';
import { averageSentences } from './averages.ts';
import { sisciPlan, socketPlan, syntheticRun } from './fixtures/synthetic.ts';
import { withVariants } from './fixtures/variants.ts';
import { p2pRun } from './fixtures/workloads.ts';
import { groupsOf, isOk } from './series.ts';
import { formatBandwidth } from './wording.ts';

const one = syntheticRun({ transports: [socketPlan], maxBytes: 64 });
const both = withVariants(one, [{ inPlace: false }, { inPlace: true }]);

test('the mean of the bandwidths of pipelined times over all sizes and both placements, as nccl-tests has it', () => {
  const [text, ...others] = averageSentences(groupsOf([both]));
  const rates = both.cells.flatMap((cell) =>
    isOk(cell) ? [derivedOf(cell, 'busbw', 'pipelined')?.value ?? Number.NaN] : [],
  );
  assert.equal(rates.length, 8);
  const mean = rates.reduce((sum, value) => sum + value, 0) / rates.length;
  assert.ok(text?.startsWith(`# Avg bus bandwidth: ${formatBandwidth(mean)} (nccl-tests' figure: `), text);
  assert.deepEqual(others, []);
});

test('sizes without a figure are counted; each transport has its own line', () => {
  const two = syntheticRun({ transports: [socketPlan, sisciPlan], maxBytes: 64 });
  const [socket, sisci] = averageSentences(groupsOf([{ ...two, cells: two.cells.slice(1) }]));
  assert.match(
    socket ?? '',
    /of allreduce float32 sum over socket: .*placements, 1 result left out; not a score/,
  );
  assert.match(sisci ?? '', /^# Avg bus bandwidth of allreduce float32 sum over sisci: [\d.]+ MB\/s$/);
});

test('many series share a line; what nccl-tests does not measure has none', () => {
  const many = withVariants(
    one,
    ['sum', 'prod', 'min', 'max', 'avg'].map((op) => ({ op })),
  );
  assert.match(
    averageSentences(groupsOf([many])).join('\n'),
    /^# Avg bus bandwidth: .* to .* in 5 series \(/,
  );
  assert.deepEqual(averageSentences(groupsOf([p2pRun(64)])), []);
});
