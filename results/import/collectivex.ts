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
  ranksOf,
  shortenText,
  timeUnless,
} from './imported-output.ts';
import { type ImportSource, printedOf } from './source.ts';

const isCase = (value: unknown): value is RecordFields =>
  isFields(value) &&
  value.record_type === 'case-attempt' &&
  isFields(value.measurement) &&
  Array.isArray(value.measurement.rows);

export const isCollectivex = ({ records }: ImportSource): boolean => isCase(records[0]);

const positive = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : null;
/** Returns the value if it is a possible number of ranks; null for other values. */
const ranksIn = (value: unknown): number | null =>
  Number.isSafeInteger(value) && Number(value) > 0 && Number(value) < 1e6 ? Number(value) : null;
const wordOf = (value: unknown): string => (typeof value === 'string' ? shortenText(value, 40) : '');

/**
 * Operation and trial of each measured component in a row of expert parallelism, by the component's name in the file. `bytes` is
 * the key of the row's `byte_provenance` that has the component's byte count.
 */
const components: Record<string, { operation: OperationName; trial: ImportedRow['trial']; bytes: string }> = {
  dispatch: { operation: 'dispatch', trial: 'isolated', bytes: 'dispatch' },
  combine: { operation: 'combine', trial: 'isolated', bytes: 'combine' },
  roundtrip: { operation: 'dispatch-combine', trial: 'isolated', bytes: 'roundtrip' },
  pair_period: { operation: 'dispatch-combine', trial: 'pipelined', bytes: 'roundtrip' },
};
const transfers: Record<string, OperationName> = { push: 'put', pull: 'get' };

/**
 * Reads case files of CollectiveX: dispatch and combine of experts, and transfers of KV caches.
 * @throws ImportError if the cases have different numbers of ranks, or if their number is not known or differs from --ranks
 */
export function readCollectivex(
  { records, isWhole, strayLines }: ImportSource,
  hints: ImportHints,
): ImportedOutput {
  const cases = records.filter(isCase);
  const notices =
    cases.length < records.length
      ? [`${records.length - cases.length} records are no cases and were left out`]
      : [];
  const about = cases.map((one) => fieldsOf(fieldsOf(fieldsOf(one.identity).case_factors).case));
  const sizes = new Set(
    cases.map((one, i) => ranksIn(fieldsOf(one.topology).world_size) ?? ranksIn(about[i]?.ep)),
  );
  if (sizes.size > 1)
    throw new ImportError('the cases have different numbers of ranks: one of them per file');
  const ranks = ranksOf('CollectiveX', [...sizes][0] ?? null, hints);
  const several = cases.length > 1;
  const rows = cases.flatMap((one, i) => {
    const backend = several ? wordOf(about[i]?.backend) : '';
    const all = fieldsOf(one.measurement).rows;
    return (Array.isArray(all) ? all.filter(isFields) : []).flatMap((row) => rowsOf(row, ranks, backend));
  });
  const saysWrong =
    cases.some((one) => fieldsOf(one.outcome).status === 'invalid') || rows.some(({ isWrong }) => isWrong);
  return {
    ...notPrinted,
    series: 'collectivex',
    program: joinPresent(['CollectiveX', ...new Set(about.map((one) => wordOf(one.backend)))], ' '),
    engine: 'collectivex',
    ranks,
    measuredAt: wordOf(cases[0]?.generated_at) || null,
    statistic: 'median over iterations of the slowest rank; the chained pair: median over ranks',
    method: { clock: 'CUDA events', sync: 'barrier', batch: 0 },
    rows: rows.map(({ isWrong: _, ...row }) => row),
    saysWrong,
    complete: isWhole && strayLines === 0 && rows.length > 0,
    conversions: [
      'time: p50 in microseconds x 1000, of KV transfers in milliseconds x 1,000,000 = nanoseconds',
      'payload of dispatch and combine: logical bytes of all ranks together / ranks',
    ],
    unknown: ['hosts', 'transport', 'algorithm'],
    notices,
  };
}

