import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { slowdown } from './slowdown.ts';

test('a process that waits as long as it computes takes twice as long; nothing is assumed where nothing is counted', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'collbench-slowdown-'));
  try {
    const file = path.join(folder, 'schedstat');
    const told = (text: string): number => {
      writeFileSync(file, text);
      return slowdown(file);
    };
    assert.equal(told('1000 1000 7\n'), 2);
    assert.equal(told('1000 0 7\n'), 1);
    assert.equal(told('1 1000000 7\n'), 8, 'at most');
    assert.equal(told('0 0 0\n'), 1);
    assert.equal(told('nothing\n'), 1);
    assert.equal(slowdown(path.join(folder, 'none')), 1);
    assert.ok(slowdown() >= 1);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
