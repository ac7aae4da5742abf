import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomSource } from '../random.ts';
import { type LaunchFacts, separatingVariable } from './separation.ts';

/** Facts of launches that differ in nothing but their order, which says nothing about the slow ones. */
const alike = (
  isSlow: readonly boolean[],
  change: (isSlow: boolean, at: number) => Partial<LaunchFacts> = () => ({}),
) =>
  isSlow.map(
    (one, at): LaunchFacts => ({
      flags: ['few-launches'],
      cpus: '0 1',
      competingCores: 0,
      position: at % 3,
      ...change(one, at),
    }),
  );

/** Twelve launches, three of them slow, neither the first nor the last. */
const slow = Array.from({ length: 12 }, (_, at) => at % 4 === 1);

test('a variable that differs between all slow and all fast launches is named with its values', () => {
  const named = (change: (isSlow: boolean, at: number) => Partial<LaunchFacts>) =>
    separatingVariable(alike(slow, change), slow);
  assert.equal(
    named(() => ({})),
    null,
  );
  assert.deepEqual(
    named((isSlow, at) => ({ competingCores: isSlow ? 0.8 + at / 100 : at / 100 })),
    { kind: 'load', slowCores: 0.81, fastCores: 0.11 },
  );
  assert.deepEqual(
    named((isSlow) => ({ flags: isSlow ? ['few-launches', 'cpu-busy'] : ['few-launches'] })),
    { kind: 'flag', flag: 'cpu-busy' },
  );
  assert.deepEqual(
    named((isSlow) => ({ cpus: isSlow ? '0 1' : '0 2' })),
    { kind: 'cpus', slow: ['0 1'], fast: ['0 2'] },
  );
});

test('slow launches at one end of all rounds, or of their rounds, are named', () => {
  const first = Array.from({ length: 12 }, (_, at) => at < 3);
  assert.deepEqual(separatingVariable(alike(first), first), { kind: 'round', end: 'first' });
  const last = (isSlow: boolean, at: number) => ({ position: isSlow ? 5 : at % 5 });
  assert.deepEqual(separatingVariable(alike(slow, last), slow), { kind: 'position', end: 'last' });
});

test('a variable that fails at one launch, or whose values are all different, says nothing', () => {
  const almost = alike(slow, (isSlow, at) => ({ competingCores: isSlow || at === 0 ? 1 : at / 100 }));
  assert.equal(separatingVariable(almost, slow), null);
  const own = alike(slow, (_, at) => ({ cpus: String(at) }));
  assert.equal(separatingVariable(own, slow), null);
});

test('of eight launches with two slow ones, load beside a flag may differ by chance and is not named', () => {
  const eight = Array.from({ length: 8 }, (_, at) => at === 2 || at === 5);
  const facts = alike(eight, (isSlow, at) => ({
    competingCores: isSlow ? 1 : 0,
    flags: at === 0 || at === 1 ? ['cpu-busy'] : [],
  }));
  assert.equal(separatingVariable(facts, eight), null);
});

test('variables that have nothing to do with the time are named in at most 10 of 100 cases', () => {
  const random = randomSource(7);
  let found = 0;
  const times = 4000;
  for (let time = 0; time < times; time += 1) {
    const facts = alike(slow, () => ({
      flags: ['cpu-busy', 'late', 'steal'].filter(() => random() < 0.3),
      ...{
        competingCores: random(),
        cpus: random() < 0.3 ? '0 1' : '0 2',
        position: Math.floor(9 * random()),
      },
    }));
    found += separatingVariable(facts, slow) === null ? 0 : 1;
  }
  assert.ok(found <= 0.1 * times, `${found} of ${times}`);
});
