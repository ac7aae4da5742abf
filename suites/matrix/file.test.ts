import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { ValueError } from '../options/values.ts';
import { readMatrixFile } from './file.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'matrix-'));
after(() => rmSync(folder, { recursive: true }));

function fileOf(text: string, name = 'm.txt'): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

test('lines of numbers: bytes or sizes, spaces, tabs or commas, comments', () => {
  const { name, matrix } = readMatrixFile(
    fileOf('# two ranks\n8, 64K\n\n0\t1.5K # own part last\n', 'my m.txt'),
  );
  assert.deepEqual(matrix, [
    [8, 65_536],
    [0, 1536],
  ]);
  assert.match(name, /^my-m\.txt@[\da-f]{8}$/);
  assert.equal(readMatrixFile(fileOf('8 65536\n0 1536', 'my m.txt')).name, name);
});

test('a file of nccl-tests counts KiB', () => {
  const file = fileOf('0 1 2\n3 0 4.0\n5 6 0\n');
  assert.deepEqual(readMatrixFile(`nccl-tests:${file}`).matrix, [
    [0, 1024, 2048],
    [3072, 0, 4096],
    [5120, 6144, 0],
  ]);
});

const ucc = (more: string) => `[format]
version = 1.0
[collective]
type = ALLTOALLV
team_size = 2
datatype = INT32
flags = COUNT_32BIT
counts = {
    1,2
    3,4
}
${more}`;

test('a pattern file of ucc_perftest counts elements of its datatype', () => {
  assert.deepEqual(readMatrixFile(fileOf(ucc(''))).matrix, [
    [4, 8],
    [12, 16],
  ]);
});

test('what is no matrix is refused with the place and the value', () => {
  for (const [text, why] of [
    ['', /it has no numbers/],
    ['# nothing\n', /it has no numbers/],
    ['1 2\n3\n', /row 2 has 1 numbers and the file 2 rows/],
    ['1 2\n', /row 1 has 2 numbers and the file 1 rows/],
    ['0 -4\n4 0\n', /row 1, column 2: '-4' is negative/],
    ['0 1.5\n4 0\n', /row 1, column 2: '1.5' is no whole number of bytes/],
    ['0 x\n4 0\n', /row 1, column 2: 'x' is no whole number/],
    ['0 9007199254740993\n4 0\n', /is too large/],
    ['0 99999999999999999999999\n4 0\n', /is too large/],
    ['9007199254740991 9007199254740991\n4 0\n', /too many/],
    ['0 0\n0 0\n', /all its entries are 0/],
    [`${'1 '.repeat(257)}\n`.repeat(257), /257 rows are more than 256/],
    [ucc('[collective]\ntype = ALLTOALLV'), /it has 2 collectives/],
    [ucc('').replace('ALLTOALLV', 'ALLTOALL'), /its collective is 'ALLTOALL'/],
    [ucc('').replace('INT32', 'INT7'), /datatype 'INT7' is unknown/],
    [ucc('').replace('team_size = 2', 'team_size = 3'), /team_size is 3/],
    [ucc('').replace('3,4', '3'), /3 counts are no square matrix/],
    [ucc('').replace('3,4', '3,-4'), /row 2, column 2: '-4' is negative/],
  ] as const)
    assert.throws(
      () => readMatrixFile(fileOf(text)),
      (error: unknown) => {
        assert.ok(error instanceof ValueError, text);
        assert.match(error.message, why);
        return true;
      },
    );
  assert.throws(
    () => readMatrixFile('nothing.txt'),
    /'nothing.txt' is no name that collbench has, and no file/,
  );
  assert.throws(() => readMatrixFile(folder), /cannot be read: it is a folder/);
});
