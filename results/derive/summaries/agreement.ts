import { logAverage, median, sampleCorrelation } from 'simple-statistics';
import type { AgreementSummary, AgreementVerdict, SizeAgreement } from '../../schema/index.ts';
import { plural, sizeText } from '../../units.ts';
import { logVariance, tInterval } from '../statistics/launch-interval.ts';
import { studentP } from '../statistics/student.ts';

/**
 * Times of one operation at one message size in one round, measured by collbench (`oursNs`) and by another program (`theirsNs`). In
 * a round both measure once, one right after the other, each in a new process.
 */
export interface AgreementRound {
  oursNs: number;
  theirsNs: number;
}

/**
 * Smallest message size in bytes at which collbench may be neither faster nor slower than the other program by more than the
 * tolerance. Below this size it may be faster by any amount.
 */
const largeBytes = 2 ** 20;
export const toleranceOf = (payloadBytes: number): number => (payloadBytes >= largeBytes ? 0.01 : 0.03);

/**
 * Compares the times that collbench and another program measured at one size. The ratio is collbench's time divided by the other
 * program's. It is computed within each round, so that drift of the machine between rounds affects both programs equally. Its
 * interval is the t interval of the log ratios; with one round there is none, and the verdict is `unsure`. Below 1 MiB collbench
 * may be faster by any amount: queuing the operation is then most of the time, and to queue it faster is no disagreement about the
 * collective.
 * @param rounds at least one; times positive
 * @throws {RangeError} if there is no round or a time is not positive
 */
export function agreementOf(payloadBytes: number, rounds: readonly AgreementRound[]): SizeAgreement {
  if (rounds.length === 0) throw new RangeError('agreement needs at least one round');
  const ours = rounds.map(({ oursNs }) => oursNs);
  const theirs = rounds.map(({ theirsNs }) => theirsNs);
  const bad = [...ours, ...theirs].find((ns) => !(ns > 0 && Number.isFinite(ns)));
  if (bad !== undefined) throw new RangeError(`times must be positive and finite, got ${bad}`);
  const ratios = rounds.map(({ oursNs, theirsNs }) => oursNs / theirsNs);
  const isEnough = rounds.length >= 2;
  // tInterval() works for ratios, too: its fields named "ns" are ratios here.
  const paired = isEnough ? tInterval(ratios) : null;
  const interval = paired === null ? null : { low: paired.lowNs, high: paired.highNs };
  const ratio = paired?.centreNs ?? (ratios[0] as number);
  const tolerance = toleranceOf(payloadBytes);
  const mayBeFaster = payloadBytes < largeBytes;
  const verdict = verdictOf(interval, tolerance, mayBeFaster);
  return {
    payloadBytes,
    rounds: rounds.length,
    oursNs: logAverage(ours),
    theirsNs: logAverage(theirs),
    ratio,
    interval,
    tolerance,
    oursSpread: isEnough ? Math.sqrt(logVariance(ours)) : null,
    theirsSpread: isEnough ? Math.sqrt(logVariance(theirs)) : null,
    noisier: noisierOf(ours, theirs),
    verdict,
    isFaster: mayBeFaster && interval !== null && interval.high < 1 - tolerance,
    roundsNeeded:
      verdict === 'unsure' ? roundsNeeded(ratio, interval, tolerance, mayBeFaster, rounds.length) : null,
  };
}

function verdictOf(
  interval: SizeAgreement['interval'],
  tolerance: number,
  mayBeFaster: boolean,
): AgreementVerdict {
  if (interval === null) return 'unsure';
  const isBelow = interval.high <= 1 + tolerance;
  if (isBelow && (mayBeFaster || interval.low >= 1 - tolerance)) return 'agree';
  const isOutside = interval.low > 1 + tolerance || interval.high < 1 - tolerance;
  return isOutside ? 'differ' : 'unsure';
}

/**
 * Estimates how many rounds in all are needed for a verdict, at least one more than so far. The interval of the ratio shrinks with
 * the root of the number of rounds; it must become so narrow that it excludes the nearest limit of the tolerance. Null without an
 * interval.
 * @param ratio collbench's time divided by the other program's
 * @param interval 95 % interval of the ratio
 * @param tolerance largest difference of the ratio from 1 that counts as agreement
 * @param mayBeFaster true = collbench may be faster by any amount, so only the upper limit of the tolerance counts
 * @param rounds number of rounds so far
 */
