// test: up to 60 s
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CellRecord, measuredOf, type OkCell } from '../../results/schema/index.ts';
import { run, withFolder } from './harness.ts';
import { fake, fakeNvshmem, withoutFakes } from './support/fakes.ts';

/** Options for few samples on the fake NVSHMEM. */
const usual = ['--engine', 'nvshmem', '--launches', '1', '--iters', '3', '--json'];

async function measured(
  words: string[],
  fault = '',
): Promise<{ cells: OkCell[]; code: number; stderr: string }> {
  let found: { cells: OkCell[]; code: number; stderr: string } | null = null;
  await withFolder(async (folder) => {
    const env = { ...fakeNvshmem(folder, 2), ...(fault === '' ? {} : { NVSHMEM_FAKE_FAULT: fault }) };
    const { code, stdout, stderr } = await run([...words, ...usual], { cwd: folder, env });
    const records = stdout.trim().split('\n').filter(Boolean);
    const cells = records
      .map((line) => JSON.parse(line) as CellRecord)
      .filter((cell): cell is OkCell => 'status' in cell && cell.status === 'ok');
    found = { cells, code: code ?? -1, stderr };
  });
  assert.ok(found !== null);
  return found;
}

function checkAll({ cells, code, stderr }: { cells: OkCell[]; code: number; stderr: string }, count: number) {
  assert.equal(code, 0, stderr);
  assert.equal(cells.length, count);
  for (const cell of cells) {
    assert.equal(cell.medium, 'emulated');
    assert.equal(cell.verification.wrongElements, 0);
    assert.match(measuredOf(cell, 'latency')?.method.sync ?? '', /hold/);
  }
}

test('puts by every mover: verified at the peer, with the point that was taken', {
  skip: withoutFakes,
}, async () => {
  const words = ['device-put', '--mover', 'nvshmem,vector,bulk,copy-engine', '--scope', 'block'];
  const found = await measured([...words, '--callers', '8', '--window', '4', '--sizes', '4K,64K']);
  checkAll(found, 8);
  for (const cell of found.cells) {
    assert.ok(cell.verification.checks > 0);
    assert.equal(cell.evidence.verdict, 'confirmed', cell.evidence.reason);
    const protocol = { bulk: /^8x32\/\d+K$/, 'copy-engine': /^$/ }[String(cell.axes.mover)] ?? /^8x\d+$/;
    assert.match(cell.choice.protocol ?? '', protocol);
  }
});

/** Atomic operations have only one size. */
const sizesOf = (operation: string) => (operation === 'device-fetch-add' ? [] : ['--sizes', '64']);

for (const operation of ['device-get', 'device-p', 'device-g', 'device-fetch-add', 'device-signal']) {
  test(`${operation} by threads, warps and blocks is verified`, { skip: withoutFakes }, async () => {
    const found = await measured([operation, '--callers', '4', ...sizesOf(operation)]);
    checkAll(found, 3);
    assert.ok(found.cells.every(({ verification }) => verification.checks > 0));
  });
}

test('operations that move nothing are wrong data: exit 3', { skip: withoutFakes }, async () => {
  for (const operation of ['device-put', 'device-fetch-add', 'device-signal']) {
    const { code, stderr } = await measured([operation, '--scope', 'warp', ...sizesOf(operation)], 'drop');
    assert.equal(code, 3, stderr);
    assert.match(stderr, new RegExp(`wrong data: ${operation} .* rank`));
  }
});

test('algorithms of its own, of NVSHMEM and of NCCL in one run', { skip: withoutFakes }, async () => {
  const words = ['allreduce', '--algo', 'auto,tree,nvshmem,nccl', '--nccl', fake('nccl'), '--sizes', '8,64K'];
  const found = await measured(words);
  checkAll(found, 8);
  assert.deepEqual([...new Set(found.cells.map(({ transport }) => transport))].sort(), [
    'p2p',
    'p2p@nccl',
    'p2p@nvshmem',
    'p2p@tree',
  ]);
});

test('messages with signals, fused and separate', { skip: withoutFakes }, async () => {
  for (const signal of ['fused', 'separate'])
    checkAll(await measured(['exchange', '--signal', signal, '--window', '2', '--sizes', '64,64K']), 2);
});
