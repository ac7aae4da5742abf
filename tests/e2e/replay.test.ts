import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { type CellRecord, type OkCell, sideOf } from '../../results/schema/index.ts';
import { chakraFile } from '../../results/testing/chakra.ts';
import { root, run, withFolder } from './harness.ts';

const cellsOf = (stdout: string): OkCell[] =>
  stdout
    .trim()
    .split('\n')
    .map((line): CellRecord => JSON.parse(line))
    .filter((cell): cell is OkCell => cell.workload === 'replay' && cell.status === 'ok');

const call = (collective: string, bytes: number) => ({ do: 'call', collective, dtype: 'float32', bytes });
const job = {
  type: 'job',
  schemaVersion: 1,
  name: 'small',
  source: 'made for this test',
  ranks: 2,
  hasTimes: true,
  stepNs: null,
  items: [
    call('broadcast', 4096),
    { do: 'wait' },
    { do: 'compute', ns: 2_000_000 },
    call('allreduce', 262_144),
    { do: 'compute', ns: 1_000_000 },
    call('reducescatter', 4098),
    { do: 'wait' },
  ],
};
const once = ['--transport', 'socket,sisci', '--launches', '1', '--iters', '6', '--json'];

test('a stored run with a job is named by its id or as the last, as in every other command', () =>
  withFolder(async (folder) => {
    const stored = path.join(folder, 'collbench-runs', '2026-11-01T10-00-00Z-train-abc123');
    await mkdir(stored, { recursive: true });
    await writeFile(path.join(stored, 'run.json'), '{}');
    await writeFile(path.join(stored, 'job.json'), JSON.stringify(job));
    for (const word of ['abc123', 'last', stored]) {
      const ended = await run(['replay', word, '--plan-only'], { cwd: folder });
      assert.equal(ended.code, 0, ended.stderr);
      assert.match(ended.stdout, /replay small/, word);
    }
    const unknown = await run(['replay', 'abc999', '--plan-only'], { cwd: folder });
    assert.match(unknown.stderr, /'abc999' is no job of collbench/);
  }));

test('a job of a file runs over each transport: verified, its bytes on the wire, its steps adding up', async () => {
  await withFolder(async (folder) => {
    await writeFile(path.join(folder, 'job.json'), JSON.stringify(job));
    const ended = await run(['replay', 'job.json', '--compute', '100,0', '--ranks', '3', ...once], {
      cwd: folder,
    });
    assert.equal(ended.code, 0, ended.stderr);
    const cells = cellsOf(ended.stdout);
    assert.equal(cells.length, 4);
    for (const cell of cells) {
      assert.match(String(cell.axes.job), /^small@/);
      assert.ok(cell.verification.checks > 0);
      assert.equal(cell.verification.wrongElements, 0);
      assert.equal(cell.axes.bytes, 4096 + 262_144 + 4104);
      assert.notEqual(cell.evidence.verdict, 'contradicted');
      const part = (name: string) => sideOf(cell, name)?.value ?? Number.NaN;
      assert.equal(part('issued'), 3);
      assert.ok(part('computing') >= (cell.axes.computePercent === 100 ? 3_000_000 : 0));
      assert.ok(Math.abs(part('total') - part('computing') - part('exposed') - part('unattributed')) < 2);
      assert.ok(part('collectives') > 0);
    }
  });
});

