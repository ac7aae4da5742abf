import { brief, type Found, type FoundRow, ImportError, type Told } from './found.ts';
import { printedNumber } from './printed-number.ts';
import { type Fields, fieldsOf, isFields, type Source } from './source.ts';

const isReport = (value: unknown): value is Fields =>
  isFields(value) && isFields(value.nvbandwidth) && 'testcases' in value.nvbandwidth;

export const isNvbandwidth = ({ records }: Source): boolean => isReport(records[0]);

/** What `nvbandwidth -j` prints: matrices of texts, "N/A" where there is no pair. @throws ImportError */
export function readNvbandwidth({ records, isWhole }: Source, told: Told): Found {
  const report = fieldsOf(fieldsOf(records[0]).nvbandwidth);
  const bytes = told.sizeBytes;
  if (bytes === null) {
    throw new ImportError('nvbandwidth does not write how large its buffers were (-b)', [
      '  a time follows from a bandwidth and a size alone; its default is 512 MiB (64 MiB before 0.5)',
      'Next: the same command with --size 512M, or what -b was',
    ]);
  }
  const notices = ['error', 'warning'].flatMap((key) =>
    typeof report[key] === 'string' ? `${key}: ${brief(report[key], 300)}` : [],
  );
  const cases = Array.isArray(report.testcases) ? report.testcases.filter(isFields) : [];
  const rows = cases.flatMap((testcase) => rowsOf(testcase, bytes, notices));
  const version = typeof report.version === 'string' ? brief(report.version, 40) : null;
  const versions = Object.fromEntries(
    [
      ['nvbandwidth', version],
      ['driver', report['Driver Version']],
      ['cuda', report['CUDA Runtime Version']],
    ].flatMap(([key, value]) =>
      typeof value === 'string' || typeof value === 'number' ? [[String(key), brief(String(value), 40)]] : [],
    ),
  );
  return {
    series: 'nvbandwidth',
    program: `nvbandwidth${version === null ? '' : ` ${version}`}`,
    engine: 'cuda',
    ranks: 1,
    hosts: [],
    measuredAt: null,
    statistic: 'median of its samples (mean with -m)',
    method: { clock: 'CUDA events', sync: 'none', batch: 0 },
    versions,
    environment: {},
    rows,
    saysWrong: false,
    complete: isWhole && typeof report.error !== 'string' && rows.length > 0,
    conversions: [
      'GB/s: 1,000,000,000 bytes per second; time of one copy = size / bandwidth',
      `size: ${bytes} bytes, given with --size`,
    ],
    unknown: ['size of a copy'],
    notices,
  };
}

function rowsOf(testcase: Fields, bytes: number, notices: string[]): FoundRow[] {
  const name = typeof testcase.name === 'string' ? brief(testcase.name, 60) : '?';
  const status = typeof testcase.status === 'string' ? testcase.status : '?';
  const description =
    typeof testcase.bandwidth_description === 'string' ? testcase.bandwidth_description : '';
  if (status !== 'Passed') {
    const error = typeof testcase.error === 'string' ? `: ${brief(testcase.error, 200)}` : '';
    notices.push(`${name} is left out: ${brief(status, 40)}${error}`);
    return [];
  }
  if (!/\(GB\/s\)/.test(description)) {
    notices.push(`${name} is left out, it is no bandwidth in GB/s: ${brief(description, 100)}`);
    return [];
  }
  const matrix = Array.isArray(testcase.bandwidth_matrix) ? testcase.bandwidth_matrix : [];
  const words = matrix.flatMap((row: unknown, from) =>
    Array.isArray(row) ? row.map((word: unknown, to) => ({ from, to, word: String(word) })) : [],
  );
  const pairs = words.filter(({ word }) => word !== 'N/A');
  const values = pairs.map(({ word }) => printedNumber(word));
  const sum = typeof testcase.sum === 'number' ? testcase.sum : null;
  const total = values.reduce((all, value) => all + (value?.value ?? Number.NaN), 0);
  // Six digits are printed of each, the sum is of all digits.
  const isSum = sum === null || Math.abs(total - sum) <= 1e-5 * Math.abs(sum) + 1e-9;
  const isWrongSum = !isSum ? `the matrix adds up to ${total} GB/s, and ${sum} is its sum as printed` : null;
  return pairs.map(({ from, to, word }, i): FoundRow => {
    const value = values[i]?.value ?? Number.NaN;
    const reason = value > 0 ? isWrongSum : `the bandwidth printed is ${brief(word, 40)}: no positive number`;
    return {
      operation: 'copy',
      variant: `${name} ${from}-${to}`,
      dtype: 'uint8',
      op: null,
      root: null,
      inPlace: false,
      payloadBytes: bytes,
      count: bytes,
      trial: 'pipelined',
      timeNs: reason === null ? bytes / value : null,
      reason,
      wrong: null,
      printed: { testcase: name, row: String(from), column: String(to), 'GB/s': brief(word, 40) },
    };
  });
}
