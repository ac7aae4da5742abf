// Sentences about counts (such as doorbells per operation), about the steps of an operation, and about the order of series by
// speed. The run's record, terminal and report show them.
import { median } from 'simple-statistics';
import type { FigureData } from '../../results/schema/index.ts';
import { countText } from '../../results/units.ts';
import { isSameWork } from '../report-chapters.ts';
import { isUnobservedSeries } from '../rows.ts';
import { type Series, type SeriesGroup, xsOf } from '../series.ts';
import { comparisonsOf, type SeriesComparison } from '../series-comparison.ts';
import {
  formatPercent,
  formatRatio,
  formatTime,
  formatTimeRange,
  joinNames,
  joinWords,
  mediumMismatchText,
} from '../wording.ts';
import { type CoalescingGain, coalescingGains } from './coalescing.ts';
import { countsOf, isVarying, type SeriesCounts } from './counts.ts';
import { type PartsSum, partsSum } from './parts-sum.ts';
import { type SpeedOrder, speedOrder } from './speed-order.ts';
import { countedRows, partAt, partRows, variantName, wholePartAt } from './variants.ts';

/**
 * Maximum share of an operation's time that may belong to none of its measured steps. If the share is higher, a sentence says that
 * the steps do not explain the time.
 */
const maxUnattributedShare = 0.15;

/**
 * Returns the lowest and the highest x (message size) of a group of series: one value if they are equal, none if the group has no
 * x. Sentences about the order of speed are only about these two.
 */
const lowestAndHighestX = (group: SeriesGroup): number[] => {
  const xs = xsOf(group.series);
  return [...new Set([xs[0], xs.at(-1)])].filter((x) => x !== undefined);
};

/** Maximum number of series names in the sentence about counts that differ between operations; if there are more, it names none. */
const maxNamed = 2;

/**
 * Maximum number of sentences of one kind. More would push the verdicts off the screen; the tables of the report contain the other
 * results.
 */
const maxSentencesOfKind = 5;

function some(sentences: readonly string[]): string[] {
  const rest = sentences.length - maxSentencesOfKind;
  return rest <= 0
    ? [...sentences]
    : [...sentences.slice(0, maxSentencesOfKind), `${rest} more in the tables of the report`];
}

/**
 * Returns all sentences, without full stops, about counts and steps of operations in a group of series: counts such as doorbells,
 * the order of speed, steps in which slower series spend more time, the gain of batching, the start of an empty kernel, and how far
 * the steps explain the time. At most five sentences each about extra times and about batching are returned; another one counts the
 * rest.
 */
export function partSentences(group: SeriesGroup): string[] {
  const [x] = lowestAndHighestX(group);
  const atLeast = (of: (x: number) => string[]): string[] => (x === undefined ? [] : some(of(x)));
  return [
    ...countSentences(group),
    ...orderSentences(group),
    ...atLeast((at) => whySentences(group, at)),
    ...atLeast((at) => coalescingGains(group, at).map((one) => coalescedSentence(group, one))),
    launchSentence(group),
    ...stepSentences(group),
  ].filter((text) => text !== '');
}

/**
 * Returns the sentences about the order of series by speed, for all groups of series. With several groups each sentence starts with
 * the group's title.
 */
export const orderOf = (groups: readonly SeriesGroup[]): string[] =>
  groups.flatMap((group) => titled(groups, group, orderSentences(group)));

/**
 * Returns those sentences about counts and steps of operations that the run's record stores in its summary. With several groups of
 * series each sentence starts with the group's title.
 */
export const partSummary = (groups: readonly SeriesGroup[]): string[] =>
  groups.flatMap((group) => titled(groups, group, partSentences(group)));

const titled = (
  groups: readonly SeriesGroup[],
  { title }: SeriesGroup,
  sentences: readonly string[],
): string[] => (groups.length > 1 ? sentences.map((text) => `${title}: ${text}`) : [...sentences]);

