import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { readConfig } from './config.ts';
import { readOptions } from './line/read-options.ts';
import { runRefusal } from './testing/run-refusal.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'collbench-config-'));
after(() => rmSync(folder, { recursive: true }));

function configured(text: string, ...words: string[]) {
  const file = path.join(folder, 'options.yaml');
  writeFileSync(file, text);
  return readOptions('allreduce', ['--config', file, ...words], readConfig(file));
}

test('long names are keys; lists, numbers and switches read as they look', () => {
  const options = configured(
    'min: 1K\nmax: 4096\ntransport: [socket, sisci]\nin-place: both\njson: true\npath-proof: no\ndtype: float16,int8\n',
  );
  assert.deepEqual([options.min, options.max], [1024, 4096]);
  assert.deepEqual(options.transport, ['socket', 'sisci']);
  assert.deepEqual(options.inPlace, [false, true]);
  assert.deepEqual([options.json, options.pathProof], [true, false]);
  assert.deepEqual(options.dtype, ['float16', 'int8']);
});

test('the command line goes before the file, and a size replaces the rival sizes of the file', () => {
  assert.equal(configured('ranks: 4\n', '--ranks', '3').ranks, 3);
  const options = configured('min: 8\nmax: 1G\nfactor: 4\nranks: 4\n', '--sizes', '64');
  assert.deepEqual([options.sizes, options.ranks], [[64], 4]);
});

test('an empty file says nothing', () => {
  assert.equal(configured('# nothing\n').ranks, 2);
});

for (const [name, text, pattern] of [
  [
    'an unknown key has line, column and the nearest',
    'ranks: 2\ntransprot: socket\n',
    /yaml:2:1: transprot[\s\S]*transport/,
  ],
  ['a value that is none has line and column', 'ranks: 2\nmin: lots\n', /yaml:2:1: min lots: not a size/],
  ['a key without value', 'min:\n', /yaml:1:1: min needs a value/],
  ['nested maps', 'min: {a: 1}\n', /yaml:1:1: min needs a value/],
  ['a list at the top', '- min\n', /yaml:1:1: not a map/],
  ['what is not YAML', 'min: [1\n', /yaml:\d+:\d+: not YAML/],
  ['a key said twice', 'min: 8\nmin: 16\n', /yaml:2:1: not YAML: .*unique/],
  ['files that call files', 'config: other.yaml\n', /yaml:1:1: config/],
  ['sizes said twice', 'sizes: 8\nfactor: 2\n', /cannot be combined/],
] as const) {
  test(`refused: ${name}`, () => {
    assert.match(runRefusal(() => configured(text)).text, pattern);
  });
}
