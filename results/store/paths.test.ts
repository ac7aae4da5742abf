import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { nearPath } from './paths.ts';

test('a path that a user can type: short below the current folder, never empty', () => {
  const here = process.cwd();
  assert.equal(nearPath(path.join(here, 'runs', 'a')), path.join('runs', 'a'));
  assert.equal(nearPath(here), '.');
  assert.equal(nearPath(path.dirname(here)), path.dirname(here));
});
