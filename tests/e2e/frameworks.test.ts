// test: up to 5 min
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { measuredOf, type OkCell } from '../../results/schema/index.ts';
import { inFolder, processesOf, run, start } from './harness.ts';

/**
 * Training by real frameworks, where they are installed: COLLBENCH_TORCH_PYTHON and COLLBENCH_TENSORFLOW_PYTHON name a Python
 * that has them (python3 where they are not set). Without, the tests are skipped and say why; train.test.ts needs none.
 */
const frameworks = [
  {
    engine: 'torch',
    python: process.env.COLLBENCH_TORCH_PYTHON ?? 'python3',
    modules: ['torch', 'torchvision'],
  },
  {
    engine: 'tensorflow',
    python: process.env.COLLBENCH_TENSORFLOW_PYTHON ?? 'python3',
    modules: ['tensorflow'],
  },
] as const;

const look = `import importlib.util as i, sys; sys.exit(any(i.find_spec(m) is None for m in sys.argv[1:]))`;

for (const { engine, python, modules } of frameworks) {
  const has = spawnSync(python, ['-c', look, ...modules]).status === 0;
  const skip = has ? false : `${python} has no ${modules.join(' and ')}`;
  const words = (iters: number) => [
    ...['train', '--engine', engine, '--python', python, '--model', 'tiny'],
    ...[
      '--batch-size',
      '4',
      '--image',
      '32',
      '--launches',
      '1',
      '--iters',
      String(iters),
      '--timeout',
      '120',
    ],
  ];

  test(`${engine}: steps of two workers are verified, over the interface`, { skip }, async () => {
    await inFolder(async (cwd) => {
      const ended = await run([...words(3), '--json'], { cwd });
      assert.equal(ended.code, 0, ended.stderr);
      const cells = ended.stdout
        .trim()
        .split('\n')
        .map((line): OkCell => JSON.parse(line))
        .filter(({ workload }) => workload === 'train');
      assert.equal(cells.length, engine === 'torch' ? 2 : 1);
      for (const cell of cells) {
        assert.equal(cell.status, 'ok');
        assert.equal(cell.verification.wrongElements, 0);
        assert.notEqual(cell.evidence.verdict, 'contradicted', cell.evidence.reason);
        assert.ok((measuredOf(cell, 'pipelined')?.value ?? 0) > 0);
      }
    });
  });

  test(`${engine}: a worker that is killed ends the run, is named, and leaves no process`, {
    skip,
  }, async () => {
    await inFolder(async (cwd) => {
      const started = start([...words(100_000), '--observed', 'none'], { cwd });
      const workers = async () =>
        (await processesOf(started.marker)).filter(({ command }) => command.includes('/proc/self/fd/'));
      let isOver = false;
      void started.ended.then(() => {
        isOver = true;
      });
      let found = await workers();
      while (found.length < 2 && !isOver) found = await workers();
      assert.equal(found.length, 2);
      process.kill(found[0]?.pid ?? 0, 'SIGKILL');
      const ended = await started.ended;
      assert.equal(ended.code, 2, ended.stdout + ended.stderr);
      assert.match(ended.stdout + ended.stderr, /killed by signal 9/);
      assert.deepEqual(await processesOf(started.marker), []);
    });
  });

  test(`${engine}: workers that disagree on a shape are refused by name`, { skip }, async () => {
    await inFolder(async (cwd) => {
      // Python reads this before the worker: rank 1 gets one class fewer.
      const planted = `import json, sys
if len(sys.orig_argv) > 2 and '"rank":1' in sys.orig_argv[-1]:
    try:
        import torch
        class Narrow(torch.nn.Linear):
            def __init__(self, i, o, *a, **k): super().__init__(i, o - 1, *a, **k)
        torch.nn.Linear = Narrow
    except ModuleNotFoundError:
        import tensorflow as tf
        Dense = tf.keras.layers.Dense
        tf.keras.layers.Dense = lambda units, *a, **k: Dense(units - 1, *a, **k)
`;
      const folder = path.join(cwd, 'planted');
      await mkdir(folder);
      await writeFile(path.join(folder, 'sitecustomize.py'), planted);
      const ended = await run(words(3), { cwd, env: { PYTHONPATH: folder } });
      assert.equal(ended.code, 2, ended.stdout + ended.stderr);
      assert.match(ended.stdout + ended.stderr, /ranks disagree on the model|Shape mismatch/);
    });
  });
}
