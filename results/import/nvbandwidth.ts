import { fieldsOf, isFields, type RecordFields } from '../collections.ts';
import {
  ImportError,
  type ImportedOutput,
  type ImportedRow,
  type ImportHints,
  notPrinted,
  plainRow,
  shortenText,
  timeUnless,
} from './imported-output.ts';
import { type PrintedNumber, printedNumber } from './printed-number.ts';
import type { ImportSource } from './source.ts';
import { textLines } from './text-lines.ts';

const isReport = (value: unknown): value is RecordFields =>
  isFields(value) &&
  isFields(value.nvbandwidth) &&
  ('testcases' in value.nvbandwidth || 'error' in value.nvbandwidth);

export const nvbandwidthTitle = /^\s*nvbandwidth Version:\s*(\S+)/m;

export const isNvbandwidth = ({ text, records }: ImportSource): boolean =>
  isReport(records[0]) || (records.length === 0 && nvbandwidthTitle.test(text));

/**
 * Copy that a matrix of nvbandwidth describes, by the suffix that text output adds to the test's name. A test that makes two copies
 * at once prints a matrix for the first copy, the second copy, and the total of both. Other tests add no suffix (""), and their
 * copy has no name.
 */
const partNames: Record<string, string> = {
  '': '',
  ...{ _read1: 'first', _write1: 'first', _read2: 'second', _write2: 'second', _total: 'total' },
};

/** A test that nvbandwidth printed as text, converted to the form of its JSON output. */
interface TextCase {
  name: string;
  status: string;
  error?: string;
  bandwidth_description: string;
  bandwidth_matrix: string[][];
  sum?: number;
  /** Coefficient of variation of the test's samples, as printed (releases from 0.9 on). */
  variation?: string;
  /**
   * Copy that this matrix describes ("first", "second", "total"), if the test makes two copies at once and prints a matrix for each
   * copy and one for both.
   */
  part?: string;
}

/**
 * Converts text output of nvbandwidth (printed without -j) to the form of its JSON output. In a matrix, the first line has the
 * column numbers, and each line begins with its row number. The sum follows the last matrix. A test with missing lines gets no sum;
 * its rows are then marked as unconfirmed.
 */
