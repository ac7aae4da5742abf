import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stringify } from 'csv-stringify/sync';
import { csvText } from './csv.ts';

const texts = [
  ...[
    'plain',
    '',
    'a,b',
    'say "x"',
    'two\nlines',
    'x\r',
    '=1+1',
    '+1',
    '-1',
    '@x',
    '\t=1',
    '\uff1d1',
    "'q",
    '-"a",b',
  ],
];

test('a CSV file is the one that csv-stringify writes for the same rows', () => {
  const rows = [
    ...texts.map((text) => ({ text, number: 0.1 + 0.2, other: null })),
    ...[-1, 0, 1e21, 5e-324].map((number) => ({ text: null, number, other: text65k })),
  ];
  const cast = { number: (value: number) => String(value) };
  assert.equal(csvText(rows), stringify(rows, { header: true, escape_formulas: true, cast }));
});

const text65k = 'x'.repeat(65_536);

test('without rows a CSV file is empty', () => {
  assert.equal(csvText([]), '');
});
