// test: soak
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { median } from 'simple-statistics';
import { seededNormal, seededUniform } from '../../testing/block.ts';
import { trials } from '../../testing/trials.ts';
import {
  type LaunchRange,
  maxIntervalSpan,
  reportedInterval,
  singleLaunchInterval,
} from './figure-interval.ts';
import { intervalZ, medianInterval } from './interval.ts';
import { type LaunchSamples, samplesAlone } from './sample-interval.ts';

const seenIn = (launches: readonly LaunchSamples[]): LaunchRange => {
  const all = launches.flatMap(({ ns }) => ns);
  return { ...samplesAlone(launches, 0, intervalZ), min: Math.min(...all), max: Math.max(...all) };
};
const mediansOf = (launches: readonly LaunchSamples[]): number[] => launches.map(({ ns }) => median([...ns]));

/** Random launches of different noise, with stalls of 10 to 100,000 times: single ones, bursts, whole blocks, whole launches. */
function random(seed: number): LaunchSamples[] {
  const uniform = seededUniform(seed);
  for (let i = 0; i < 8; i += 1) uniform();
  const normal = seededNormal(1 + Math.floor(uniform() * 1e9));
  const size = [5, 10, 25, 100][Math.floor(uniform() * 4)] as number;
  const [sd, between, rho] = [0.002 + 0.2 * uniform() ** 2, 0.1 * uniform() ** 2, 0.9 * uniform()];
  const share = uniform() < 0.3 ? 0 : 0.3 * uniform() ** 2;
  const burst = 1 + Math.floor(50 * uniform());
  return Array.from({ length: 1 + Math.floor(uniform() * 6) }, () => {
    const blocks = new Array<number>(1 + Math.floor(uniform() * 20)).fill(size);
    const level = between * normal();
    let [state, left, factor] = [normal(), 0, 1];
    const ns = Array.from({ length: size * blocks.length }, () => {
      state = rho * state + Math.sqrt(1 - rho * rho) * normal();
      if (left === 0 && uniform() < share / burst) {
        left = burst;
        factor = 10 ** (1 + 4 * uniform());
      }
      const stall = left > 0 ? factor : 1;
      if (left > 0) left -= 1;
      return 5000 * Math.exp(level + sd * state) * stall;
    });
    return { ns, blocks };
  });
}

test('whatever is stalled: the floor stays inside the samples, and the interval where launches overlap', () => {
  let given = 0;
  const seeds = trials(500);
  for (const seed of seeds) {
    const launches = random(seed * 7919);
    const seen = seenIn(launches);
    const tiny = 1e-9;
    assert.ok(seen.low >= seen.min * (1 - tiny) && seen.high <= seen.max * (1 + tiny), `floor, seed ${seed}`);
    const [only] = launches;
    const { interval, reason } =
      launches.length === 1 && only !== undefined
        ? singleLaunchInterval(medianInterval(only.ns, 0, only.blocks), only.ns.length)
        : reportedInterval(mediansOf(launches), null, seen);
    assert.ok((interval === null) !== (reason === null), 'an interval or a reason');
    if (interval === null) continue;
    given += 1;
    assert.ok(interval.high <= maxIntervalSpan * interval.low, `span, seed ${seed}`);
    assert.ok(interval.low >= seen.min / 1.1001 && interval.high <= seen.max * 1.1001, `seed ${seed}`);
    const highestLow = Math.max(...launches.map(({ ns }) => Math.min(...ns)));
    const lowestHigh = Math.min(...launches.map(({ ns }) => Math.max(...ns)));
    const overlap =
      launches.every(({ ns }) => ns.length >= 50) &&
      highestLow < Math.min(...mediansOf(launches)) &&
      lowestHigh > Math.max(...mediansOf(launches));
    if (!overlap) continue;
    assert.ok(
      interval.low >= seen.min * (1 - tiny),
      `low, seed ${seed}: ${JSON.stringify({ interval, seen })}`,
    );
    assert.ok(
      interval.high <= seen.max * (1 + tiny),
      `high, seed ${seed}: ${JSON.stringify({ interval, seen })}`,
    );
  }
  assert.ok(given > 0.5 * seeds.length, `${given} of ${seeds.length}`);
});

test('samples of 4.6 to 15.3 µs with launch medians of 7.5 to 11.8 µs never give 1.87 to 46.7 µs', () => {
  const normal = seededNormal(5);
  const launch = (level: number): LaunchSamples => ({
    ns: [4600, 15_300, ...Array.from({ length: 198 }, () => level * Math.exp(0.06 * normal()))],
    blocks: new Array(8).fill(25),
  });
  const launches = [7500, 9200, 11_800].map(launch);
  const { interval } = reportedInterval(mediansOf(launches), null, seenIn(launches));
  assert.ok(interval !== null && interval.low >= 4600 && interval.high <= 15_300, JSON.stringify(interval));
});

test('one stalled launch of three: the others tell the interval, and the floor does not see the stall', () => {
  const normal = seededNormal(11);
  const launch = (): number[] => Array.from({ length: 500 }, () => 4300 * Math.exp(0.02 * normal()));
  const stalled = launch().map((ns, i) => (i >= 300 && i < 400 ? ns + 16_000_000 : ns));
  const blocks = new Array(5).fill(100);
  const launches = [launch(), stalled, launch()].map((ns) => ({ ns, blocks }));
  const seen = seenIn(launches);
  assert.ok(seen.high < 4400 && seen.low > 4200, JSON.stringify(seen));
  const { interval } = reportedInterval(mediansOf(launches), null, seen);
  assert.ok(interval !== null && interval.high < 4600, JSON.stringify(interval));
});

test('a launch whose median is a stall leaves no interval, and the reason names the medians', () => {
  const launches = [21_000, 19_600, 19_800_000].map((ns) => ({ ns: new Array(50).fill(ns), blocks: [50] }));
  assert.deepEqual(reportedInterval(mediansOf(launches), null, seenIn(launches)), {
    interval: null,
    reason:
      'medians of 3 launches (19.6 µs to 19.8 ms) too far apart: the interval would span more than a factor of 4',
  });
});

test('launches that differ by more than their samples: beyond these by little, or not at all', () => {
  const near = [1000, 1010, 1020].map((ns) => ({ ns: new Array(50).fill(ns), blocks: [50] }));
  const { interval } = reportedInterval(mediansOf(near), null, seenIn(near));
  assert.ok(interval !== null && interval.low < 1000 && interval.low > 980);
  const far = [1000, 1100, 1200].map((ns) => ({ ns: new Array(50).fill(ns), blocks: [50] }));
  assert.match(
    reportedInterval(mediansOf(far), null, seenIn(far)).reason ?? '',
    /^medians of 3 launches \(1 µs to 1.2 µs\) too far apart: the interval would reach 1\d % beyond all samples/,
  );
});
