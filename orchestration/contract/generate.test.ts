import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outdatedFiles } from './generate.ts';

test('the generated C++ files are what the schemas and constants of TypeScript say', () => {
  assert.deepEqual(outdatedFiles(), [], 'run: node dist/orchestration/contract/generate.js');
});