test('groups of ranks: every call of a step on each of them, verified; too few ranks and other engines are refused', async () => {
  await withFolder(async (folder) => {
    const of = (size: number, stride: number) => ({ group: { size, stride } });
    const items = [
      { ...call('allreduce', 8192), ...of(2, 1) },
      { do: 'wait' },
      { ...call('reducescatter', 64_000), ...of(2, 2) },
      { ...call('allreduce', 4096), ...of(2, 1) },
      call('allreduce', 8),
    ];
    await writeFile(path.join(folder, 'job.json'), JSON.stringify({ ...job, ranks: 4, items }));
    const ended = await run(['replay', 'job.json', '--ranks', '4', ...once], { cwd: folder });
    assert.equal(ended.code, 0, ended.stderr);
    const cells = cellsOf(ended.stdout);
    assert.equal(cells.length, 2);
    for (const cell of cells) {
      assert.equal(sideOf(cell, 'issued')?.value, 4);
      assert.ok(cell.verification.checks > 0);
      assert.equal(cell.verification.wrongElements, 0);
      // For a call of S bytes a group of two ranks sends 2 S in an allreduce, S in a reduce-scatter. All four ranks send 6 S.
      assert.equal(cell.axes.sentBytes, 2 * (2 * 8192 + 64_000 + 2 * 4096) + 6 * 8);
      assert.notEqual(cell.evidence.verdict, 'contradicted', cell.evidence.reason);
    }
    const few = await run(['replay', 'job.json', '--ranks', '2'], { cwd: folder });
    assert.equal(few.code, 1);
    assert.match(few.stderr, /allowed: a multiple of 4 ranks/);
    const mpi = await run(['replay', 'job.json', '--ranks', '4', '--engine', 'mpi'], { cwd: folder });
    assert.equal(mpi.code, 1);
    assert.match(mpi.stderr, /groups of ranks: the mpi engine has none/);
  });
});

test('a flipped bit inside a step is wrong data: exit 3', async () => {
  await withFolder(async (folder) => {
    await writeFile(path.join(folder, 'job.json'), JSON.stringify(job));
    const words = [
      'replay',
      'job.json',
      '--transport',
      'sisci',
      '--medium',
      'emulated',
      '--fault',
      'bit-flip',
      '--no-path-proof',
    ];
    const ended = await run([...words, '--launches', '1', '--iters', '6', '--json'], { cwd: folder });
    assert.equal(ended.code, 3, ended.stderr);
  });
});

const recorded = path.join(root, 'results/import/fixtures');
const gathered = { type: 7, attributes: { comm_type: 2, comm_size: 2048, pg_name: '0' } };
const reduced = { type: 7, attributes: { comm_type: 0, comm_size: 4096, pg_name: '0' } };
const paramCall = { comms: 'all_reduce', in_msg_size: 300, out_msg_size: 300, dtype: 'float', world_size: 2 };
const traces: [name: string, content: string | Buffer | null, issued: number, bytes: number][] = [
  ['rank0.et', chakraFile([reduced, gathered, gathered]), 3, 8192],
  [
    'param.json',
    JSON.stringify([paramCall, { comms: 'wait', req: 0 }, { ...paramCall, comms: 'broadcast' }]),
    2,
    2400,
  ],
  [path.join(recorded, 'execution-torch-2.15-gloo.json'), null, 13, 3012],
];
for (const [name, content, issued, bytes] of traces)
  test(`import of ${path.basename(name)} is a run whose calls are replayed: as many, as large, none wrong`, async () => {
    await withFolder(async (folder) => {
      if (content !== null) await writeFile(path.join(folder, name), content);
      const imported = await run(['import', name, '--out', 'one'], { cwd: folder });
      assert.equal(imported.code, 0, imported.stderr);
      assert.match(imported.stdout, /a job to replay[\s\S]*Next: collbench replay one/);
      const ended = await run(['replay', 'one', ...once], { cwd: folder });
      assert.equal(ended.code, 0, ended.stderr);
      const cells = cellsOf(ended.stdout);
      assert.equal(cells.length, 2);
      for (const cell of cells) {
        assert.deepEqual([sideOf(cell, 'issued')?.value, cell.axes.bytes], [issued, bytes]);
        assert.equal(cell.verification.wrongElements, 0);
        assert.ok(cell.verification.checks > 0);
      }
    });
  });

test('what the engine cannot run is refused before anything starts', async () => {
  await withFolder(async (folder) => {
    const narrow = JSON.stringify(job).replaceAll('float32', 'float8e4m3');
    await writeFile(path.join(folder, 'narrow.json'), narrow);
    const ended = await run(['replay', 'narrow.json'], { cwd: folder });
    assert.equal(ended.code, 1);
    assert.match(ended.stderr, /float8e4m3.*the cpu engine has none/);
    const none = await run(['replay', 'no-such-job'], { cwd: folder });
    assert.equal(none.code, 1);
    assert.match(none.stderr, /--job no-such-job: 'no-such-job' is no job of collbench/);
  });
});
