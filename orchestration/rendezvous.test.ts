import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Rendezvous } from './rendezvous.ts';

const give = (meeting: Rendezvous, rank: number, key = 'handles', data = `of ${rank}`) =>
  meeting.give({ type: 'exchange', launch: 4, rank, key, data });

test('the last blob brings the answer, in rank order whoever was first', () => {
  const meeting = new Rendezvous(3);
  assert.equal(give(meeting, 2), null);
  assert.equal(give(meeting, 0), null);
  assert.deepEqual(meeting.waiting(), ['handles: waiting for rank 1']);
  assert.deepEqual(give(meeting, 1), {
    type: 'exchanged',
    launch: 4,
    key: 'handles',
    data: ['of 0', 'of 1', 'of 2'],
  });
  assert.deepEqual(meeting.waiting(), []);
});

test('keys do not mix, and an answered key begins anew', () => {
  const meeting = new Rendezvous(2);
  give(meeting, 0, 'a');
  give(meeting, 0, 'b');
  assert.deepEqual(give(meeting, 1, 'b')?.data, ['of 0', 'of 1']);
  assert.equal(give(meeting, 0, 'b', 'again'), null);
  assert.deepEqual(meeting.waiting(), ['a: waiting for rank 1', 'b: waiting for rank 1']);
});

test('an empty blob is a blob', () => {
  const meeting = new Rendezvous(2);
  give(meeting, 0, 'k', '');
  assert.deepEqual(give(meeting, 1, 'k', '')?.data, ['', '']);
});

test('strangers and those who give twice are faults', () => {
  const meeting = new Rendezvous(2);
  give(meeting, 0);
  assert.throws(() => give(meeting, 0), /rank 0 gave its part of exchange 'handles' twice/);
  assert.throws(() => give(meeting, 2), /rank 2; the launch has ranks 0 to 1/);
});
