import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BisectionSession } from '../../results/bisect/session.ts';
import { testBisection } from '../../results/testing/bisection.ts';
import { bisectionLimits, bisectionLine } from './document.ts';

test('before a bisection its limits are said: those of pairs are per comparison', () => {
  assert.equal(
    bisectionLimits(testBisection(4, { maxPairs: 6 })),
    '4 items · each comparison: up to 6 pairs of launches, as many again without a verdict · time limit 30 min',
  );
});

test('a comparison without verdict gets as many pairs again, and no more', () => {
  const session = new BisectionSession(testBisection(2, { maxPairs: 6 }));
  for (let pair = 0; session.question !== null; pair += 1) session.add(pair % 2 === 0 ? 1 : -1, 1);
  assert.equal(session.record.probes[0]?.logRatios.length, 12);
  assert.equal(session.record.stages[0]?.end, 'no-verdict');
});

test('the line of progress says that its last number is a probability', () => {
  const { record, question } = new BisectionSession(testBisection(3));
  assert.match(
    bisectionLine(record, question, null),
    /^02\.so against 00\.so: 0 pairs · likeliest: probability 0\.50$/,
  );
});
