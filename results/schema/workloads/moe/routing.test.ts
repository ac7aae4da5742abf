import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTrafficPattern } from '../matrix/traffic-matrix.ts';
import { dispatchedBytes, moe, moeTraffic } from './index.ts';
import { capacityOf, expertCounts, type RoutingPattern, rowsBetweenRanks } from './routing.ts';

function patternOf(name: string): RoutingPattern {
  const pattern = parseTrafficPattern(name);
  assert.ok(pattern !== null && typeof pattern !== 'string' && pattern.kind !== 'diagonal', name);
  return pattern;
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
const shapes = [
  { ranks: 1, experts: 8, topK: 2, tokens: 5 },
  { ranks: 2, experts: 8, topK: 8, tokens: 33 },
  { ranks: 4, experts: 32, topK: 4, tokens: 1 },
  { ranks: 4, experts: 32, topK: 4, tokens: 512 },
  { ranks: 16, experts: 256, topK: 8, tokens: 129 },
];

test('without a capacity every token goes to topK experts, none of them twice, whatever the routing', () => {
  for (const name of ['uniform', 'zipf:0.5', 'zipf:1.2:3', 'zipf:10', 'hot:8', 'hot:8:5'])
    for (const shape of shapes) {
      const counts = expertCounts(patternOf(name), shape, null);
      const where = `${name} ${JSON.stringify(shape)}`;
      for (const row of counts) {
        assert.equal(sum(row), shape.tokens * shape.topK, where);
        assert.ok(
          row.every((rows) => Number.isInteger(rows) && rows >= 0 && rows <= shape.tokens),
          where,
        );
      }
      const between = rowsBetweenRanks(counts);
      const received = between.map((_, rank) => sum(between.map((row) => row[rank] ?? 0)));
      assert.equal(sum(received), shape.ranks * shape.tokens * shape.topK, where);
    }
});

test('a capacity drops what is above it, and nothing of a uniform routing', () => {
  const shape = { ranks: 4, experts: 32, topK: 4, tokens: 512 };
  assert.equal(capacityOf(shape, 1.25), 80);
  const zipf = expertCounts(patternOf('zipf:1.2'), shape, 1.25);
  assert.ok(zipf.every((row) => Math.max(...row) === 80 && sum(row) < 512 * 4));
  assert.deepEqual(
    expertCounts(patternOf('uniform'), shape, 1),
    expertCounts(patternOf('uniform'), shape, null),
  );
});

test('traffic: what stays on its rank does not count for ports, and a pair moves both ways', () => {
  const rows = [
    [5, 1],
    [3, 2],
  ];
  const shape = { dtype: 'bfloat16', hidden: 8 } as const;
  assert.deepEqual(moeTraffic({ ...shape, phase: 'dispatch' }, rows), {
    busiest: 3 * 16,
    sent: 4 * 16,
    rows: 11 * 16,
  });
  assert.deepEqual(moeTraffic({ ...shape, phase: 'pair' }, rows), {
    busiest: 4 * 16,
    sent: 8 * 16,
    rows: 22 * 16,
  });
  assert.equal(dispatchedBytes({ dtype: 'float8e4m3', hidden: 136 }), 136 + 4 * 2);
});

const axes = {
  ...{ phase: 'dispatch', routing: 'uniform', capacity: 'dropless', dtype: 'bfloat16' },
  ...{ experts: 8, topK: 2, hidden: 64, tokens: 100 },
  ...{ busiestBytes: null, sentBytes: null, rowsBytes: null },
};

test('rates: tokens of all ranks once, rows of all experts, the busiest port', () => {
  const rows = 4 * 100 * 2 * 128;
  const derived = moe.derive({ axes, ranks: 4 }, 'latency', 1000);
  assert.deepEqual(
    derived.map(({ name, value }) => [name, value]),
    [
      ['tokens', 400 / 1e-6],
      ['payload', rows / 1000],
      ['algbw', rows / 4 / 1000],
      ['busbw', ((rows / 4) * 3) / 4 / 1000],
      ['imbalance', 1],
    ],
  );
  // Before a dispatch each rank sends a count of 4 bytes for each expert of others.
  assert.equal(moe.minMovedBytes({ axes, ranks: 4 }, ''), (rows * 3) / 4 + 4 * 3 * 2 * 4);
});

test('the matrix of a report: rows go to experts, and outputs back', () => {
  const script = '5 1\n3 2';
  assert.deepEqual(moe.trafficOf?.({ axes: { ...axes, experts: 2 }, script }), [
    [640, 128],
    [384, 256],
  ]);
  assert.deepEqual(moe.trafficOf?.({ axes: { ...axes, experts: 2, phase: 'combine' }, script }), [
    [640, 384],
    [128, 256],
  ]);
});
