import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { cellsToParquet } from '../../results/export/parquet.ts';
import { openRun } from '../../results/store/read.ts';
import { writeNight } from '../../results/testing/nights.ts';
import { testPlan } from '../../results/testing/plan.ts';
import { blocksOf } from './blocks.ts';

/** Python to use. COLLBENCH_TEST_PYTHON names another one, which has the packages. */
const python = process.env.COLLBENCH_TEST_PYTHON ?? 'python3';
const has = (module: string) => spawnSync(python, ['-c', `import ${module}`]).status === 0;
const why = (module: string) => (has(module) ? false : `${python} has no ${module}`);

async function folderOf(t: TestContext): Promise<string> {
  const cwd = await mkdtemp(path.join(tmpdir(), 'collbench-reading-'));
  t.after(() => rm(cwd, { recursive: true, force: true }));
  await mkdir(path.join(cwd, 'parquet'));
  for (let night = 0; night < 3; night += 1) {
    const transports = testPlan().transports.slice(0, 1 + (night % 2));
    const dir = await writeNight(path.join(cwd, 'collbench-runs'), { night, transports });
    const { record, cells } = await openRun(dir);
    await writeFile(path.join(cwd, 'parquet', `${record.id}.parquet`), cellsToParquet(record, cells));
  }
  return cwd;
}

function runPython(cwd: string, text: string): string {
  const { status, stdout, stderr } = spawnSync(python, ['-c', text], { cwd, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return stdout;
}

test('pandas reads runs as the page says', { skip: why('pandas') }, async (t) => {
  const text = (await blocksOf('guide/scripts.md')).find(({ language }) => language === 'python')?.text ?? '';
  const table = runPython(await folderOf(t), `${text}\nprint(len(latency), latency["run"].nunique())`);
  // Three sizes over one, two and one transports are 12 rows of 3 runs.
  assert.match(table, /\n12 3\n$/);
});

test('DuckDB reads runs and Parquet files as the page says', { skip: why('duckdb') }, async (t) => {
  const [fromRuns, fromParquet] = (await blocksOf('guide/scripts.md')).filter(
    ({ language }) => language === 'sql',
  );
  const cwd = await folderOf(t);
  const ask = (sql = '') =>
    JSON.parse(
      runPython(
        cwd,
        `import duckdb, json\nprint(json.dumps([[str(x) for x in row] for row in duckdb.sql(${JSON.stringify(sql.replace(/;\s*$/, ''))}).fetchall()]))`,
      ),
    ) as string[][];
  const rows = ask(fromRuns?.text);
  assert.equal(rows.length, 12);
  assert.match(rows[0]?.join(' ') ?? '', /^2026-03-01 03:00:00 socket emulated 8 10\./);
  assert.deepEqual(
    ask(fromParquet?.text).map((row) => [row[0], row[1], row[4]]),
    [
      ['2026-03-01', 'socket', '2'],
      ['2026-03-02', 'sisci', '2'],
      ['2026-03-02', 'socket', '2'],
      ['2026-03-03', 'socket', '2'],
    ],
  );
});
