import { addTo } from '../collections.ts';
import type { OperationName } from '../schema/index.ts';
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
import { type PrintedNumber, printedNumber } from './printed-number.ts';
import type { ImportSource } from './source.ts';
import { textLines } from './text-lines.ts';

const rankLine = /\[rank (\d{1,6})\] (.*bandwidth: .*)$/;
const figure =
  /(Dispatch \+ combine|Dispatch|Combine) bandwidth: (\S+) GB\/s, avg_t=(\S+?) us(?:, min_t=(\S+?) us, max_t=(\S+?) us)?(?=\s|$)/g;
/**
 * Matches a line of DeepEP's second version: "EP:  4/16 | expanded dispatch: 115 GB/s (SO), 376 GB/s (SU), 1064.000 us, 400593024
 * bytes".
 */
const epLine =
  /(?:^|\W)EP:\s*(\d{1,6})\/(\d{1,6}) \| ([a-z ]*?)(dispatch|combine): .*?(\S+) GB\/s \(SU\), (\S+) us, (\d{1,15}) bytes/;

export const isDeepep = ({ text, records }: ImportSource): boolean =>
  records.length === 0 &&
  text.split('\n').some((line) => (rankLine.test(line) && line.match(figure) !== null) || epLine.test(line));

const operations: Record<string, OperationName> = {
  'Dispatch + combine': 'dispatch-combine',
  Dispatch: 'dispatch',
  Combine: 'combine',
  dispatch: 'dispatch',
  combine: 'combine',
};

/**
 * One printed measurement of one rank. `rate` is the bandwidth in GB/s; `mean`, `least` and `most` are the mean, shortest and
 * longest time in us. All four are null if not printed as a number. `bytes` is null if the program prints no bytes; these are then
 * computed from bandwidth and time.
 */
interface RankFigure {
  rank: number;
  bytes: number | null;
  rate: PrintedNumber | null;
  mean: PrintedNumber | null;
  least: PrintedNumber | null;
  most: PrintedNumber | null;
  /** The columns exactly as printed, by name. */
  words: Record<string, string | undefined>;
}

/**
 * Reads what the tests of DeepEP print: test_low_latency.py and the tests of its second version print bandwidth and mean time of
 * each rank for each phase (dispatch, combine or both together). Lines of tuning have no time and are left out with a notice.
 * @throws ImportError if no line is complete, or if the number of ranks differs from --ranks
 */
export function readDeepep({ text }: Pick<ImportSource, 'text'>, hints: ImportHints): ImportedOutput {
  const { lines, isWhole, notices } = textLines(text);
  const phases = new Map<string, RankFigure[]>();
  let tuned = 0;
  let printedRanks = 0;
  for (const line of lines) {
    if (/^\s*\[tuning\]/.test(line)) tuned += 1;
    const [, ranked, rest = ''] = rankLine.exec(line) ?? [];
    for (const [, phase = '', rate, mean, least, most] of rest.matchAll(figure)) {
      const [r, t, low, high] = [rate, mean, least, most].map(printedNumber);
      addTo(phases, phase, {
        rank: Number(ranked),
        bytes: null,
        rate: r ?? null,
        mean: t ?? null,
        least: low ?? null,
        most: high ?? null,
        words: { 'GB/s': rate, avg_t: mean, min_t: least, max_t: most },
      });
    }
    const [, rank, ranks, variant = '', phase = '', rate, mean, bytes] = epLine.exec(line) ?? [];
    if (rank === undefined) continue;
    printedRanks = Math.max(printedRanks, Number(ranks));
    addTo(phases, `${phase} ${variant.trim()}`.trim(), {
      rank: Number(rank),
      bytes: Number(bytes),
      rate: printedNumber(rate),
      mean: printedNumber(mean),
      least: null,
      most: null,
      words: { 'GB/s': rate, us: mean },
    });
  }
  const all = [...phases.values()].flat();
  if (all.length === 0) throw new ImportError('no line of DeepEP is whole');
  const ranks = ranksOf('DeepEP', Math.max(printedRanks, ...all.map(({ rank }) => rank + 1)), hints);
  const rows = [...phases].map(([phase, figures]) => rowOf(phase, figures));
  const missing = [...phases].filter(([, figures]) => new Set(figures.map(({ rank }) => rank)).size < ranks);
  for (const [phase, figures] of missing)
    notices.push(`${phase}: ${figures.length} of ${ranks} ranks are in the output`);
  if (tuned > 0) notices.push(`${tuned} lines of tuning are left out: a bandwidth alone gives no time`);
  return {
    ...notPrinted,
    series: 'deepep',
    program: 'DeepEP',
    engine: 'deepep',
    ranks,
    statistic: 'mean over iterations, of the slowest rank',
    method: { clock: 'CUDA events', sync: 'none', batch: 0 },
    rows,
    saysWrong: /AssertionError/.test(text),
    complete: isWhole && missing.length === 0,
    conversions: [
      'time: microseconds x 1000 = nanoseconds, of the slowest rank',
      'payload: mean over ranks of their bytes; where none are printed, bandwidth x time',
    ],
    unknown: ['data type', 'tokens, hidden size and experts', 'transport', 'hosts', 'versions'],
    notices,
  };
}

