import { lookUp } from '../collections.ts';
import type { OperationName } from '../schema/index.ts';
import { joinPresent } from '../text.ts';
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
import { printedNumber, ratesAgree, wholeNumberOf } from './printed-number.ts';
import type { ImportSource } from './source.ts';
import { abortWords, textLines } from './text-lines.ts';

export const nixlbenchHead = /^\s*Block Size \(B\)\s+Batch Size\b.*B\/W \(GB\/Sec\)/;
const setting = /^\s*([A-Z][\w ]{0,40}?)\s*\(--(\w{1,40})=[^)]*\)\s*:\s*(\S.*?)\s*$/;

export const isNixlbench = ({ text, records }: ImportSource): boolean =>
  records.length === 0 && text.split('\n').some((line) => nixlbenchHead.test(line));

const operations: Record<string, OperationName> = { WRITE: 'put', READ: 'get' };

/** Settings that nixlbench prints before a table, by name of the option: op_type, backend, num_threads. */
type Settings = Record<string, string>;

/**
 * Reads what nixlbench prints: one or several tables, each measured between two processes.
 * @throws ImportError if the user gave a number of ranks other than two, or a table lacks its settings
 */
export function readNixlbench({ text }: Pick<ImportSource, 'text'>, hints: ImportHints): ImportedOutput {
  if (hints.ranks !== null && hints.ranks !== 2)
    throw new ImportError(`--ranks ${hints.ranks}: nixlbench is of two`, ['  leave --ranks out']);
  const { lines, isWhole, notices } = textLines(text);
  const rows: ImportedRow[] = [];
  let settings: Settings = {};
  let columns: string[] = [];
  let table = 0;
  for (const line of lines) {
    const [, , key, value] = setting.exec(line) ?? [];
    if (key !== undefined && value !== undefined) {
      // A setting after a table begins the list of the next table.
      settings = { ...(columns.length > 0 ? {} : settings), [key]: value };
      columns = [];
    } else if (nixlbenchHead.test(line)) {
      columns = line.trim().split(/\s{2,}/);
      table += 1;
    } else if (abortWords.test(line)) {
      notices.push(shortenText(line.trim(), 200));
    } else if (columns.length > 0 && /^\s*\d+\s+\d+\s+\d/.test(line)) {
      if (settings.op_type === undefined)
        throw new ImportError('the settings above the table of nixlbench are cut off', [
          '  "Op type" says whether blocks are read or written; import the whole output',
        ]);
      const words = line.trim().split(/\s+/);
      const printed = Object.fromEntries(columns.map((name, i) => [name, words[i] ?? '']));
      const row = words.length === columns.length ? rowOf(printed, settings, table) : null;
      if (row === null)
        notices.push(`a line is left out, its columns do not fit: ${shortenText(line.trim())}`);
      else rows.push(row);
    }
  }
  const backend = settings.backend === undefined ? '' : ` ${shortenText(settings.backend, 40)}`;
  return {
    ...notPrinted,
    series: 'nixlbench',
    program: `nixlbench${backend}`,
    engine: 'nixl',
    ranks: 2,
    statistic: 'mean over iterations',
    method: { clock: 'host clock of the initiator', sync: 'none', batch: 0 },
    rows,
    saysWrong: /consistency check failed/i.test(text),
    complete: isWhole && rows.length > 0,
    conversions: ['time of one block = its size / bandwidth (GB/s: 1,000,000,000 bytes per second)'],
    unknown: [
      'hosts',
      'versions',
      ...(rows.some(({ operation }) => operation === 'send') ? ['READ or WRITE'] : []),
    ],
    notices,
  };
}

function rowOf(printed: Record<string, string>, settings: Settings, table: number): ImportedRow | null {
  const size = wholeNumberOf(printed['Block Size (B)']);
  const batch = wholeNumberOf(printed['Batch Size']);
  const rate = printedNumber(printed['B/W (GB/Sec)']);
  const latency = printedNumber(printed['Avg Lat. (us)']);
  if (size === null || size === 0 || batch === null || rate === null) return null;
  const threads = wholeNumberOf(settings.num_threads) ?? 1;
  // Some releases print the time of a block in one thread, others the time divided by the number of threads.
  const agrees =
    latency !== null &&
    [1, threads].some((together) => ratesAgree(size * together, latency, 1000, rate, 1e9));
  const reason =
    rate.value <= 0
      ? `the bandwidth printed is ${rate.value}: no positive number`
      : agrees
        ? null
        : `${size} bytes in ${printed['Avg Lat. (us)'] ?? 'no time'} µs are not ${rate.value} GB/s`;
  return {
    ...plainRow,
    operation: lookUp(operations, settings.op_type ?? '') ?? 'send',
    variant: joinPresent(
      [
        batch > 1 ? `batch ${batch}` : '',
        threads > 1 ? `${threads} threads` : '',
        table > 1 ? `#${table}` : '',
      ],
      ' ',
    ),
    dtype: 'uint8',
    payloadBytes: size,
    count: size,
    trial: 'pipelined',
    ...timeUnless(reason, size / rate.value),
    printed,
  };
}
