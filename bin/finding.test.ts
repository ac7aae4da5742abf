import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { BisectionSession } from '../results/bisect/session.ts';
import { testBisection } from '../results/testing/bisection.ts';
import { testExplanation } from '../results/testing/explanation.ts';
import { nextOfBisection, shownExplanation } from './finding.ts';

const runs = path.resolve('collbench-runs');

test('an explanation whose time was too short has the command that explains all sizes, of the same folder', () => {
  const record = testExplanation({ ended: 'budget', wholeBudgetS: 841, at: [65_536, 8] });
  const wholeIn = (folder: string) => shownExplanation({ dir: path.join(folder, 'x'), record }).whole;
  assert.equal(wholeIn(runs), 'collbench explain aaaa01 --at 64K,8 --budget 15m');
  assert.equal(wholeIn('/r'), 'collbench explain aaaa01 --at 64K,8 --budget 15m --root /r');
  assert.equal(shownExplanation({ dir: runs, record: testExplanation() }).whole, null);
});

test('a stopped bisection resumes; one of launches that scatter too much is repeated with twice the pairs', () => {
  const dir = path.join(runs, 'x');
  const stopped = testBisection(4, { ended: 'budget' });
  assert.equal(nextOfBisection({ dir, record: stopped }), 'collbench resume bbbb01');
  assert.equal(nextOfBisection({ dir: '/r/x', record: stopped }), 'collbench resume /r/x');
  const { record } = new BisectionSession(testBisection(4, { maxPairs: 6 }));
  const withEnd = (end: 'no-verdict' | 'same') => ({
    ...record,
    stages: record.stages.map((stage) => ({ ...stage, end })),
  });
  assert.equal(
    nextOfBisection({ dir, record: withEnd('no-verdict') }),
    "collbench bisect --good 00.so --bad 3.so --margin 5% --budget 1800s --pairs 12 -- allreduce --transport 'plugin:{item}'",
  );
  assert.equal(nextOfBisection({ dir, record: withEnd('same') }), null);
});
