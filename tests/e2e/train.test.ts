import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import {
  type CellRecord,
  derivedOf,
  type Job,
  measuredOf,
  type OkCell,
  type RunRecord,
} from '../../results/schema/index.ts';
import { root, run, withFolder } from './harness.ts';
import { fakeGpus, fake as fakeLibrary, withoutFakes } from './support/fakes.ts';

/** Path of a fake Python with PyTorch, so that no framework is needed. Its steps take 2 ms. */
const fake = path.join(root, 'tests/e2e/support/fake-python');
const words = [
  ...['train', '--model', 'tiny', '--batch-size', '4', '--image', '32', '--python', fake],
  ...['--launches', '2', '--iters', '4'],
];

/** The same arguments as `words`, but with one launch. */
const few = words.map((word, i) => (words[i - 1] === '--launches' ? '1' : word));

const cellsOf = (stdout: string): CellRecord[] =>
  stdout
    .trim()
    .split('\n')
    .map((line): CellRecord => JSON.parse(line))
    .filter(({ workload }) => workload === 'train');

test('train: steps of both points are verified and confirmed, with rates and parts', async () => {
  await withFolder(async (cwd) => {
    const ended = await run([...words, '--json'], { cwd });
    assert.equal(ended.code, 0, ended.stderr);
    const [plain, profiled] = cellsOf(ended.stdout) as [OkCell, OkCell];
    assert.deepEqual([plain.axes.observed, profiled.axes.observed], ['none', 'profiler']);
    for (const cell of [plain, profiled]) {
      assert.equal(cell.status, 'ok');
      assert.ok(cell.verification.checks > 0);
      assert.equal(cell.verification.wrongElements, 0);
      assert.equal(cell.evidence.verdict, 'confirmed', cell.evidence.reason);
      const step = measuredOf(cell, 'pipelined');
      assert.ok(step !== null && step.value >= 2_000_000, 'a step waits for 2 ms');
      const images = derivedOf(cell, 'images', 'pipelined')?.value ?? 0;
      assert.ok(Math.abs(images / ((8 / step.value) * 1e9) - 1) < 1e-9, '4 images on each of 2 ranks');
    }
    const part = (cell: OkCell, name: string) => cell.figures.find((one) => one.name === name)?.value;
    assert.equal(part(plain, 'collectives'), 3);
    assert.equal(part(plain, 'moving'), undefined);
    assert.deepEqual(
      ['collective', 'moving', 'waiting', 'exposed', 'profiled', 'unprofiled'].map((name) =>
        part(profiled, name),
      ),
      [900, 600, 300, 400, 2200, 2000],
    );
  });
});

test('train: table, report, compare, history and export', async () => {
  await withFolder(async (cwd) => {
    const collbench = async (...line: string[]) => {
      const ended = await run(line, { cwd });
      assert.equal(ended.code, 0, ended.stderr);
      return ended.stdout;
    };
    assert.match(await collbench(...words, '--out', 'one'), /tiny[\s\S]*verified: \d+ checks, 0 wrong/);
    await collbench(...words);
    assert.match(await collbench('compare', 'one', 'last'), /tiny/);
    assert.match(await collbench('history', 'train', 'torch'), /tiny/);
    assert.match(await collbench('export', 'last', '--csv'), /images_per_rank/);
    assert.match(await readFile(path.join(cwd, 'one', 'report.html'), 'utf8'), /exposed/);
  });
});

test('train: what a step asks of the network is kept, and replay takes it from the run', async () => {
  await withFolder(async (cwd) => {
    const ended = await run([...few, '--out', 'one'], { cwd });
    assert.equal(ended.code, 0, ended.stderr);
    const found: Job = JSON.parse(await readFile(path.join(cwd, 'one', 'job.json'), 'utf8'));
    assert.deepEqual(
      found.items.map((item) =>
        item.do === 'call' ? [item.collective, item.bytes] : item.do === 'wait' ? item.do : item.ns,
      ),
      [
        ...[['broadcast', 64], ['broadcast', 8], 'wait', 700_000, 200_000, ['allreduce', 36_000], 700_000],
        ...[['allreduce', 960], 100_000, 'wait', 100_000],
      ],
    );
    const replayed = await run(['replay', 'one', '--launches', '1', '--iters', '4'], { cwd });
    assert.equal(replayed.code, 0, replayed.stderr);
    assert.match(replayed.stdout, /tiny-b4-i32/);
  });
});

const gpus = { ...fakeGpus(2), FAKE_NCCL: fakeLibrary('nccl') };

