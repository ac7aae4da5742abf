// test: own process
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { kvPlanning } from '../workloads/kv.ts';
import { readCountsFile } from './file.ts';

const recorded = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..', 'examples/traffic');
const folder = mkdtempSync(path.join(tmpdir(), 'recorded-'));
after(() => rmSync(folder, { recursive: true }));

test('the recorded routings and prompt lengths are what their script writes', () => {
  execFileSync(process.execPath, [path.join(recorded, 'make.mjs'), folder]);
  const written = readdirSync(folder).sort();
  assert.deepEqual(
    written,
    readdirSync(recorded)
      .filter((name) => name.endsWith('.txt'))
      .sort(),
  );
  for (const name of written)
    assert.equal(
      readFileSync(path.join(folder, name), 'utf8'),
      readFileSync(path.join(recorded, name), 'utf8'),
    );
});

test('every recorded layer routes each token of each rank to four different experts', () => {
  const layers = readdirSync(recorded).filter((name) => name.startsWith('layer-'));
  assert.ok(layers.length >= 2);
  for (const layer of layers)
    for (const row of readCountsFile(path.join(recorded, layer)).counts) {
      assert.equal(row.length, 32, layer);
      assert.equal(
        row.reduce((sum, one) => sum + one, 0),
        4 * 256,
        layer,
      );
      assert.ok(Math.max(...row) <= 256, layer);
    }
});

test('the recorded prompt lengths are values of --tokens', () => {
  const text = readFileSync(path.join(recorded, 'prompt-tokens.txt'), 'utf8').trim();
  assert.equal(kvPlanning.options.tokens?.coerce(text), text);
});
