import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InterfaceTraffic } from '../protocol.ts';
import { failedMessage } from '../testing/agent-messages.ts';
import { hostFailureLines } from './host-failure-lines.ts';

const eth0: InterfaceTraffic = {
  name: 'eth0',
  state: 'up',
  receivedBytes: 12_000_000,
  sentBytes: 3000,
  troubledPackets: 0,
};
const failed = (host: string, traffic: InterfaceTraffic[], ras: string[] = []) => ({
  host,
  message: failedMessage({ traffic, ras }),
});

test('interfaces of every host: since the block began, and in the second that was watched', () => {
  assert.deepEqual(
    hostFailureLines([
      failed('a', [eth0]),
      failed('b', [{ ...eth0, lastReceivedBytes: 0, lastSentBytes: 0, troubledPackets: 4 }]),
      failed('c', [{ ...eth0, state: 'down', lastReceivedBytes: 10, lastSentBytes: 0 }]),
    ]),
    [
      'a: eth0 received 12 MB and sent 3 kB since the block began',
      'b: eth0 received 12 MB and sent 3 kB since the block began, nothing in the second after the deadline, 4 packets lost or damaged',
      'c: eth0 received 12 MB and sent 3 kB since the block began, 10 B and 0 B in the second after the deadline; it is down',
    ],
  );
});

test('of many interfaces those that are down come first, then those that moved most', () => {
  const many = Array.from({ length: 9 }, (_, i) => ({ ...eth0, name: `eth${i}`, receivedBytes: 1000 * i }));
  const lines = hostFailureLines([failed('a', [...many, { ...eth0, name: 'down0', state: 'down' }])]);
  assert.equal(lines.length, 7);
  assert.match(lines[0] ?? '', /^a: down0 /);
  assert.match(lines[1] ?? '', /^a: eth8 /);
  assert.equal(lines.at(-1), 'a: 4 more interfaces moved less');
});

test('those that are down and moved nothing are one line, not several: most machines have some', () => {
  const unused = { ...eth0, state: 'down', receivedBytes: 0, sentBytes: 0 };
  assert.deepEqual(
    hostFailureLines([failed('a', [{ ...unused, name: 'ifb0' }, eth0, { ...unused, name: 'ifb1' }])]),
    ['a: eth0 received 12 MB and sent 3 kB since the block began', 'a: down, and moved nothing: ifb0, ifb1'],
  );
});

test('RAS tells of the whole job: the first answer is enough', () => {
  const lines = hostFailureLines([
    failed('a', []),
    failed('b', [], ['1 rank missing']),
    failed('c', [], ['x']),
  ]);
  assert.deepEqual(lines, ['NCCL RAS on b: 1 rank missing']);
});
