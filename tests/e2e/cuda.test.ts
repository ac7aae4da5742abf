// test: up to 60 s
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import {
  type CellRecord,
  type ExplanationRecord,
  measuredOf,
  type OkCell,
} from '../../results/schema/index.ts';
import { openRun } from '../../results/store/read.ts';
import { run, withFolder } from './harness.ts';
import { fakeGpus, withoutFakes } from './support/fakes.ts';

// Tests on GPUs that the fake driver emulates in host memory. Kernels run as their host versions; all other code is the same
// as for real GPUs.

const short = ['--engine', 'cuda', '--launches', '1', '--iters', '4', '--timeout', '20', '--json'];

async function measured(words: string[]): Promise<{ cells: OkCell[]; code: number | null; stderr: string }> {
  let cells: OkCell[] = [];
  let code: number | null = null;
  let stderr = '';
  await withFolder(async (folder) => {
    const ended = await run([...words, ...short], { cwd: folder, env: fakeGpus(2) });
    ({ code, stderr } = ended);
    cells = ended.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as CellRecord)
      .filter((cell): cell is OkCell => 'status' in cell && cell.status === 'ok');
  });
  return { cells, code, stderr };
}

test('collectives over queues that kernels write: verified, emulated, counted by the kernels', {
  skip: withoutFakes,
}, async () => {
  for (const collective of ['allreduce', 'allgather']) {
    const { cells, code, stderr } = await measured([collective, '--transport', 'ibgda', '--sizes', '8,1M']);
    assert.equal(code, 0, stderr);
    assert.equal(cells.length, 2);
    for (const cell of cells) {
      assert.equal(cell.medium, 'emulated');
      assert.equal(cell.verification.wrongElements, 0);
      assert.ok(cell.verification.checks > 0);
      assert.equal(cell.detail.doorbells, 'gpu-kernels');
      assert.equal(cell.detail.isFake, true);
      assert.notEqual(cell.evidence.verdict, 'contradicted', cell.evidence.reason);
      assert.ok((cell.traffic?.sentBytes ?? 0) >= (cell.traffic?.mustMoveBytes ?? Number.NaN));
    }
    if (collective === 'allreduce')
      assert.deepEqual(
        cells.map(({ choice }) => choice.algorithm),
        ['one-shot', 'two-shot'],
      );
  }
});

test('control paths with GPUs as initiators: doorbells, entries, launches and wake-ups as the mechanism has it', {
  skip: withoutFakes,
}, async () => {
  const words = ['controlpath', '--sizes', '64', '--puts', '32', '--per-doorbell', '8'];
  const { cells, code, stderr } = await measured(words);
  assert.equal(code, 0, stderr);
  const of = (cell: OkCell, name: string) => cell.figures.find((figure) => figure.name === name)?.value;
  const expected: Record<string, readonly number[]> = {
    host: [2, 2],
    stream: [2, 1],
    proxy: [1, 2],
    triggered: [1, 1],
    kernel: [1, 1],
  };
  assert.equal(cells.length, 5);
  for (const cell of cells) {
    assert.equal(cell.verification.wrongElements, 0);
    assert.deepEqual([of(cell, 'entries'), of(cell, 'doorbells')], [32, 4]);
    assert.deepEqual([of(cell, 'launches'), of(cell, 'wakeups')], expected[String(cell.axes.path)]);
  }
});

test('a stencil on GPUs: whoever starts the exchange, over queues and by stores, it is what one rank computes', {
  skip: withoutFakes,
}, async () => {
  const paths = { ibgda: ['host', 'kernel', 'proxy', 'stream', 'triggered'], p2p: ['host', 'kernel'] };
  for (const [transport, expected] of Object.entries(paths)) {
    const words = ['stencil', '--transport', transport, '--path', 'all', '--grid', '9,300'];
    const { cells, code, stderr } = await measured([...words, '--part', 'iteration,halo']);
    assert.equal(code, 0, stderr);
    assert.deepEqual([...new Set(cells.map(({ axes }) => String(axes.path)))].sort(), expected);
    assert.equal(cells.length, expected.length * 2 * 2);
    for (const cell of cells) {
      assert.equal(cell.medium, 'emulated');
      assert.equal(cell.verification.wrongElements, 0);
      assert.ok(cell.verification.checks >= 2, cell.id);
      assert.equal(measuredOf(cell, 'latency')?.method.sync, 'window', cell.id);
      assert.notEqual(cell.evidence.verdict, 'contradicted', cell.evidence.reason);
      assert.ok((cell.traffic?.sentBytes ?? 0) >= (cell.traffic?.mustMoveBytes ?? Number.NaN), cell.id);
    }
  }
});

