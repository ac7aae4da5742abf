import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commonSentences } from './transports.ts';

test('the sentences that all reasons begin with', () => {
  assert.equal(
    commonSentences(['No driver. No NCCL in /a/b.c.', 'No driver. No NCCL in /a/b.c. No port.']),
    'No driver. No NCCL in /a/b.c.',
  );
  assert.equal(commonSentences(['No driver.', 'No driver at all.']), '');
  assert.equal(commonSentences([]), '');
});
