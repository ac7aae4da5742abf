import assert from 'node:assert/strict';
import { test } from 'node:test';
import { offerOf } from './offers.ts';

const row = { axes: [{ name: 'dtype' }, { name: 'op' }] };
const both = ['collectives', 'messages'] as const;

test('an axis that several abilities limit takes what all of them have, in whatever order', () => {
  const abilities = {
    collectives: { dtype: ['int8', 'int32', 'float32'] },
    messages: { dtype: ['int32', 'float32', 'uint8'], op: ['put'] },
  };
  for (const needs of [both, [...both].reverse()])
    assert.deepEqual(offerOf({ abilities }, { needs, row }), { dtype: ['int32', 'float32'], op: ['put'] });
});

test('limits of axes that a workload does not have are none of its own', () => {
  const abilities = { collectives: { shape: ['ring'] }, messages: {} };
  assert.deepEqual(offerOf({ abilities }, { needs: both, row }), {});
});

test('without an ability, or a value of an axis, there is no offer', () => {
  assert.equal(offerOf({ abilities: { messages: {} } }, { needs: both, row }), null);
  const apart = { collectives: { op: ['sum'] }, messages: { op: ['put'] } };
  assert.equal(offerOf({ abilities: apart }, { needs: both, row }), null);
});

test('of abilities of which one is enough, an axis takes what any of them has', () => {
  const needs = ['messages'] as const;
  const either = ['collectives', 'hostClock'] as const;
  const abilities = {
    messages: {},
    collectives: { op: ['sum', 'max'], dtype: ['int8'] },
    hostClock: { op: ['put', 'sum'] },
  };
  assert.deepEqual(offerOf({ abilities }, { needs, either, row }), { op: ['sum', 'max', 'put'] });
  const one = { messages: {}, hostClock: { op: ['put'] } };
  assert.deepEqual(offerOf({ abilities: one }, { needs, either, row }), { op: ['put'] });
  assert.equal(offerOf({ abilities: { messages: {} } }, { needs, either, row }), null);
});
