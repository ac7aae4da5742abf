import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { type CellRecord, measuredOf, type OkCell, sideOf } from '../../results/schema/index.ts';
import { type HarnessOptions, processesOf, run, start, withFolder } from './harness.ts';
import { fake, fakeGpus, withoutFakes } from './support/fakes.ts';

const onFakes = (folder: string, more: Record<string, string> = {}): HarnessOptions => ({
  cwd: folder,
  env: { ...fakeGpus(4), ...more },
});
const usual = { engine: 'nccl', nccl: fake('nccl'), ranks: '2', launches: '1', iters: '3' };
/** Options for few samples on two ranks of the fake, followed by `words`, which override them. */
const quick = (...words: string[]): string[] => [
  ...Object.entries(usual).flatMap(([name, value]) =>
    words.includes(`--${name}`) ? [] : [`--${name}`, value],
  ),
  ...words,
];
const cellsOf = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as CellRecord)
    .filter((cell) => 'status' in cell) as OkCell[];

test('two transports, interleaved: every cell verified, proven and marked as emulated', {
  skip: withoutFakes,
}, async () => {
  await withFolder(async (folder) => {
    const words = ['allreduce', ...quick('--sizes', '8,64K', '--transport', 'p2p,socket', '--json')];
    const ended = await run(words, onFakes(folder));
    assert.equal(ended.code, 0, ended.stderr);
    const cells = cellsOf(ended.stdout).filter((cell) => cell.status === 'ok');
    assert.equal(cells.length, 4);
    for (const cell of cells) {
      assert.equal(cell.medium, 'emulated');
      assert.ok(cell.verification.checks > 0);
      assert.equal(cell.verification.wrongElements, 0);
      assert.equal(cell.evidence.verdict, 'confirmed', cell.evidence.reason);
      assert.match(cell.choice.algorithm, /ring|tree/i);
      assert.ok(cell.choice.protocol);
      assert.ok((sideOf(cell, 'enqueue')?.value ?? 0) > 0, 'the enqueue cost stands apart');
      assert.match(measuredOf(cell, 'latency')?.method.sync ?? '', /hold/);
    }
  });
});

test('operations queued as a CUDA graph: the ranks end at once, because the graphs are destroyed first', {
  skip: withoutFakes,
}, async () => {
  await withFolder(async (folder) => {
    const ended = await run(['allreduce', ...quick('--sizes', '4K', '--graph', '--json')], onFakes(folder));
    assert.equal(ended.code, 0, ended.stderr);
    assert.doesNotMatch(ended.stderr, /did not end/);
    const [cell] = cellsOf(ended.stdout).filter((one) => one.status === 'ok');
    assert.equal(cell?.verification.wrongElements, 0);
  });
});

test('a transport that the environment turns off is refused, with the variable', {
  skip: withoutFakes,
}, async () => {
  await withFolder(async (folder) => {
    const ended = await run(
      ['allreduce', ...quick('--sizes', '4K', '--transport', 'p2p')],
      onFakes(folder, { NCCL_P2P_DISABLE: '1' }),
    );
    assert.equal(ended.code, 2);
    assert.match(ended.stderr, /NCCL_P2P_DISABLE=1 in the environment turns p2p off/);
  });
});

const everyCollective = [
  'allreduce',
  'allgather',
  'reducescatter',
  'broadcast',
  'reduce',
  'alltoall',
  'gather',
  'scatter',
  'sendrecv',
  'hypercube',
  'alltoallv',
];
for (const collective of everyCollective) {
  test(`${collective} delivers the right data on 4 ranks`, { skip: withoutFakes }, async () => {
    await withFolder(async (folder) => {
      const words = [collective, ...quick('--ranks', '4', '--sizes', '4K', '--no-attest', '--json')];
      const ended = await run(words, onFakes(folder));
      assert.equal(ended.code, 0, ended.stderr);
      const [cell] = cellsOf(ended.stdout).filter((one) => one.status === 'ok');
      assert.ok(cell && cell.verification.checks > 0 && cell.verification.wrongElements === 0);
    });
  });
}

test('a result that is silently not delivered is wrong data: exit 3', { skip: withoutFakes }, async () => {
  await withFolder(async (folder) => {
    const ended = await run(
      ['allreduce', ...quick('--sizes', '64K', '--check', '1')],
      onFakes(folder, { NCCL_FAKE_FAULT: 'drop:1' }),
    );
    assert.equal(ended.code, 3, ended.stderr);
    assert.match(ended.stderr, /wrong data: allreduce .*rank 1/);
  });
});

