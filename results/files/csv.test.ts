import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvLines } from './csv.ts';

test('numbers in full precision, words for booleans, nothing for what is not known', () => {
  assert.equal(
    csvLines([
      ['a', 'b', 'c', 'd', 'e'],
      [0.1 + 0.2, -1e-7, true, null, ''],
    ]),
    'a,b,c,d,e\n0.30000000000000004,-1e-7,true,,\n',
  );
  assert.equal(csvLines([]), '');
});

for (const [text, field] of [
  ['two words', 'two words'],
  ['one,two', '"one,two"'],
  ['say "yes"', '"say ""yes"""'],
  ['first\nsecond', '"first\nsecond"'],
  ['first\rsecond', '"first\rsecond"'],
  ['=1+1', "'=1+1"],
  ['-1', "'-1"],
  ['=HYPERLINK("x","y")', '"\'=HYPERLINK(""x"",""y"")"'],
  ['＝1', "'＝1"],
  ['1-2', '1-2'],
] as const) {
  test(`text ${JSON.stringify(text)} is written as ${JSON.stringify(field)}`, () => {
    assert.equal(csvLines([[text]]), `${field}\n`);
  });
}
