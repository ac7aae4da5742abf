import { lookUp } from '../collections.ts';
import type { OperationName, RecordedDtypeName } from '../schema/index.ts';
import { collectives } from '../schema/index.ts';
import { joinPresent } from '../text.ts';
import {
  collectiveOrNull,
  ImportError,
  type ImportedOutput,
  type ImportedRow,
  type ImportHints,
  notPrinted,
  plainRow,
  shortenText,
} from './imported-output.ts';
import {
  isMultiple,
  type PrintedNumber,
  printedNumber,
  ratesAgree,
  wholeNumberOf,
} from './printed-number.ts';
import type { ImportSource } from './source.ts';
import { abortWords, textLines } from './text-lines.ts';

interface Benchmark {
  operation: OperationName;
  trial: ImportedRow['trial'];
  /**
   * Number of messages per operation that IMB counts in its rates. For Uniband and Biband it counts the messages of one pair of
   * processes. Absent if IMB prints no rate.
   */
  counted?: number;
  /** Multiple of the printed size that a process sends in one operation; absent = 1. */
  sent?: number;
  /** True if the benchmark's name must be part of the series' name, because another benchmark measures the same operation. */
  isVariant?: boolean;
  /**
   * True if the printed size is that of all ranks' parts together; absent = it is that of one rank's part, or of the message or
   * vector if ranks have no parts.
   */
  isWhole?: boolean;
}

const repeated = (operation: OperationName, more: Partial<Benchmark> = {}): Benchmark => ({
  operation,
  trial: 'pipelined',
  ...more,
});

/** Benchmarks of IMB-MPI1 by name, as printed after "# Benchmarking". */
const benchmarks: Record<string, Benchmark> = {
  PingPong: { operation: 'pingpong', trial: 'isolated', counted: 1 },
  PingPongSpecificSource: { operation: 'pingpong', trial: 'isolated', counted: 1, isVariant: true },
  PingPing: repeated('exchange', { counted: 1, isVariant: true }),
  PingPingSpecificSource: repeated('exchange', { counted: 1, isVariant: true }),
  // In Exchange a process sends to two neighbours at once: twice the printed size.
  Exchange: repeated('exchange', { counted: 4, sent: 2, isVariant: true }),
  Sendrecv: repeated('sendrecv', { counted: 2 }),
  Uniband: repeated('send', { counted: 1, isVariant: true }),
  Biband: repeated('exchange', { counted: 2, isVariant: true }),
  Allreduce: repeated('allreduce'),
  Reduce: repeated('reduce'),
  Reduce_scatter: repeated('reducescatter', { isWhole: true }),
  Reduce_scatter_block: repeated('reducescatter', { isVariant: true }),
  Allgather: repeated('allgather'),
  Allgatherv: repeated('allgather', { isVariant: true }),
  Gather: repeated('gather'),
  Gatherv: repeated('gather', { isVariant: true }),
  Scatter: repeated('scatter'),
  Scatterv: repeated('scatter', { isVariant: true }),
  Alltoall: repeated('alltoall'),
  Alltoallv: repeated('alltoall', { isVariant: true }),
  Bcast: repeated('broadcast'),
  Barrier: repeated('barrier'),
};

const banner = /^#\s+Intel\(R\) MPI Benchmarks? (?:Suite V)?(\S+?),?(?: .*)?$/;
const begins = /^# Benchmarking (\S+)/;
/** Matches the first line of an output of IMB, and the title of each benchmark. */
export const imbTitle = /^#\s+(?:Intel\(R\) MPI Benchmarks?|Benchmarking \S)/;
/** Matches the line with column names. Logs may lack the blanks at its beginning. */
const columnLine = /^\s*#(?:bytes|repetitions)\s/;
export const isImb = ({ text }: ImportSource): boolean => {
  const lines = text.split('\n', 2000);
  return lines.some((line) => banner.test(line)) || lines.some((line) => begins.test(line));
};

