// Reads traffic matrices from files: lines of numbers, files of nccl-tests, and pattern files of ucc_perftest.
import path from 'node:path';
import { readPlainSync, UnreadableFile } from '../../results/files/plain.ts';
import type { ExpertCounts, TrafficMatrix } from '../../results/schema/index.ts';
import { ValueError } from '../options/values.ts';
import { parseSize } from '../sizes.ts';
import { textHash } from '../text-hash.ts';

/** Maximum size of a matrix file in bytes. The largest matrix, 256 x 256 numbers of 20 digits, has 1.3 MB. */
const maxFileBytes = 4 * 2 ** 20;

/** Highest number of ranks of a matrix; the same as in native/collectives/traffic_matrix.h. */
export const maxMatrixRanks = 256;

/** Highest sum of all bytes in one traffic matrix; above it, numbers would not be exact. */
const maxMatrixBytes = 2 ** 53;

/** Prefix of a value of --matrix that names a file in the form of nccl-tests (ALLTOALLV_MATRIX_FILE). Its numbers are KiB. */
const ofNcclTests = 'nccl-tests:';

export interface MatrixFile {
  /** Name of the file with a hash of its matrix: "moe.txt@3f2a1c09". */
  name: string;
  /** Bytes that each rank sends to each rank: [sender][receiver]. */
  matrix: TrafficMatrix;
}

/** Numbers of tokens that each rank sends to each expert, from a file. */
export interface CountsFile {
  /** Name of the file with a hash of its counts. */
  name: string;
  counts: ExpertCounts;
}

/** Highest number of tokens that one rank may send to one expert. */
const maxTokens = 2 ** 20;

/**
 * Reads a routing from a file: one line per rank, with the number of its tokens for each expert, separated by blanks or commas.
 * @throws ValueError if the file cannot be read or is empty, its rows differ in length, or an entry is not a whole number from 0 to
 * `maxTokens`
 */
export function readCountsFile(file: string): CountsFile {
  const rows = plainRows(contentOf(file, file));
  const [first] = rows;
  if (first === undefined) throw new ValueError(`'${file}': it has no numbers`);
  const other = rows.findIndex((row) => row.length !== first.length);
  if (other >= 0)
    throw new ValueError(
      `'${file}': row ${other + 1} has ${rows[other]?.length} numbers, row 1 has ${first.length}; both are the number of experts`,
    );
  const counts = rows.map((row, rank) =>
    row.map((word, expert) => {
      if (/^\d{1,7}$/.test(word) && Number(word) <= maxTokens) return Number(word);
      throw new ValueError(
        `'${file}': row ${rank + 1}, column ${expert + 1}: '${word.slice(0, 40)}' is no number of tokens from 0 to ${maxTokens}`,
      );
    }),
  );
  return { name: namedAfter(file, counts), counts };
}

/** Name for the content of a file: the file's name and a hash of the content. */
const namedAfter = (file: string, content: unknown): string =>
  `${path
    .basename(file)
    .replaceAll(/[^\w.+-]/g, '-')
    .slice(0, 60)}@${textHash(JSON.stringify(content))}`;

function contentOf(word: string, file: string): string {
  try {
    return readPlainSync(file, maxFileBytes).toString('utf8');
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    throw new ValueError(
      error.code === 'ENOENT'
        ? `'${word}' is no name that collbench has, and no file`
        : `'${file}' cannot be read: ${error.message}`,
    );
  }
}

/** Bytes of one element of each data type in pattern files of ucc_perftest. */
const uccTypeBytes: Readonly<Record<string, number>> = {
  INT8: 1,
  UINT8: 1,
  INT16: 2,
  UINT16: 2,
  FLOAT16: 2,
  BFLOAT16: 2,
  INT32: 4,
  UINT32: 4,
  FLOAT32: 4,
  INT64: 8,
  UINT64: 8,
  FLOAT64: 8,
  INT128: 16,
  UINT128: 16,
  FLOAT128: 16,
};

/**
 * Parses the only collective of a pattern file of ucc_perftest (--gen file): an INI file with `counts = { ... }` in elements of
 * `datatype`. Returns the numbers of bytes as text, one row per sender.
 * @throws ValueError if the file has several collectives, another one than ALLTOALLV, an unknown data type, or counts that are no
 * square matrix of `team_size` rows
 */