/** Returns the order of a group's series by speed at the lowest and the highest x, as sentences without full stops. */
const orderSentences = (group: SeriesGroup): string[] =>
  lowestAndHighestX(group)
    .map((x) => orderSentence(group, speedOrder(group, x)))
    .filter((text) => text !== '');

/**
 * Returns the end of the sentence that says counts do not depend on the hardware: ", except ..." with the names of counts that do
 * depend on it. '' if there are none.
 * @param rows descriptions of the counts
 * @param all counts of each series, in the order of `rows`
 */
function exceptText(rows: readonly FigureData[], all: readonly SeriesCounts[]): string {
  const titles = rows.flatMap(({ title, isOfHardware }, i) => {
    const varies = all.some(({ counts }) => counts[i] != null && isVarying(counts[i]));
    return isOfHardware === true ? [varies ? `${title} (mean, fewest and most)` : title] : [];
  });
  return titles.length === 0 ? '' : `, except ${joinWords(titles)}`;
}

function countSentences(group: SeriesGroup): string[] {
  const rows = countedRows(group);
  const all = countsOf(group);
  const varying = rows.flatMap(({ title, isOfHardware }, i) => {
    if (isOfHardware === true) return [];
    const of = all.filter(({ counts }) => counts[i] != null && isVarying(counts[i]));
    if (of.length === 0) return [];
    const names = new Set(of.map(({ series }) => variantName(group, series)));
    // A sentence names at most two variants; the table shows which of many vary.
    return [
      of.length === all.length || names.size > maxNamed ? title : `${title} of ${joinWords([...names])}`,
    ];
  });
  if (varying.length > 0) return [`operations differ in ${joinWords(varying)}: mean, fewest and most`];
  const emulated = group.series.some(({ medium }) => medium === 'emulated')
    ? '; times of emulated transports are not real'
    : '';
  return [`counts are exact and hardware-independent${exceptText(rows, all)}${emulated}`];
}

/**
 * Joins the names of the series `all`, each by the words in which it differs from others of the group: "kernel, host and proxy".
 */
const named = (group: SeriesGroup, all: readonly Series[]): string =>
  joinNames(all.map((one) => variantName(group, one)));

/**
 * Returns the series in order of speed at one x: "order at 8 B: kernel and stream (7.10 µs to 7.19 µs, intervals overlap), then
 * host (7.71 µs), then proxy (9.43 µs)". If all intervals overlap, or if there are none, it says that there is no order. '' if
 * series cannot be compared: fewer than two, other work, or measured under a profiler. Also '' if all intervals overlap but the
 * comparison of two series is certain.
 */
function orderSentence(group: SeriesGroup, { x, levels, unplaced, isOfOneLaunch }: SpeedOrder): string {
  if (!group.series.every(isUnobservedSeries)) return '';
  if (group.series.length < 2 || !isSameWork(group) || levels.length + unplaced.length === 0) return '';
  const at = `order at ${group.x.text(x)}${isOfOneLaunch ? ' (one launch only; others may differ)' : ''}`;
  const without = unplaced.length === 0 ? '' : `; no interval, so no place: ${named(group, unplaced)}`;
  const [only, ...more] = levels;
  if (only === undefined) return `${at}: none, there are no intervals`;
  // The interval of a ratio is narrower than two separate intervals. If it shows a difference, the sentence that compares two
  // series already names the faster.
  const isDecided = (c: SeriesComparison) =>
    c.points.some((p) => p.x === x && (p.winner === 'a' || p.winner === 'b'));
  if (more.length === 0 && only.members.length > 1 && comparisonsOf(group).some(isDecided)) return '';
  if (more.length === 0 && only.members.length > 1)
    return `${at}: none, the 95 % intervals overlap (${formatTimeRange(
      only.members.map(({ ns }) => ns),
    )})${without}`;
  const texts = levels.map(({ members }) => {
    const names = named(
      group,
      members.map(({ series }) => series),
    );
    const times = formatTimeRange(members.map(({ ns }) => ns));
    return `${names} (${times}${members.length > 1 ? ', intervals overlap' : ''})`;
  });
  const media = new Set(levels.flatMap(({ members }) => members.map(({ series }) => series.medium)));
  const mixed = media.size > 1 ? ` (${mediumMismatchText})` : '';
  return `${at}: ${texts.join(', then ')}${without}${mixed}`;
}

