import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BlockRecord } from '../schema/index.ts';
import { cleanTimes } from './clean-samples.ts';

const ms = 1e6;
/** Samples that begin every 10 ms and take these times in ms on the slower of two ranks. */
function block(times: readonly number[]): BlockRecord {
  const starts = times.map((_, at) => 10 * at * ms);
  const ends = (part: number) => times.map((time, at) => (10 * at + part * time) * ms);
  return {
    ...{ block: 0, point: 0, transport: 0, launch: 0, trial: 'isolated', algorithm: '', batch: 1 },
    ...{ baseNs: 1000 * ms, commonStartNs: starts, startNs: [starts, starts], endNs: [ends(1), ends(0.5)] },
    ...{ late: [times.map(() => 0), times.map(() => 0)] },
  } as unknown as BlockRecord;
}
/** Readings every 2 ms from 998 ms on; the counter grows by one in each interval that ends at one of these times in ms. */
const readings = (grows: readonly number[], toMs = 1060) =>
  Array.from({ length: (toMs - 998) / 2 + 1 }, (_, at) => {
    const time = 998 + 2 * at;
    return { ns: time * ms, value: grows.filter((end) => end <= time).length };
  });

test('a sample with a retransmit in its time is left out, the others are kept', () => {
  assert.deepEqual(cleanTimes(block([1, 8, 1, 1]), readings([1016])), { ns: [ms, ms, ms], known: 4 });
});

test('a retransmit between two samples leaves both in', () => {
  assert.deepEqual(cleanTimes(block([1, 1]), readings([1006])).ns, [ms, ms]);
});

test('an interval at the edge of a sample counts as its own, and the time of reading after it, too', () => {
  assert.deepEqual(cleanTimes(block([1, 2]), readings([1010])).ns, [ms]);
});

test('samples outside of the readings are not known to be clean', () => {
  assert.deepEqual(cleanTimes(block([1, 1, 1, 1]), readings([], 1024)), { ns: [ms, ms, ms], known: 3 });
  assert.deepEqual(cleanTimes(block([1]), []), { ns: [], known: 0 });
});
