import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CellRecord } from '../../schema/index.ts';
import { tuningRulesText } from '../../schema/index.ts';
import { tuningRules, withoutInterval } from './tuning.ts';

/**
 * A cell with a pipelined time of `us` and an interval of +-`half` us. Without a named algorithm it is the engine's own choice.
 */
function cell(transport: string, bytes: number, us: number, half: number | null): CellRecord {
  const [algorithm = '', protocol = null] = (transport.split('@')[1] ?? 'ring').split('/');
  const interval = half === null ? null : { low: us - half, high: us + half };
  return {
    ...{ status: 'ok', transport, axes: { collective: 'allreduce', bytes }, choice: { algorithm, protocol } },
    figures: [{ kind: 'measured', name: 'pipelined', value: us, interval }],
  } as unknown as CellRecord;
}
const run = (ranks: number, cells: CellRecord[]) => ({ plan: { ranks }, cells });

test('an algorithm that is faster than the own choice beyond both intervals becomes a rule over its sizes', () => {
  const rules = tuningRules([
    run(2, [
      ...[cell('socket', 8, 20, 1), cell('socket@direct', 8, 10, 1), cell('socket@bruck', 8, 15, 1)],
      ...[cell('socket', 64, 22, 1), cell('socket@direct', 64, 11, 1)],
      ...[cell('socket', 512, 20, 1), cell('socket@direct', 512, 19.5, 1)],
      ...[cell('socket', 4096, 20, 1), cell('socket@direct', 4096, 10, 1)],
    ]),
    run(4, [cell('socket', 8, 20, 1), cell('socket@halving-doubling', 8, 10, 1)]),
  ]);
  assert.deepEqual(
    tuningRulesText({ rules }),
    'socket/allreduce/2-3/8-64/direct,socket/allreduce/2-3/4096-4096/direct,socket/allreduce/4-4/8-8/halving-doubling',
  );
  assert.deepEqual(rules[0]?.gain, [2, 2]);
  assert.equal(rules[0]?.instead, 'ring');
});

test('the own choice under its name, overlapping intervals and none are no rule', () => {
  const runs = [
    run(2, [
      ...[cell('socket', 8, 20, 1), cell('socket@ring', 8, 10, 1)],
      ...[cell('socket', 64, 20, 6), cell('socket@direct', 64, 10, 6)],
      ...[cell('socket', 512, 20, null), cell('socket@direct', 512, 10, null)],
    ]),
  ];
  assert.deepEqual(tuningRules(runs), []);
  assert.equal(withoutInterval(runs), 1);
});

test('a protocol that is faster is part of the rule', () => {
  const rules = tuningRules([
    run(2, [
      ...[cell('shm', 8, 20, 1), cell('shm@direct/ll', 8, 10, 1), cell('shm@direct/simple', 8, 15, 1)],
      ...[cell('shm', 64, 20, 1), cell('shm@direct/ll', 64, 15, 1), cell('shm@direct/simple', 64, 10, 1)],
    ]),
  ]);
  assert.equal(
    tuningRulesText({ rules }),
    'shm/allreduce/2-2/8-8/direct/ll,shm/allreduce/2-2/64-64/direct/simple',
  );
});