function rowOf(phase: string, figures: readonly RankFigure[]): ImportedRow {
  const [name = '', ...variant] = phase in operations ? [phase] : phase.split(' ');
  const reason = figures.map(contradictionIn).find((one) => one !== null) ?? null;
  const slowest = figures.toSorted((a, b) => (b.mean?.value ?? 0) - (a.mean?.value ?? 0))[0] as RankFigure;
  const bytes = figures.map(
    ({ bytes: own, rate, mean }) => own ?? 1000 * (rate?.value ?? 0) * (mean?.value ?? 0),
  );
  const payloadBytes = Math.round(bytes.reduce((sum, one) => sum + one, 0) / figures.length);
  const ends = (key: 'least' | 'most') => figures.flatMap((one) => one[key]?.value ?? []);
  return {
    ...plainRow,
    operation: operations[name] ?? 'dispatch',
    variant: variant.join(' '),
    dtype: 'unknown',
    payloadBytes: Number.isSafeInteger(payloadBytes) ? payloadBytes : 0,
    count: Number.isSafeInteger(payloadBytes) ? payloadBytes : 0,
    trial: 'pipelined',
    ...timeUnless(reason, (slowest.mean?.value ?? 0) * 1000),
    ...(reason === null && ends('least').length === figures.length
      ? { minNs: 1000 * Math.min(...ends('least')), maxNs: 1000 * Math.max(...ends('most')) }
      : {}),
    printed: {
      rank: String(slowest.rank),
      ...Object.fromEntries(
        Object.entries({
          ...slowest.words,
          ...(slowest.bytes === null ? {} : { bytes: String(slowest.bytes) }),
        }).flatMap(([name, word]) => (word === undefined ? [] : [[name, shortenText(word, 40)]])),
      ),
    },
  };
}

/**
 * Returns a sentence if the values of one rank contradict each other; null otherwise. They do if mean time or bandwidth is not
 * positive, if the mean is not between shortest and longest time, or if the bandwidth is not bytes per mean time.
 */
function contradictionIn({ rank, bytes, rate, mean, least, most }: RankFigure): string | null {
  if (mean === null || mean.value <= 0 || rate === null || rate.value <= 0)
    return `rank ${rank} has no positive time and bandwidth`;
  if ((least !== null && least.value > mean.value) || (most !== null && most.value < mean.value))
    return `the mean ${mean.value} µs of rank ${rank} is not between ${least?.value} and ${most?.value} µs`;
  if (bytes === null) return null;
  // The program rounds the bandwidth down to whole GB/s.
  const real = bytes / mean.value / 1000;
  if (Math.abs(real - rate.value) <= 2 * rate.half + 0.002 * real) return null;
  return `${bytes} bytes in ${mean.value} µs are not ${rate.value} GB/s on rank ${rank}`;
}
