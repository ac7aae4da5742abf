import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type P2pOperation, p2pOperations } from '../../results/schema/index.ts';
import { messageWork } from './messages.ts';
import { baseVariant, type ExplainedOperation, type OptionTexts } from './variants.ts';

const operationOf = (command: P2pOperation, parts: Partial<ExplainedOperation> = {}): ExplainedOperation => ({
  ...{ command, ranks: 2, series: 'socket', transport: 'socket', medium: 'hardware', payloadBytes: 4096 },
  ...{ options: {}, algorithm: '', environment: {} },
  ...{ competingCores: null, throttledShare: null, retransmitsPerOperation: null },
  ...parts,
});

/** Ids of the parts, from the rest to the bound. */
function partsOf(command: P2pOperation, parts: Partial<ExplainedOperation> = {}): string[] {
  const operation = operationOf(command, parts);
  const { rest, variants } = messageWork(command, operation, baseVariant(operation));
  return [...(rest === null ? [] : [rest.id]), ...variants.map(({ cause }) => cause)];
}

test('over a network each operation is what it has beyond a put, the cost of the transport, and shared memory', () => {
  const expected: Record<P2pOperation, string[]> = {
    pingpong: ['waiting', 'transport', 'bound'],
    put: ['transport', 'bound'],
    get: ['request', 'transport', 'bound'],
    exchange: ['both-ways', 'transport', 'bound'],
    incast: ['senders', 'transport', 'bound'],
  };
  for (const command of p2pOperations) assert.deepEqual(partsOf(command), expected[command], command);
  const direction: OptionTexts = { direction: 'bi' };
  assert.deepEqual(partsOf('put', { options: direction }), ['both-ways', 'transport', 'bound']);
});

test('several pairs at once are a part of their own, except for the senders of an incast', () => {
  assert.deepEqual(partsOf('put', { ranks: 4 }), ['all-at-once', 'transport', 'bound']);
  assert.deepEqual(partsOf('get', { ranks: 4 }), ['all-at-once', 'request', 'transport', 'bound']);
  assert.deepEqual(partsOf('incast', { ranks: 4 }), ['senders', 'transport', 'bound']);
});

test('through shared memory the put is the bound, and nothing bounds it', () => {
  assert.deepEqual(partsOf('pingpong', { transport: 'shm' }), ['waiting', 'bound']);
  assert.deepEqual(partsOf('put', { transport: 'shm' }), []);
});

test('a message of a pingpong is one of the messages in flight of a put, which fit into memory', () => {
  for (const [payloadBytes, window] of [
    [8, 64],
    [16 * 2 ** 20, 4],
    [2 ** 30, 2],
  ] as const) {
    const operation = operationOf('pingpong', { payloadBytes });
    const { variants } = messageWork('pingpong', operation, baseVariant(operation));
    for (const { command, options, times } of variants)
      assert.deepEqual([command, options.window, times], ['put', String(window), 1 / window]);
  }
});

test('the put through shared memory has no option of the network', () => {
  const options = { interface: 'lo', streams: '2', bind: 'core', window: '16' };
  const operation = operationOf('get', { options });
  const bound = messageWork('get', operation, baseVariant(operation)).variants.at(-1);
  assert.deepEqual(bound?.options, { bind: 'core', window: '16', ranks: '2', transport: 'shm' });
});
