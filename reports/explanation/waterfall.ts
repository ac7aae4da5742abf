import type {
  ExplainedSeries,
  ExplainedSize,
  ExplanationRecord,
  ShareKind,
  TimeLedger,
  TimeShare,
} from '../../results/schema/index.ts';
import { fileWords } from '../../results/text.ts';
import type { ChartFigure, ChartRow } from '../charts/chart.ts';
import { topLevel } from '../charts/spec.ts';
import { type ChartSize, ink, palette } from '../theme.ts';
import { formatTime, plural, sizeText } from '../wording.ts';

/** Colour of the bar for each kind of part of a time; the bar of the whole time has the colour of axes. */
const colours: Readonly<Record<ShareKind | 'whole', string>> = {
  whole: ink.rule,
  cause: palette.vermillion,
  work: palette.sky,
  unexplained: palette.orange,
  bound: palette.green,
};

/**
 * A time of one message size that an explanation divides into parts: of a typical isolated operation, or of operations back to
 * back.
 */
export type ExplainedTime = 'typical' | 'backToBack';

/** Names, for use in sentences, of the two times of an operation that an explanation divides into parts. */
export const explainedTimeNames: Readonly<Record<ExplainedTime, string>> = {
  typical: 'the typical (median) time',
  backToBack: 'the mean time back to back',
};

/** Returns the parts into which one time of a size is divided; null if operations back to back were not explained separately. */
export const ledgerNamed = (size: ExplainedSize, which: ExplainedTime): TimeLedger | null =>
  which === 'typical' ? size : size.backToBack;

/**
 * Draws bars from the whole time of a size down to its bound: the bar of each part begins where the bar above it ends. If
 * operations back to back were not explained separately, the parts of the typical time are drawn in both cases.
 */
export function waterfall(
  { operation, ranks, id }: ExplanationRecord,
  { name, medium }: ExplainedSeries,
  size: ExplainedSize,
  which: ExplainedTime,
): ChartFigure {
  const { payloadBytes } = size;
  const { time, shares } = ledgerNamed(size, which) ?? size;
  const rows = rowsOf(time, shares, medium);
  const subject = which === 'typical' ? 'the time' : 'the time back to back';
  const title = `Where ${subject} of ${operation} goes: ${sizeText(payloadBytes)}, ${plural(ranks, 'rank')}, ${name}${medium === 'emulated' ? ' (emulated)' : ''}`;
  return {
    name: fileWords(`explain-${id}-${name}-${payloadBytes}${which === 'typical' ? '' : '-back-to-back'}`),
    title,
    caption:
      'From the whole time down to the bound. Each bar is what one change took away, or one piece of work; thin lines are 95 % intervals.',
    rows: rows.map(({ tip: _, ...row }) => row),
    spec: (format) => spec(title, rows, format),
  };
}

function rowsOf(time: ExplainedSize['time'], shares: readonly TimeShare[], medium: string): ChartRow[] {
  const row = (
    {
      title,
      kind,
      ns,
      low,
      high,
    }: Pick<TimeShare, 'title' | 'ns' | 'low' | 'high'> & { kind: ShareKind | 'whole' },
    fromNs: number,
  ): ChartRow => ({
    ...{ part: title, kind, medium, timeNs: ns, lowNs: low, highNs: high },
    // The interval is drawn at the end of the bar.
    ...{
      beginNs: fromNs,
      endNs: fromNs + ns,
      earliestNs: fromNs + ns - (ns - low),
      latestNs: fromNs + ns + (high - ns),
    },
    tip: `${title}: ${formatTime(ns)}, 95 % ${formatTime(low)} to ${formatTime(high)}`,
  });
  let leftNs = time.ns;
  return [
    row({ ...time, kind: 'whole', title: 'whole time' }, 0),
    ...shares.map((share) => {
      leftNs -= share.ns;
      return row(share, leftNs);
    }),
  ];
}

function spec(title: string, rows: readonly ChartRow[], size: ChartSize) {
  const isWide = size === 'wide';
  const unit = Math.max(...rows.map(({ timeNs }) => Number(timeNs)));
  const [per, name] = unit >= 1e9 ? [1e9, 's'] : unit >= 1e6 ? [1e6, 'ms'] : [1e3, 'µs'];
  const y = {
    field: 'part',
    type: 'nominal',
    sort: null,
    axis: { title: null, labelLimit: isWide ? 260 : 150, grid: false, ticks: false, domain: false },
  };
  const x = {
    field: 'begin',
    type: 'quantitative',
    scale: { zero: true, nice: true },
    axis: { title: `time (${name})`, tickCount: 5 },
  };
  const kinds = Object.keys(colours);
  return topLevel(
    title,
    {
      data: { values: rows },
      transform: ['begin', 'end', 'earliest', 'latest'].map((field) => ({
        calculate: `datum.${field}Ns / ${per}`,
        as: field,
      })),
      height: { step: 26 },
      layer: [
        {
          mark: { type: 'bar', aria: true },
          encoding: {
            ...{ x, x2: { field: 'end' }, y },
            color: {
              field: 'kind',
              type: 'nominal',
              scale: { domain: kinds, range: Object.values(colours) },
              legend: null,
            },
            description: { field: 'tip' },
          },
        },
        {
          mark: { type: 'rule', color: ink.text, aria: false },
          encoding: { x: { ...x, field: 'earliest' }, x2: { field: 'latest' }, y },
        },
      ],
    },
    { width: isWide ? 430 : 180 },
  );
}
