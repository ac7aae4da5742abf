import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  bufferBytes,
  collectiveNames,
  collectives,
  dtypeNames,
  opNames,
  payloadOf,
} from '../results/schema/index.ts';
import { collectivesOf, planningEngines } from './engines/index.ts';

/** Tests run from dist/; native sources lie in the source tree. */
const native = (file: string) =>
  readFileSync(fileURLToPath(new URL(`../../native/${file}`, import.meta.url)), 'utf8');

const namesIn = (source: string, table: string) => {
  const body = new RegExp(`${table}\\[\\w+\\] = \\{(.*?)\\};`, 's').exec(source)?.[1] ?? '';
  return [...body.matchAll(/"([a-z0-9]+)"/g)].map((match) => match[1]);
};
const countIn = (source: string, constant: string) =>
  Number(new RegExp(`${constant} = (\\d+)`).exec(source)?.[1]);

test('collectives, data types and reductions are those of the native part, engine by engine', () => {
  const [shapes, types] = [native('collectives/collective.h'), native('core/dtype.h')];
  const ofCpu = /kCollectives\[\] = \{(.*?)\};/s.exec(native('engines/cpu/engine.h'))?.[1] ?? '';
  assert.deepEqual(namesIn(shapes, 'kCollectiveKinds'), [...collectiveNames]);
  assert.deepEqual(namesIn(types, 'kDataTypes'), [...dtypeNames]);
  assert.deepEqual(namesIn(types, 'kReduceOps'), [...opNames]);
  assert.deepEqual(
    collectivesOf('cpu'),
    [...ofCpu.matchAll(/::k(\w+)/g)].map(([, name]) => name?.toLowerCase()),
  );
  const { dtype, op } = planningEngines.cpu.abilities.collectives ?? {};
  assert.equal(dtype?.length, countIn(types, 'kHostDataTypeCount'));
  assert.equal(op?.length, countIn(types, 'kHostReduceOpCount'));
  assert.deepEqual(collectivesOf('nccl'), [...collectiveNames]);
});

for (const name of collectiveNames) {
  const { reduces, rooted, hasInPlace, countsPart, parts, leastMoved, bus, buffers } = collectives[name];
  test(`${name}: the row fits the factor and the shape`, () => {
    assert.equal(reduces, name.includes('reduce'));
    assert.equal(rooted, ['broadcast', 'reduce', 'gather', 'scatter'].includes(name));
    assert.equal(hasInPlace, !['alltoall', 'alltoallv', 'sendrecv'].includes(name));
    assert.equal(countsPart, parts(8) !== 1);
    // All ranks together send at least what the bus factor says each link carries, but a root alone carries less.
    for (const n of [2, 4, 8]) {
      const links = ['broadcast', 'reduce', 'gather', 'scatter'].includes(name) ? 1 : n;
      assert.ok(leastMoved(n) >= links * bus.factor(n) * (1 - 1e-9), `${n} ranks`);
    }
    assert.equal(leastMoved(1), 0);
    // Elements in the larger buffer, from the shapes of native/collectives: whole parts, never a fraction of one.
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