const countChanges = (counts: PartsSum['counts']): string =>
  counts.map(({ of, by }) => `${of.title} ${by > 0 ? '+' : '-'}${countText(Math.abs(by))}`).join(', ');

/**
 * Returns sentences that tell in which steps slower series spend more time than the fastest: "proxy takes 2.46 µs more than kernel
 * at 8 B: handover +0.93 µs, resume +0.91 µs; wake-ups of the host or proxy +1". Another sentence names series as fast as the
 * fastest whose counts differ from its counts. Empty if the series do different work.
 */
function whySentences(group: SeriesGroup, x: number): string[] {
  const [fastest, ...others] = speedOrder(group, x).levels;
  const first = fastest?.members[0]?.series;
  if (fastest === undefined || first === undefined || !isSameWork(group)) return [];
  const of = (series: Series) => ({ name: variantName(group, series), ...partsSum(group, series, first, x) });
  const than = `${variantName(group, first)} at ${group.x.text(x)}`;
  const longer = others
    .flatMap(({ members }) => members.map(({ series }) => of(series)))
    .flatMap(({ name, ns, steps, counts }) => {
      if (ns === null) return [];
      const stepTexts = steps.map((one) => `${one.of.title} +${formatTime(one.ns)}`).join(', ');
      const why = [stepTexts, countChanges(counts)].filter((text) => text !== '').join('; ');
      const what = `${name} takes ${formatTime(ns)} more than ${than}`;
      return [why === '' ? what : `${what}: ${why}`];
    });
  const alike = fastest.members
    .slice(1)
    .map(({ series }) => of(series))
    .flatMap(({ name, counts }) => (counts.length === 0 ? [] : [`${name} (${countChanges(counts)})`]));
  return [
    ...longer,
    ...(alike.length === 0
      ? []
      : [`no difference seen from ${than}, although counts differ: ${alike.join('; ')}`]),
  ];
}

/**
 * Returns what batching several messages per doorbell gains: "kernel, 1 to 32 puts per doorbell: doorbells 32 to 1, time at 8 B
 * 24.1 µs to 12.0 µs, 2.0x faster".
 */
function coalescedSentence(
  group: SeriesGroup,
  { axis, name, from, to, x, counts, time }: CoalescingGain,
): string {
  const changes = counts.map((one) => `${one.of.title} ${countText(one.from)} to ${countText(one.to)}`);
  const what = `${from.value} to ${to.value} ${axis.title ?? axis.name}`;
  return `${name === '' ? '' : `${name}, `}${what}: ${[...changes, timeWords(group.x.text(x), time)].join(', ')}`;
}

function timeWords(at: string, time: CoalescingGain['time']): string {
  if (time === null) return `no time at ${at} (no interval)`;
  const { from, to, isApart } = time;
  const times = `time at ${at} ${formatTime(from)} to ${formatTime(to)}`;
  if (!isApart) return `${times} (no difference seen)`;
  return `${times}, ${formatRatio(Math.max(from, to) / Math.min(from, to))} ${to < from ? 'faster' : 'slower'}`;
}

/**
 * Returns a sentence with the time to run an empty kernel, also as a CUDA graph if measured, and how many times as long an
 * operation of the fastest series takes at the smallest x. '' if the engine does not measure it.
 */
function launchSentence(group: SeriesGroup): string {
  const [kernelNs, graphNs] = [medianFact(group, 'launch.kernelNs'), medianFact(group, 'launch.graphNs')];
  if (kernelNs === null) return '';
  const graph = graphNs === null ? '' : `, as a graph ${formatTime(graphNs)}`;
  const [x] = lowestAndHighestX(group);
  const first = x === undefined ? undefined : speedOrder(group, x).levels[0]?.members[0];
  const against =
    first === undefined || x === undefined
      ? ''
      : `; ${variantName(group, first.series)} at ${group.x.text(x)} takes ${formatRatio(first.ns / kernelNs)} of that`;
  return `an empty kernel takes ${formatTime(kernelNs)} from its launch until the host sees its end${graph}${against}`;
}

