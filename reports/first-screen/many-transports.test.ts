import assert from 'node:assert/strict';
import { test } from 'node:test';
import { socketPlan, syntheticRun } from '../fixtures/synthetic.ts';
import { groupsOf, type Series } from '../series.ts';
import { comparisonsOf } from '../series-comparison.ts';
import { badgesOf } from './badges.ts';

const plans = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ ...socketPlan, name: `plugin:/opt/lib/net${i}.so` }));
const runOf = (count: number) => syntheticRun({ transports: plans(count), maxBytes: 64, launches: 2 });

/** Counts how often the transports of all series of a run are read. */
function countedReads(count: number): number {
  let reads = 0;
  const groups = groupsOf([runOf(count)]).map((group) => ({
    ...group,
    series: group.series.map(
      (series) =>
        new Proxy(series, {
          get(target, name) {
            if (name === 'transport') reads += 1;
            return Reflect.get(target, name);
          },
        }) as Series,
    ),
  }));
  for (const group of groups) comparisonsOf(group);
  return reads;
}

test('work to pair the transports of a run grows as the number of transports', () => {
  const [few, many] = [countedReads(20), countedReads(80)];
  assert.ok(many <= 5 * few, `${few} reads of 20 transports, ${many} of 80`);
});

test('a badge names each of many transports once, by its worst verdict', () => {
  const run = runOf(3);
  const [first] = run.cells;
  assert.ok(first?.status === 'ok');
  run.cells[0] = { ...first, evidence: { verdict: 'unproven', reason: 'no counters' } };
  const texts = badgesOf([run]).map(({ text }) => text);
  assert.ok(texts.some((text) => /^unproven \? plugin:\S+$/.test(text)));
  assert.ok(texts.some((text) => /^confirmed ✓ plugin:\S+ and plugin:\S+$/.test(text)));
});
