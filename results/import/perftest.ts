import { fieldsOf, isFields, lookUp, type RecordFields } from '../collections.ts';
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
} from './imported-output.ts';
import { type PrintedNumber, printedNumber, wholeNumberOf } from './printed-number.ts';
import { type ImportSource, printedOf } from './source.ts';
import { textLines } from './text-lines.ts';

const isReport = (value: unknown): value is RecordFields =>
  isFields(value) && isFields(value.test_info) && isFields(value.results) && 'test' in value.test_info;

export const isPerftest = ({ text, records }: ImportSource): boolean =>
  records.some(isReport) || (records.length === 0 && perftestColumns.test(text));

interface PerftestTest {
  operation: OperationName;
  isLatency: boolean;
}

/** Matches the line with column names, which precedes the values in perftest's text output. */
export const perftestColumns = /^\s*#bytes\s+(?:#sl\s+)?#iterations\s+(?:BW peak|t_min|t_avg|BW average)/m;
const textTitle = /^\s{2,}(\S.*\bTest)\s*$/;

/** Names of perftest's JSON output by column name of its text output. Column names of rates are without their unit. */
const textNames: Record<string, string> = {
  '#bytes': 'MsgSize',
  '#iterations': 'n_iterations',
  'BW peak': 'BW_peak',
  'BW average': 'BW_average',
  MsgRate: 'MsgRate',
  '99% percentile': 'percentile_99',
  '99.9% percentile': 'percentile_99.9',
};

/**
 * Converts text output of perftest to objects in the form of its --out_json, one for each row of the table.
 * @param notices gets a sentence for each row with a wrong number of columns, one if client and server printed the same rows, one
 * if rows have no title above them, and one if the last line is cut off; such rows are left out, of rows printed by both sides only
 * the repetition
 */
function textReports(text: string, notices: string[]): RecordFields[] {
  const { lines, isWhole } = textLines(text);
  const reports: RecordFields[] = [];
  let isUntitled = false;
  const runs = new Map<string, number>();
  /** Rows that one side of a connection printed, by the address of the other side. */
  const mirrored = new Map<string, Set<string>>();
  let mirrors = 0;
  let ends = { local: '', remote: '' };
  let info: Record<string, string> = {};
  let columns: string[] = [];
  let hasRows = false;
  let unit = '';
  for (const line of lines) {
    const title = textTitle.exec(line)?.[1];
    if (title !== undefined) {
      info = { test: title.trim().replace(/\s+/g, '_') };
      ends = { local: '', remote: '' };
      hasRows = false;
      columns = [];
    } else if (perftestColumns.test(line)) {
      unit = /BW average\[([^\]]*)\]/.exec(line)?.[1] ?? '';
      columns = line
        .replace(/\[[^\]]*\]/g, '  ')
        .trim()
        .split(/\s{2,}|(?<=#bytes)\s|(?<=#iterations)\s/)
        .map((name) => lookUp(textNames, name) ?? name);
    } else if (columns.length === 0) {
      const [, side, address = ''] = /^\s*(local|remote) address:\s*(\S.*?)\s*$/.exec(line) ?? [];
      if (side !== undefined) ends[side as 'local'] += `${address}\n`;
      for (const [, key = '', value = ''] of line.matchAll(/([A-Z][\w .*]*?)\s*:\s*(\S+)/g))
        info[key.replaceAll(' ', '_')] = value;
    } else if (/^\s*\d/.test(line)) {
      isUntitled ||= info.test === undefined;
      const words = line.trim().split(/\s+/);
      if (words.length === columns.length) {
        const results = Object.fromEntries(columns.map((name, i) => [name, words[i] ?? '']));
        // Client and server both print a title, one after the other. In a log of both, they print the same rows.
        const row = words.join(' ');
        if (mirrored.get(ends.local)?.has(row) === true) {
          mirrors += 1;
          continue;
        }
        if (ends.remote !== '') mirrored.set(ends.remote, (mirrored.get(ends.remote) ?? new Set()).add(row));
        const run = (runs.get(info.test ?? '') ?? 0) + (hasRows ? 0 : 1);
        runs.set(info.test ?? '', run);
        hasRows = true;
        reports.push({ test_info: info, results: { ...results, ...(unit === '' ? {} : { unit }) }, run });
      } else
        notices.push(
          `a line of ${words.length} words under ${columns.length} names is left out: ${shortenText(line.trim())}`,
        );
    }
  }
  if (mirrors > 0)
    notices.push(`${mirrors} rows are left out: the other side of the connection printed them, too`);
  if (isUntitled)
    notices.push('figures without a title above them are left out: which test they are of is not known');
  if (!isWhole) notices.push('the last line is cut off and was skipped');
  return reports.filter(({ test_info: of }) => isFields(of) && of.test !== undefined);
}