/**
 * The part of an output that begins with one line "# Benchmarking". `processes`: number of ranks, null if no line states it;
 * `columns`: names of the columns in order.
 */
interface ImbSection {
  name: string;
  processes: number | null;
  /** True if several groups of processes ran at once. The output does not say to which group a row belongs. */
  isMulti: boolean;
  /**
   * Number of this section among those in the file with the same benchmark and number of processes, counted from 1; null before its
   * first row.
   */
  repetition: number | null;
  columns: string[];
}

interface ImbLine {
  section: ImbSection;
  text: string;
}

/**
 * Reads the output of IMB-MPI1. Some rows are left out with a notice: those of other numbers of ranks than the imported one, of
 * unknown benchmarks, of several groups at once, and rows whose columns cannot be parsed.
 * @throws ImportError if the number of ranks to import is not known (ranksIn())
 */
export function readImb({ text }: ImportSource, hints: ImportHints): ImportedOutput {
  const { lines, isWhole, notices } = textLines(text);
  const found: ImbLine[] = [];
  const header: Record<string, string> = {};
  const repetitions = new Map<string, number>();
  let version: string | null = null;
  let section: ImbSection | null = null;
  let isConcluded = false;
  let isAborted = !isWhole;
  for (const line of lines) {
    const name = begins.exec(line)?.[1];
    if (name !== undefined) {
      section = { name, processes: null, isMulti: false, repetition: null, columns: [] };
      isConcluded = false;
    } else if (abortWords.test(line)) {
      isAborted = true;
      notices.push(shortenText(line.trim(), 200));
    } else if (/^# All processes entering MPI_Finalize/.test(line)) {
      isConcluded = true;
      section = null;
    } else if (section !== null && columnLine.test(line)) {
      section.columns = line.trim().split(/\s+/);
    } else if (line.startsWith('#')) {
      version ??= banner.exec(line)?.[1] ?? null;
      const [, key, value] = /^# ([A-Z]\w*(?: \w+)*)\s*: (.*)$/.exec(line) ?? [];
      if (section === null && key !== undefined && value !== undefined) header[key] = value.trim();
      if (section !== null) takeComment(section, line);
    } else if (section !== null && /^\s*\d/.test(line)) {
      section.repetition ??= repetitionOf(section, repetitions);
      found.push({ section, text: line.trim() });
    }
  }
  const ranks = ranksIn(found, hints);
  const others = found.filter(({ section: { processes } }) => processes !== ranks).length;
  if (others > 0)
    notices.push(`${others} rows of other numbers of processes are left out (--ranks ${ranks})`);
  const types = {
    plain: dtypeOf(header.MPI_Datatype),
    reduced: dtypeOf(header['MPI_Datatype for reductions']),
  };
  const rows = found
    .filter(({ section: { processes } }) => processes === ranks)
    .flatMap((line) => rowOf(line, ranks, types, notices));
  if (!isConcluded) notices.push('the closing line is missing: the run did not end, or its output was cut');
  return {
    ...notPrinted,
    series: 'imb',
    program: `Intel MPI Benchmarks${version === null ? '' : ` ${shortenText(version, 40)}`}`,
    engine: 'mpi',
    ranks,
    measuredAt: header.Date ?? null,
    statistic: 'slowest rank’s elapsed time over repetitions',
    method: { clock: 'MPI_Wtime', sync: 'none', batch: 0 },
    versions: {
      ...(version === null ? {} : { imb: shortenText(version, 40) }),
      ...(header['MPI Version'] === undefined
        ? {}
        : { 'MPI standard': shortenText(header['MPI Version'], 40) }),
    },
    rows,
    complete: isConcluded && !isAborted && rows.length > 0,
    conversions: [
      'time: microseconds x 1000 = nanoseconds; t_max if ranks are listed separately',
      'size: that of one rank’s part in allgather, alltoall, gather, scatter and reduce_scatter_block, x ranks = payload',
      'bandwidths: computed from payload and time; IMB counts the messages of both directions in Sendrecv and of four in Exchange',
      'Exchange: a process sends to two neighbours at once, payload = 2 x size',
      'Uniband and Biband: rates of all pairs and directions together; time of one message, or of one each way, in a pair',
    ],
    unknown: ['transport', 'algorithm', 'root (it goes round)', 'hosts'],
    notices: [...new Set(notices)],
  };
}

