import assert from 'node:assert/strict';
import { test } from 'node:test';
import { busGBps } from '../bandwidth.ts';
import { alltoallvCount } from './alltoallv.ts';
import { bufferBytes, busFactor, payloadBytesMoved, payloadOf } from './formulas.ts';
import { collectiveNames, collectives } from './table.ts';

for (const name of collectiveNames) {
  const { rooted, countsPart, parts, minMoved, bus, buffers } = collectives[name];
  test(`${name}: the row fits the factor and the shape`, () => {
    assert.equal(countsPart, parts(8) !== 1);
    // All ranks together send at least what the bus factor says for each link. A root carries more than the others, and so does
    // the rank of alltoallv with the shortest own part.
    for (const n of [2, 4, 8]) {
      const links = rooted || name === 'alltoallv' ? 1 : n;
      assert.ok(minMoved(n, 1e6) >= links * bus.factor(n) * (1 - 1e-9), `${n} ranks`);
    }
    assert.equal(minMoved(1, 1e6), 0);
    // Sizes of send and receive buffers are whole parts, according to the shapes of native/collectives.
    const bytes = payloadOf(name, 'float32', 3, 8);
    for (const share of [buffers.send(8), buffers.receive(8)]) {
      assert.ok(Number.isInteger(Number(((bytes * share) / 12).toFixed(9))));
    }
  });
}

test('S as nccl-tests counts it: all parts, but those of the others in hypercube and the vector in sendrecv', () => {
  const S = (collective: (typeof collectiveNames)[number]) => payloadOf(collective, 'int8', 10, 4);
  assert.deepEqual(
    [S('alltoall'), S('gather'), S('scatter'), S('alltoallv'), S('sendrecv'), S('hypercube')],
    [40, 40, 40, 40, 10, 30],
  );
  assert.equal(bufferBytes('hypercube', 30, 4, false), 4 * (10 + 40));
});

test('hypercube needs a power of two of ranks', () => {
  const refuses = collectives.hypercube.refuses ?? assert.fail();
  assert.deepEqual([1, 2, 4, 8].map(refuses), [null, null, null, null]);
  assert.match(refuses(6) ?? '', /power of two/);
});

test('bus bandwidth as in nccl-tests PERFORMANCE.md: allreduce over 8 ranks carries 14/8 of it', () => {
  assert.equal(busGBps(1e9, 1e9, busFactor('allreduce', 8)), 1.75);
  assert.equal(busFactor('allgather', 8), 0.875);
  assert.equal(busFactor('reducescatter', 8), 0.875);
  assert.equal(busFactor('broadcast', 8), 1);
  assert.equal(busFactor('reduce', 8), 1);
});

test('bus factors of the collectives made of sends and receives', () => {
  for (const name of ['alltoall', 'gather', 'scatter'] as const)
    assert.equal(busFactor(name, 8), 0.875, name);
  for (const name of ['sendrecv', 'hypercube'] as const) assert.equal(busFactor(name, 8), 1, name);
});

test('alltoallv: the link of rank 0, which keeps the shortest part, carries all of S but half an equal part', () => {
  const largestShare = (ranks: number) => {
    const sent = Array.from({ length: ranks }, (_, rank) => {
      const parts = Array.from({ length: ranks }, (_, peer) => alltoallvCount(1e6, rank, peer, ranks));
      return parts.filter((_, peer) => peer !== rank).reduce((sum, part) => sum + part, 0);
    });
    return Math.max(...sent) / (1e6 * ranks);
  };
  assert.deepEqual(
    [2, 4].map((ranks) => busFactor('alltoallv', ranks)),
    [0.75, 0.875],
  );
  for (const ranks of [2, 3, 4, 7, 8, 64])
    assert.ok(Math.abs(busFactor('alltoallv', ranks) - largestShare(ranks)) < 1e-5, `${ranks} ranks`);
});

test('alltoallv moves its parts but those that ranks keep, to the byte, at any count', () => {
  for (const ranks of [2, 3, 4, 5, 8])
    for (const count of [1, 2, 3, 13, 1000, 123_457]) {
      const pairs = Array.from({ length: ranks * ranks }, (_, pair) => [
        Math.floor(pair / ranks),
        pair % ranks,
      ]);
      const elements = pairs
        .filter(([rank, peer]) => rank !== peer)
        .reduce((sum, [rank = 0, peer = 0]) => sum + alltoallvCount(count, rank, peer, ranks), 0);
      const payload = payloadOf('alltoallv', 'float32', count, ranks);
      assert.equal(payloadBytesMoved('alltoallv', '', payload, ranks, 'float32'), 4 * elements);
      assert.equal(payloadBytesMoved('alltoallv', 'direct', payload, ranks, 'float32'), 4 * elements);
    }
  assert.equal(payloadBytesMoved('alltoallv', '', 800, 2, 'float32'), 1.5 * 800);
});

test('a single rank moves nothing, whatever the collective', () => {
  for (const name of collectiveNames) assert.equal(busFactor(name, 1), 0, name);
});

test('every collective says where its factor comes from', () => {
  for (const name of collectiveNames) assert.match(collectives[name].bus.source, /PERFORMANCE\.md/, name);
});

test("payload counts parts where the count argument is one rank's part", () => {
  assert.equal(payloadOf('allreduce', 'float64', 10, 4), 80);
  assert.equal(payloadOf('allgather', 'float16', 10, 4), 80);
});

test('a ring allreduce of 4 ranks moves 6 times S, a direct one 12 times', () => {
  assert.equal(payloadBytesMoved('allreduce', 'ring', 100, 4, 'int8'), 600);
  assert.equal(payloadBytesMoved('allreduce', 'direct', 100, 4, 'int8'), 1200);
  assert.deepEqual(
    [2, 3, 4, 7, 8].map((ranks) => payloadBytesMoved('allreduce', 'recursive-doubling', 100, ranks, 'int8')),
    [200, 400, 800, 1400, 2400],
  );
  assert.equal(payloadBytesMoved('allreduce', 'halving-doubling', 100, 7, 'int8'), 1200);
  assert.deepEqual(
    [2, 3, 4, 8].map((ranks) => payloadBytesMoved('alltoall', 'bruck', 100, ranks, 'int8')),
    [100, 200, 400, 1200],
  );
  assert.equal(payloadBytesMoved('broadcast', 'ring', 100, 4, 'int8'), 300);
  assert.equal(payloadBytesMoved('broadcast', 'tree-of-the-future', 100, 4, 'int8'), null);
});

test('what must be sent at least, whatever NCCL adds; nothing is expected where switches reduce', () => {
  assert.equal(payloadBytesMoved('allreduce', 'Tree', 100, 4, 'int8'), 600);
  assert.equal(payloadBytesMoved('allreduce', 'NVLS', 100, 4, 'int8'), null);
  assert.equal(payloadBytesMoved('allreduce', '', 100, 4, 'int8'), null);
  assert.equal(payloadBytesMoved('alltoall', '', 100, 4, 'int8'), 300);
  assert.equal(payloadBytesMoved('gather', '', 100, 4, 'int8'), 75);
  assert.equal(payloadBytesMoved('sendrecv', '', 100, 4, 'int8'), 400);
  assert.equal(payloadBytesMoved('hypercube', '', 75, 4, 'int8'), 300);
});

test('no ranks are an error, never a figure', () => {
  assert.throws(() => busFactor('reduce', 0), /ranks must be a whole number >= 1, got 0/);
  assert.throws(() => busFactor('reduce', 1.5), RangeError);
});
