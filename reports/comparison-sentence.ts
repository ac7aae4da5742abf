import { joinPresent } from '../results/text.ts';
import { namedX } from './rows.ts';
import type { Series } from './series.ts';
import type { PairedPoint, SeriesComparison } from './series-comparison.ts';
import { formatRatio, formatTime, mediumMismatchText, plural } from './wording.ts';

export interface ComparisonTextOptions {
  /** True if each ratio in the sentence is followed by both times in parentheses. Default: false. */
  absolute?: boolean;
  /** Remark that is added if an emulated adapter is compared with real hardware; '' leaves it out; default `mediumMismatchText`. */
  caveat?: string;
}

/**
 * Returns a space and in parentheses the remark that an emulated adapter is compared with real hardware; it is to be appended to a
 * sentence. '' if none of the comparisons does that, or if the options leave the remark out.
 */
export const caveatOf = (
  all: readonly SeriesComparison[],
  { caveat = mediumMismatchText }: ComparisonTextOptions,
): string => (caveat !== '' && all.some(({ mixedMedia }) => mixedMedia) ? ` (${caveat})` : '');

/**
 * Returns one sentence, without a full stop, about which of two series is faster, at which x and by how much. The ratios are those
 * at the first and the last point with a winner; without a winner, those at the first and last of all points. A range of x is named
 * only if every point in it has the same winner; otherwise points are counted. If the series have no x in common, the sentence says
 * so.
 */
export function comparisonSentence(c: SeriesComparison, options: ComparisonTextOptions = {}): string {
  const { absolute = false } = options;
  if (c.points.length === 0) {
    return `${c.a.name} and ${c.b.name} have no ${c.x.noun} in common, so they are not compared`;
  }
  const decided = c.points.filter((p) => p.winner === 'a' || p.winner === 'b');
  const ratios = (points: readonly PairedPoint[]) =>
    [...new Set([points[0], points.at(-1)])].flatMap((p) =>
      p === undefined ? [] : [advantage(c, p, absolute)],
    );
  const ends = ratios(decided.length === 0 ? c.points : decided).join(', ');
  return `${verdict(c)}: ${ends}${caveatOf([c], options)}`;
}

/**
 * Returns which of both series is faster and at which x, without ratios. If no point has an interval, it compares the medians and
 * says that this is no verdict. `c.points` must not be empty.
 */
export function verdict(c: SeriesComparison): string {
  const all = c.points.length;
  const count = plural(all, c.x.noun);
  const wins = (who: PairedPoint['winner']) => c.points.filter((p) => p.winner === who).length;
  if (wins('unknown') === all) return medianComparison(c);
  const won = wins('a') + wins('b');
  if (won === 0) {
    return wins('unknown') === 0
      ? `${c.a.name} and ${c.b.name} show no difference at any ${c.x.noun}`
      : `${c.a.name} and ${c.b.name}: ${undecidedText(c)}`;
  }
  if (c.crossovers.length === 0) {
    const winner = wins('a') > 0 ? c.a : c.b;
    const faster = `${winner.name} is faster${than(c, winner)}`;
    return won === all
      ? `${faster} at every ${c.x.noun}`
      : `${faster} at ${won} of ${count}, ${undecidedText(c)}`;
  }
  const ranges = rangesOf(c);
  if (ranges !== null) return ranges;
  const others = undecidedText(c);
  return `${c.a.name} is faster${than(c, c.a)} at ${wins('a')} of ${count}, ${c.b.name} at ${pointsText(c, 'b')}${others === '' ? '' : `, ${others}`}`;
}

const than = (c: SeriesComparison, winner: Series) =>
  c.several === true ? ` than ${winner === c.a ? c.b.name : c.a.name}` : '';

/**
 * Returns at how many points the result is `winner`: the x if it is one point, the number of points if there are more, '' if there
 * is none.
 */
function pointsText(c: Pick<SeriesComparison, 'points' | 'x'>, winner: PairedPoint['winner']): string {
  const [first, ...others] = c.points.filter((p) => p.winner === winner);
  if (first === undefined) return '';
  return others.length === 0 ? namedX(c.x, first.x) : String(others.length + 1);
}

/**
 * Returns a text about the points without a winner: "no difference seen at 3, no verdict at 16 MiB (no interval)"; '' if all
 * points have a winner.
 */
function undecidedText(c: Pick<SeriesComparison, 'points' | 'x'>): string {
  const [ties, unknown] = [pointsText(c, 'tie'), pointsText(c, 'unknown')];
  return joinPresent(
    [
      ties === '' ? '' : `no difference seen at ${ties}`,
      unknown === '' ? '' : `no verdict at ${unknown} (no interval)`,
    ],
    ', ',
  );
}