function roundsNeeded(
  ratio: number,
  interval: SizeAgreement['interval'],
  tolerance: number,
  mayBeFaster: boolean,
  rounds: number,
): number | null {
  if (interval === null) return null;
  const limits = mayBeFaster ? [1 + tolerance] : [1 + tolerance, 1 - tolerance];
  const room = Math.min(...limits.map((limit) => Math.abs(Math.log(limit / ratio))));
  const reach = Math.log(interval.high / interval.low) / 2;
  return Math.max(rounds + 1, Math.ceil(rounds * (reach / room) ** 2));
}

/**
 * Returns which program's times scatter more between rounds, by the test of Pitman and Morgan (Biometrika 31, 1939) for paired
 * values: variances differ exactly if sum and difference of the pairs are correlated. Logarithms are used, so that scatter is
 * relative.
 * @param ours, theirs times of collbench and of the other program, by round
 * @returns null with fewer than three rounds, and if the difference is not significant (p >= 5 %)
 */
function noisierOf(ours: readonly number[], theirs: readonly number[]): SizeAgreement['noisier'] {
  const n = ours.length;
  if (n < 3) return null;
  const sums = ours.map((value, i) => Math.log(value) + Math.log(theirs[i] as number));
  const differences = ours.map((value, i) => Math.log(value) - Math.log(theirs[i] as number));
  const r = sampleCorrelation(sums, differences);
  if (Number.isNaN(r)) return null;
  const t = Math.abs(r) * Math.sqrt((n - 2) / Math.max(1 - r * r, Number.MIN_VALUE));
  if (studentP(t, n - 2) >= 0.05) return null;
  return r > 0 ? 'ours' : 'theirs';
}

const atSizes = (sizes: readonly SizeAgreement[]): string => {
  const shown = sizes.slice(0, 4).map(({ payloadBytes }) => sizeText(payloadBytes));
  return sizes.length > 4 ? `${shown.join(', ')} and ${sizes.length - 4} more` : shown.join(', ');
};

function verdictSentence(sizes: readonly SizeAgreement[]): string {
  const of = (verdict: AgreementVerdict) => sizes.filter((size) => size.verdict === verdict);
  const faster = sizes.filter(({ isFaster }) => isFaster);
  const parts = [
    [of('agree'), 'agree', false],
    [of('differ'), 'differ', true],
    [of('unsure'), 'unsure', true],
  ] as const;
  const counts = parts
    .filter(([found]) => found.length > 0)
    .map(([found, word, where]) => `${found.length} ${word}${where ? ` (${atSizes(found)})` : ''}`);
  const also = faster.length === 0 ? '' : `; collbench is faster at ${atSizes(faster)}`;
  return `${plural(sizes.length, 'size')}: ${counts.join(', ')}${also}.`;
}

function noiseSentence(sizes: readonly SizeAgreement[], peer: string): string {
  const more = (who: SizeAgreement['noisier']) => sizes.filter(({ noisier }) => noisier === who).length;
  const ratios = sizes.flatMap(({ oursSpread, theirsSpread }) =>
    oursSpread && theirsSpread ? [theirsSpread / oursSpread] : [],
  );
  if (ratios.length === 0) return 'No verdict on which is noisier: that needs more rounds.';
  const typical = median(ratios);
  const who = typical >= 1 ? peer : 'collbench';
  const times = (typical >= 1 ? typical : 1 / typical).toFixed(2);
  const proven = `beyond chance: ${peer} at ${plural(more('theirs'), 'size')}, collbench at ${more('ours')}`;
  return `Scatter between rounds, median over sizes: ${who} has ${times} times as much (${proven}).`;
}

/**
 * Returns the verdict over all message sizes: `differ` if at least one size has this verdict, else `unsure` if one has that, else
 * `agree`. `sentences`: the numbers of sizes by verdict, which program's times scatter more, and how many rounds would decide
 * unsure sizes (if at most 100).
 * @param sizes at least one
 * @param peer name of the other program
 */
export function summariseAgreement(sizes: readonly SizeAgreement[], peer = 'nccl-tests'): AgreementSummary {
  const has = (verdict: AgreementVerdict) => sizes.some((size) => size.verdict === verdict);
  const verdict = has('differ') ? 'differ' : has('unsure') ? 'unsure' : 'agree';
  const sentences = [verdictSentence(sizes), noiseSentence(sizes, peer)];
  const needed = sizes.flatMap(({ roundsNeeded: rounds }) => rounds ?? []);
  const most = Math.max(0, ...needed);
  // Above 100 rounds the ratio is too close to a limit for a useful estimate.
  if (most > 0 && most <= 100) sentences.push(`About ${most} rounds would decide the unsure sizes.`);
  return { verdict, sentences };
}
