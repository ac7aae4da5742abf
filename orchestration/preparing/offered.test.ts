import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '../../results/refusals/refusal.ts';
import { refusalWording } from '../../results/refusals/words.ts';
import { testPlan, testPoint } from '../../results/testing/plan.ts';
import { requireOffered } from './offered.ts';

const plan = testPlan({ points: [testPoint()] });
const dtype = String(plan.points[0]?.axes.dtype);
const agent = (name: string, offers: Record<string, Record<string, string[]>>) => ({
  name,
  result: { version: '9', engines: [{ name: plan.engine, offers }] },
});
const refused = (hosts: Parameters<typeof requireOffered>[1]) => {
  try {
    requireOffered(plan, hosts);
  } catch (error) {
    assert.ok(error instanceof Refusal);
    return refusalWording(error).message;
  }
  return null;
};

test('a plan runs where every agent offers all of its points', () => {
  assert.equal(
    refused([agent('a', { collective: {} }), agent('b', { collective: { dtype: [dtype] } })]),
    null,
  );
});

test('an agent that lacks the engine, the workload or a value of an axis is named', () => {
  const [a, e] = [agent('a', { collective: {} }), plan.engine];
  const lacks = (host: string, what: string) =>
    `the agent on ${host} (version 9) offers no ${what} with the ${e} engine`;
  assert.equal(refused([a, agent('b', { null: {} })]), lacks('b', 'collective'));
  assert.equal(refused([a, agent('c', { collective: { dtype: ['int1'] } })]), lacks('c', `dtype ${dtype}`));
  assert.equal(refused([{ name: 'd', result: { version: '9', engines: [] } }]), lacks('d', 'collective'));
});