/**
 * Returns the number (1, 2, ...) of this section among those in the file with the same benchmark and number of processes, and
 * counts it in `seen`.
 */
function repetitionOf({ name, processes }: ImbSection, seen: Map<string, number>): number {
  const key = `${name} ${processes}`;
  const times = (seen.get(key) ?? 0) + 1;
  seen.set(key, times);
  return times;
}

function takeComment(section: ImbSection, line: string): void {
  const processes = /^# #processes = (\d+)/.exec(line)?.[1];
  const groups = /^# \( (\d+) groups of (\d+) processes each running simultaneous/.exec(line);
  if (processes !== undefined) section.processes = wholeNumberOf(processes);
  if (groups !== null) {
    section.processes = wholeNumberOf(groups[2]);
    section.isMulti = true;
  }
}

/**
 * Returns the number of ranks whose rows are imported.
 * @throws ImportError if the output has several numbers of ranks and the user chose none (--ranks), if it lacks the chosen one, or
 * if it names no number
 */
function ranksIn(lines: readonly ImbLine[], hints: ImportHints): number {
  const found = [...new Set(lines.flatMap(({ section }) => section.processes ?? []))].sort((a, b) => a - b);
  if (hints.ranks !== null) {
    if (found.includes(hints.ranks)) return hints.ranks;
    throw new ImportError(`--ranks ${hints.ranks}: the output is of ${found.join(', ') || 'no'} processes`);
  }
  const [only, second] = found;
  if (only === undefined || only < 1 || only > 1e6)
    throw new ImportError('no row of IMB has a line "#processes = N" above it');
  if (second === undefined) return only;
  throw new ImportError(
    `the output has rows of ${found.join(', ')} processes: each number is a run of its own`,
    ['allowed: one of them, with --ranks'],
    { ranks: String(found.at(-1)) },
  );
}

const dtypes: Record<string, RecordedDtypeName> = {
  MPI_BYTE: 'uint8',
  MPI_CHAR: 'int8',
  MPI_INT: 'int32',
  MPI_FLOAT: 'float32',
  MPI_DOUBLE: 'float64',
};
const dtypeOf = (printed: string | undefined): RecordedDtypeName => dtypes[printed ?? ''] ?? 'unknown';
const elementBytes: Partial<Record<RecordedDtypeName, number>> = { int32: 4, float32: 4, float64: 8 };

function rowOf(
  { section, text }: ImbLine,
  ranks: number,
  types: { plain: RecordedDtypeName; reduced: RecordedDtypeName },
  notices: string[],
): ImportedRow[] {
  const { name, columns, isMulti } = section;
  const benchmark = lookUp(benchmarks, name);
  if (benchmark === undefined || isMulti) {
    const why = isMulti ? 'of several groups at once' : 'none of those that can be imported';
    notices.push(`rows of ${shortenText(name, 40)} are left out: ${why}`);
    return [];
  }
  const words = text.split(/\s+/);
  if (words.length !== columns.length) {
    notices.push(
      `a row of ${name} is left out, its words are not under the names above them: ${shortenText(text)}`,
    );
    return [];
  }
  const printed = Object.fromEntries(columns.map((column, i) => [column, words[i] ?? '']));
  const size = benchmark.operation === 'barrier' ? 0 : wholeNumberOf(printed['#bytes']);
  const known = collectiveOrNull(benchmark.operation);
  const parts = known === null || benchmark.isWhole === true ? 1 : collectives[known].parts(ranks);
  const payloadBytes = (size ?? Number.NaN) * parts * (benchmark.sent ?? 1);
  if (size === null || !Number.isSafeInteger(payloadBytes)) {
    notices.push(`a row of ${name} is left out, its size is no whole number: ${shortenText(text)}`);
    return [];
  }
  const isReduced = known !== null && collectives[known].reduces;
  const dtype = isReduced ? types.reduced : types.plain;
  const elements = size / (elementBytes[dtype] ?? 1);
  const defects = printed.defects === undefined ? null : printedNumber(printed.defects);
  return [
    {
      ...plainRow,
      operation: benchmark.operation,
      variant: joinPresent(
        [
          benchmark.isVariant === true ? name : '',
          printed['Msg/sec'] !== undefined && ranks > 3 ? `${Math.floor(ranks / 2)} pairs` : '',
          (section.repetition ?? 1) === 1 ? '' : `run ${section.repetition}`,
        ],
        ' ',
      ),
      dtype,
      op: isReduced ? 'sum' : null,
      payloadBytes,
      count: Math.floor(
        benchmark.operation === 'reducescatter' && benchmark.isWhole ? elements / ranks : elements,
      ),
      trial: benchmark.trial,
      ...figureOf(printed, size, benchmark, ranks),
      wrong: defects === null ? null : defects.value === 0 ? 0 : 1,
      printed,
    },
  ];
}

