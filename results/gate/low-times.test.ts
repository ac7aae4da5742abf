import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BlockRecord, CellRecord, RunPlan } from '../schema/index.ts';
import { seededUniform, testBlock } from '../testing/block.ts';
import { testPlan, testRecord } from '../testing/plan.ts';
import { lowTimesOf } from './low-times.ts';

const transports = ['socket', 'sisci'];

/** Low times of a run with these blocks; its configurations have the ids "POINT TRANSPORT". */
function lowTimes(
  blocks: readonly BlockRecord[],
  parts: Partial<RunPlan> = {},
): Promise<Map<string, number>> {
  const cells = [0, 1].flatMap((point) =>
    transports.map((transport) => ({ id: `${point} ${transport}`, point, transport }) as CellRecord),
  );
  return lowTimesOf({
    record: testRecord({ plan: testPlan(parts) }),
    cells,
    blocks: async function* () {
      yield* blocks;
    },
  });
}

/** Times from `low` up in steps of 1 ns, so that the lower quartile of 5 is the second. */
const five = (low: number): number[] => [0, 1, 2, 3, 4].map((i) => low + i);

test('each configuration has the lower quartile of its isolated times, of all rounds but the first', async () => {
  const times = await lowTimes([
    testBlock(five(900)),
    testBlock(five(100)),
    testBlock(five(100)),
    testBlock(five(50), { trial: 'pipelined' }),
    testBlock(five(700), { point: 1, transport: 1 }),
  ]);
  assert.deepEqual(
    times,
    new Map([
      ['0 socket', 101],
      ['1 sisci', 701],
    ]),
  );
});

test('of two rounds both count: none can be spared', async () => {
  const times = await lowTimes([testBlock(five(100)), testBlock(five(200))]);
  assert.equal(times.get('0 socket'), 102.25);
});

test('samples that other programs delayed do not move it, although they are most of them', async () => {
  const uniform = seededUniform(7);
  const round = () =>
    testBlock(Array.from({ length: 20 }, (_, i) => (i % 5 < 2 ? 100 : 100 + 5000 * uniform())));
  assert.equal((await lowTimes([round(), round(), round()])).get('0 socket'), 100);
});

test('a run of groups has none, and a configuration without samples neither', async () => {
  const groups: RunPlan['groups'] = { rule: 'div:2', members: [{ name: 'ranks 0-1', ranks: [0, 1] }] };
  assert.equal((await lowTimes([testBlock(five(100))], { groups })).size, 0);
  assert.equal((await lowTimes([testBlock([])])).size, 0);
});
