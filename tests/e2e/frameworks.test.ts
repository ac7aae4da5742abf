// test: up to 5 min
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { measuredOf, type OkCell } from '../../results/schema/index.ts';
import { freePorts } from '../cluster/ports.ts';
import { processesOf, run, start, survivors, withFolder } from './harness.ts';

/**
 * Training by real frameworks, if they are installed. COLLBENCH_TORCH_PYTHON and COLLBENCH_TENSORFLOW_PYTHON name a Python
 * that has them; the default is python3. Without a framework its tests are skipped with the reason. train.test.ts needs none.
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
    await withFolder(async (cwd) => {
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
    await withFolder(async (cwd) => {
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
      assert.deepEqual(await survivors(started.marker), []);
    });
  });

  test(`${engine}: workers that disagree on a shape are refused by name`, { skip }, async () => {
    await withFolder(async (cwd) => {
      // Python runs this code before the worker: the dense layers of rank 1 get one output fewer.
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

/** A training program of a user, over Gloo. Rank 1 has the fault that the variable WHAT names. */
const own = `import os, signal, time
import torch, torch.distributed as dist
what = os.environ["WHAT"] if os.environ["RANK"] == "1" else ""
def sleeps():
    time.sleep(3600)
if what == "never joins": sleeps()
dist.init_process_group("gloo")
import collbench
for step in collbench.steps():
    elements, late = 1000, step.items == 2 and step.index % 4 == 3
    if late and what == "dies": os.kill(os.getpid(), signal.SIGKILL)
    if late and what == "runs out of memory": raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")
    if late and what == "disagrees on a shape": elements = 2000
    if late and what == "hangs": sleeps()
    dist.all_reduce(torch.ones(elements))
    if late and what == "calls another collective": dist.broadcast(torch.ones(1), 0)
`;

const endings: [what: string, kept: number, said: RegExp][] = [
  ['dies', 1, /rank 1 .*killed by signal 9[\s\S]*by the kernel because memory ran out/],
  [
    'runs out of memory',
    1,
    /rank 1 .*OutOfMemoryError: CUDA out of memory[\s\S]*use fewer items of a rank and step/,
  ],
  ['disagrees on a shape', 1, /op\.preamble\.length <= op\.nbytes[\s\S]*tensors of different shapes/],
  ['hangs', 1, /rank 1 on \S+ stopped answering[\s\S]*rank 1 stack: .*in sleeps/],
  [
    'calls another collective',
    1,
    /stopped answering|no rank on \S+ got on[\s\S]*rank 1 stack: .*in broadcast/,
  ],
  ['never joins', 0, /rank 1 on \S+ never joined[\s\S]*rank 1 stack: .*in sleeps/],
];
for (const [what, kept, said] of endings)
  test(`torch: a rank of a program ${what}: named, no process is left, what was measured before is kept`, {
    skip:
      spawnSync(frameworks[0].python, ['-c', look, 'torch']).status === 0
        ? false
        : `${frameworks[0].python} has no torch`,
  }, async () => {
    await withFolder(async (cwd) => {
      await writeFile(path.join(cwd, 'own.py'), own);
      const often = ['--items', '1,2', '--launches', '1', '--iters', '4', '--timeout', '10'];
      const limits = what === 'never joins' ? ['--join-timeout', '45'] : [];
      const words = ['train', ...often, ...limits, '--', frameworks[0].python, 'own.py'];
      const started = start(words, { cwd, env: { WHAT: what } });
      const ended = await started.ended;
      assert.equal(ended.code, 2, ended.stdout + ended.stderr);
      assert.match(ended.stderr, said);
      assert.match(
        ended.stderr,
        kept === 0
          ? /No configuration was finished in run/
          : new RegExp(`${kept} of 2 configurations (?:is|are) kept`),
      );
      assert.deepEqual(await survivors(started.marker), []);
    });
  });