test('an error that NCCL reports later ends the run with its words: exit 2', {
  skip: withoutFakes,
}, async () => {
  await withFolder(async (folder) => {
    const ended = await run(
      ['allreduce', ...quick('--sizes', '64K', '--no-attest')],
      onFakes(folder, { NCCL_FAKE_FAULT: 'async-error:5' }),
    );
    assert.equal(ended.code, 2, ended.stderr);
    assert.match(ended.stderr, /NCCL reports/);
  });
});

test('a rank that hangs is named, and nothing is left behind: exit 2', { skip: withoutFakes }, async () => {
  await withFolder(async (folder) => {
    const started = start(
      ['allreduce', ...quick('--sizes', '64K', '--no-attest', '--timeout', '4')],
      onFakes(folder, { NCCL_FAKE_FAULT: 'hang:1:5' }),
    );
    const ended = await started.ended;
    assert.equal(ended.code, 2, ended.stderr);
    assert.match(ended.stderr, /ranks? \d/);
    assert.deepEqual(await processesOf(started.marker), []);
  });
});

test('a rank that dies is named with its end: exit 2', { skip: withoutFakes }, async () => {
  await withFolder(async (folder) => {
    const ended = await run(
      ['allreduce', ...quick('--sizes', '64K', '--no-attest')],
      onFakes(folder, { NCCL_FAKE_FAULT: 'die:1:5' }),
    );
    assert.equal(ended.code, 2, ended.stderr);
    assert.match(ended.stderr, /rank 1/);
  });
});

test('wrong set-ups are named before a number is printed', { skip: withoutFakes }, async () => {
  const rows: { words: string[]; env?: Record<string, string>; says: RegExp }[] = [
    { words: ['--ranks', '8'], says: /8.*4 GPUs|4 GPUs.*8/is },
    { words: [], env: { CUDA_FAKE_DEVICES: '0' }, says: /no GPU|NO_DEVICE/i },
    { words: ['--nccl', '/nowhere/libnccl.so.2'], says: /\/nowhere/ },
    { words: ['--gpus', '0,0'], says: /GPU/ },
    { words: ['--gpus', '0,7'], says: /GPU 7|7/ },
    { words: ['--transport', 'plugin:/nowhere/net.so'], says: /\/nowhere\/net\.so/ },
    { words: ['--transport', 'ib', '--medium', 'hardware'], says: /InfiniBand/ },
  ];
  for (const { words, env, says } of rows) {
    await withFolder(async (folder) => {
      const ended = await run(['allreduce', ...quick('--sizes', '8', ...words)], onFakes(folder, env));
      assert.notEqual(ended.code, 0, words.join(' '));
      assert.match(ended.stderr, says, words.join(' '));
      assert.doesNotMatch(ended.stdout, /GB\/s\s+\d/);
    });
  }
});

test('ib without a device of InfiniBand: NCCL finds softmlx5 under the names that it opens, and rows are emulated', {
  skip: withoutFakes || existsSync('/sys/class/infiniband/mlx5_0'),
}, async () => {
  await withFolder(async (folder) => {
    const words = ['allreduce', ...quick('--sizes', '8,64K', '--transport', 'ib', '--json')];
    const ended = await run(words, onFakes(folder));
    assert.equal(ended.code, 0, ended.stderr);
    const cells = cellsOf(ended.stdout).filter((cell) => cell.status === 'ok');
    assert.equal(cells.length, 2);
    for (const cell of cells) {
      assert.equal(cell.medium, 'emulated');
      assert.equal(cell.evidence.verdict, 'confirmed', cell.evidence.reason);
      assert.match(cell.evidence.reason, /NET\/IB/);
    }
  });
});

test('NCCL that falls back to another network is stopped before anything is measured', {
  skip: withoutFakes,
}, async () => {
  await withFolder(async (folder) => {
    const ended = await run(
      ['allreduce', ...quick('--sizes', '8', '--transport', 'sisci')],
      onFakes(folder, { NCCL_FAKE_FAULT: 'fallback' }),
    );
    assert.equal(ended.code, 2, ended.stderr);
    assert.match(ended.stderr, /uses network Socket where SISCI was asked for/);
  });
});

test('on a machine without a GPU every transport of the engine says what is missing', async () => {
  const ended = await run(['transports'], { env: { COLLBENCH_CUDA_LIBRARY: '/nowhere/libcuda.so.1' } });
  assert.equal(ended.code, 0, ended.stderr);
  for (const name of ['p2p', 'shm', 'ib', 'ibgda'])
    assert.match(ended.stdout, new RegExp(`^\\s+${name}\\b`, 'm'));
  assert.match(ended.stdout, /libcuda/);
});
