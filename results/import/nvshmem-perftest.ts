import { lookUp } from '../collections.ts';
import { type OperationName, opNames, type RecordedDtypeName } from '../schema/index.ts';
import { contradiction, requireFittingHints } from './from-nccl-tests.ts';
import {
  collectiveOrNull,
  ImportError,
  type ImportedOutput,
  type ImportedRow,
  type ImportHints,
  notPrinted,
  ranksOf,
  shortenText,
} from './imported-output.ts';
import { printedNumber, wholeNumberOf } from './printed-number.ts';
import type { ImportSource } from './source.ts';
import { abortWords, textLines } from './text-lines.ts';

const title = /^#\s*([a-z]\w{2,60})\s*$/;
const tableHead = /^\s*size\(B\)\s+(?:scope|count)\s/;
/** Matches the name of a test, or the line with column names below it. */
export const nvshmemTitle =
  /^#\s*(?:shmem_|device_)?\w*(?:reduction|alltoall|fcollect|reducescatter|broadcast|bcast|_bw|_latency)\w*\s*$|^\s*size\(B\)\s+(?:scope|count)\s/;

export const isNvshmemPerftest = ({ text, records }: ImportSource): boolean =>
  records.length === 0 && text.split('\n').some((line) => tableHead.test(line));

/**
 * Operations of NVSHMEM's tests, by the test's name without "shmem_" or "device_" before it, and without "_device" or "_on_stream"
 * after it.
 */
const tests: Record<string, OperationName> = {
  reduction: 'allreduce',
  alltoall: 'alltoall',
  fcollect: 'allgather',
  reducescatter: 'reducescatter',
  broadcast: 'broadcast',
  bcast: 'broadcast',
  put_bw: 'put',
  get_bw: 'get',
  p_bw: 'put',
  g_bw: 'get',
  put_latency: 'put',
  get_latency: 'get',
  p_latency: 'put',
  g_latency: 'get',
};

const testOf = (name: string): OperationName | undefined =>
  lookUp(tests, name.replace(/^(?:shmem|device)_/, '').replace(/_(?:device|on_stream)$/, ''));

const dtypes: Record<string, RecordedDtypeName> = {
  int: 'int32',
  int32_t: 'int32',
  uint32_t: 'uint32',
  int64_t: 'int64',
  long: 'int64',
  longlong: 'int64',
  uint64_t: 'uint64',
  ulonglong: 'uint64',
  float: 'float32',
  double: 'float64',
  fp16: 'float16',
  bf16: 'bfloat16',
};

/**
 * Reads the tables that NVSHMEM's perftest programs print. Unknown tests are left out with a notice.
 * @throws ImportError if no test is known, if collectives need a number of ranks that the user did not give, if --ranks contradicts
 * the printed bandwidths, or if it is not 2 although all tests are puts and gets
 */
export function readNvshmemPerftest(
  { text }: Pick<ImportSource, 'text'>,
  hints: ImportHints,
): ImportedOutput {
  const { lines, isWhole, notices } = textLines(text);
  const unknown = new Set<string>();
  const found: { operation: OperationName; printed: Record<string, string> }[] = [];
  let test = '';
  let columns: string[] = [];
  for (const line of lines) {
    const name = title.exec(line)?.[1];
    if (name !== undefined) [test, columns] = [name, []];
    else if (tableHead.test(line)) columns = line.trim().split(/\s{2,}/);
    else if (abortWords.test(line)) notices.push(shortenText(line.trim(), 200));
    else if (columns.length > 0 && /^\s*\d+\s+\S/.test(line)) {
      const operation = testOf(test);
      const words = line.trim().split(/\s+/);
      if (operation === undefined) unknown.add(test || 'a table without a name above it');
      else if (words.length === columns.length)
        found.push({
          operation,
          printed: Object.fromEntries(columns.map((column, i) => [column, words[i] ?? ''])),
        });
      else notices.push(`a line is left out, its columns do not fit: ${shortenText(line.trim())}`);
    }
  }
  if (found.length === 0 && unknown.size > 0)
    throw new ImportError(`NVSHMEM's test '${[...unknown][0]}' is none of those that can be imported`, [
      `  known: ${Object.keys(tests).join(', ')}`,
    ]);
  for (const name of unknown) notices.push(`${name} is left out: it is none of those that can be imported`);
  const isOfPairs = found.every(({ operation }) => collectiveOrNull(operation) === null);
  const ranks = ranksOf("NVSHMEM's perftest", isOfPairs ? 2 : null, hints);
  const rows = found.flatMap(({ operation, printed }) => rowOf(operation, printed, ranks) ?? []);
  requireFittingHints(rows, hints);
  return {
    ...notPrinted,
    series: 'nvshmem-perftest',
    program: "NVSHMEM's perftest",
    engine: 'nvshmem',
    ranks,
    statistic: 'mean over iterations',
    method: { clock: 'CUDA events, or the clock of the GPU', sync: 'none', batch: 0 },
    rows,
    complete: isWhole && rows.length > 0,
    conversions: [
      'time: microseconds x 1000 = nanoseconds',
      'put and get with a bandwidth: time = size / bandwidth (GB/s: 1,000,000,000 bytes per second)',
    ],
    unknown: ['root', 'transport', 'hosts', 'versions'],
    notices,
  };
}

function rowOf(operation: OperationName, printed: Record<string, string>, ranks: number): ImportedRow | null {
  const size = wholeNumberOf(printed['size(B)']);
  if (size === null) return null;
  const find = (pattern: RegExp) => Object.entries(printed).find(([name]) => pattern.test(name))?.[1];
  const latency = find(/^latency ?\(us\)/i);
  const bandwidth = find(/^(?:BW|bandwidth) ?\(GB\/s/i);
  const collective = collectiveOrNull(operation);
  const reason =
    collective === null
      ? null
      : contradiction(
          size,
          { time: latency, algbw: printed['algbw(GB/s)'], busbw: printed['busbw(GB/s)'] },
          { collective, ranks },
          null,
        );
  const timeNs = timeOf(size, latency, bandwidth);
  return {
    operation,
    variant: printed.scope ?? '',
    dtype: lookUp(dtypes, printed.type ?? '') ?? 'unknown',
    op: opNames.find((name) => name === printed.redop) ?? null,
    root: null,
    inPlace: false,
    payloadBytes: size,
    count: wholeNumberOf(printed.count) ?? size,
    trial: latency === undefined ? 'pipelined' : 'isolated',
    timeNs: reason === null ? timeNs : null,
    reason: reason ?? (timeNs === null ? 'no positive time or bandwidth is printed' : null),
    wrong: null,
    printed,
  };
}

function timeOf(size: number, latency: string | undefined, bandwidth: string | undefined): number | null {
  const [time, rate] = [printedNumber(latency)?.value ?? 0, printedNumber(bandwidth)?.value ?? 0];
  if (time > 0) return time * 1000;
  return rate > 0 && size > 0 ? size / rate : null;
}
