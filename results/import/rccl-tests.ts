import { isFields, type RecordFields } from '../collections.ts';
import { collectiveNames, collectives, dtypeBytes, dtypeNames } from '../schema/index.ts';
import { csvRows } from './csv-rows.ts';
import { contradiction, opNamed } from './from-nccl-tests.ts';
import {
  ImportError,
  type ImportedOutput,
  type ImportedRow,
  type ImportHints,
  notPrinted,
  ranksOf,
  timeUnless,
} from './imported-output.ts';
import { dtypeOf } from './nccl-tests-result.ts';
import { wholeNumberOf } from './printed-number.ts';
import { type ImportSource, printedOf } from './source.ts';

type RcclRow = Record<string, string>;

/**
 * Returns a row of rccl-tests with uniform key names, whether it comes from old or new releases, JSON or CSV: lower case without
 * `#`, and `name` for `collective`.
 */
const spelling = (row: RcclRow): RcclRow =>
  Object.fromEntries(
    Object.entries(row).map(([key, value]) => {
      const plain = key.trim().replace(/^#/, '').toLowerCase();
      return [plain === 'collective' ? 'name' : plain, value];
    }),
  );

const isRow = (value: unknown): value is RecordFields =>
  isFields(value) && 'inPlace' in value && 'algBw' in value && 'name' in value;

export const isRcclJson = ({ records }: ImportSource): boolean => isRow(records[0]);
const csvHead = /^(?:numCycle,)?(?:collective|name),.*\binplace,time,algbw,busbw/i;
export const isRcclCsv = ({ text }: ImportSource): boolean =>
  csvHead.test(text.trimStart().split('\n', 1)[0] ?? '');

/**
 * Reads the file of `-Z json -x FILE`: a list, or one object per line in releases before August 2025. Objects that are not rows are
 * left out with a notice.
 * @throws ImportError if the rows are of several runs, or the number of ranks is not known
 */
export function readRcclJson(
  { records, isWhole, strayLines }: ImportSource,
  hints: ImportHints,
): ImportedOutput {
  const notices = strayLines > 0 ? [`${strayLines} lines are no whole JSON and were left out`] : [];
  const strange = records.filter((one) => !isRow(one)).length;
  if (strange > 0) notices.push(`${strange} records are no rows of rccl-tests and were left out`);
  const rows = records.filter(isRow).map((one) => spelling(printedOf(one)));
  return found(rows, hints, notices, isWhole && strayLines === 0);
}

/**
 * Reads the file of `-Z csv -x FILE`. Before May 2026 the header of builds with MPI had one column less than the rows: the number
 * of nodes had no name. Other lines with a different number of columns than the header are left out with a notice.
 * @throws ImportError if the text is no CSV, the rows are of several runs, or the number of ranks is not known
 */
export function readRcclCsv({ text }: ImportSource, hints: ImportHints): ImportedOutput {
  const notices: string[] = [];
  const { head, rows, isWhole } = csvRows(text, notices);
  const names = head.map((name) => name.toLowerCase());
  const withNodes = names.flatMap((name) => (name === 'ranks' ? ['nodes', name] : [name]));
  let isShifted = false;
  const named = rows.flatMap((values): RcclRow[] => {
    const lacksNodes = values.length === names.length + 1 && names.includes('rankspernode');
    isShifted ||= lacksNodes;
    const columns = lacksNodes ? withNodes : names;
    if (values.length !== columns.length) {
      notices.push(`a line of ${values.length} values under ${names.length} names was left out`);
      return [];
    }
    return [spelling(Object.fromEntries(columns.map((name, i) => [name, values[i] ?? ''])))];
  });
  if (isShifted) {
    notices.push('the header has one name less than its rows have values: nodes, before ranks, was added');
  }
  return found(named, hints, notices, isWhole);
}

function found(
  rows: readonly RcclRow[],
  hints: ImportHints,
  notices: string[],
  isWhole: boolean,
): ImportedOutput {
  const processes = only(rows, 'ranks');
  const gpus = only(rows, processes === null ? 'gpus' : 'gpusperrank');
  const ranks = ranksOf('rccl-tests', gpus === null ? null : (processes ?? 1) * gpus, hints);
  return {
    ...notPrinted,
    series: 'rccl-tests',
    program: 'rccl-tests',
    engine: 'rccl',
    ranks,
    statistic: 'mean over iterations and, unless -a said otherwise, over ranks',
    method: { clock: 'host clock of each process', sync: 'none', batch: 0 },
    rows: rows.flatMap((row) => rowOf(row, ranks, notices)),
    complete: isWhole && rows.length > 0,
    conversions: [
      'time: microseconds x 1000 = nanoseconds',
      'bandwidths: computed from size and time, and compared with those printed',
    ],
    unknown: ['transport', 'algorithm', 'warm-up', 'iterations', 'root', 'versions', 'hosts'],
    notices,
  };
}

/**
 * Returns the number that all rows have for a key; null if no row has the key.
 * @throws ImportError if rows differ, or if the value is not a number from 1 to 1,000,000
 */
function only(rows: readonly RcclRow[], key: string): number | null {
  const values = [...new Set(rows.flatMap((row) => row[key] ?? []))];
  if (values.length > 1) {
    throw new ImportError(`the rows are of several runs: ${key} is ${values.slice(0, 4).join(', ')}`, [
      '  one run with one number of ranks per file',
    ]);
  }
  const value = wholeNumberOf(values[0]);
  if (values.length === 1 && (value === null || value < 1 || value > 1e6)) {
    throw new ImportError(`${key} is ${String(values[0]).slice(0, 40)}: no number of ranks`);
  }
  return value;
}

function rowOf(row: RcclRow, ranks: number, notices: string[]): ImportedRow[] {
  const name = row.name ?? '';
  const collective = collectiveNames.find((one) => one === name.toLowerCase().replaceAll('_', ''));
  const dtype = dtypeNames.find((one) => one === dtypeOf(row.type ?? ''));
  const sizeBytes = wholeNumberOf(row.size);
  const inPlace = { '0': false, '1': true }[row.inplace ?? ''];
  const op = collective === undefined ? undefined : opNamed(row.redop ?? null, collective);
  if (
    collective === undefined ||
    dtype === undefined ||
    sizeBytes === null ||
    inPlace === undefined ||
    op === undefined
  ) {
    const what = [name, row.size, row.type, row.redop, row.inplace].map((word) => word?.slice(0, 30) ?? '?');
    notices.push(`a row is left out, its words are not those of rccl-tests: ${what.join(' ')}`);
    return [];
  }
  // The printed size is that of the larger buffer; hypercube's bandwidth does not count a rank's own part.
  const payloadBytes = collective === 'hypercube' ? (sizeBytes / ranks) * (ranks - 1) : sizeBytes;
  const count = payloadBytes / dtypeBytes[dtype] / collectives[collective].parts(ranks);
  if (!Number.isSafeInteger(payloadBytes) || !Number.isSafeInteger(count)) {
    notices.push(`the row of ${sizeBytes} bytes is left out: no whole number of elements on ${ranks} ranks`);
    return [];
  }
  const wrongWord = row.wrong ?? 'N/A';
  const wrong = wrongWord === 'N/A' ? null : wholeNumberOf(wrongWord);
  const reason =
    wrongWord !== 'N/A' && wrong === null
      ? `the number of wrong elements is ${wrongWord.slice(0, 40)}`
      : contradiction(
          payloadBytes,
          { time: row.time, algbw: row.algbw, busbw: row.busbw },
          { collective, ranks },
          wrong,
        );
  return [
    {
      operation: collective,
      variant: '',
      dtype,
      op,
      root: null,
      inPlace,
      payloadBytes,
      count,
      trial: 'pipelined',
      ...timeUnless(reason, Number(row.time) * 1000),
      wrong,
      printed: row,
    },
  ];
}
