import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstNameOfMachine, namesOfOneMachine } from './same-machine.ts';

test('names with the same network interfaces are one machine; what is not known is like no other', () => {
  const boot = 'b0';
  const networks = [
    ['node1', `${boot} net:[1]`],
    ['node2', 'b1 net:[1]'],
    ['alias', `${boot} net:[1]`],
    ['pod', `${boot} net:[2]`],
    ['old', ''],
    ['older', undefined],
  ] as const;
  assert.deepEqual(namesOfOneMachine(networks), [['node1', 'alias']]);
  assert.deepEqual(namesOfOneMachine([]), []);
  assert.deepEqual([...firstNameOfMachine(networks)], [['alias', 'node1']]);
});