type CaseRow = ImportedRow & { isWrong: boolean };

function rowsOf(row: RecordFields, ranks: number, backend: string): CaseRow[] {
  if (isFields(row.components)) return expertRows(row, fieldsOf(row.components), ranks, backend);
  const operation = lookUp(transfers, wordOf(row.op));
  const bytes = positive(row.req_bytes) ?? 0;
  if (operation === undefined || !Number.isSafeInteger(bytes) || bytes === 0) return [];
  const timeMs = positive(fieldsOf(row.latency_ms).p50);
  const rate = positive(row.gbps_p50);
  const isFitting =
    timeMs === null ||
    rate === null ||
    Math.abs(bytes / timeMs / 1e6 / rate - 1) <= 0.001 + 0.005 / rate + 0.0005 / timeMs;
  const reason =
    notAscending(fieldsOf(row.latency_ms), 'ms') ??
    (row.batch === 1 ? null : 'several requests at once: the time is not that of one') ??
    (isFitting ? null : `${bytes} bytes in ${timeMs} ms are not ${rate} GB/s`);
  const passed = fieldsOf(row.verify).passed;
  const pages =
    row.kind === 'paged' ? `pages of ${positive(row.page_tokens) ?? '?'} tokens` : 'one descriptor';
  return [
    {
      ...plainRow,
      dtype: 'unknown',
      operation,
      variant: [backend, wordOf(row.preset), pages].filter((part) => part !== '').join(' '),
      payloadBytes: bytes,
      count: bytes,
      trial: 'isolated',
      timeNs: reason === null && timeMs !== null ? timeMs * 1e6 : null,
      reason: reason ?? (timeMs === null ? 'no median is in the file' : null),
      wrong: passed === true && row.kind === 'paged' ? 0 : null,
      printed: printedOf({ ...row, ...fieldsOf(row.latency_ms) }),
      isWrong: passed === false,
    },
  ];
}

function expertRows(row: RecordFields, all: RecordFields, ranks: number, backend: string): CaseRow[] {
  const correct = fieldsOf(row.correctness).passed;
  return Object.entries(components).flatMap(([name, { operation, trial, bytes: of }]): CaseRow[] => {
    const times = fieldsOf(fieldsOf(all[name]).percentiles_us);
    const timeUs = positive(times.p50);
    const total = positive(fieldsOf(fieldsOf(row.byte_provenance)[of]).total_logical_bytes);
    if (timeUs === null || total === null) return [];
    const payloadBytes = Math.round(total / ranks);
    const reason = notAscending(times, 'µs') ?? countContradiction(row, ranks);
    return [
      {
        ...plainRow,
        dtype: 'unknown',
        operation,
        variant: joinPresent([backend, `${positive(row.tokens_per_rank) ?? '?'} tokens`], ' '),
        payloadBytes,
        count: payloadBytes,
        trial,
        ...timeUnless(reason, timeUs * 1000),
        wrong: correct === true ? 0 : null,
        printed: printedOf({ component: name, tokens_per_rank: row.tokens_per_rank, ...times }),
        isWrong: correct === false,
      },
    ];
  });
}

/** Returns a sentence if the percentiles of a time do not ascend; null otherwise. */
function notAscending(times: RecordFields, unit: string): string | null {
  const values = ['p50', 'p90', 'p95', 'p99'].flatMap((key) => positive(times[key]) ?? []);
  return values.every((value, i) => i === 0 || value >= (values[i - 1] ?? 0))
    ? null
    : `the percentiles ${values.join(', ')} ${unit} do not ascend`;
}

/** Returns a sentence if the number of all tokens is not tokens per rank times ranks; null otherwise. */
function countContradiction(row: RecordFields, ranks: number): string | null {
  const [each, all] = [positive(row.tokens_per_rank), positive(row.global_tokens)];
  return each === null || all === null || each * ranks === all
    ? null
    : `${each} tokens on each of ${ranks} ranks are not ${all}`;
}
