import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { BisectionSession } from '../results/bisect/session.ts';
import type { BisectionRecord } from '../results/schema/index.ts';
import { testBisection } from '../results/testing/bisection.ts';
import { seededNormal } from '../results/testing/block.ts';
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
  const withEnd = (end: 'no-verdict' | 'same', parts: Partial<BisectionRecord> = {}) => ({
    ...{ ...record, ...parts },
    stages: record.stages.map((stage) => ({ ...stage, end })),
  });
  assert.equal(
    nextOfBisection({ dir, record: withEnd('no-verdict') }),
    "collbench bisect --good 00.so --bad 3.so --margin 5% --budget 1800s --pairs 12 -- allreduce --transport 'plugin:{item}'",
  );
  assert.equal(
    nextOfBisection({ dir, record: withEnd('same') }),
    "collbench bisect --good 00.so --bad 3.so --margin 2.5% --budget 1800s --pairs 12 -- allreduce --transport 'plugin:{item}'",
  );
  assert.equal(nextOfBisection({ dir, record: withEnd('same', { margin: 0.01 }) }), null);
});

test('of a change in many small steps the half in which more changed is searched next', () => {
  const gradual = (kind: BisectionRecord['kind']) => {
    const session = new BisectionSession(testBisection(33, { good: 'net/00.so', bad: 'net/32.so' }, kind));
    const normal = seededNormal(3);
    // Most of the change lies between the items 8 and 16.
    const of = (item: number) => 0.2 * Math.min(1, Math.max(0, (item - 4) / 16));
    for (let pairs = 0; session.question !== null && pairs < 2000; pairs += 1) {
      const { reference, candidate } = session.question;
      session.add(of(candidate.item) - of(reference.item) + 0.02 * normal(), 1);
    }
    assert.equal(session.record.stages[0]?.end, 'gradual');
    return nextOfBisection({ dir: path.join(runs, 'x'), record: session.record });
  };
  assert.match(
    gradual('files') ?? '',
    /^collbench bisect --good net\/\d+\.so --bad net\/\d+\.so --margin 5% /,
  );
  assert.equal(gradual('settings'), 'collbench report bbbb01');
});
