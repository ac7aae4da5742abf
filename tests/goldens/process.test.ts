// test: core
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { CommandProcess } from './process.ts';
import { root } from './work.ts';

test('a process runs commands of this checkout one after another, and tells results from errors', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'goldens-process-'));
  const process = new CommandProcess(root, folder);
  try {
    const version = await process.run({ words: ['--version'], columns: 80 });
    assert.equal(version.code, 0);
    assert.match(version.stdout, /^\d+\.\d+\.\d+/);
    const refused = await process.run({ words: ['show', 'no-such-run'], columns: 80 });
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /no-such-run/);
  } finally {
    process.end();
    rmSync(folder, { recursive: true });
  }
});