type ImbFigure = Pick<ImportedRow, 'timeNs' | 'reason'>;
const none = (reason: string): ImbFigure => ({ timeNs: null, reason });

function figureOf(
  printed: Record<string, string>,
  size: number,
  { counted }: Benchmark,
  ranks: number,
): ImbFigure {
  const rate = printedNumber(printed['Mbytes/sec']);
  const word = printed['t_max[usec]'] ?? printed['t[usec]'];
  if (word === undefined) return fromRate(printed, size, rate, (counted ?? 1) * Math.floor(ranks / 2));
  const time = printedNumber(word);
  if (time === null || time.value <= 0)
    return none(`the time printed is ${shortenText(word, 40)}: no positive number`);
  const [least, mean] = [printedNumber(printed['t_min[usec]']), printedNumber(printed['t_avg[usec]'])];
  if (least !== null && mean !== null && !(least.value <= mean.value && mean.value <= time.value)) {
    return none(`the mean is not between least and most: ${Object.values(printed).join(' ')}`);
  }
  if (rate !== null && counted !== undefined && !isRateOf(size * counted, time, rate)) {
    return none(`${size} bytes in ${word} µs are not ${rate.value} Mbytes/sec: the row was changed`);
  }
  return { timeNs: time.value * 1000, reason: null };
}

/** True if a printed rate (MB/s) agrees with size and time (us). IMB's megabyte has 1,000,000 bytes since 2018, 2^20 earlier. */
const isRateOf = (bytes: number, time: PrintedNumber, rate: PrintedNumber): boolean =>
  ratesAgree(bytes, time, 1000, rate, 1e6) || ratesAgree(bytes, time, 1000, rate, 2 ** 20);

/**
 * Returns the time of an operation of Uniband or Biband in ns, computed from the printed rates of all pairs together; these
 * benchmarks print no time. The message rate is used, because the byte rate depends on the unit of a megabyte. The time is null,
 * with a reason, if no message rate is printed or both rates contradict each other.
 * @param size message size in bytes
 * @param rate printed byte rate in MB/s; null = not printed
 * @param together number of messages that all pairs move in the time of one operation
 */
function fromRate(
  printed: Record<string, string>,
  size: number,
  rate: PrintedNumber | null,
  together: number,
): ImbFigure {
  const messages = printedNumber(printed['Msg/sec']);
  if (messages === null || messages.value <= 0) return none('no messages per second are printed');
  if (
    rate !== null &&
    !isMultiple(rate, messages, size / 1e6) &&
    !isMultiple(rate, messages, size / 2 ** 20)
  ) {
    return none(`${messages.value} messages of ${size} bytes per second are not ${rate.value} Mbytes/sec`);
  }
  return { timeNs: (together * 1e9) / messages.value, reason: null };
}
