import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuse } from './refusal.ts';
import { exitOf, refusalWording, textOf } from './words.ts';

test('a refusal carries a code and values; the table has the words', () => {
  const refusal = refuse('gpu-named-twice', { gpus: [1, 0, 1], gpu: 1 });
  assert.equal(refusal.code, 'gpu-named-twice');
  assert.equal(exitOf(refusal), 'invalid');
  assert.equal(
    textOf(refusal),
    '--gpus 1,0,1: GPU 1 is named twice\n  allowed: each GPU once; with --share-gpu ranks may share one\nNext: the same command with --gpus 1,0',
  );
});

test('next steps stand last, and the place in a file first', () => {
  const refusal = refuse('ranks-over-gpus', {
    ranks: 4,
    gpus: 2,
    there: '2 GPUs (NVIDIA H200)',
    instead: { ranks: '2' },
  });
  assert.equal(exitOf(refusal), 'cannot-run-here');
  const lines = textOf(refusal.at('nightly.yaml:3:1: large')).split('\n');
  assert.match(lines[0] ?? '', /^nightly.yaml:3:1: large: 4 ranks need 4 GPUs/);
  assert.match(lines.at(-1) ?? '', /^Next: the same command with --ranks 2$/);
});

test('the message of the error is for logs and tests: code and values', () => {
  const refusal = refuse('gpu-named-twice', { gpus: [0, 0], gpu: 0 });
  assert.equal(refusal.message, 'gpu-named-twice {"gpus":[0,0],"gpu":0}');
  assert.deepEqual(refusalWording(refusal).next, { change: { gpus: '0' } });
});
