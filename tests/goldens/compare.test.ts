// test: core
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { compare, type GoldenOptions } from './compare.ts';

/** Returns the number of differing files, and the printed lines about them. */
function compared(
  file: string,
  before: string | null,
  after: string | null,
  options: Partial<GoldenOptions> = {},
): [number, string] {
  const folder = mkdtempSync(path.join(tmpdir(), 'goldens-test-'));
  const printed: string[] = [];
  try {
    for (const [side, text] of Object.entries({ before, after })) {
      const at = path.join(folder, side, file);
      mkdirSync(path.dirname(at), { recursive: true });
      if (text !== null) writeFileSync(at, text);
    }
    const all: GoldenOptions = {
      kinds: ['text', 'json', 'csv'],
      only: '',
      ignored: new Set(),
      shown: 2,
      print: (line) => printed.push(line),
      ...options,
    };
    return [compare(path.join(folder, 'before'), path.join(folder, 'after'), all), printed.join('\n')];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('numbers that differ are named, other lines are shown, the rest is counted', () => {
  assert.equal(compared('text/a/show.txt', 'x 1\n', 'x 1\n')[0], 0);
  const [count, said] = compared('text/a/show.txt', 'time 4 us\nfast\na\nb\n', 'time 5 us\nslow\nc\nd\n');
  assert.equal(count, 1);
  assert.match(said, /^text\/a\/show\.txt\n {2}line 1: 4 -> 5 \(25\.0 %\) in: time 5 us\n/);
  assert.match(said, /line 2: - fast\n +\+ slow\n {2}and 2 more lines\n/);
  assert.match(compared('text/a/show.txt', 'x', null)[1], /^text: 1 only in the first: a\/show\.txt\n/);
});

test('ignored columns and keys do not count, all others do, in any order of keys', () => {
  const ignored = { ignored: new Set(['id']) };
  assert.equal(compared('csv/a/cells.csv', 'id,x\n"a,b",1\n', 'x\n1\n', ignored)[0], 0);
  assert.equal(compared('csv/a/cells.csv', 'id,x\n"a,b",1\n', 'x\n2\n', ignored)[0], 1);
  const before = '{"id":"a","x":[{"id":1,"y":2}],"z":1}\n';
  assert.equal(compared('json/a/show.ndjson', before, '{"z":1,"x":[{"y":2}]}\n', ignored)[0], 0);
  assert.match(compared('json/a/show.ndjson', before, '{"z":1,"x":[{"y":3}]}\n', ignored)[1], /2 -> 3/);
  assert.equal(compared('csv/a/cells.csv', 'x\n1\n', 'x\n2\n', { kinds: ['text'] })[0], 0);
});
