import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DocumentBlock, type DocumentTable, tableOf } from './blocks.ts';
import { terminalLines } from './terminal.ts';

const names = ['kernel, 32 puts per doorbell', 'kernel, 1 put per doorbell', 'host'];

/** Returns a table of two steps with a column per variant, all of which but the first may be omitted. */
const table: DocumentTable = tableOf(
  [
    { head: 'step', cell: (step: string) => step },
    ...names.map((head, at) => ({
      head,
      quantity: 'ns' as const,
      ...(at > 0 ? { priority: at } : {}),
      cell: () => 1000,
    })),
  ],
  ['post', 'ring'],
  { columnNoun: 'variant', rest: ': see the report' },
);
const linesAt = (columns: number): string[] => terminalLines([table], { columns, color: false });

test('heads stay on one line where they fit', () => {
  assert.deepEqual(linesAt(80), [
    'step  kernel, 32 puts per doorbell  kernel, 1 put per doorbell     host',
    'post                       1.00 µs                     1.00 µs  1.00 µs',
    'ring                       1.00 µs                     1.00 µs  1.00 µs',
  ]);
});

test('on narrower terminals heads are broken into lines before a column is omitted', () => {
  assert.deepEqual(linesAt(40), [
    '      kernel, 32  kernel, 1',
    '        puts per    put per',
    'step    doorbell   doorbell     host',
    'post     1.00 µs    1.00 µs  1.00 µs',
    'ring     1.00 µs    1.00 µs  1.00 µs',
  ]);
});

test('columns that do not fit are counted if the table has a noun for them', () => {
  assert.equal(linesAt(30).at(-1), 'and 1 more variant: see the report');
  assert.equal(linesAt(20).at(-1), 'and 2 more variants: see the report');
});

test('a folded table that is shown stands apart from the text above it, as every table does', () => {
  const small = tableOf([{ head: 'size', cell: (size: string) => size }], ['8 B']);
  const blocks: DocumentBlock[] = [
    { kind: 'paragraph', text: 'above' },
    { kind: 'folded', summary: 'one table', body: [small] },
  ];
  const lines = (all: boolean) => terminalLines(blocks, { columns: 80, color: false, all });
  assert.deepEqual(lines(true), ['above', '', 'size', '8 B']);
  assert.deepEqual(lines(false), ['above', 'one table (--all lists them)']);
});

test('a column is cut only where that makes the table fit', () => {
  const plans: DocumentTable = tableOf(
    [
      { head: 'entry', cell: (entry: string) => entry },
      { head: 'transports', minWidth: 10, cell: () => 'socket, sisci' },
      { head: 'expected time', cell: () => 'about 1 min, up to 2 min' },
    ],
    ['ranks/allreduce/ranks=2'],
  );
  const at = (columns: number): string => terminalLines([plans], { columns, color: false }).join('\n');
  assert.match(at(62), /socket, \S*… +about 1 min, up to 2 min/);
  assert.match(at(50), /socket, sisci\n.*expected time: about 1 min, up to 2 min/);
});
