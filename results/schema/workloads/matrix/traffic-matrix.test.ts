import assert from 'node:assert/strict';
import { test } from 'node:test';
import { busFactor } from '../collective/formulas.ts';
import { matrixWorkload, trafficPorts } from './index.ts';
import {
  drawnOrder,
  parseTrafficPattern,
  type TrafficPattern,
  trafficMatrix,
  trafficOfScript,
  trafficPatternName,
  trafficScript,
  trafficSums,
} from './traffic-matrix.ts';

const names = ['uniform', 'diagonal', 'zipf:0', 'zipf:1.2', 'zipf:1.2:7', 'zipf:10', 'hot:1', 'hot:2:3'];

function patternOf(name: string): TrafficPattern {
  const pattern = parseTrafficPattern(name);
  assert.ok(pattern !== null && typeof pattern !== 'string', name);
  return pattern;
}

const axesOf = (matrix: string, bytes: number) => ({
  ...{ collective: 'alltoallv', matrix, dtype: 'int32', bytes },
  ...{ busiestBytes: null, sentBytes: null, receivers: null },
});

test('what all ranks send is what all ranks receive, and each rank sends exactly its elements', () => {
  for (const name of names)
    for (const ranks of [2, 3, 4, 7, 16, 64])
      for (const elements of [0, 1, ranks - 1, ranks, 1000, 123_457]) {
        const matrix = trafficMatrix(patternOf(name), ranks, elements);
        const where = `${name} ${ranks} ranks ${elements} elements`;
        for (const row of matrix) {
          assert.equal(row.length, ranks);
          assert.ok(
            row.every((entry) => Number.isInteger(entry) && entry >= 0),
            where,
          );
          assert.equal(
            row.reduce((all, entry) => all + entry, 0),
            elements,
            where,
          );
        }
        const columns = matrix.map((_, peer) => matrix.reduce((all, row) => all + (row[peer] ?? 0), 0));
        const { total, sent, busiest, receivers } = trafficSums(matrix);
        assert.equal(
          columns.reduce((all, column) => all + column, 0),
          ranks * elements,
          where,
        );
        assert.equal(total, ranks * elements, where);
        const kept = matrix.reduce((all, row, rank) => all + (row[rank] ?? 0), 0);
        assert.equal(sent, total - kept, where);
        assert.ok(busiest * ranks >= sent, where);
        assert.equal(receivers, columns.filter((column) => column > 0).length, where);
        assert.deepEqual(trafficOfScript(trafficScript(matrix)), matrix);
      }
});

test('equal parts have the bus factor of alltoall and no imbalance', () => {
  for (const ranks of [2, 4, 8]) {
    const axes = axesOf('uniform', 4 * ranks * 100);
    const derived = matrixWorkload.derive({ axes, ranks }, 'latency', 1000);
    const of = (name: string) => derived.find((one) => one.name === name);
    assert.equal(of('busbw')?.factor, busFactor('alltoall', ranks));
    assert.equal(of('imbalance')?.value, 1);
  }
});

test('the busiest port: one hot rank receives from all others, the diagonal loads all ports alike', () => {
  assert.deepEqual(trafficPorts({ axes: axesOf('hot:1', 4000), ranks: 4 }), {
    busiest: 3 * 4000,
    sent: 3 * 4000,
    receivers: 1,
  });
  assert.deepEqual(trafficPorts({ axes: axesOf('diagonal', 4000), ranks: 4 }), {
    busiest: 4000,
    sent: 16_000,
    receivers: 4,
  });
  assert.deepEqual(trafficPorts({ axes: axesOf('zipf:1.2', 4000), ranks: 1 }), {
    busiest: 0,
    sent: 0,
    receivers: 1,
  });
});

test('one rank moves nothing, so it has no imbalance', () => {
  const derived = matrixWorkload.derive({ axes: axesOf('uniform', 4000), ranks: 1 }, 'latency', 1000);
  assert.deepEqual(
    derived.map(({ name, value }) => [name, value]),
    [
      ['algbw', 4],
      ['busbw', 0],
    ],
  );
});

test('shares of zipf fall with the position that the seed draws, in the same way for every sender', () => {
  const matrix = trafficMatrix(patternOf('zipf:1:7'), 5, 1_000_000);
  const order = drawnOrder(7, 5);
  for (const row of matrix)
    for (const [peer, position] of order.entries())
      assert.ok(Math.abs((row[peer] ?? 0) / (row[order.indexOf(0)] ?? 0) - 1 / (position + 1)) < 1e-4);
  assert.deepEqual([...order].sort(), [0, 1, 2, 3, 4]);
  assert.notDeepEqual(drawnOrder(7, 16), drawnOrder(8, 16));
  assert.deepEqual(drawnOrder(7, 16), drawnOrder(7, 16));
});

test('names are read and written alike, and a wrong number is said', () => {
  for (const name of names) assert.equal(trafficPatternName(patternOf(name)), name);
  assert.equal(trafficPatternName(patternOf('zipf:1.20:0')), 'zipf:1.2');
  for (const [bad, why] of [
    ['zipf', /needs an exponent/],
    ['zipf:-1', /needs an exponent/],
    ['zipf:11', /from 0 to 10/],
    ['zipf:1e400', /needs an exponent/],
    ['hot:0', /needs a number of ranks/],
    ['hot:-3', /needs a number of ranks/],
    ['hot:1:x', /the seed/],
    ['hot:1:4294967296', /the seed/],
    ['uniform:2', /takes no number/],
  ] as const)
    assert.match(String(parseTrafficPattern(bad)), why, bad);
  assert.equal(parseTrafficPattern('matrix.txt'), null);
});