test('collectives by stores into the memory of other processes are verified', {
  skip: withoutFakes,
}, async () => {
  const { cells, code, stderr } = await measured(['allreduce', '--transport', 'p2p', '--sizes', '8,64K']);
  assert.equal(code, 0, stderr);
  assert.equal(cells.length, 2);
  for (const cell of cells) {
    assert.equal(cell.verification.wrongElements, 0);
    assert.ok(cell.verification.checks > 0);
  }
});

test('a path that engine or transport does not have is refused with those that it has', async () => {
  await withFolder(async (folder) => {
    const refused = async (...words: string[]): Promise<string> => {
      const ended = await run(['stencil', '--engine', 'cuda', ...words], { cwd: folder, env: fakeGpus(2) });
      assert.equal(ended.code, 1, ended.stderr);
      return ended.stderr;
    };
    assert.match(
      await refused('--path', 'stream', '--transport', 'p2p'),
      /--path stream: not over p2p\n +allowed: kernel, host over p2p; stream with --transport ibgda/,
    );
    const planned = await run(['stencil', '--engine', 'cuda', '--path', 'all', '--plan-only', '--json'], {
      cwd: folder,
      env: fakeGpus(2),
    });
    assert.equal(planned.code, 0, planned.stderr);
    assert.deepEqual([...new Set(planned.stdout.match(/"path": ?"\w+"/g))].length, 2, planned.stdout);
    assert.match(
      await refused('--path', 'rank', '--transport', 'ibgda'),
      /--path rank: the cuda engine has none\n +allowed: kernel, host, stream, proxy, triggered/,
    );
  });
});

test('a queue that fails under a kernel: exit 2, the rank is named, nothing is left', {
  skip: withoutFakes,
}, async () => {
  for (const words of [
    ['allreduce', '--transport', 'ibgda', '--sizes', '8'],
    ['controlpath', '--path', 'kernel', '--sizes', '8'],
    ['stencil', '--transport', 'ibgda', '--path', 'kernel', '--grid', '16', '--part', 'halo'],
    ['stencil', '--transport', 'ibgda', '--path', 'proxy', '--grid', '16', '--part', 'halo'],
  ])
    await withFolder(async (folder) => {
      const ended = await run([...words, ...short, '--fault', 'qp-error:after=20'], {
        cwd: folder,
        env: fakeGpus(2),
      });
      assert.equal(ended.code, 2, ended.stderr);
      assert.match(ended.stderr, /ranks? \d/);
      assert.match(ended.stderr, /local queue pair operation error|transport retries exceeded/);
    });
});

test('without a GPU: refused before start with what is missing', async () => {
  await withFolder(async (folder) => {
    const ended = await run(['allreduce', '--engine', 'cuda', '--sizes', '8'], {
      cwd: folder,
      env: { COLLBENCH_CUDA_LIBRARY: '/nowhere/libcuda.so.1' },
    });
    assert.equal(ended.code, 2, ended.stderr);
    assert.match(ended.stderr, /There is no NVIDIA GPU with its driver/);
  });
});

test(
  'collectives of GPU kernels are explained: a suspected queueing cost comes from the recorded one',
  {
    skip: withoutFakes,
  },
  () =>
    withFolder(async (folder) => {
      const env = fakeGpus(2);
      const words = ['--engine', 'cuda', '--transport', 'p2p', '--sizes', '64K', '--launches', '1'];
      const measuredRun = await run(
        ['allreduce', ...words, '--iters', '4', '--blocks', '2', '--out', './a'],
        {
          cwd: folder,
          env,
        },
      );
      assert.equal(measuredRun.code, 0, measuredRun.stderr);
      const cell = (await openRun(path.join(folder, 'a'))).cells[0] ?? assert.fail('no cell');
      assert.ok(cell.status === 'ok');
      const { figures } = cell;
      const figureOf = (name: string) => figures.find((one) => one.name === name)?.value ?? Number.NaN;
      const isLaunchBound = figureOf('enqueue') > figureOf('latency');
      const explained = await run(['explain', './a', '--budget', '5s', '--json'], { cwd: folder, env });
      assert.ok([0, 5].includes(explained.code ?? -1), explained.stderr);
      const { series, ended } = JSON.parse(explained.stdout) as ExplanationRecord;
      const [{ suspicions, untried, sizes } = assert.fail('no series')] = series;
      assert.equal(
        suspicions.some(({ id }) => id === 'queueing'),
        isLaunchBound,
      );
      // The time may end before every change was measured twice.
      if (sizes.length === 0) return assert.equal(ended, 'budget');
      // Each cause of the engine's table has an answer: tried, ruled out, or not tried for a reason.
      const tried = sizes.flatMap(({ shares, excluded }) => [...shares, ...excluded].map(({ id }) => id));
      const answered = new Set([...tried, ...untried.map(({ id }) => id)]);
      for (const id of ['queueing', 'algorithm', 'grid', 'shared-gpu', 'placement'])
        assert.ok(answered.has(id), `${id} has no answer`);
    }),
);
