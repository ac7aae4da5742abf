import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from './harness.ts';

test('the emulation passes every test of the mlx5 interfaces', async () => {
  const ended = await run(['conformance', 'mlx5']);
  assert.equal(ended.code, 0, ended.stdout);
  assert.match(ended.stdout, /(\d+) tests of .*: \1 passed, 0 failed$/m);
});

test('a fault is a failed test with what was expected and seen, exit 2', async () => {
  const env = { SOFTMLX5_FAULT: 'bit-flip:every=1' };
  const ended = await run(['conformance', 'mlx5'], { env });
  assert.equal(ended.code, 2);
  assert.match(ended.stdout, /^✗ data .*\n {6}expected: \d+ bytes as sent\n {6}seen: 1 of/m);
});

test('a library that cannot be loaded: each row has the reason, exit 2', async () => {
  const ended = await run(['conformance', 'mlx5', '--library', '/nowhere/lib.so', '--json']);
  assert.equal(ended.code, 2);
  const rows = ended.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { seen: string });
  assert.ok(rows.every(({ seen }) => seen.includes('/nowhere/lib.so')));
});

test('an interface that is none: allowed ones, exit 1', async () => {
  const ended = await run(['conformance', 'tcp']);
  assert.equal(ended.code, 1);
  assert.match(ended.stderr, /conformance tcp: no such interface\n {2}allowed: mlx5/);
});
