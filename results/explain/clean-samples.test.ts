import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BlockRecord } from '../schema/index.ts';
import { cleanTimes, type HostReadings } from './clean-samples.ts';

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
const host = (grows: readonly number[], toMs = 1060, first = 0, uncertaintyNs = 0): HostReadings => ({
  readings: Array.from({ length: (toMs - 998) / 2 + 1 }, (_, at) => {
    const time = 998 + 2 * at;
    return { ns: time * ms, value: first + grows.filter((end) => end <= time).length };
  }),
  uncertaintyNs,
});

test('a sample with a retransmit in its time is left out, the others are kept', () => {
  assert.deepEqual(cleanTimes(block([1, 8, 1, 1]), [host([1016])]), {
    all: [ms, 8 * ms, ms, ms],
    clean: [ms, ms, ms],
  });
});

test('a retransmit between two samples leaves both in', () => {
  assert.deepEqual(cleanTimes(block([1, 1]), [host([1006])]).clean, [ms, ms]);
});

test('an interval at the edge of a sample counts as its own, and the time of reading after it, too', () => {
  assert.deepEqual(cleanTimes(block([1, 2]), [host([1010])]).clean, [ms]);
});

test('samples outside of the readings are not known to be clean', () => {
  const times = cleanTimes(block([1, 1, 1, 1]), [host([], 1024)]);
  assert.deepEqual([times.clean.length, times.all.length], [3, 3]);
  assert.deepEqual(cleanTimes(block([1]), []), { all: [], clean: [] });
  const short = [host([]), host([], 1004)];
  assert.equal(cleanTimes(block([1, 1, 1]), short).all.length, 1);
});

test('each host has a counter of its own: a sample is clean if none of them grew', () => {
  // The second host has sent 5,000 segments again before the run, and one while the second sample ran.
  const hosts = [host([]), host([1012], 1060, 5000)];
  assert.deepEqual(cleanTimes(block([1, 4, 2]), hosts), { all: [ms, 4 * ms, 2 * ms], clean: [ms, 2 * ms] });
});

test('what the clocks of two hosts may differ by counts as a time in which the counter may have grown', () => {
  const sure = cleanTimes(block([1, 4, 2]), [host([1012])]);
  const unsure = cleanTimes(block([1, 4, 2]), [host([1012], 1060, 0, 8 * ms)]);
  assert.deepEqual([sure.clean.length, unsure.clean.length], [2, 0]);
});