/** A program to record: DDP, which sends all gradients in one bucket, and collectives of the world and of a second group. */
const recorded = `import torch, torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
dist.init_process_group("gloo")
model = DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.Linear(256, 10)))
optimizer = torch.optim.SGD(model.parameters(), 0.1)
group = dist.new_group([0, 1])
vector, parts = torch.ones(100), [torch.empty(100) for _ in range(2)]
for step in range(6):
    optimizer.zero_grad()
    model(torch.randn(4, 64)).sum().backward()
    optimizer.step()
    dist.all_gather(parts, vector)
    dist.reduce_scatter_tensor(torch.empty(50), vector, group=group)
dist.all_to_all_single(torch.empty(100), vector)
dist.barrier()
dist.destroy_process_group()
`;

const torch = frameworks[0];
const hooks = `import sys, torch._C._distributed_c10d as c; sys.exit(0 if hasattr(c.ProcessGroup, "register_pre_hook") else 1)`;
const hasHooks = spawnSync(torch.python, ['-c', hooks]).status === 0;

test('torch: record over Gloo counts each call and its bytes, DDP and groups too, without a change of the program', {
  skip: hasHooks ? false : `${torch.python} has no torch whose process groups have hooks`,
}, async () => {
  await withFolder(async (cwd) => {
    await writeFile(path.join(cwd, 'job.py'), recorded);
    await writeFile(
      path.join(cwd, 'sitecustomize.py'),
      'import os; open(f"own-{os.getpid()}", "w").close()\n',
    );
    const start = `RANK=1 "$0" job.py & RANK=0 "$0" job.py && wait $!`;
    const [port] = await freePorts(1, '127.0.0.1');
    const env = { WORLD_SIZE: '2', MASTER_ADDR: '127.0.0.1', MASTER_PORT: `${port}`, PYTHONPATH: cwd };
    const words = ['record', '--mpicc', 'none', '--out', 'run', '--', 'sh', '-c', start, torch.python];
    const ended = await run(words, { cwd, env });
    assert.equal(ended.code, 0, ended.stderr);
    const folder = path.join(cwd, 'run', 'record');
    const counts = new Map<string, number>();
    for (const file of await readdir(folder)) {
      const lines = (await readFile(path.join(folder, file), 'utf8')).trim().split('\n');
      const fields = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
      const [header] = fields;
      const at = header?.name === 'default_pg' ? 'all' : 'group';
      const calls = fields.filter(({ t }) => t === 'call');
      for (const { func, bytes } of calls.filter(({ func }) => func !== 'broadcast')) {
        const key = `${at} ${func} ${bytes}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
      // Gloo does not report the end of a reduce-scatter.
      const timed = calls.filter(({ func }) => func !== 'reduce_scatter_base');
      assert.equal(fields.filter(({ t }) => t === 'done').length, timed.length, file);
      assert.equal(fields.filter(({ t }) => t === 'end').length, 1);
    }
    // 64 x 256 + 256 + 256 x 10 + 10 gradients of 4 bytes each. DDP itself makes another allgather, of the number of parameters.
    assert.equal(counts.get('all allreduce 76840'), 12);
    assert.equal(counts.get('all allgather 400'), 12);
    assert.equal(counts.get('group reduce_scatter_base 200'), 12);
    assert.equal(counts.get('all alltoall_base 200'), 2);
    assert.equal(counts.get('all barrier 0'), 2);
    assert.match(ended.stderr, /Gloo of PyTorch .*2 ranks/);
    const job = JSON.parse(await readFile(path.join(cwd, 'run', 'job.json'), 'utf8'));
    const asked = (job.items as { do: string; collective?: string; bytes?: number }[])
      .filter((item) => item.do === 'call')
      .map(({ collective, bytes }) => `${collective} ${bytes}`);
    assert.deepEqual([...new Set(asked)].sort(), ['allgather 800', 'allreduce 76840', 'reducescatter 400']);
    const own = (await readdir(cwd)).filter((name) => name.startsWith('own-'));
    assert.equal(own.length, 2, 'the sitecustomize of the user is loaded as well');
  });
});
