import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sisciPlan, socketPlan, syntheticRun } from '../fixtures/synthetic.ts';
import { groupsOf } from '../series.ts';
import { reportTitle } from './first-screen.ts';

const titled = (algorithms: readonly string[]): string => {
  const transports = [socketPlan, sisciPlan].flatMap((plan) =>
    algorithms.length === 0
      ? [plan]
      : algorithms.map((algorithm) => ({
          ...plan,
          name: `${plan.name}@${algorithm}`,
          settings: { algorithm },
        })),
  );
  const runs = [syntheticRun({ transports })];
  return reportTitle(runs, groupsOf(runs));
};

test('a title names what was measured over, and of many series of one transport how many', () => {
  assert.equal(titled([]), 'Allreduce over socket and sisci (emulated)');
  assert.equal(
    titled(['ring', 'direct', 'bruck']),
    'Allreduce over socket with 3 choices and sisci (emulated) with 3 choices',
  );
});