test('train: on GPUs every transport of NCCL, proven by its log, with the hashes of libraries', {
  skip: withoutFakes,
}, async () => {
  await withFolder(async (cwd) => {
    const over = ['--backend', 'nccl', '--transport', 'p2p,shm,socket,sisci', '--observed', 'none'];
    const ended = await run([...few, ...over, '--json', '--out', 'one'], { cwd, env: gpus });
    assert.equal(ended.code, 0, ended.stderr);
    const cells = cellsOf(ended.stdout) as OkCell[];
    assert.deepEqual(
      cells.map(({ transport, evidence }) => [transport, evidence.verdict]).sort(),
      ['p2p', 'shm', 'sisci', 'socket'].map((name) => [name, 'confirmed']),
    );
    const record = JSON.parse(await readFile(path.join(cwd, 'one', 'run.json'), 'utf8')) as RunRecord;
    const { versions } = record;
    assert.equal(versions['nccl.path'], gpus.FAKE_NCCL);
    assert.match(versions['nccl.sha256'] ?? '', /^[0-9a-f]{64}$/);
    assert.match(versions['libnccl-net-sisci.so.sha256'] ?? '', /^[0-9a-f]{64}$/);
  });
});

test('train: a way that NCCL took instead contradicts the transport', { skip: withoutFakes }, async () => {
  await withFolder(async (cwd) => {
    const env = { ...gpus, FAKE_WORKER: JSON.stringify({ rank: 1, at: 'join', do: 'detour' }) };
    const ended = await run([...words, '--backend', 'nccl', '--transport', 'p2p'], { cwd, env });
    assert.equal(ended.code, 2, ended.stdout);
    assert.match(ended.stdout + ended.stderr, /connections over SHM\/direct, P2P or NVLS was asked for/);
  });
});

const refused: [words: string[], env: Record<string, string>, said: RegExp][] = [
  [['--transport', 'p2p'], {}, /no transport p2p in host memory[\s\S]*--backend nccl/],
  [['--gpus', '0,1'], {}, /GPUs are used with backend nccl alone/],
  [['--backend', 'nccl'], { ...gpus, FAKE_NCCL: '' }, /no libnccl\.so\.2 that PyTorch could load/],
  [['--backend', 'nccl', '--transport', 'p2p'], { ...gpus, ...fakeGpus(1) }, /1 GPU|two GPUs/],
  [['--backend', 'nccl', '--transport', 'plugin:/none.so'], gpus, /\/none\.so/],
];
for (const [more, env, said] of refused)
  test(`train: ${more.join(' ')} is refused before anything starts${env.FAKE_NCCL === '' ? ' without NCCL' : ''}`, {
    skip: withoutFakes,
  }, async () => {
    await withFolder(async (cwd) => {
      const ended = await run([...words, ...more], { cwd, env });
      assert.equal(ended.code, 2, ended.stdout + ended.stderr);
      assert.match(ended.stderr, said);
    });
  });

test('train: a single rank has no parts of a collective time, and says why', async () => {
  await withFolder(async (cwd) => {
    const ended = await run([...words, '--ranks', '1'], { cwd });
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(ended.stdout + ended.stderr, /a single rank exchanges nothing/);
    assert.doesNotMatch(ended.stdout, /waiting/);
  });
});

const faults: [at: string, does: string, code: number, said: RegExp][] = [
  ['step', 'die', 2, /rank 1 .*killed by signal 9/],
  ['join', 'die', 2, /rank 1 .*killed by signal 9/],
  ['job', 'raise', 2, /rank 1 .*ValueError while job: ranks disagree on the model/],
  ['step', 'memory', 2, /rank 1 .*OutOfMemoryError while step: CUDA out of memory/],
  ['step', 'silent', 2, /rank 1 .*answered 'Traceback' instead of step/],
  ['check', 'wrong', 3, /checksum of parameter conv\.weight/],
  ['check', 'nan', 3, /a finite loss/],
];
for (const [at, does, code, said] of faults)
  test(`train: worker 1 at ${at}: ${does}`, async () => {
    await withFolder(async (cwd) => {
      const env = { FAKE_WORKER: JSON.stringify({ rank: 1, at, do: does }) };
      const ended = await run(words, { cwd, env });
      assert.equal(ended.code, code, ended.stdout + ended.stderr);
      assert.match(ended.stdout + ended.stderr, said);
    });
  });

for (const at of ['job', 'step'])
  test(`train: worker 1 hangs at ${at}: the deadline ends it and no process is left`, async () => {
    await withFolder(async (cwd) => {
      const env = { FAKE_WORKER: JSON.stringify({ rank: 1, at, do: 'hang' }) };
      const ended = await run([...words, '--timeout', '3'], { cwd, env });
      assert.equal(ended.code, 2, ended.stdout + ended.stderr);
    });
  });

test('train: a missing module is named with what installs it, before anything starts', async () => {
  await withFolder(async (cwd) => {
    const ended = await run(words, { cwd, env: { FAKE_MISSING: 'torchvision' } });
    assert.equal(ended.code, 2);
    assert.match(ended.stderr, /has no module torchvision[\s\S]*pip install torch torchvision/);
  });
});
