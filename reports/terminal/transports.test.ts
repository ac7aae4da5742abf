import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commonSentences } from '../../results/text.ts';
import { transportsText } from './transports.ts';

test('the sentences that all reasons begin with', () => {
  assert.equal(
    commonSentences(['No driver. No NCCL in /a/b.c.', 'No driver. No NCCL in /a/b.c. No port.']),
    'No driver. No NCCL in /a/b.c.',
  );
  assert.equal(commonSentences(['No driver.', 'No driver at all.']), '');
  assert.equal(commonSentences([]), '');
  assert.equal(
    commonSentences([
      'No driver. No NCCL in /a and 22 more places. no plugin named',
      'No driver. No NCCL in /a and 22 more places.',
    ]),
    'No driver. No NCCL in /a and 22 more places.',
  );
});

test('a reason is printed once, however many transports of an engine have it', () => {
  const reason = 'python3 has no module torch.';
  const remedy = 'Install it (pip install torch).';
  const listing = (name: string, own = '') => ({
    ...{ name, available: false, medium: 'hardware', detail: {}, reason: reason + own, remedy, summary: '' },
  });
  for (const sharesReasons of [false, true]) {
    const transports = [listing('socket'), listing('p2p', ' no GPU'), listing('shm', ' no GPU')];
    const text = transportsText(
      'here',
      [
        {
          engine: 'torch',
          listing: { headline: 'training', transports, sharesReasons },
          variables: new Map(),
        },
      ],
      false,
      80,
    );
    assert.equal(text.split('no GPU').length - 1, 1, text);
    assert.match(text, /shm +not here +same cause as p2p\n/);
  }
});
