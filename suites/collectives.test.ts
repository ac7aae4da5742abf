import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bufferBytes, collectiveNames, collectives, payloadOf } from '../results/schema/index.ts';

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