function uccRows(text: string): string[][] {
  const sections = text.split(/^\s*\[collective\]\s*$/m).slice(1);
  const [section = ''] = sections;
  if (sections.length > 1)
    throw new ValueError(`it has ${sections.length} collectives; keep one in the file`);
  const textAt = (key: string) => new RegExp(`^\\s*${key}\\s*=\\s*(\\S+)`, 'm').exec(section)?.[1] ?? '';
  const type = textAt('type');
  if (type !== 'ALLTOALLV') throw new ValueError(`its collective is '${type}', not ALLTOALLV`);
  const width = uccTypeBytes[textAt('datatype').toUpperCase()];
  if (width === undefined) throw new ValueError(`its datatype '${textAt('datatype')}' is unknown`);
  const counts = /counts\s*=\s*\{([^}]*)\}/.exec(section)?.[1];
  if (counts === undefined) throw new ValueError('it has no counts = { ... }');
  const numbers = counts.split(/[\s,]+/).filter((word) => word !== '');
  const ranks = Math.round(Math.sqrt(numbers.length));
  if (ranks * ranks !== numbers.length)
    throw new ValueError(`its ${numbers.length} counts are no square matrix`);
  const team = textAt('team_size');
  if (team !== '' && team !== String(ranks))
    throw new ValueError(`its team_size is ${team}, its counts are those of ${ranks} ranks`);
  return Array.from({ length: ranks }, (_, rank) =>
    numbers.slice(rank * ranks, (rank + 1) * ranks).map((count) => bytesOf(count, width)),
  );
}

/**
 * Converts a number of elements (text) to bytes (text). A text that is not a whole number is returned unchanged, so that the error
 * can quote it.
 * @param width bytes of one element
 */
const bytesOf = (count: string, width: number): string =>
  /^\d+$/.test(count) ? String(BigInt(count) * BigInt(width)) : count;

/**
 * Splits the text into words, one row per line that is not empty. Words are separated by spaces, tabs or commas, and # begins a
 * comment. The words are not checked to be numbers.
 */
const plainRows = (text: string): string[][] =>
  text
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => line !== '')
    .map((line) => line.split(/\s*,\s*|\s+/).filter((word) => word !== ''));

/**
 * Parses one entry of a matrix to bytes.
 * @param unit bytes per unit of the file; 1 = bytes, and the number may have a unit such as K
 * @param row index of the entry's row from 0, for the error; `column` is the index of its column
 * @throws ValueError if it is not a whole number of bytes, or too large to be exact
 */
function entryOf(word: string, unit: number, row: number, column: number): number {
  const place = `row ${row + 1}, column ${column + 1}`;
  if (word.startsWith('-')) throw new ValueError(`${place}: '${word}' is negative`);
  const value = unit === 1 ? parseSize(word) : Number(/^\d+(\.0*)?$/.test(word) ? word : Number.NaN) * unit;
  if (value !== null && Number.isSafeInteger(value)) return value;
  const isHuge = /^\d+(\.\d+)?(e\d+)?$/i.test(word) && Number(word) * unit > Number.MAX_SAFE_INTEGER;
  throw new ValueError(
    `${place}: '${word.slice(0, 40)}' is ${isHuge ? 'too large' : 'no whole number of bytes'}`,
  );
}

/**
 * Reads a traffic matrix from a file. Three forms are accepted: lines of bytes (8, 64K), one line per sender; with the prefix
 * `nccl-tests:` the same in KiB; and an INI file of ucc_perftest, recognised by its section [collective].
 * @param word name of the file, with the prefix if it has one
 * @throws ValueError if the file cannot be read, is no square matrix, has an impossible entry or only zeros, or is too large
 */
export function readMatrixFile(word: string): MatrixFile {
  const isKiB = word.startsWith(ofNcclTests);
  const file = isKiB ? word.slice(ofNcclTests.length) : word;
  const text = contentOf(word, file);
  try {
    const isUcc = /^\s*\[collective\]\s*$/m.test(text);
    const rows = isUcc ? uccRows(text) : plainRows(text);
    const matrix = matrixOf(rows, isKiB ? 1024 : 1);
    return { name: namedAfter(file, matrix), matrix };
  } catch (error) {
    if (error instanceof ValueError) throw new ValueError(`'${file}': ${error.message}`);
    throw error;
  }
}

function matrixOf(rows: readonly (readonly string[])[], unit: number): TrafficMatrix {
  const ranks = rows.length;
  if (ranks === 0) throw new ValueError('it has no numbers');
  if (ranks > maxMatrixRanks)
    throw new ValueError(`its ${ranks} rows are more than ${maxMatrixRanks}, the largest number of ranks`);
  const other = rows.findIndex((row) => row.length !== ranks);
  if (other >= 0)
    throw new ValueError(
      `row ${other + 1} has ${rows[other]?.length} numbers and the file ${ranks} rows; both are the number of ranks`,
    );
  const matrix = rows.map((row, rank) => row.map((word, peer) => entryOf(word, unit, rank, peer)));
  const total = matrix.flat().reduce((all, entry) => all + entry, 0);
  if (total === 0) throw new ValueError('all its entries are 0');
  if (total > maxMatrixBytes) throw new ValueError(`its entries are ${total} bytes together, too many`);
  return matrix;
}
