import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { seededNormal } from '../../testing/block.ts';
import { type LinkCostName, type LinkDevice, softmlx5Link, softntbLink } from './device.ts';
import { fitLink, type LinkPoint, linkText, linkTimeNs } from './fit.ts';
import { stepsOf, wayOf } from './steps.ts';

const sizes = Array.from({ length: 20 }, (_, i) => 2 ** (i + 3));

function point(
  transport: string,
  operation: string,
  window: number,
  bytes: number,
  timeNs = 0,
  ownNs = 0,
): LinkPoint | null {
  const axes = { operation, window, bytes, direction: 'uni' };
  const operationOf = { workload: 'p2p', axes, what: operation, ranks: 2, choice: '', bytes };
  const steps = stepsOf(wayOf(transport, 'cpu'), operationOf);
  return steps === null
    ? null
    : { series: operation, bytes, timeNs, half: 0, ownNs: steps.overlaps === true ? 0 : ownNs, steps };
}

/** Points of pingpong and of put with window 64, with the times that the costs give. */
function timed(
  transport: string,
  costs: Readonly<Partial<Record<LinkCostName, number>>>,
  factor: (bytes: number) => number = () => 1,
): LinkPoint[] {
  return [
    ...sizes.map((bytes) => point(transport, 'pingpong', 1, bytes)),
    ...sizes.map((bytes) => point(transport, 'put', 64, bytes)),
  ]
    .filter((one) => one !== null)
    .map((one) => ({ ...one, timeNs: linkTimeNs(one.steps, costs) * factor(one.bytes) }));
}

const found = (device: LinkDevice, points: readonly LinkPoint[]) => {
  const fit = fitLink(device, points);
  assert.ok(fit !== null);
  const ns = Object.fromEntries(fit.costs.map((cost) => [cost.name, cost]));
  return { fit, ns: (name: LinkCostName) => ns[name]?.ns ?? Number.NaN, costs: ns };
};
const near = (actual: number, expected: number, share: number) =>
  assert.ok(Math.abs(actual / expected - 1) <= share, `${actual}, expected ${expected}`);

test('times that a model gives lead back to it, also where the message rate sets them', () => {
  const { ns, fit } = found(softmlx5Link, timed('ibgda', { byte: 0.5, latency: 40_000, message: 20_000 }));
  near(ns('byte'), 0.5, 1e-9);
  near(ns('latency'), 40_000, 1e-9);
  near(ns('message'), 20_000, 1e-9);
  assert.ok(fit.medianOff < 1e-9);
  assert.equal(linkText(softmlx5Link, fit.costs), 'custom:gbps=2,latency-us=40,message-rate-m=0.05');
});

test('DMA start and PIO write of softntb are told apart by short and long messages', () => {
  const { ns, fit } = found(softntbLink, timed('sisci', { byte: 0.14, dmaStart: 8_900, pioWrite: 700 }));
  near(ns('dmaStart'), 8_900, 1e-9);
  near(ns('pioWrite'), 700, 1e-9);
  assert.equal(linkText(softntbLink, fit.costs), 'custom:gbps=7.14,dma-start-us=8.9,pio-write-us=0.7');
});

test('a message rate too high to be seen in a pingpong is left out, and the latency takes it up', () => {
  const pingpong = timed('ibgda', { byte: 1 / 24.8, latency: 600, message: 5 }).filter(
    ({ series }) => series === 'pingpong',
  );
  const { fit, ns } = found(softmlx5Link, pingpong);
  assert.deepEqual(fit.notEstimated, ['message']);
  near(ns('latency'), 605, 0.02);
  near(ns('byte'), 1 / 24.8, 0.02);
});

test('one size that sticks out does not move the costs, and its row says by how much it is off', () => {
  const points = timed('ibgda', { byte: 0.5, latency: 40_000, message: 2_000 }, (bytes) =>
    bytes === 2 ** 20 ? 5 : 1,
  );
  const { fit, ns } = found(softmlx5Link, points);
  near(ns('byte'), 0.5, 0.02);
  near(ns('latency'), 40_000, 0.02);
  const off = fit.rows.find(({ point: one }) => one.bytes === 2 ** 20 && one.series === 'pingpong')?.off ?? 0;
  near(off, -0.8, 0.02);
});

test('with times that scatter by 2 % the intervals hold the true costs nine times in ten', () => {
  const truth = { byte: 0.04, latency: 1_500, message: 300 };
  const names = Object.keys(truth) as LinkCostName[];
  const held = Array.from({ length: 60 }, (_, run) => {
    const normal = seededNormal(run + 1);
    const { costs } = found(
      softmlx5Link,
      timed('ibgda', truth, () => Math.exp(0.02 * normal())),
    );
    return names.map((name) => {
      const { low, high } = costs[name]?.interval ?? { low: 0, high: 0 };
      return (
        low <= (truth[name as keyof typeof truth] ?? 0) && (truth[name as keyof typeof truth] ?? 0) <= high
      );
    });
  }).flat();
  const share = held.filter(Boolean).length / held.length;
  assert.ok(share >= 0.9, `${share}`);
});

test('times with wide intervals give costs with wide intervals', () => {
  const truth = { byte: 0.14, dmaStart: 80_000, pioWrite: 20_000 };
  const points = timed('sisci', truth).map((one) => ({ ...one, half: one.bytes > 8192 ? 0.2 : 0.01 }));
  const { costs } = found(softntbLink, points);
  const width = (name: LinkCostName) => {
    const { low, high } = costs[name]?.interval ?? { low: 0, high: 0 };
    return (high - low) / 2 / (truth[name as keyof typeof truth] ?? 1);
  };
  near(width('pioWrite'), 0.01, 0.5);
  assert.ok(width('dmaStart') > 0.2 && width('dmaStart') < 0.4, `${width('dmaStart')}`);
});

interface LinkRecording {
  link: string;
  rows: [operation: string, window: number, bytes: number, timeNs: number, ownNs: number][];
}
const recorded = JSON.parse(
  readFileSync(new URL('../../../../results/models/link/recorded.json', import.meta.url), 'utf8'),
) as Record<'softmlx5' | 'softntb', LinkRecording>;

/** Costs fitted to a recording, as shares of the costs of its link model. */
function circle(device: LinkDevice, transport: string): number[] {
  const { link, rows } = recorded[device.name];
  const points = rows.flatMap(([operation, window, bytes, timeNs, ownNs]) => {
    const one = point(transport, operation, window, bytes, timeNs, ownNs);
    return one === null || ownNs > 0.9 * timeNs ? [] : [one];
  });
  const { fit } = found(device, points);
  return fit.costs.map(({ name, ns }) => {
    const parameter = device.costs[name];
    const wanted = Number(new RegExp(`[:,]${parameter?.name}=([\\d.]+)`).exec(link)?.[1]);
    return (parameter?.written(ns) ?? 0) / wanted;
  });
}

test('a circle: runs over softmlx5 and softntb with a known model lead back to it within 6 %', () => {
  for (const shares of [circle(softmlx5Link, 'ibgda'), circle(softntbLink, 'sisci')]) {
    assert.equal(shares.length, 3);
    for (const share of shares) near(share, 1, 0.06);
  }
});
