import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testExplainedSize, testExplanation } from '../../results/testing/explanation.ts';
import { terminalText } from '../document/terminal.ts';
import { explanationDocument } from './document.ts';

const quota = {
  ...{ kind: 'cause' as const, id: 'cpu-quota', title: 'running without the quota', change: {}, unset: [] },
  ...{ experiment: '--cpu-quota leave', ns: 6e6, low: 5e6, high: 7e6 },
};
const typical = {
  ...{ kind: 'bound' as const, id: 'typical', title: 'a typical operation', change: {}, unset: [] },
  ...{ experiment: 'median of the same launches', ns: 2e6, low: 1.9e6, high: 2.1e6 },
};
const backToBack = { time: { ns: 8e6, low: 6e6, high: 10e6 }, shares: [quota, typical], excluded: [] };

/** Terminal text of an explanation of one size, in one line per paragraph. */
function textOf(size: ReturnType<typeof testExplainedSize>): string {
  const [series] = testExplanation().series;
  assert.ok(series !== undefined);
  const suspicions = [{ id: 'cpu-quota', title: 'a quota', text: 'throttled for 43 % of the time' }];
  const record = testExplanation({ series: [{ ...series, sizes: [size], suspicions }] });
  return terminalText(explanationDocument({ record, next: null }), { columns: 400, color: false });
}

test('where some operations are stopped, both times have a table, and the verdict says why it takes longer back to back', () => {
  const none = { ...typical, kind: 'unexplained' as const, id: 'unexplained', title: 'not explained', ns: 0 };
  const text = textOf(testExplainedSize({ shares: [none, { ...typical, ns: 1e6 }], backToBack }));
  assert.match(
    text,
    /1\.00 ms, 1\.0 times the bound; no cause found; back to back 8\.00 ms, 8\.0 times as long;/,
  );
  assert.match(text, /Parts of the typical \(median\) time, geometric means over 5 rounds/);
  assert.match(text, /Parts of the mean time back to back, geometric means over 5 rounds/);
  assert.match(
    text,
    /\nback to back 8\.0 times as long as a typical operation: running without the quota recovers 75 % \(throttled for 43 % of the time\), not explained: at most 0\.0 % of the time; nothing to explain: no change/i,
  );
});

test('without stops there is one table, and rare long operations are said to be in no part', () => {
  const text = textOf(testExplainedSize({ p95Ns: 5e6 }));
  assert.match(text, /found: algorithm direct, not explained/);
  assert.match(text, /one operation in twenty takes 5\.00 ms or more, 5\.0 times this median/i);
  assert.doesNotMatch(text, /back to back/);
});
