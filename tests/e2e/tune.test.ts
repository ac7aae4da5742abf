// test: up to 60 s
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { ndjson, run, start, withFolder } from './harness.ts';

// Tests the tuning table: `tune` writes it from runs, which are kept, and later runs use it.

const quick = ['--max', '8', '--launches', '1', '--iters', '2'];
const usualIn = (folder: string) => path.join(folder, 'config', 'collbench', 'tuning', `${hostname()}.json`);
const settingsIn = (folder: string) => ({ XDG_CONFIG_HOME: path.join(folder, 'config') });

/** A tuning table that selects another algorithm than the built-in choice, for allreduce of 8 B over socket. */
const table = {
  schemaVersion: 1,
  ...{ at: '2026-01-01T00:00:00.000Z', host: 'x', build: '0', runs: [] },
  rules: [
    {
      ...{ transport: 'socket', collective: 'allreduce', ranks: [2, 3], bytes: [8, 64] },
      ...{ algorithm: 'halving-doubling', instead: 'recursive-doubling', gain: [1.2, 1.3] },
    },
  ],
};

interface TuneTestRun {
  plan: { settings: Record<string, string> };
}
type Cell = { choice: { algorithm: string } };
async function measured(
  folder: string,
  name: string,
  words: string[],
): Promise<{ run: TuneTestRun; cell: Cell }> {
  const sizes = ['allreduce', '--sizes', '8', '--launches', '1', '--iters', '2', '--out', name];
  const ended = await run([...sizes, ...words], { cwd: folder, env: settingsIn(folder) });
  assert.equal(ended.code, 0, ended.stderr);
  const [cell] = await ndjson<Cell>(path.join(folder, name, 'cells.ndjson'));
  return {
    run: JSON.parse(await readFile(path.join(folder, name, 'run.json'), 'utf8')) as TuneTestRun,
    cell: cell as Cell,
  };
}

test("tune: a run per collective is kept and named, and the machine's own table is written", () =>
  withFolder(async (folder) => {
    const words = ['tune', 'allreduce', 'reduce', '--ranks', '2', '--json', ...quick];
    const ended = await run(words, { cwd: folder, env: settingsIn(folder) });
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(ended.stderr, /allreduce, 2 ranks: kept in \S+[\s\S]*reduce, 2 ranks: kept in \S+/);
    const said = JSON.parse(ended.stdout) as { file: string; runs: string[] };
    const written = JSON.parse(await readFile(usualIn(folder), 'utf8')) as { runs: string[] };
    assert.deepEqual(said.runs, written.runs);
    assert.equal(written.runs.filter((dir) => existsSync(path.join(dir, 'run.json'))).length, 2);
  }));

test('a table decides the algorithm, is recorded and explained, and a comparison names it', () =>
  withFolder(async (folder) => {
    await writeFile(path.join(folder, 'table.json'), JSON.stringify(table));
    const plain = await measured(folder, 'plain', []);
    assert.equal(plain.cell.choice.algorithm, 'recursive-doubling');
    const tuned = await measured(folder, 'tuned', ['--tuning', 'table.json']);
    assert.equal(tuned.cell.choice.algorithm, 'halving-doubling');
    assert.deepEqual(tuned.run.plan.settings, { tuning: 'socket/allreduce/2-3/8-64/halving-doubling' });
    const explained = await run(['allreduce', '--explain', '--tuning', 'table.json'], { cwd: folder });
    assert.match(explained.stdout, /socket allreduce, 2 to 3 ranks, 8 B to 64 B: halving-doubling/);
    assert.match(
      explained.stdout,
      /algorithm, 2 ranks: recursive-doubling up to 7 B, halving-doubling up to 64 B, recursive-doubling up to 64 KiB, .*ring above/,
    );
    const compared = await run(['compare', 'plain', 'tuned'], { cwd: folder });
    assert.match(compared.stdout, /setting tuning/);
  }));

test("the machine's own table is used without asking; off ignores it; a broken one is refused by name", () =>
  withFolder(async (folder) => {
    await mkdir(path.dirname(usualIn(folder)), { recursive: true });
    await writeFile(usualIn(folder), JSON.stringify(table));
    assert.equal((await measured(folder, 'own', [])).cell.choice.algorithm, 'halving-doubling');
    assert.deepEqual((await measured(folder, 'off', ['--tuning', 'off'])).run.plan.settings, {});
    await writeFile(usualIn(folder), '{');
    const ended = await run(['allreduce', '--plan-only'], { cwd: folder, env: settingsIn(folder) });
    assert.equal(ended.code, 2);
    assert.match(ended.stderr, /tuning table \S+\.json: it is no JSON[\s\S]*--tuning off/);
  }));

test('Ctrl-C: what was measured is kept and named, and no table is written', () =>
  withFolder(async (folder) => {
    const words = ['tune', 'allreduce', 'broadcast', 'reduce', '--ranks', '2', ...quick];
    const started = start(words, { cwd: folder, env: settingsIn(folder) });
    await started.sees(/allreduce, 2 ranks: kept in/);
    started.child.kill('SIGINT');
    const ended = await started.ended;
    assert.equal(ended.code, 130, ended.stderr);
    assert.match(ended.stderr, /no tuning table: \d of 3 runs were measured/);
    assert.equal(existsSync(usualIn(folder)), false);
  }));
