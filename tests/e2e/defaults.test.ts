// test: nightly, up to 40 min
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CellRecord, collectiveNames, p2pOperations } from '../../results/schema/index.ts';
import { inFolder, run } from './harness.ts';

// Sizes, ranks and transport are those of somebody who types the command alone; every result is checked once at least.
for (const command of [...collectiveNames, ...p2pOperations, 'stencil', 'controlpath'])
  test(`${command} with its own defaults ends well, with right data at every size`, async () => {
    await inFolder(async (folder) => {
      const ended = await run([command, '--json'], { cwd: folder });
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
    });
  });