/**
 * Returns the operation that a perftest program measures, from its printed name: "RDMA_Write_BW_Test", "RDMA_Read_Latency_Test",
 * "Atomic_FETCH_AND_ADD_BW_Test". Null if the name is unknown.
 */
function testOf(name: string): PerftestTest | null {
  const [, verb, rest = ''] = /^(Send|RDMA_Write|RDMA_Read|Atomic)(?:_imm)?_(.*)Test$/.exec(name) ?? [];
  const isLatency = /Latency_/.test(rest);
  if (verb === undefined || (!isLatency && !/BW_/.test(rest))) return null;
  if (/Bidirectional_/.test(rest)) return { operation: 'exchange', isLatency };
  if (verb === 'Send') return { operation: isLatency ? 'pingpong' : 'send', isLatency };
  const oneSided = { RDMA_Write: 'put', RDMA_Read: 'get', Atomic: 'atomic' } as const;
  return { operation: oneSided[verb as keyof typeof oneSided], isLatency };
}

/**
 * Reads the output of ib_write_bw or similar programs, or the file of --out_json. Parts that cannot be used are left out with a
 * notice.
 * @throws ImportError if the user gave a number of ranks other than two
 */
export function readPerftest({ text, records, isWhole }: ImportSource, hints: ImportHints): ImportedOutput {
  if (hints.ranks !== null && hints.ranks !== 2) {
    throw new ImportError(`--ranks ${hints.ranks}: perftest is of two`, ['  leave --ranks out']);
  }
  const notices: string[] = [];
  const isText = records.length === 0;
  const reports = isText ? textReports(text, notices) : records.filter(isReport);
  if (!isText && reports.length < records.length)
    notices.push(`${records.length - reports.length} records are no reports of perftest and were left out`);
  const rows = reports.flatMap((report) => rowOf(report, notices));
  const first = fieldsOf(reports[0]?.test_info);
  const detail = ['Link_type', 'Connection_type', 'Device'].flatMap((key) =>
    typeof first[key] === 'string' ? shortenText(first[key], 40) : [],
  );
  return {
    ...notPrinted,
    series: 'perftest',
    program: ['perftest', ...detail].join(' '),
    engine: 'verbs',
    ranks: 2,
    statistic: 'median of latencies (t_typical); mean of bandwidth tests',
    method: { clock: 'CPU cycles', sync: 'none', batch: 0 },
    rows,
    complete: isWhole && rows.length > 0,
    conversions: [
      'latency: microseconds x 1000 = nanoseconds',
      'bandwidth: MiB/s or Gbit/s, distinguished by the message rate; time of one message = 1 / message rate, or size / bandwidth where that has more digits',
      'bidirectional bandwidth: that of both directions together; time of one message each way = 2 x its size / bandwidth',
    ],
    unknown: ['hosts', 'versions', 'whether times are microseconds or cycles (-C): microseconds are taken'],
    notices,
  };
}

function rowOf(report: RecordFields, notices: string[]): ImportedRow[] {
  const info = fieldsOf(report.test_info);
  const name = typeof info.test === 'string' ? info.test : '';
  const test = testOf(name);
  const printed = printedOf(fieldsOf(report.results));
  const size = wholeNumberOf(printed.MsgSize);
  if (test === null || size === null) {
    notices.push(
      test === null
        ? `a report is left out: test ${shortenText(name, 60)} is none of those that can be imported`
        : `a report of ${shortenText(name, 60)} is left out: it has no MsgSize (a run with --output, or one cut off)`,
    );
    return [];
  }
  const pairs = wholeNumberOf(String(info.Number_of_qps ?? ''));
  // The printed rate counts both directions, and one exchange is one message in each direction.
  const together = test.operation === 'exchange' ? 2 : 1;
  const figure = test.isLatency ? latency(printed) : bandwidth(printed, size, together);
  return [
    {
      ...plainRow,
      operation: test.operation,
      variant: joinPresent(
        [
          pairs !== null && pairs > 1 ? `${pairs} queue pairs` : '',
          typeof report.run === 'number' && report.run > 1 ? `run ${report.run}` : '',
        ],
        ' ',
      ),
      dtype: 'uint8',
      payloadBytes: size,
      count: size,
      trial: test.isLatency ? 'isolated' : 'pipelined',
      ...figure,
      printed,
    },
  ];
}

