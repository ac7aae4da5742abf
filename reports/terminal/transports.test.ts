import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedLead } from './transports.ts';

test('the sentences that all reasons begin with', () => {
  assert.equal(
    sharedLead(['No driver. No NCCL in /a/b.c.', 'No driver. No NCCL in /a/b.c. No port.']),
    'No driver. No NCCL in /a/b.c.',
  );
  assert.equal(sharedLead(['No driver.', 'No driver at all.']), '');
  assert.equal(sharedLead([]), '');
});
