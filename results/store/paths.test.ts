// test: own process
import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { defaultRoot, nameToType } from './paths.ts';

test('a run is named by its id only where commands look for ids; elsewhere by its folder', () => {
  const before = process.cwd();
  const here = realpathSync(mkdtempSync(path.join(tmpdir(), 'collbench-names-')));
  try {
    process.chdir(here);
    assert.equal(nameToType('7f3a2c', path.join(here, defaultRoot, '2026-11-28-allreduce-7f3a2c')), '7f3a2c');
    assert.equal(nameToType('7f3a2c', path.join(defaultRoot, 'monday')), '7f3a2c');
    assert.equal(nameToType('7f3a2c', path.join(here, 'monday')), 'monday');
    assert.equal(nameToType('7f3a2c', path.join(here, 'runs', 'monday')), path.join('runs', 'monday'));
    assert.equal(nameToType('7f3a2c', '/elsewhere/monday'), '/elsewhere/monday');
  } finally {
    process.chdir(before);
    rmSync(here, { recursive: true });
  }
});
