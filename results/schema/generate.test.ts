import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { generatedSchemas, outdatedSchemas } from './generate.ts';

/** Folder of the generated files in the source tree; the test runs in dist/. */
const folder = fileURLToPath(new URL('../../../results/schema/generated', import.meta.url));

test('the JSON Schema files are what the checks in code say', () => {
  assert.deepEqual(outdatedSchemas(folder), [], 'run: node dist/results/schema/generate.js');
});

test('every schema file names its draft and forbids unknown fields', () => {
  for (const { file, text } of generatedSchemas()) {
    const schema = JSON.parse(text) as Record<string, unknown>;
    assert.equal(schema.$schema, 'https://json-schema.org/draft/2020-12/schema', file);
    assert.match(text, /"additionalProperties": false/, file);
  }
});
