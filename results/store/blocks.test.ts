import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blockRecord, isBlock } from '../schema/index.ts';
import { testBlock } from '../testing/block.ts';

test('a block is taken as it is exactly where the schema takes it', () => {
  const block = testBlock([10, 20, 30]);
  for (const [raw, isFine] of [
    [block, true],
    [{ ...block, endNs: [[1, 2.5, 3]] }, false],
    [{ ...block, startNs: [[1, 2, null]] }, false],
    [{ ...block, late: 'none' }, false],
    [{ ...block, commonStartNs: undefined }, false],
    [{ ...block, batch: 0 }, false],
    [{ ...block, unknown: 1 }, false],
    [null, false],
  ] as const) {
    assert.equal(isBlock(raw), isFine);
    assert.equal(blockRecord.safeParse(raw).success, isFine);
  }
});
