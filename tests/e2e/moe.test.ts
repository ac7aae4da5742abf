// test: up to 90 s
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { type CellRecord, derivedOf, measuredOf, type OkCell, sideOf } from '../../results/schema/index.ts';
import { run, withFolder } from './harness.ts';
import { fake, fakeNvshmem, withoutFakes } from './support/fakes.ts';
import { withoutMpi } from './support/mpi.ts';

const cellsOf = (stdout: string): OkCell[] =>
  stdout
    .trim()
    .split('\n')
    .slice(0, -1)
    .map((line): CellRecord => JSON.parse(line))
    .filter((cell): cell is OkCell => cell.status === 'ok');

const shape = ['--tokens', '24', '--experts', '12', '--topk', '3', '--hidden', '256'];
const brief = ['--launches', '1', '--iters', '5', '--json'];

test('dispatch, combine and both: verified over every transport, bytes as the routing says, steps told apart', async () => {
  await withFolder(async (folder) => {
    await writeFile(path.join(folder, 'layer.txt'), '24 24 0 24 0 0\n0 24 24 0 24 0\n24 0 0 24 0 24\n');
    const ended = await run(
      [
        ...['moe', '--ranks', '3', ...shape, '--phase', 'all', '--routing', 'uniform,zipf:1.2,layer.txt'],
        ...['--dtype', 'all', '--transport', 'shm,socket,sisci,ibgda', '--seed', '7', ...brief],
      ],
      { cwd: folder },
    );
    assert.equal(ended.code, 0, ended.stderr);
    const cells = cellsOf(ended.stdout);
    // A combine has one data type.
    assert.equal(cells.length, (2 * 2 + 1) * 3 * 4);
    for (const cell of cells) {
      assert.equal(cell.verification.wrongElements, 0);
      assert.ok(cell.verification.checks >= 3);
      assert.ok((derivedOf(cell, 'tokens', 'latency')?.value ?? 0) > 0);
      const imbalance = derivedOf(cell, 'imbalance', 'latency')?.value ?? 0;
      if (cell.axes.routing === 'uniform') assert.equal(imbalance, 1, cell.id);
      else assert.ok(imbalance > 1, cell.id);
      // The interface lo also carries traffic of other processes.
      if (cell.transport !== 'socket')
        assert.match(cell.evidence.reason, /the transport moved (\S+ k?M?B), expected \1/);
    }
  });
});

const others = [
  { engine: 'nccl', more: ['--nccl', fake('nccl')], skip: withoutFakes, onGpus: true },
  { engine: 'nvshmem', more: [], skip: withoutFakes, onGpus: true },
  { engine: 'mpi', more: ['--transport', 'shm'], skip: withoutMpi, onGpus: false },
];
for (const { engine, more, skip, onGpus } of others)
  test(`engine ${engine}: dispatch, combine and both are verified, uneven routings too`, {
    skip,
  }, async () => {
    await withFolder(async (folder) => {
      await writeFile(path.join(folder, 'layer.txt'), '24 24 0 24 0 0\n0 0 0 24 24 24\n24 0 0 24 0 24\n');
      const words = [
        ...['moe', '--engine', engine, ...more, '--ranks', '3', ...shape, '--phase', 'all', '--dtype', 'all'],
        ...['--routing', 'uniform,hot:3,layer.txt'],
      ];
      const ended = await run([...words, ...brief], { cwd: folder, env: fakeNvshmem(folder, 3) });
      assert.equal(ended.code, 0, ended.stderr);
      const cells = cellsOf(ended.stdout);
      assert.equal(cells.length, (2 * 2 + 1) * 3);
      for (const cell of cells) {
        assert.equal(cell.verification.wrongElements, 0, cell.id);
        assert.ok(cell.verification.checks >= 3, cell.id);
        assert.equal(measuredOf(cell, 'latency')?.method.clock !== 'CLOCK_MONOTONIC', onGpus, cell.id);
        // Steps are timed by the host alone.
        assert.equal(sideOf(cell, 'total') === null, onGpus, cell.id);
      }
    });
  });

for (const [phase, found] of [
  ['dispatch', /number of tokens of rank \d for expert \d+/],
  ['combine', /combined token \d+ of rank \d/],
] as const)
  test(`GPUs: what NCCL does not deliver in a ${phase} is wrong data: exit 3`, {
    skip: withoutFakes,
  }, async () => {
    await withFolder(async (folder) => {
      const env = { ...fakeNvshmem(folder, 2), NCCL_FAKE_FAULT: 'drop:1' };
      const words = [
        'moe',
        '--engine',
        'nccl',
        '--nccl',
        fake('nccl'),
        '--ranks',
        '2',
        ...shape,
        '--phase',
        phase,
      ];
      const ended = await run([...words, ...brief], { cwd: folder, env });
      assert.equal(ended.code, 3, ended.stderr);
      assert.match(ended.stderr, found);
    });
  });

