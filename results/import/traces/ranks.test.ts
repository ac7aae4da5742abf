import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importHints, readFixture } from '../../testing/foreign.ts';
import { ImportError } from '../imported-output.ts';
import { readRanks } from '../read.ts';
import type { TraceCall } from './calls.ts';
import { waitingOf, waitTimeSentences } from './ranks.ts';

const call = (startUs: number, durUs: number, payloadBytes = 8): TraceCall => ({
  ...{ startUs, endUs: startUs + durUs, durUs, payloadBytes, operation: 'allreduce', dtype: 'float32' },
  ...{ count: 2, elements: 2, ranks: 2, name: '' },
});
const rank = (number: number | null, ...calls: TraceCall[]) => ({ rank: number, calls, steps: null });

test('moving is the shortest time of each call over ranks, whatever their clocks; the rest is waiting', () => {
  assert.deepEqual(
    waitingOf([rank(0, call(0, 100), call(200, 50)), rank(1, call(9000, 80), call(9200, 30))]),
    {
      movingUs: 110,
      waitingUs: [
        { rank: 0, us: 40 },
        { rank: 1, us: 0 },
      ],
    },
  );
});

test('two traces of one rank, and calls that differ, are refused with where', () => {
  const refusal = (...traces: ReturnType<typeof rank>[]) => {
    try {
      waitingOf(traces);
    } catch (error) {
      assert.ok(error instanceof ImportError);
      return error.message;
    }
    return 'accepted';
  };
  assert.equal(refusal(rank(3, call(0, 1)), rank(3, call(0, 1))), 'two traces are of rank 3');
  assert.equal(
    refusal(rank(0, call(0, 1), call(5, 1)), rank(1, call(0, 1), call(5, 1, 16))),
    'collective 2 differs: rank 0 has allreduce of 8 bytes float32, rank 1 allreduce of 16 bytes float32',
  );
  assert.match(refusal(rank(0, call(0, 1)), rank(1)), /rank 1 none/);
});

test('of many ranks those that wait least and most are named', () => {
  const says = waitTimeSentences(
    { movingUs: 100, waitingUs: [5, 0, 300, 7, 9].map((us, i) => ({ rank: i, us })) },
    true,
  );
  assert.match(says[0] ?? '', /^collectives of a step over 5 ranks: moving 100 µs at most/);
  assert.match(says[1] ?? '', /: rank 1 waits 0 ns .*, rank 2 waits 300 µs \(75 % of its time/);
});

test('both ranks of two real steps over Gloo: 61.8 ms of moving, rank 1 waits three times as long', () => {
  const name = 'kineto-torch-2.15-gloo-mobilenet_v3_large';
  const contents = [readFixture(`${name}.json`), readFixture(`${name}-rank1.json`)];
  const { says } = readRanks(contents, importHints()).found;
  assert.match(says?.at(-2) ?? '', /over 2 ranks: moving 61\.8 ms at most/);
  assert.match(says?.at(-1) ?? '', /rank 0 waits 14\.8 ms \(19 % .*, rank 1 waits 177 ms \(74 %/);
  assert.throws(
    () => readRanks([contents[0] ?? '', readFixture('nccl-tests-json-3-made.json')], importHints()),
    /only as traces/,
  );
});