function stepSentences(group: SeriesGroup): string[] {
  const { row } = group;
  const [rest] = partRows(row, 'rest');
  const shares = group.series.flatMap((series) =>
    xsOf([series]).flatMap((x) => {
      const [whole, left] = [
        wholePartAt(series, x, row),
        rest === undefined ? null : partAt(series, x, rest),
      ];
      return whole === null || left === null || !(whole.value > 0)
        ? []
        : [{ series, x, share: Math.abs(left.value) / whole.value, whole }];
    }),
  );
  const most = shares.reduce<(typeof shares)[number] | null>(
    (largest, one) => (largest === null || one.share > largest.share ? one : largest),
    null,
  );
  if (most === null) return [];
  const over = shares.filter(({ share }) => share > maxUnattributedShare);
  const where = `${variantName(group, most.series)} at ${group.x.text(most.x)}`;
  const told =
    over.length === 0
      ? `steps explain the time: at most ${formatPercent(most.share)} is ${rest?.title} (${where}; limit ${formatPercent(maxUnattributedShare)})`
      : `${rest?.title}: more than ${formatPercent(maxUnattributedShare)} of the time in ${over.length} of ${shares.length} configurations, at most ${formatPercent(most.share)} (${where}); steps do not explain these`;
  return [
    told,
    clockSentence(group),
    middleSentence(
      shares.flatMap(({ whole: { value, operations } }) =>
        operations === undefined ? [] : [{ value, ...operations }],
      ),
    ),
  ];
}

/**
 * Returns a sentence about the clocks of host and GPU, whose difference is known only up to an error bound. Steps that begin on the
 * host and end on the GPU, or vice versa, may be wrong by that bound. '' if no bound is recorded.
 */
function clockSentence({ row, series }: SeriesGroup): string {
  const [bound] = partRows(row, 'bound');
  if (bound === undefined) return '';
  const all = series.flatMap((one) => xsOf([one]).flatMap((x) => partAt(one, x, bound)?.value ?? []));
  if (all.length === 0) return '';
  return `steps between host and GPU may be shifted by up to ${formatTime(Math.max(...all))}: so well their clocks are compared`;
}

/**
 * Returns over which operations the mean times of steps are taken: all operations, or only the middle half by total time. '' if
 * that is not recorded.
 * @param all one element per configuration. `value`: mean total time over `used` of `of` operations, in ns; `meanOfAll`: mean over
 * all of them
 */
function middleSentence(
  all: readonly { value: number; used: number; of: number; meanOfAll: number }[],
): string {
  if (all.length === 0) return '';
  const [used, of] = [all.reduce((n, one) => n + one.used, 0), all.reduce((n, one) => n + one.of, 0)];
  const most = Math.max(...all.map(({ value, meanOfAll }) => meanOfAll / value));
  if (used === of) return 'means over all operations (too few samples to trim)';
  const others = most >= 1.1 ? `; the mean of all is up to ${formatRatio(most)} as long` : '';
  return `means over the middle half of the operations by total time (${formatPercent(used / of)} of them, the same for every step)${others}`;
}

/**
 * Returns the median over all launches of the group's runs of a time in ns that rank 0 reports under `name`
 * (native/engines/cuda/probe.h), because rank 0 starts the operations. Null if no launch has it.
 */
function medianFact({ series }: SeriesGroup, name: string): number | null {
  const runs = [...new Set(series.map(({ run }) => run))];
  const times = runs.flatMap(({ launches }) =>
    launches.flatMap(({ ranks }) => {
      const ns = Number(ranks.find(({ rank }) => rank === 0)?.facts?.[name]);
      return ns > 0 ? [ns] : [];
    }),
  );
  return times.length === 0 ? null : median(times);
}
