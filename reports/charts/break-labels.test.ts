import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ncclRun, p2pPlan } from '../fixtures/nccl.ts';
import { syntheticRun } from '../fixtures/synthetic.ts';
import { groupsOf } from '../series.ts';
import { breakLabels } from './break-labels.ts';
import type { ChartRow } from './chart.ts';
import { logAxis } from './over-x.ts';
import { ratioAxis } from './scales.ts';

const bytes = [8, 2 ** 20, 2 ** 24, 2 ** 30];
const protocols = ['LL', 'LL128', 'Simple', 'Simple'];

/** Returns the labels that are drawn, with their x. */
function drawn(choices: readonly string[], rules: { value: number; text: string }[] = []): string[] {
  const [group] = groupsOf([ncclRun({ transports: [p2pPlan] })]);
  const [series] = group?.series ?? [];
  assert.ok(group !== undefined && series !== undefined);
  const slots = bytes.map((x, i) => {
    const slot = series.slots.find((one) => one.x === x);
    assert.ok(slot?.cell !== null && slot?.cell !== undefined && 'choice' in slot.cell);
    const [algorithm = '', protocol = ''] = (choices[i] ?? '').split('/');
    return { ...slot, cell: { ...slot.cell, choice: { ...slot.cell.choice, algorithm, protocol } } };
  });
  const rows = bytes.map(
    (x, i): ChartRow => ({ series: series.label, payloadBytes: x, timeNs: 10 ** (i + 3) }),
  );
  const layers = breakLabels(
    { ...group, series: [{ ...series, slots } as never] },
    rows,
    { field: 'timeNs', isLog: true, rules },
    'wide',
  ) as { data: { values: ChartRow[] } }[];
  return layers.flatMap(({ data }) => data.values).map((row) => `${row.text} @ ${row.payloadBytes}`);
}

test('a break says which protocol was before and which comes', () => {
  const found = drawn(protocols.map((one) => `ring/${one}`));
  assert.deepEqual(found.sort(), ['LL → LL128 @ 1048576', 'LL128 → Simple @ 16777216']);
});

test('long names stand at the beginning of their stretch; without a change there is none', () => {
  const found = drawn(['recursive-doubling', 'recursive-doubling', 'ring', 'ring']);
  assert.deepEqual(found.sort(), ['recursive-doubling @ 8', 'ring @ 16777216']);
  assert.deepEqual(drawn(bytes.map(() => 'ring/LL')), []);
});

test('a text that would meet the words of a ceiling goes to another side, or is left out', () => {
  const below = { value: 6000, text: 'x'.repeat(120) };
  const above = { ...below, value: 10_000 };
  const choices = protocols.map((one) => `ring/${one}`);
  assert.ok(drawn(choices, [below]).includes('LL → LL128 @ 1048576'));
  assert.ok(!drawn(choices, [below, above]).includes('LL → LL128 @ 1048576'));
});

test('ratios that lie far apart are read as fractions, near ones as decimals', () => {
  const { values = [], labelExpr = '' } = ratioAxis([1 / 90, 3]);
  assert.deepEqual(values, [1 / 64, 1 / 16, 1 / 4, 1].slice(-values.length));
  assert.match(labelExpr, /'1\/' \+ format\(1 \/ datum\.value/);
  assert.ok(ratioAxis([1 / 4000, 4000]).values?.includes(1));
  assert.equal(ratioAxis([0.9, 1.2]).values, undefined);
});

test('a single x stands in the middle of its axis and is its only tick', () => {
  const [group] = groupsOf([syntheticRun({ minBytes: 1024, maxBytes: 1024 })]);
  assert.ok(group !== undefined);
  const { scale, axis } = logAxis(group.x, [1000, 1000], 5) as {
    scale: { domain: number[] };
    axis: { values: number[] };
  };
  assert.deepEqual([scale.domain, axis.values], [[500, 2000], [1000]]);
});
