import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CellRecord, replay } from '../schema/index.ts';
import { checkSteps, type StepTime, stepsMeasured } from './step-check.ts';

const time = (transport: string, ms: number, half: number | null = null): StepTime => ({
  ...{ transport, medium: 'hardware', ns: ms * 1e6 },
  lowNs: half === null ? null : (ms - half) * 1e6,
  highNs: half === null ? null : (ms + half) * 1e6,
});
const rounded = (value: number) => Math.round(value * 1000) / 1000;

test('ResNet50 on two H200: 18.7 and 34.6 ms predicted, 21.9 and 44.2 measured; 3.2 ms lack over both', () => {
  const { steps, changes } = checkSteps(
    [time('p2p', 18.7), time('socket', 34.6, 1.8), time('sisci', 19)],
    [time('socket', 44.2), time('p2p', 21.9)],
  );
  assert.deepEqual(
    steps.map(({ transport, error, isWithin, sharedNs, ownNs }) => [
      ...[transport, rounded(error), isWithin, rounded(sharedNs / 1e6), rounded(ownNs / 1e6)],
    ]),
    [
      ['socket', -0.217, false, 3.2, 6.4],
      ['p2p', -0.146, false, 3.2, 0],
    ],
  );
  assert.deepEqual(
    changes.map(({ from, to, predictedNs, measuredNs, isWithin }) => [
      ...[from, to, rounded(predictedNs / 1e6), rounded(measuredNs / 1e6), isWithin],
    ]),
    [['p2p', 'socket', 15.9, 22.3, false]],
  );
});

test('a step is right up to 10 %; what the transports miss in both directions is not shared', () => {
  const { steps } = checkSteps(
    [time('p2p', 90), time('socket', 110)],
    [time('p2p', 100), time('socket', 100)],
  );
  assert.deepEqual(
    steps.map(({ isWithin, sharedNs }) => [isWithin, sharedNs]),
    [
      [true, 0],
      [true, 0],
    ],
  );
  assert.equal(checkSteps([time('p2p', 89)], [time('p2p', 100)]).steps[0]?.isWithin, false);
});

test('beyond 10 % is wrong only where intervals are apart; launches that differ too much for one leave it open', () => {
  const verdict = (predicted: StepTime, measured: StepTime) =>
    checkSteps([predicted], [measured]).steps[0]?.isWithin;
  assert.equal(verdict(time('p2p', 62, 1), time('p2p', 74, 20)), null);
  assert.equal(verdict(time('p2p', 62, 1), time('p2p', 74, 5)), false);
  assert.equal(verdict(time('p2p', 62, 1), { ...time('p2p', 74), isScattered: true }), null);
  const { changes } = checkSteps(
    [time('p2p', 62, 1), time('socket', 90, 1)],
    [{ ...time('p2p', 62), isScattered: true }, time('socket', 70, 1)],
  );
  assert.equal(changes[0]?.isWithin, null);
});

test('a change is right up to 15 % or within the interval; where measured steps overlap there is none', () => {
  const change = (predicted: StepTime, measured: StepTime) =>
    checkSteps([time('p2p', 20, 0.1), predicted], [time('p2p', 20, 0.5), measured]).changes[0]?.isWithin;
  assert.equal(change(time('socket', 31), time('socket', 30, 1)), true);
  assert.equal(change(time('socket', 32), time('socket', 30, 1)), false);
  assert.equal(change(time('socket', 32, 0.5), time('socket', 30, 1)), true);
  assert.equal(change(time('socket', 32, 2), time('socket', 30, 1)), true);
  assert.equal(change(time('socket', 32), time('socket', 20.6, 0.5)), null);
});

test('what only one of both has is named', () => {
  const { steps, onlyPredicted, onlyMeasured } = checkSteps([time('shm', 1)], [time('ib', 1)]);
  assert.deepEqual([steps, onlyPredicted, onlyMeasured], [[], ['shm'], ['ib']]);
});

test('of replayed steps only those with all of their computation count, and the first of each transport', () => {
  const cell = (computePercent: number, value: number) =>
    ({
      ...{ workload: replay.name, status: 'ok', transport: 'socket', medium: 'emulated' },
      axes: {
        ...{ job: 'small@12345678', computing: 'device', computePercent },
        ...{ computeNs: 1, calls: 1, bytes: 8, sentBytes: 8 },
      },
      figures: [
        { kind: 'measured', name: 'latency', value: 1, interval: null, launchValues: [] },
        {
          ...{ kind: 'measured', name: 'pipelined', value, launchValues: [value, value] },
          interval: { low: value - 1, high: value + 1 },
        },
      ],
      flags: [{ name: 'retransmits' }, { name: 'retransmits' }],
    }) as unknown as CellRecord;
  assert.deepEqual(
    [...stepsMeasured([cell(50, 5), cell(100, 10), cell(100, 20)])],
    [
      [
        'small',
        [
          {
            ...{ transport: 'socket', medium: 'emulated', ns: 10, lowNs: 9, highNs: 11 },
            ...{ isScattered: false, flags: ['retransmits'] },
          },
        ],
      ],
    ],
  );
});