type PerftestFigure = Pick<ImportedRow, 'timeNs' | 'reason' | 'minNs' | 'maxNs' | 'p99Ns' | 'samples'>;
const none = (reason: string): PerftestFigure => ({ timeNs: null, reason });

function latency(printed: Record<string, string>): PerftestFigure {
  const at = (key: string) => printedNumber(printed[key])?.value ?? null;
  const [typical, least, most, p99] = [at('t_typical'), at('t_min'), at('t_max'), at('percentile_99')];
  if (typical === null || typical <= 0)
    return none('no median (t_typical) is printed: a run with a duration (-D) or --output has none');
  if ((least !== null && least > typical) || (most !== null && most < typical)) {
    return none(`the median ${typical} is not between ${least} and ${most} µs`);
  }
  const ns = (us: number | null) => (us === null ? null : us * 1000);
  return {
    timeNs: typical * 1000,
    reason: null,
    minNs: ns(least),
    maxNs: ns(most),
    p99Ns: p99 !== null && most !== null && p99 >= typical && p99 <= most ? ns(p99) : null,
    samples: wholeNumberOf(printed.n_iterations) ?? 0,
  };
}

/** Bytes per second in each unit of bandwidth that perftest prints: MiB/s, and Gbit/s with --report_gbits. */
const units = [2 ** 20, 1e9 / 8];

/** Bytes per second in one unit, by the unit's name in text output; a MB of perftest has 2^20 bytes. */
const namedUnits: Record<string, number> = {
  'MB/sec': 2 ** 20,
  'MiB/sec': 2 ** 20,
  'Gb/sec': 1e9 / 8,
};

/**
 * Returns the time of one operation in ns, from the rates that a bandwidth test of perftest printed; null with a reason if rates
 * are missing or contradict each other.
 * @param printed printed words by column name
 * @param size message size in bytes
 * @param together number of messages that move in the time of one operation: 2 if both directions are measured, otherwise 1
 */
function bandwidth(printed: Record<string, string>, size: number, together: number): PerftestFigure {
  const rate = printedNumber(printed.BW_average);
  const messages = printedNumber(printed.MsgRate);
  const named = lookUp(namedUnits, printed.unit ?? '');
  if (rate !== null && rate.value > 0 && printed.MsgRate === undefined && named !== undefined)
    return { timeNs: (size * together * 1e9) / (rate.value * named), reason: null };
  if (rate === null || messages === null || messages.value <= 0 || rate.value <= 0)
    return none(
      `the mean bandwidth printed is ${shortenText(printed.BW_average ?? 'nothing', 40)} and the message rate ${shortenText(printed.MsgRate ?? 'nothing', 40)}: both must be positive numbers`,
    );
  // Neither file nor option of JSON names the unit. It is derived from the message rate (1e6 per second).
  const fitting = (named === undefined ? units : [named]).filter((bytesPerSecond) =>
    fits(rate, messages, (size * 1e6) / bytesPerSecond),
  );
  const [unit] = fitting;
  if (unit === undefined) {
    return none(
      `${messages.value} million messages of ${size} bytes per second are ${rate.value} in no unit of perftest`,
    );
  }
  // The value with more digits is used: for large messages the bandwidth, for small ones the message rate.
  const isFiner = rate.half / rate.value < messages.half / messages.value;
  return {
    timeNs: isFiner ? (size * together * 1e9) / (rate.value * unit) : (together * 1000) / messages.value,
    reason: null,
  };
}

/**
 * True if bandwidth and message rate agree within the rounding of their printed digits plus 0.1 %. Rates of small messages have few
 * digits.
 * @param rate bandwidth
 * @param messages message rate
 * @param factor bandwidth, in the unit of `rate`, at a message rate of 1
 */
const fits = (rate: PrintedNumber, messages: PrintedNumber, factor: number): boolean =>
  Math.abs(rate.value - messages.value * factor) <= rate.half + messages.half * factor + 0.001 * rate.value;
