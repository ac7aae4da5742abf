import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { type CellRecord, derivedOf, measuredOf } from '../../results/schema/index.ts';
import { run, withFolder } from './harness.ts';

const cellsOf = (stdout: string): CellRecord[] =>
  stdout
    .trim()
    .split('\n')
    .slice(0, -1)
    .map((line): CellRecord => JSON.parse(line));

for (const [command, words] of [
  ['pingpong', []],
  ['put', ['--window', '1,16', '--direction', 'uni,bi']],
  ['get', ['--window', '4']],
  ['exchange', ['--window', '4']],
  ['incast', ['--window', '2', '--ranks', '3']],
] as const) {
  test(`${command} over socket and sisci: verified, confirmed, with rates`, async () => {
    await withFolder(async (folder) => {
      const asked = ['--sizes', '1,8,64K', '--transport', 'socket,sisci', '--launches', '1', '--iters', '5'];
      const ended = await run([command, ...words, ...asked, '--json'], { cwd: folder });
      assert.equal(ended.code, 0, ended.stderr);
      const cells = cellsOf(ended.stdout).filter(({ workload }) => workload === 'p2p');
      assert.ok(cells.length >= 6);
      for (const cell of cells) {
        assert.ok(cell.status === 'ok', cell.id);
        assert.equal(cell.axes.operation, command);
        assert.ok(cell.verification.checks > 0);
        assert.equal(cell.verification.wrongElements, 0);
        assert.notEqual(cell.evidence.verdict, 'contradicted', cell.evidence.reason);
        const time = measuredOf(cell, 'pipelined');
        assert.ok(time !== null && time.value > 0);
        assert.ok((derivedOf(cell, 'bandwidth', 'pipelined')?.value ?? 0) > 0);
        assert.ok((derivedOf(cell, 'rate', 'pipelined')?.value ?? 0) > 0);
      }
    });
  });
}

test('alltoallv by matrices: verified over every transport, bytes and busiest port as the matrices say', async () => {
  await withFolder(async (folder) => {
    await writeFile(path.join(folder, 'm.txt'), '0 64K 1K\n4K 0 0\n0 0 8\n');
    const ended = await run(
      [
        ...['alltoallv', '--ranks', '3', '--sizes', '3000,60000', '--transport', 'shm,sisci,ibgda,socket'],
        ...['--matrix', 'uniform,zipf:1.2,hot:1,diagonal,m.txt', '--seed', '7'],
        ...['--launches', '1', '--iters', '3', '--json'],
      ],
      { cwd: folder },
    );
    assert.equal(ended.code, 0, ended.stderr);
    const cells = cellsOf(ended.stdout).filter(({ status }) => status === 'ok');
    assert.equal(cells.length, (4 * 2 + 1) * 4);
    const expected: Record<string, number> = { uniform: 1, 'hot:1:7': 3, diagonal: 1 };
    for (const cell of cells) {
      assert.ok(cell.status === 'ok');
      assert.equal(cell.verification.wrongElements, 0);
      assert.ok(cell.verification.checks > 0);
      const imbalance = derivedOf(cell, 'imbalance', 'latency')?.value ?? 0;
      const due = expected[String(cell.axes.matrix)];
      if (due !== undefined) assert.equal(imbalance, due, cell.id);
      // The interface lo also carries traffic of other processes.
      if (cell.transport !== 'socket')
        assert.match(cell.evidence.reason, /the transport moved (\S+ k?M?B), expected \1/);
    }
    const file = cells.find(({ axes }) => String(axes.matrix).startsWith('m.txt@'));
    assert.deepEqual(
      [file?.axes.busiestBytes, file?.axes.sentBytes, file?.axes.receivers],
      [66_560, 70_656, 3],
    );
  });
});

for (const ranks of [2, 3, 4])
  test(`alltoallv over ${ranks} ranks moves what its uneven parts add up to, over every transport`, async () => {
    await withFolder(async (folder) => {
      const asked = ['--ranks', String(ranks), '--sizes', '1K,64K', '--transport', 'shm,sisci,socket'];
      const ended = await run(['alltoallv', ...asked, '--launches', '1', '--iters', '3', '--json'], {
        cwd: folder,
      });
      assert.equal(ended.code, 0, ended.stderr);
      const cells = cellsOf(ended.stdout).filter(({ status }) => status === 'ok');
      assert.equal(cells.length, 2 * 3);
      for (const cell of cells) {
        assert.ok(cell.status === 'ok');
        assert.equal(cell.verification.wrongElements, 0);
        assert.equal(derivedOf(cell, 'busbw', 'pipelined')?.factor, 1 - 1 / (2 * ranks));
        // The interface lo also carries traffic of other processes.
        if (cell.transport !== 'socket')
          assert.match(cell.evidence.reason, /the transport moved (\S+ k?M?B), expected \1/);
      }
    });
  });

test('a workload and an engine of their own folders: table, report, compare, history and export', async () => {
  await withFolder(async (folder) => {
    const collbench = async (...words: string[]) => {
      const ended = await run(words, { cwd: folder });
      assert.equal(ended.code, 0, ended.stderr);
      return ended.stdout;
    };
    const words = ['null', '--engine', 'toy', '--waits', '2000,20000', '--launches', '2', '--iters', '10'];
    assert.match(
      await collbench(...words),
      /wait[\s\S]*2 µs[\s\S]*20 µs[\s\S]*verified: \d+ checks, 0 wrong/,
    );
    await collbench(...words, '--out', 'one');
    await collbench(...words);
    assert.match(await collbench('compare', 'one', 'last'), /null, toy over none, 2 ranks/);
    assert.match(await collbench('history', 'null', 'toy'), /null, toy over none/);
    assert.match(await collbench('export', 'last', '--csv'), /wait_ns/);
    assert.match(await collbench('export', 'last', '--markdown'), /20 µs/);
    const report = await readFile(path.join(folder, 'one', 'report.html'), 'utf8');
    assert.match(report, /null, toy|null over none|Null/);
  });
});

test('a number of ranks that pairs cannot have is refused before anything starts', async () => {
  await withFolder(async (folder) => {
    const { code, stderr } = await run(['pingpong', '--ranks', '3'], { cwd: folder });
    assert.equal(code, 1);
    assert.match(stderr, /pingpong needs an even number of ranks, not 3\n.*--ranks 2/);
  });
});
