// test: nightly, up to 60 min
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CellRecord, collectiveNames, p2pOperations } from '../../results/schema/index.ts';
import { plannings } from '../../suites/workloads/index.ts';
import { run, withFolder } from './harness.ts';
import { commandProblem, suggestedCommands } from './support/next.ts';

/** Commands that any machine can measure without arguments; the others need a GPU, a framework, a job or a program. */
const anywhere: readonly string[] = [...collectiveNames, ...p2pOperations, 'stencil', 'kv', 'controlpath'];
const measuring = plannings.flatMap(({ commands }) => commands.map(({ name }) => name));

// Sizes, ranks and transport are the defaults; every result must have been verified at least once. A coarse precision makes
// the runs short. --budget would be a hard limit, at which a busy machine leaves sizes out.
for (const command of anywhere)
  test(`${command} with its own defaults ends well, with right data at every size`, () =>
    withFolder(async (folder) => {
      const ended = await run([command, '--launches', '1', '--precision', '50%', '--json'], { cwd: folder });
      assert.equal(ended.code, 0, ended.stderr);
      const cells = ended.stdout
        .trim()
        .split('\n')
        .map((line): CellRecord & { type: string } => JSON.parse(line))
        .filter(({ type }) => type === 'cell');
      assert.ok(cells.length > 0);
      for (const cell of cells) {
        assert.ok(cell.status === 'ok', cell.id);
        assert.equal(cell.verification.wrongElements, 0, cell.id);
        assert.ok(cell.verification.checks > 0, cell.id);
      }
    }));

for (const command of measuring.filter((name) => !anywhere.includes(name)))
  test(`${command} alone is measured, or refused with a reason and a next command that works`, () =>
    withFolder(async (folder) => {
      const ended = await run([command], { cwd: folder });
      const text = `${ended.stdout.slice(-3000)}\n${ended.stderr.slice(-3000)}`;
      assert.ok(ended.code === 0 || ended.code === 1 || ended.code === 2, text);
      assert.doesNotMatch(ended.stderr, /internal error/);
      for (const next of suggestedCommands(ended))
        assert.equal(await commandProblem(next, folder), null, text);
    }));
