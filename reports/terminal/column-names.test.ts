import assert from 'node:assert/strict';
import { test } from 'node:test';
import { socketPlan, syntheticRun } from '../fixtures/synthetic.ts';
import { columnName, columnNames } from './column-names.ts';
import { createTable } from './table.ts';

const planOf = (...names: string[]) => {
  const { plan } = syntheticRun({ collectives: ['allreduce'], maxBytes: 64 }).record;
  return { ...plan, transports: names.map((name) => ({ ...socketPlan, name })) };
};

test('names that are told apart when cut stay as they are', () => {
  const names = ['socket', 'sisci', 'p2p@alternating-rings'];
  assert.deepEqual(columnNames(planOf(...names)), { names, parts: null });
});

test('names that would look alike keep what differs, and the head says what it is', () => {
  const plan = planOf(
    'p2p@staged/blocks-16,threads-256,packet-16K',
    'p2p@staged/blocks-16,threads-256,packet-64K',
    'p2p@staged/blocks-32,threads-256,packet-64K',
  );
  assert.deepEqual(columnNames(plan), {
    names: ['16 16K', '16 64K', '32 64K'],
    parts: 'blocks and packet of p2p@staged',
  });
  const head = createTable({ plan, columns: 80, color: false }).head();
  assert.match(head, /^ {2}blocks and packet of p2p@staged:\n {2}16 16K +TCP over lo/m);
});

test('names of unlike form are cut', () => {
  const names = [
    'p2p@staged/blocks-16,packet-16K',
    'p2p@staged/blocks-16',
    'p2p@staged/blocks-16,packet-64K',
  ];
  assert.equal(columnNames(planOf(...names)).parts, null);
});

test('a cut name keeps the choice behind the transport', () => {
  const names = ['plugin:fastsocket', 'plugin:fastsocket@direct', 'plugin:fastsocket@recursive-doubling'];
  assert.deepEqual(names.map(columnName), ['plugin:fastsock…', 'plugin:f…@direct', 'plugin…@recursi…']);
  assert.deepEqual(['shm@recursive-doubling', 'socket@ring/4ch'].map(columnName), [
    'shm@recursive-d…',
    'socket@ring/4ch',
  ]);
});
