import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { emulationOf, interfaces } from '../../orchestration/host-checks/conformance.ts';
import { run } from './harness.ts';

for (const which of interfaces) {
  test(`the emulation passes every test of ${which}`, async () => {
    const ended = await run(['conformance', which]);
    assert.equal(ended.code, 0, ended.stdout);
    assert.match(ended.stdout, /(\d+) tests of .*: \1 passed, 0 failed$/m);
  });

  test(`a library without the functions of ${which}: each row names what is missing, exit 2`, async () => {
    const other = emulationOf(which === 'mlx5' ? 'sisci' : 'mlx5');
    const library = other.endsWith('.so') ? other : path.join(other, 'libmlx5.so.1');
    const ended = await run(['conformance', which, '--library', library]);
    assert.equal(ended.code, 2);
    assert.match(ended.stdout, /expected: a symbol \w+/);
    assert.match(ended.stdout, /(\d+) tests of .*: 0 passed, \1 failed$/m);
  });
}

test('an adapter that is not there skips every test of sisci with the reason, exit 2', async () => {
  const ended = await run(['conformance', 'sisci', '--adapters', '77']);
  assert.equal(ended.code, 2);
  assert.match(ended.stdout, /skipped: adapter 77 has no node id: SCI_ERR_NO_SUCH_ADAPTERNO/);
  assert.match(ended.stdout, /(\d+) tests of .*: 0 passed, 0 failed, \1 skipped$/m);
});

test('adapters are a matter of sisci, and numbers: exit 1', async () => {
  const other = await run(['conformance', 'mlx5', '--adapters', '0,1']);
  assert.equal(other.code, 1);
  assert.match(other.stderr, /--adapters has no effect with conformance mlx5/);
  const odd = await run(['conformance', 'sisci', '--adapters', '0,1,2']);
  assert.equal(odd.code, 1);
  assert.match(odd.stderr, /--adapters 0,1,2: 0,1,2\n {2}allowed: 0, or 0,1/);
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
  assert.match(ended.stderr, /conformance tcp: no such interface\n {2}allowed: mlx5, sisci/);
});