function textReport(text: string): { report: RecordFields; isWhole: boolean } {
  const { lines, isWhole } = textLines(text);
  const cases: TextCase[] = [];
  const report: RecordFields = { version: nvbandwidthTitle.exec(text)?.[1], testcases: cases };
  const devices: string[] = [];
  const begin = (name: string): TextCase => {
    const made: TextCase = { name, status: 'Passed', bandwidth_description: '', bandwidth_matrix: [] };
    cases.push(made);
    return made;
  };
  let columns = 0;
  for (const line of lines) {
    const current = cases.at(-1);
    const words = line.trim().split(/\s+/);
    const name = /^\s*Running (\w+)\.?\s*$/.exec(line)?.[1];
    const version = /^(CUDA Runtime Version|Driver Version):\s*(\S+)/.exec(line);
    const device = /^Device (\d+: .*)$/.exec(line)?.[1];
    const [, summed, sum] = /^\s*SUM (\w+) (\S+)\s*$/.exec(line) ?? [];
    const [, scattered, variation] = /^\s*COEFFICIENT_OF_VARIATION (\w+) (\S+)\s*$/.exec(line) ?? [];
    if (name !== undefined) begin(name);
    else if (version !== null) report[version[1] ?? ''] = version[2];
    else if (device !== undefined) devices.push(device);
    else if (current === undefined) continue;
    else if (summed !== undefined) {
      const part = partNames[summed.slice(current.name.length)];
      const value = printedNumber(sum)?.value;
      if (summed.startsWith(current.name) && part !== undefined && value !== undefined)
        Object.assign(current, { sum: value, part });
    } else if (scattered !== undefined && variation !== undefined) {
      // A line of another test shows that lines are missing in between, so that the sum above may belong to that test, too.
      if (scattered.startsWith(current.name)) current.variation = variation;
      else delete current.sum;
    } else if (/^(?:Waived|ERROR|\[?CUDA_ERROR|Invalid value)/i.test(line.trim())) {
      // After the sum of a test such a line belongs to the next test, whose name is not printed.
      const own = current.sum === undefined ? current : begin('a test');
      own.status = /^Waived/i.test(line.trim()) ? 'Waived' : 'Error';
      own.error = line.trim();
    } else if (/\((?:GB\/s|ns)\)\s*$/.test(line)) {
      if (current.bandwidth_description !== '') begin(current.name);
      Object.assign(cases.at(-1) ?? {}, { bandwidth_description: line.trim() });
    } else if (words.every((word, i) => word === String(i))) {
      columns = words.length;
      continue;
    } else if (columns > 0 && words.length === columns + 1 && /^\d+$/.test(words[0] ?? '')) {
      current.bandwidth_matrix.push(words.slice(1));
      continue;
    }
    columns = 0;
  }
  report['GPU Device list'] = devices;
  return { report, isWhole };
}

/**
 * Reads the output of nvbandwidth. Its matrices contain bandwidths as text, or "N/A" for a device with itself.
 * @throws ImportError if the program measured nothing, or the user did not give the size of a copy (--size)
 */
export function readNvbandwidth(source: ImportSource, hints: ImportHints): ImportedOutput {
  const isText = source.records.length === 0;
  const { report, isWhole } = isText
    ? textReport(source.text)
    : { report: fieldsOf(fieldsOf(source.records[0]).nvbandwidth), isWhole: source.isWhole };
  const error = report.error;
  if (typeof error === 'string' && !('testcases' in report))
    throw new ImportError(`nvbandwidth measured nothing: ${shortenText(error.trim(), 300)}`);
  const bytes = hints.sizeBytes;
  if (bytes === null) {
    const [, minor] = /^v?0\.(\d+)/.exec(String(report.version)) ?? [];
    throw new ImportError(
      'nvbandwidth does not write how large its buffers were (-b)',
      ['  a time follows from a bandwidth and a size alone; its default is 512 MiB (64 MiB up to 0.6)'],
      { size: minor !== undefined && Number(minor) <= 6 ? '64M' : '512M' },
    );
  }
  const notices = ['error', 'warning'].flatMap((key) =>
    typeof report[key] === 'string' ? `${key}: ${shortenText(report[key], 300)}` : [],
  );
  const cases = Array.isArray(report.testcases) ? report.testcases.filter(isFields) : [];
  const rows = cases.flatMap((testcase) => rowsOf(testcase, bytes, notices));
  const version = typeof report.version === 'string' ? shortenText(report.version, 40) : null;
  const versions = Object.fromEntries(
    [
      ['nvbandwidth', version],
      ['driver', report['Driver Version']],
      ['cuda', report['CUDA Runtime Version']],
    ].flatMap(([key, value]) =>
      typeof value === 'string' || typeof value === 'number'
        ? [[String(key), shortenText(String(value), 40)]]
        : [],
    ),
  );
  return {
    ...notPrinted,
    series: 'nvbandwidth',
    program: `nvbandwidth${version === null ? '' : ` ${version}`}`,
    engine: 'cuda-copies',
    ranks: 1,
    hosts: hostsIn(report['GPU Device list']),
    statistic: 'median of its samples (mean with -m)',
    method: { clock: 'CUDA events', sync: 'none', batch: 0 },
    versions,
    rows,
    complete: isWhole && typeof report.error !== 'string' && rows.length > 0,
    conversions: [
      'GB/s: 1,000,000,000 bytes per second; time of one copy = size / bandwidth',
      'all_to_one and one_to_all: the bandwidth is that of all copies together, the time the share of one copy in it',
      `size: ${bytes} bytes, given with --size`,
    ],
    unknown: ['size of a copy'],
    notices,
  };
}

/**
 * Returns the host names in a device list, each once: "host" for "0: NVIDIA H200 (00000000:00:06): (host)". Releases before 0.7
 * print no host names; [] for these, and for any value that is no list.
 */
function hostsIn(list: unknown): string[] {
  const names = (Array.isArray(list) ? list : []).flatMap((line: unknown) =>
    typeof line === 'string' ? (/: \(([^()\s]{1,100})\)$/.exec(line)?.[1] ?? []) : [],
  );
  return [...new Set(names)];
}

function rowsOf(testcase: RecordFields, bytes: number, notices: string[]): ImportedRow[] {
  const name = typeof testcase.name === 'string' ? shortenText(testcase.name, 60) : '?';
  const status = typeof testcase.status === 'string' ? testcase.status : '?';
  const description =
    typeof testcase.bandwidth_description === 'string' ? testcase.bandwidth_description : '';
  if (status !== 'Passed') {
    const error = typeof testcase.error === 'string' ? `: ${shortenText(testcase.error, 200)}` : '';
    notices.push(`${name} is left out: ${shortenText(status, 40)}${error}`);
    return [];
  }
  if (!/\(GB\/s\)/.test(description)) {
    notices.push(
      description === ''
        ? `${name} is left out: its matrix is missing`
        : `${name} is left out, it is no bandwidth in GB/s: ${shortenText(description, 100)}`,
    );
    return [];
  }
  const pairs = pairsOf(testcase.bandwidth_matrix);
  if (pairs === null) {
    notices.push(`${name} is left out: its matrix is of no form that is known`);
    return [];
  }
  const values = pairs.map(({ word }) => printedNumber(word));
  const isWrongSum = contradictionIn(pairs, values, testcase.sum);
  const named = typeof testcase.part === 'string' ? testcase.part : '';
  const variation =
    typeof testcase.variation === 'string'
      ? { 'coefficient of variation': shortenText(testcase.variation, 40) }
      : {};
  return pairs.map(({ part, from, to, word }, i): ImportedRow => {
    const value = values[i]?.value ?? Number.NaN;
    const reason =
      value > 0 ? isWrongSum : `the bandwidth printed is ${shortenText(word, 40)}: no positive number`;
    return {
      ...plainRow,
      operation: 'copy',
      variant: [name, `${from}-${to}`, part || named].filter((word) => word !== '').join(' '),
      dtype: 'uint8',
      payloadBytes: bytes,
      count: bytes,
      trial: 'pipelined',
      ...timeUnless(reason, bytes / value),
      printed: {
        testcase: name,
        row: String(from),
        column: String(to),
        'GB/s': shortenText(word, 40),
        ...variation,
      },
    };
  });
}

interface DevicePair {
  /** Copy to which the value belongs in a test that makes two copies at once: "first", "second" or "total"; "" for other tests. */
  part: string;
  from: number;
  to: number;
  word: string;
}

const parts = ['first', 'second', 'total'];

/**
 * Returns the bandwidths in a matrix of nvbandwidth as printed, with row and column (devices). Entries "N/A" are left out. Since
 * 0.6, tests that make two copies at once print three square matrices in one, below each other: first copy, second copy, both.
 * @returns null if this is no matrix, or if it has more rows than columns and is not three square matrices
 */
function pairsOf(matrix: unknown): DevicePair[] | null {
  const rows: unknown[] = Array.isArray(matrix) ? matrix : [];
  if (!rows.every(Array.isArray)) return null;
  const columns = rows[0]?.length ?? 0;
  const isStacked = rows.length === parts.length * columns && rows.length > 1 && columns > 1;
  if (rows.length > columns && !isStacked) return null;
  const cells = rows.flatMap((row: unknown[], i) =>
    row.map((word, to): DevicePair => {
      const part = isStacked ? (parts[Math.floor(i / columns)] ?? '') : '';
      return { part, from: isStacked ? i % columns : i, to, word: String(word) };
    }),
  );
  return cells.filter(({ word }) => word !== 'N/A');
}

/**
 * Returns a sentence if the printed sum cannot be confirmed; null if all sums agree within rounding. The sum may be missing, or not
 * be that of its (last) matrix, or the bandwidths of two copies do not add up to their total.
 * @param pairs entries of the matrix
 * @param values bandwidth of each entry in GB/s; null = no number
 * @param sum sum as printed; any other type than number = missing
 */
function contradictionIn(
  pairs: readonly DevicePair[],
  values: readonly (PrintedNumber | null)[],
  sum: unknown,
): string | null {
  const totalOf = (wanted: string) =>
    pairs.reduce((all, { part }, i) => (part === wanted ? all + (values[i]?.value ?? Number.NaN) : all), 0);
  const last = pairs.at(-1)?.part ?? '';
  const total = totalOf(last);
  if (typeof sum !== 'number') return 'the matrix has no sum beside it that would confirm it';
  const open = values.reduce((all, value) => all + (value?.half ?? 0), 0);
  if (!isNear(total, sum, open))
    return `the matrix adds up to ${total} GB/s, and ${sum} is its sum as printed`;
  const byPlace = new Map(
    pairs.map(({ part, from, to }, i) => [`${part} ${from} ${to}`, values[i]?.value ?? Number.NaN]),
  );
  const wrong = pairs.find(({ part, from, to }) => {
    const [first, second, both] = parts.map((one) => byPlace.get(`${one} ${from} ${to}`) ?? Number.NaN);
    return part !== '' && !isNear((first as number) + (second as number), both as number);
  });
  return wrong === undefined
    ? null
    : `the two copies of ${wrong.from}-${wrong.to} do not come to their total as printed`;
}

/**
 * True if a sum of numbers as printed agrees with the sum that the program itself computed from all their digits and printed. They
 * may differ by `open`, plus 1e-5 of the program's sum.
 * @param printed sum of the numbers as printed
 * @param sum sum as the program printed it
 * @param open largest rounding error of `printed`
 */
const isNear = (printed: number, sum: number, open = 0) =>
  Math.abs(printed - sum) <= 1e-5 * Math.abs(sum) + open + 1e-9;
