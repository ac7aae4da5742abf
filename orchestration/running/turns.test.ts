import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BlockRequest } from '../../results/schema/index.ts';
import { AlternatingRuns } from './turns.ts';

const roundsOf = (count: number): BlockRequest[][] =>
  Array.from({ length: count }, (_, point) => [{ point } as BlockRequest, { point } as BlockRequest]);

/** Lets two runs measure their rounds. @returns the order of blocks: side and round */
async function orderOf(counts: [number, number]): Promise<string[]> {
  const runs = new AlternatingRuns();
  const order: string[] = [];
  const measure = async (side: 0 | 1): Promise<void> => {
    for await (const { point } of runs.inTurn(side, roundsOf(counts[side])))
      order.push(`${'AB'[side]}${point}`);
  };
  await Promise.all([measure(1), measure(0)]);
  return order;
}

test('two runs measure in turn, A B B A, whole rounds at a time; a longer one goes on alone', async () => {
  assert.equal((await orderOf([4, 4])).join(' '), 'A0 A0 B0 B0 B1 B1 A1 A1 A2 A2 B2 B2 B3 B3 A3 A3');
  assert.equal((await orderOf([1, 3])).join(' '), 'A0 A0 B0 B0 B1 B1 B2 B2');
});

test('a run that fails, before or within a round, does not hold up the other', async () => {
  const runs = new AlternatingRuns();
  const other = (async () => {
    let blocks = 0;
    for await (const _ of runs.inTurn(1, roundsOf(3))) blocks += 1;
    return blocks;
  })();
  for await (const _ of runs.inTurn(0, roundsOf(3))) break;
  assert.equal(await other, 6);
  const alone = new AlternatingRuns();
  alone.leave(0);
  let blocks = 0;
  for await (const _ of alone.inTurn(1, roundsOf(2))) blocks += 1;
  assert.equal(blocks, 4);
});
