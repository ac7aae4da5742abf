import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { type CellRecord, derivedOf, measuredOf, type OkCell } from '../../results/schema/index.ts';
import { run, start, survivors, withFolder } from './harness.ts';

/** A Python program whose steps sleep. `body` is inserted into the loop, `before` before the loop. */
const program = (body: string, before = '') => `import os, signal, sys, time
rank = int(os.environ["RANK"])
print("rank", rank, "of", os.environ["WORLD_SIZE"], "at", os.environ["MASTER_ADDR"], *sys.argv[1:])
${before}
import collbench
for step in collbench.steps():
    time.sleep(0.002 * step.items)
    ${body}
`;
const line = (...words: string[]) => [
  ...['train', '--launches', '1', '--iters', '4', ...words],
  ...['--', 'python3', 'my_train.py', '--lr', '0.1 $HOME'],
];

async function withProgram(text: string, work: (cwd: string) => Promise<void>): Promise<void> {
  await withFolder(async (cwd) => {
    await writeFile(path.join(cwd, 'my_train.py'), text);
    await work(cwd);
  });
}

test('train -- COMMAND: steps of a program are timed on every rank, what it prints goes to the log', async () => {
  await withProgram(program('pass'), async (cwd) => {
    const ended = await run([...line('--items', '1,3', '--out', 'one', '--json')], { cwd });
    assert.equal(ended.code, 0, ended.stderr);
    const cells = ended.stdout
      .trim()
      .split('\n')
      .map((text): CellRecord => JSON.parse(text))
      .filter((cell): cell is OkCell => 'status' in cell && cell.status === 'ok');
    assert.deepEqual(
      cells.map(({ axes }) => axes.items),
      [1, 3],
    );
    for (const cell of cells) {
      const items = Number(cell.axes.items);
      const step = measuredOf(cell, 'pipelined')?.value ?? 0;
      assert.ok(step >= items * 2_000_000, 'a step waits for 2 ms an item');
      const rate = derivedOf(cell, 'rate', 'pipelined')?.value ?? 0;
      assert.ok(Math.abs(rate / ((2 * items * 1e9) / step) - 1) < 1e-9, 'items of both ranks');
      assert.match(String(cell.axes.program), /^my_train\.py@[0-9a-f]{8}$/);
    }
    const record = JSON.parse(await readFile(path.join(cwd, 'one', 'run.json'), 'utf8'));
    assert.equal(record.logs.length, 2);
    for (const { file, rank } of record.logs) {
      const text = await readFile(path.join(cwd, 'one', file), 'utf8');
      assert.ok(text.includes(`rank ${rank} of 2 at 127.0.0.1 --lr 0.1 $HOME`), text);
    }
  });
});

const faults: [what: string, text: string, said: RegExp][] = [
  [
    'ends before its first step',
    program('pass', 'if rank == 1: sys.exit(3)'),
    /rank 1 .*ended with status 3/,
  ],
  [
    'raises in a step',
    program('assert rank == 0 or step.index < 3, "planted"'),
    /rank 1 .*ended with status 1/,
  ],
  [
    'is killed in a step',
    program('rank == 1 and step.index == 3 and os.kill(os.getpid(), signal.SIGKILL)'),
    /rank 1 .*killed by signal 9/,
  ],
];
for (const [what, text, said] of faults)
  test(`train -- COMMAND: a rank ${what}: the run ends and names it`, async () => {
    await withProgram(text, async (cwd) => {
      const ended = await run(line(), { cwd });
      assert.equal(ended.code, 2, ended.stdout + ended.stderr);
      assert.match(ended.stdout + ended.stderr, said);
    });
  });

test('train -- COMMAND: a rank that hangs in a step ends by the deadline; configurations before it are kept', async () => {
  const text = program('rank == 1 and step.items == 3 and time.sleep(3600)');
  await withProgram(text, async (cwd) => {
    const started = start(line('--items', '1,3', '--timeout', '3'), { cwd });
    const ended = await started.ended;
    assert.equal(ended.code, 2, ended.stdout + ended.stderr);
    assert.match(ended.stderr, /1 of 2 configurations is kept/);
    assert.match(ended.stderr, /rank 1 stack: .*my_train\.py:\d+ in <module>/);
    assert.deepEqual(await survivors(started.marker), []);
  });
});

/** A Python program whose ranks connect to a server of rank 0, as with torch.distributed. Only `rank` never connects. */
const meeting = (rank: number) => `import os, socket, time
rank, address = int(os.environ["RANK"]), (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))
def never_joins():
    time.sleep(3600)
if rank == ${rank}: never_joins()
if rank == 0:
    store = socket.create_server(address)
    peer = store.accept()
else:
    while True:
        try:
            peer = socket.create_connection(address)
            break
        except ConnectionRefusedError: time.sleep(0.05)
import collbench
for step in collbench.steps(): pass
`;

for (const rank of [0, 1])
  test(`train -- COMMAND: rank ${rank} never joins: it is named with where it is, and the run ends within --join-timeout`, async () => {
    await withProgram(meeting(rank), async (cwd) => {
      const started = start(line('--join-timeout', '5'), { cwd });
      const ended = await started.ended;
      assert.equal(ended.code, 2, ended.stdout + ended.stderr);
      assert.match(
        ended.stderr,
        new RegExp(`rank ${rank} on \\S+ never joined: its process \\d+ has no connection to the rendezvous`),
      );
      assert.match(ended.stderr, /my_train\.py:\d+ in never_joins/);
      assert.match(ended.stderr, /raise --join-timeout/);
      assert.deepEqual(await survivors(started.marker), []);
    });
  });

test('train -- COMMAND: what a program raises is quoted with a way out; a connection that a peer lost is no cause', async () => {
  const text = program(
    'if step.index == 3: raise MemoryError("CUDA out of memory. Tried to allocate 2.00 GiB") if rank == 1 else ConnectionError("Connection closed by peer")',
  );
  await withProgram(text, async (cwd) => {
    const ended = await run(line(), { cwd });
    assert.equal(ended.code, 2, ended.stdout + ended.stderr);
    assert.match(ended.stderr, /rank 1 .*ended with status 1: MemoryError: CUDA out of memory/);
    assert.match(ended.stderr, /use fewer items of a rank and step \(--batch-size, --items\)/);
  });
});

test('train -- COMMAND: a sitecustomize of the user is loaded as well', async () => {
  await withProgram(program('pass', 'import builtins; assert builtins.own == 7'), async (cwd) => {
    await writeFile(path.join(cwd, 'sitecustomize.py'), 'import builtins\nbuiltins.own = 7\n');
    const ended = await run(line(), { cwd, env: { PYTHONPATH: cwd } });
    assert.equal(ended.code, 0, ended.stderr);
  });
});

const refused: [words: string[], said: RegExp][] = [
  [['train', '--'], /no list of words/],
  [['train', '--', '/nonexistent/python', 'x.py'], /\/nonexistent\/python/],
  [['train', '--transport', 'p2p', '--', 'python3', 'x.py'], /--backend nccl/],
  [['script'], /-- COMMAND/],
];
for (const [words, said] of refused)
  test(`${words.join(' ')} is refused before anything starts`, async () => {
    await withFolder(async (cwd) => {
      const ended = await run(words, { cwd });
      assert.ok(ended.code === 1 || ended.code === 2, `${ended.code}`);
      assert.match(ended.stderr, said);
    });
  });
