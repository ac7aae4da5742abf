import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundSentences, boundShares, boundShareText } from './bound-share.ts';
import { syntheticRun } from './fixtures/synthetic.ts';
import { kvRun } from './fixtures/workloads.ts';
import { runMarkdown } from './run-markdown.ts';
import { groupsOf } from './series.ts';

test('each series is compared with the bound of its own transport, at each x', () => {
  const shares = boundShares(groupsOf([kvRun()]));
  assert.equal(shares.length, 3 * 2 * 2);
  const found = shares.map(({ group, series, x, share }) => [
    group.title.replace(/.*layout /, ''),
    series.name,
    x,
    share === null ? null : Math.round(100 * share.value),
  ]);
  // A descriptor costs 1 µs over the socket and 10 µs over sisci, the bytes of 64 tokens 100 µs.
  assert.deepEqual(found.slice(0, 4), [
    ['layer', 'socket', 64, 87],
    ['layer', 'socket', 128, 87],
    ['layer', 'sisci', 64, 42],
    ['layer', 'sisci', 128, 40],
  ]);
  assert.deepEqual(
    found.slice(-4).map(([, , , share]) => share),
    [null, null, null, null],
  );
});

test('one sentence per transport, at the largest x', () => {
  const sentences = boundSentences(groupsOf([kvRun()]));
  assert.equal(sentences.length, 2);
  assert.match(
    sentences[0] ?? '',
    /^over socket at prompt 128: layout layer 87 % ±[\d.]+ % and layout page 97 % ±[\d.]+ % of the bandwidth of layout contiguous$/,
  );
});

test('without the bound, or without another value, nothing is said', () => {
  for (const layouts of [['layer', 'page'], ['contiguous']] as const)
    assert.deepEqual(boundSentences(groupsOf([kvRun(layouts)])), []);
  assert.deepEqual(boundSentences(groupsOf([syntheticRun({ maxBytes: 8 })])), []);
});

test('a share far above the bound is a ratio', () => {
  assert.equal(boundShareText({ value: 12.34, logHalfWidth: null }), '12x (no interval)');
  assert.equal(boundShareText({ value: 1.02, logHalfWidth: 0.01 }), '102 % ±1.0 %');
});

test('the table has the times until the first page and until all, the bandwidth and the share', () => {
  const text = runMarkdown(kvRun());
  assert.match(text, /1st page/);
  assert.match(text, /\| of contiguous/);
});