/**
 * Returns which of both series has the smaller median at more points than the other one; `a` if both have it equally often. Called
 * if no point has an interval, so that no verdict is possible. Points whose ratio rounds to 1.00 do not count; if there are no
 * others, the text calls the medians equal.
 */
function medianComparison(c: SeriesComparison): string {
  const count = plural(c.points.length, c.x.noun);
  const apart = c.points.filter((p) => ratioText(p) !== '1.00x');
  const why = '(no interval, so no verdict)';
  if (apart.length === 0) return `${c.a.name} and ${c.b.name} have equal medians ${why}`;
  const aheadOfB = apart.filter((p) => p.aNs < p.bNs).length;
  const [who, n] = aheadOfB * 2 >= apart.length ? [c.a, aheadOfB] : [c.b, apart.length - aheadOfB];
  const where = n === c.points.length ? `every ${c.x.noun}` : `${n} of ${count}`;
  return `${who.name} has the smaller median${than(c, who)} at ${where} ${why}`;
}

const ratioText = (p: PairedPoint) => formatRatio(Math.max(p.aNs, p.bNs) / Math.min(p.aNs, p.bNs));

/**
 * Returns the ratio of the slower to the faster time at one point: "9.1x at 8 B". If the comparison has a crossover, the ratio is
 * preceded by the name of the series that is faster at this point. With `absolute` both times follow: "(0.52 µs against 4.71 µs)".
 */
function advantage(c: SeriesComparison, p: PairedPoint, absolute: boolean): string {
  const [fast, slow] = p.aNs <= p.bNs ? [p.aNs, p.bNs] : [p.bNs, p.aNs];
  const who = c.crossovers.length > 0 ? `${p.aNs <= p.bNs ? c.a.name : c.b.name} ` : '';
  const times = absolute ? ` (${formatTime(fast)} against ${formatTime(slow)})` : '';
  return `${who}${ratioText(p)} at ${namedX(c.x, p.x)}${times}`;
}

/**
 * Returns the ranges in which each series is faster: "socket is faster below 190 KiB, sisci above 205 KiB, tie between". Points
 * without a winner at either end are outside the ranges ("from 64 B to 190 KiB") and follow as a remark, such as "no difference
 * seen elsewhere". Null if a point without a winner lies between points with a winner, but outside the interval of every crossover.
 */
function rangesOf(c: SeriesComparison): string | null {
  const isDecided = (p: PairedPoint) => p.winner === 'a' || p.winner === 'b';
  const first = c.points.findIndex(isDecided);
  const last = c.points.findLastIndex(isDecided);
  const zoned = (p: PairedPoint) => c.crossovers.some(({ low, high }) => p.x >= low && p.x <= high);
  if (c.points.slice(first, last + 1).some((p) => !isDecided(p) && !zoned(p))) return null;
  const { about, text } = c.x;
  const start = first === 0 ? null : (c.points[first]?.x ?? null);
  const end = last === c.points.length - 1 ? null : (c.points[last]?.x ?? null);
  const parts = [...c.crossovers, null].map((crossing, i) => {
    const before = c.crossovers[i - 1];
    const from = before === undefined ? start : before.high;
    const to = crossing === null ? end : crossing.low;
    const winner = crossing === null ? before?.above : crossing.above === 'a' ? 'b' : 'a';
    const who = winner === 'a' ? c.a : c.b;
    const name = `${who.name}${i === 0 ? ` is faster${than(c, who)}` : ''}`;
    const fromText = from === null ? '' : i === 0 ? text(from) : about(from);
    const toText = to === null ? '' : crossing === null ? text(to) : about(to);
    return `${name} ${rangeText(fromText, toText)}`;
  });
  const between = c.crossovers.some(({ low, high }) => about(low) !== about(high));
  const ends = c.points.filter((_, i) => i < first || i > last);
  const rest = outsideText(between, { ...c, points: ends });
  return [...parts, ...(rest === '' ? [] : [rest])].join(', ');
}

function rangeText(from: string, to: string): string {
  if (from === '') return `below ${to}`;
  if (to === '') return `above ${from}`;
  return from === to ? `at ${from}` : `from ${from} to ${to}`;
}

/**
 * Returns a text about the points outside the ranges in which one series is faster. "no difference seen elsewhere" if all are ties;
 * otherwise the text counts ties and points without a verdict, whose medians may differ widely. Without such points it is "tie
 * between", or '' if the ranges touch.
 * @param between true if the ranges of both series do not touch, so that between them neither is certainly faster
 * @param ends the comparison with only those points
 */
function outsideText(between: boolean, ends: Pick<SeriesComparison, 'points' | 'x'>): string {
  if (ends.points.length === 0) return between ? 'tie between' : '';
  const isTie = ({ winner }: PairedPoint) => winner === 'tie';
  return ends.points.every(isTie) ? 'no difference seen elsewhere' : undecidedText(ends);
}
