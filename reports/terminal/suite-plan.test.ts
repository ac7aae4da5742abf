import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endedSuite } from '../fixtures/suite.ts';
import { syntheticRun } from '../fixtures/synthetic.ts';
import { suitePlanText } from './suite-plan.ts';

const { plan } = syntheticRun({ maxBytes: 64 }).record;
const rankCounts = [2, 3, 4];

/** Returns the plan of a suite with an entry per rank count. @param prefix prefix of the entries' names */
function textAt(columns: number, prefix: string): string[] {
  const [entry] = endedSuite.entries;
  assert.ok(entry !== undefined);
  const entries = rankCounts.map((ranks) => ({ ...entry, name: `${prefix}/ranks=${ranks}` }));
  const plans = rankCounts.map((ranks) => ({ ...plan, ranks }));
  return suitePlanText({ ...endedSuite, entries }, plans, 60, 'runs', columns).split('\n');
}

test('entries are told apart at 80 columns, also where their names do not fit', () => {
  for (const prefix of [
    'chapter/reducescatter',
    'a-chapter-with-a-long-name/reducescatter-in-place-float16',
  ]) {
    const lines = textAt(80, prefix);
    const rows = lines.filter((line) => line.includes('about 4 min'));
    for (const ranks of rankCounts)
      assert.equal(rows.filter((row) => row.includes(`/ranks=${ranks} `)).length, 1, rows.join('\n'));
    assert.ok(lines.every((line) => line.length <= 80));
  }
});

test('rank counts of one place are one phrase', () => {
  assert.match(textAt(100, 'chapter').join('\n'), / · 2, 3 or 4 ranks on 1 node · /);
});
