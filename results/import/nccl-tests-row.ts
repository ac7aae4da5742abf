import { dtypeOf, type NcclTestsHalf, type NcclTestsRow, numberOf, opOf } from './nccl-tests-result.ts';

/**
 * Column names of a table of nccl-tests. `lead`: the columns before the measured ones; `half`: those of the out-of-place or
 * in-place half; `halves`: number of halves in a row, 1 or 2.
 */
export interface NcclTestsColumns {
  lead: string[];
  half: string[];
  halves: number;
  /** Number of ns in one unit of the time column: microseconds since 2019, milliseconds earlier. */
  unitNs: number;
}

const plain = ['time', 'algbw', 'busbw', '#wrong'];
const perIteration = ['i_min', 'i_max', 'i_p99', 'i_cv%'];
const lead = ['size', 'count', 'type', 'redop', 'root'];

/**
 * Returns the columns of a row if the header line is missing, by the number of words in the row: those of plain rows, which have at
 * most 13 words, or those of rows with `-I 1`, which have more than 18.
 */
export function usualColumns(words: number): NcclTestsColumns {
  return { lead, half: words > 18 ? [...plain, ...perIteration] : plain, halves: 2, unitNs: 1000 };
}

/**
 * Returns the columns that a header line names.
 * @param comment a line that starts with '#'
 * @returns null if the line is not a header line, or names no column for the time
 */
export function parseColumns(comment: string): NcclTestsColumns | null {
  const names = comment.replace(/^#/, '').trim().split(/\s+/);
  // Until 2018 the header was "bytes N type op".
  const isOld = names[0] === 'bytes' && names[1] === 'N';
  if (names[0] !== 'size' && !isOld) return null;
  const isTime = (name: string) => name === 'time' || name === 'cputime';
  const first = names.findIndex(isTime);
  const second = names.findIndex((name, i) => i > first && isTime(name));
  if (first < 3) return null;
  const half = names.slice(first, second === -1 ? undefined : second);
  return {
    lead: names.slice(0, first),
    half,
    halves: second === -1 ? 1 : 2,
    unitNs: isOld ? 1e6 : 1000,
  };
}

const isStamp = (words: readonly string[]) =>
  /^\d{4}-\d\d-\d\d$/.test(words.at(-2) ?? '') && /^\d\d:\d\d:\d\d$/.test(words.at(-1) ?? '');

function halfOf(columns: NcclTestsColumns, words: readonly string[]): NcclTestsHalf | null {
  const at = (name: string) => numberOf(words[columns.half.indexOf(name)]);
  const time = at(columns.half[0] ?? 'time');
  if (time === null) return null;
  const last = words[columns.half.indexOf('#wrong')];
  const said = columns.half.includes('#wrong') ? at('#wrong') : at(columns.half[3] ?? 'error');
  // A number and "N/A" (not checked) are the only valid words. A word that was damaged must not count as unchecked.
  if (columns.half.includes('#wrong') && said === null && last !== 'N/A') return null;
  // Older releases print the largest relative error in this column: 0 means no wrong element, other values give no number of wrong
  // elements.
  const wrong = columns.half.includes('#wrong') || said === 0 ? said : null;
  const printed = Object.fromEntries(columns.half.map((name, i) => [name, words[i] ?? '']));
  return { timeNs: time * columns.unitNs, busGBps: at('busbw'), wrong, printed };
}

/**
 * Parses one data row of nccl-tests. Columns are counted from the right, because columns on the left can be empty: hypercube prints
 * no reduction, older releases omit columns that do not apply.
 * @returns null if the line is not a complete row
 */
export function ncclTestsRow(line: string, columns: NcclTestsColumns): NcclTestsRow | null {
  const all = line.trim().split(/\s+/);
  const words = isStamp(all) ? all.slice(0, -2) : all;
  const width = columns.half.length;
  const before = words.length - columns.halves * width;
  if (before < 3 || before > columns.lead.length) return null;
  const [size, count, type, ...rest] = words.slice(0, before);
  const sizeBytes = numberOf(size);
  const elements = numberOf(count);
  const outOfPlace = halfOf(columns, words.slice(before, before + width));
  const inPlace = columns.halves === 2 ? halfOf(columns, words.slice(before + width)) : null;
  if (sizeBytes === null || elements === null || type === undefined || outOfPlace === null) return null;
  if (columns.halves === 2 && inPlace === null) return null;
  const isOpBlank = columns.lead.includes('redop') && !rest.some((word) => /^[a-z]/.test(word));
  const row = withLead({ sizeBytes, elements, type, rest }, outOfPlace, inPlace);
  return isOpBlank ? { ...row, isOpBlank } : row;
}

/**
 * Parses a row that has only the out-of-place half: older programs print no second half if they do not check in place, and a row
 * that was cut off may have a complete first half. Null if the number of words is not that of such a row, or if a number in it
 * cannot be parsed.
 */
export function outOfPlaceOf(line: string, columns: NcclTestsColumns): NcclTestsRow | null {
  const words = line.trim().split(/\s+/);
  const { lead: names, half } = columns;
  const [size, count, type, ...rest] = words.slice(0, names.length);
  const [sizeBytes, elements] = [numberOf(size), numberOf(count)];
  if (columns.halves !== 2 || words.length !== names.length + half.length) return null;
  const outOfPlace = halfOf(columns, words.slice(names.length));
  if (sizeBytes === null || elements === null || type === undefined || outOfPlace === null) return null;
  return withLead({ sizeBytes, elements, type, rest }, outOfPlace, null);
}

interface NcclTestsLead {
  sizeBytes: number;
  elements: number;
  type: string;
  /** Words of the row between data type and time: reduction and root, as far as they are printed. */
  rest: readonly string[];
}

function withLead(
  { sizeBytes, elements, type, rest }: NcclTestsLead,
  outOfPlace: NcclTestsHalf,
  inPlace: NcclTestsHalf | null,
): NcclTestsRow {
  const root = numberOf(rest.find((word) => /^-?\d+$/.test(word)));
  return {
    sizeBytes,
    count: elements,
    dtype: dtypeOf(type),
    op: opOf(rest.find((word) => /^[a-z]/.test(word))),
    root: Number.isSafeInteger(root) && (root as number) >= 0 ? root : null,
    outOfPlace,
    inPlace,
  };
}
