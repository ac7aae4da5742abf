import assert from 'node:assert/strict';
import { test } from 'node:test';
import { median } from 'simple-statistics';
import { regimeOf } from '../derive/cells/cell-group.ts';
import { logVariance, tInterval } from '../derive/statistics/launch-interval.ts';
import { studentQuantile } from '../derive/statistics/student.ts';
import { randomSource } from '../random.ts';
import { dipsOf } from './contradictions.ts';
import type { SizePoint } from './points.ts';
import { type FittedModel, type ModelEstimate, seriesModel } from './series-model.ts';

// Simulates a library that at each size takes the fastest of three protocols, and launches that differ.
const protocols = [
  { alphaNs: 7000, gbps: 60 },
  { alphaNs: 9000, gbps: 180 },
  { alphaNs: 16000, gbps: 220 },
];
const trueBreaks = [180_000, 6_930_000];
/** Size at which the bandwidth S / (9 us + S / 180) is 110 GB/s. */
const trueHalf = 9000 / (1 / 110 - 1 / 180);
const sizes = Array.from({ length: 28 }, (_, i) => 2 ** (i + 3));
const trueTime = (bytes: number) => Math.min(...protocols.map((p) => p.alphaNs + bytes / p.gbps));
const deviations = { small: 0.02, mid: 0.012, large: 0.008 };
const launches = 5;

/** @param shared share of a launch's variance that all its sizes have in common */
function simulated(random: () => number, shared: number, time = trueTime): SizePoint[] {
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const common = Array.from({ length: launches }, normal);
  const all = sizes.map((bytes) =>
    common.map((of) => {
      const z = Math.sqrt(shared) * of + Math.sqrt(1 - shared) * normal();
      return time(bytes) * Math.exp(deviations[regimeOf(bytes)] * z);
    }),
  );
  return sizes.map((bytes, i): SizePoint => {
    const launchMediansNs = all[i] as number[];
    const others = all.filter((_, j) => j !== i && regimeOf(sizes[j] as number) === regimeOf(bytes));
    const prior = { variance: median(others.map(logVariance)), degrees: 2 * (launches - 1) };
    const { centreNs, lowNs, highNs } = tInterval(launchMediansNs, prior);
    const half = Math.log(highNs / lowNs) / 2;
    const error = half / studentQuantile(0.975, 3 * (launches - 1));
    return { bytes, timeNs: centreNs, half, error, launchMediansNs, choice: '' };
  });
}

const quantile = (errors: readonly number[], p: number) =>
  errors.toSorted((a, b) => a - b)[Math.floor(p * errors.length)] as number;
const holds = ({ interval }: ModelEstimate, truth: number) =>
  interval !== null && interval.low <= truth && truth <= interval.high;

for (const shared of [0, 0.5]) {
  test(`segments, saturation, half size and intervals are right; launches share ${shared * 100} % of their variance`, () => {
    const random = randomSource(20260401);
    const runs = 300;
    const models = Array.from({ length: runs }, () => seriesModel(simulated(random, shared), 1));
    const fitted = models.filter((m): m is FittedModel => m.status === 'fitted' && m.saturation !== null);
    assert.equal(fitted.length, runs);
    const three = fitted.filter((m) => m.segments.length === 3);
    assert.ok(three.length >= 0.95 * runs, `${three.length} of ${runs} with three segments`);
    for (const { breaks } of three) {
      breaks.forEach(({ belowBytes, fromBytes }, i) => {
        const octaves = Math.log2(Math.sqrt(belowBytes * fromBytes) / (trueBreaks[i] as number));
        assert.ok(Math.abs(octaves) <= 1, `break ${i + 1} is ${octaves} octaves off`);
      });
    }
    const saturation = fitted.flatMap((m) => m.saturation ?? []);
    const rates = saturation.map(({ algGBps }) => Math.abs(algGBps.value / 220 - 1));
    const halves = saturation.map(({ halfBytes }) => Math.abs(halfBytes.value / trueHalf - 1));
    assert.ok(quantile(rates, 0.95) <= 0.01, `saturation: ${quantile(rates, 0.95)}`);
    assert.ok(quantile(halves, 0.95) <= 0.025, `half size: ${quantile(halves, 0.95)}`);
    const covered = {
      latency: fitted.filter((m) => holds(m.latencyNs, 7000)).length,
      saturation: saturation.filter(({ algGBps }) => holds(algGBps, 220)).length,
      half: saturation.filter(({ halfBytes }) => holds(halfBytes, trueHalf)).length,
    };
    // 2,000 runs give a coverage of 93.7 to 94.7 %; the standard error of these 300 is 1.4 %.
    for (const [name, count] of Object.entries(covered))
      assert.ok(count >= 0.9 * runs, `the interval of ${name} covers ${count} of ${runs}`);
    const all = Object.values(covered).reduce((sum, count) => sum + count, 0) / 3;
    assert.ok(all >= 0.92 * runs, `the intervals cover ${all} of ${runs}`);
  });
}

test('a switch that comes far too late is a dip every time; where all is well there is none', () => {
  const random = randomSource(20260401);
  const last = protocols[2] as { alphaNs: number; gbps: number };
  // The first protocol is used up to 2 MiB, eleven times the size at which it should end.
  const late = (bytes: number) =>
    bytes <= 2 ** 21 ? 7000 + bytes / 60 : Math.min(trueTime(bytes), last.alphaNs + bytes / last.gbps);
  let [false_, found] = [0, 0];
  for (let run = 0; run < 120; run += 1) {
    false_ += dipsOf(simulated(random, 0.5)).length;
    found += dipsOf(simulated(random, 0.5, late)).some(({ bytes }) => bytes === 2 ** 21) ? 1 : 0;
  }
  assert.deepEqual({ false_, found }, { false_: 0, found: 120 });
});