test('a wrong bit in a token is wrong data: exit 3, with the token, its rank and its expert', async () => {
  await withFolder(async (folder) => {
    // Messages are large enough for DMA, which the fault affects.
    const faulty = ['--transport', 'sisci', '--fault', 'bit-flip', '--no-path-proof'];
    const words = ['moe', '--ranks', '2', '--tokens', '256', '--hidden', '2048', '--phase', 'dispatch'];
    const ended = await run([...words, ...faulty, ...brief], { cwd: folder });
    assert.equal(ended.code, 3, ended.stderr);
    const wrong = cellsOf(ended.stdout).filter(({ verification }) => verification.wrongElements > 0);
    assert.ok(wrong.length > 0);
    assert.match(JSON.stringify(wrong), /token \d+ of rank \d for expert \d+/);
  });
});

test('a token in the place of another is wrong data: exit 3, with both tokens, their rank and the expert', async () => {
  await withFolder(async (folder) => {
    // The rows of each message arrive with the halves of its parts exchanged: every byte is there.
    const faulty = ['--transport', 'sisci', '--fault', 'swapped-halves', '--no-path-proof'];
    const words = ['moe', '--ranks', '2', '--tokens', '256', '--hidden', '2048', '--phase', 'dispatch'];
    const ended = await run([...words, ...faulty, ...brief], { cwd: folder });
    assert.equal(ended.code, 3, ended.stderr);
    assert.match(ended.stderr, /token \d+ of rank \d for expert \d+; the row has token \d+/);
  });
});

test('a wrong count is wrong data: exit 3, with the rank that sent it and the expert', async () => {
  await withFolder(async (folder) => {
    // The fault spares messages of up to 32 bytes; the counts of 16 experts are 64.
    const faulty = ['--transport', 'ibgda', '--fault', 'bit-flip'];
    const words = ['moe', '--ranks', '2', '--experts', '32', '--tokens', '16', '--hidden', '8'];
    const ended = await run([...words, '--phase', 'dispatch', ...faulty, ...brief], { cwd: folder });
    assert.equal(ended.code, 3, ended.stderr);
    assert.match(ended.stderr, /wrong data: moe [\s\S]*number of tokens of rank \d for expert \d+/);
  });
});

test('a wrong bit in an alltoallv by a matrix is wrong data: exit 3, with the rank', async () => {
  await withFolder(async (folder) => {
    const faulty = ['--transport', 'sisci', '--fault', 'bit-flip', '--no-path-proof'];
    const words = ['alltoallv', '--matrix', 'hot:1', '--ranks', '2', '--sizes', '4M'];
    const ended = await run([...words, ...faulty, ...brief], { cwd: folder });
    assert.equal(ended.code, 3, ended.stderr);
    assert.match(ended.stderr, /wrong data: alltoallv 4 MiB over sisci, rank \d+/);
  });
});

test('a routing that cannot be is refused before anything starts, with a command that works', async () => {
  await withFolder(async (folder) => {
    for (const [words, why] of [
      [['--experts', '31', '--ranks', '2'], /31 experts do not divide by 2 ranks[\s\S]*--experts 32/],
      [['--routing', 'hot:2', '--topk', '4'], /hot:2: each token goes to 4 different experts/],
      [['--dtype', 'float32'], /--dtype float32: moe has none[\s\S]*bfloat16/],
      [['--routing', 'none.txt'], /no file/],
    ] as const) {
      const ended = await run(['moe', ...words], { cwd: folder });
      assert.equal(ended.code, 1, ended.stderr);
      assert.match(ended.stderr, why);
    }
  });
});

test('a skewed matrix stands beside the uniform one: measured ratio, and the load that the matrix predicts', async () => {
  await withFolder(async (folder) => {
    const words = ['alltoallv', '--matrix', 'uniform,hot:1', '--ranks', '4', '--sizes', '256K'];
    const few = ['--transport', 'shm', '--launches', '1', '--iters', '5', '--verbose'];
    const ended = await run([...words, ...few], { cwd: folder });
    assert.equal(ended.code, 0, ended.stderr);
    // One rank receives from three others all that they have: four times what it gets from each of them in the uniform matrix.
    assert.match(ended.stdout, /Against even load[\s\S]*hot:1 .* 256 KiB .*4\.0x/);
  });
});

test('terminal and page of a suite compare a skewed routing with the uniform one', async () => {
  await withFolder(async (folder) => {
    const entry =
      '{collective: moe, phase: dispatch, routing: [uniform, "hot:4"], tokens: 16, experts: 8, hidden: 64}';
    await writeFile(
      path.join(folder, 'mine.yaml'),
      `options: {launches: 1, iters: 5, ranks: 2, transport: shm}\nentries: {skewed: ${entry}}\n`,
    );
    const ended = await run(['suite', './mine.yaml'], { cwd: folder });
    assert.equal(ended.code, 0, ended.stdout + ended.stderr);
    assert.match(
      ended.stdout,
      /What it shows[\s\S]*against\s+uniform:\s+hot:4 [\s\S]*More: collbench alltoall --sizes /,
    );
    const page = /report: (\S+report\.html)/.exec(ended.stdout)?.[1] ?? '';
    assert.match(
      await readFile(path.join(folder, page), 'utf8'),
      /Against even load[\s\S]*hot:4[\s\S]*Charts/,
    );
  });
});
