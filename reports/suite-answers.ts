// Answers of a suite's runs to the first questions of its reader: which transport is faster, what uneven traffic between ranks
// costs, and how near times are to the bound. Each answer has reasons.
import { addTo } from '../results/collections.ts';
import { titleOf, transportOf } from '../results/schema/index.ts';
import { workloadPlanning } from '../suites/workloads/index.ts';
import { type BoundShare, boundShares, largestShares } from './bound-share.ts';
import type { DocumentBlock } from './document/blocks.ts';
import { namedX } from './rows.ts';
import { axesOf, cellAt, isOk, type Series, type SeriesGroup } from './series.ts';
import { comparisonsOf, type PairedPoint } from './series-comparison.ts';
import { type ReferenceRow, rateTimesNs, referenceRows } from './topics/against-reference.ts';
import {
  formatCount,
  formatRatio,
  formatTimeRange,
  joinWords,
  labelWith,
  plural,
  plusMinusLog,
  shortTitles,
  valueRange,
} from './wording.ts';

/**
 * Largest absolute natural logarithm of measured over predicted cost of uneven traffic at which both count as equal. The cost is
 * the time as a multiple of the time with even traffic. The prediction is the number of bytes at the busiest port, as a multiple of
 * that with even traffic.
 */
const likePrediction = Math.log(1.15);

const noReason =
  'not known, as no ratio has an interval; an idle machine measures more launches in the same time';

/**
 * Returns the answers to the first questions of a suite's reader (which transport is faster, what uneven traffic costs, how near
 * times are to the bound, and why) as a list of sentences, and a command that explains the time. Empty if the suite neither
 * compares even with uneven traffic nor times with a bound; its table and charts then say all.
 */
export function suiteAnswers(groups: readonly SeriesGroup[]): DocumentBlock[] {
  const skewed = referenceRows(groups);
  const bounds = boundShares(groups);
  if (skewed.length === 0 && bounds.length === 0) return [];
  const reasons = [...skewReasons(skewed), ...messageReasons(bounds)];
  const next = whyCommand(groups);
  const items = [
    ...transportTexts(groups).map((text) => ['Transport: ', text]),
    ...skewTexts(skewed).map((text) => ['Load: ', text]),
    ...boundTexts(bounds).map((text) => ['Bound: ', text]),
    ...(reasons.length > 0 ? reasons : [noReason]).map((text) => ['Why: ', text]),
  ];
  return [
    {
      kind: 'section',
      title: 'What it shows',
      body: [
        {
          kind: 'list',
          title: '',
          items: items.map(([head = '', text = '']) => [{ strong: head }, text, '.']),
        },
        ...(next === null
          ? []
          : [{ kind: 'paragraph', text: ['More: ', { code: next }], isLine: true } satisfies DocumentBlock]),
      ],
    },
  ];
}

const placeOf = ({ transport, medium }: Pick<Series, 'transport' | 'medium'>): string =>
  labelWith(transport, medium);

/**
 * Returns one sentence for each pair of transports that some run compares: which is faster at more configurations of the suite, at
 * how many it is faster, slower or neither, and by how much it is faster. If neither is faster anywhere, only at how many no
 * difference was seen and how many have no interval.
 */
function transportTexts(groups: readonly SeriesGroup[]): string[] {
  const pairs = new Map<string, { places: [string, string]; points: PairedPoint[] }>();
  for (const { a, b, points } of groups.flatMap(comparisonsOf)) {
    if (a.run.id !== b.run.id) continue;
    const places: [string, string] = [placeOf(a), placeOf(b)];
    const pair = pairs.get(places.join('/')) ?? { places, points: [] };
    pair.points.push(...points);
    pairs.set(places.join('/'), pair);
  }
  return [...pairs.values()].flatMap(({ places: [a, b], points }) => {
    if (points.length === 0) return [];
    const won = (who: PairedPoint['winner']) => points.filter(({ winner }) => winner === who);
    const isFirst = won('a').length >= won('b').length;
    const [winner, loser] = isFirst ? [a, b] : [b, a];
    const [wins, losses] = isFirst ? [won('a'), won('b')] : [won('b'), won('a')];
    const all = plural(points.length, 'configuration');
    const open = won('unknown').length;
    const rest = [
      losses.length === 0 ? '' : `slower at ${losses.length}`,
      won('tie').length === 0 ? '' : `no difference seen at ${won('tie').length}`,
      open === 0 ? '' : `no interval at ${open}`,
    ].filter((text) => text !== '');
    if (wins.length === 0) return [`${a} and ${b}: of ${all} ${joinWords(rest)}`];
    return [
      [`${winner} is faster than ${loser} at ${wins.length} of ${all}, ${ratioRange(wins)}`, ...rest].join(
        '; ',
      ),
    ];
  });
}

const ratioRange = (points: readonly PairedPoint[]): string =>
  valueRange(
    points.map(({ aNs, bNs }) => Math.max(aNs / bNs, bNs / aNs)),
    formatRatio,
  );

const ratioOf = ({ point }: ReferenceRow): number => point.aNs / point.bNs;

const titleWithout = (group: SeriesGroup, axis: { name: string }): string =>
  titleOf(group.row, { ...axesOf(group), [axis.name]: null });

/**
 * Returns one sentence per operation and transport, about its largest x. It names the uneven distributions of the traffic, the
 * costliest first. For each distribution it says how many times as long the operation takes as with the even distribution, and how
 * many times as many bytes pass the busiest port.
 */
function skewTexts(rows: readonly ReferenceRow[]): string[] {
  const names = shortTitles(rows.map(({ group, axis }) => titleWithout(group, axis)));
  const families = new Map<string, ReferenceRow[]>();
  for (const row of rows) addTo(families, `${titleWithout(row.group, row.axis)}/${row.series.key}`, row);
  return [...families.values()].map((all) => {
    const x = Math.max(...all.map(({ point }) => point.x));
    const last = all.filter(({ point }) => point.x === x).sort((a, b) => ratioOf(b) - ratioOf(a));
    const [{ group, axis, series }] = last as [ReferenceRow];
    const texts = last.map((row) => {
      const { point, loadRatio } = row;
      const sure = point.logHalfWidth === null ? ', no interval' : ` ${plusMinusLog(point.logHalfWidth)}`;
      const load = loadRatio === null ? '' : ` (${formatRatio(loadRatio)})`;
      return `${axesOf(row.group)[axis.name]} ${formatRatio(ratioOf(row))}${sure}${load}`;
    });
    const what = names.textOf(titleWithout(group, axis));
    const load = last.some(({ loadRatio }) => loadRatio !== null) ? ' (load of the busiest port)' : '';
    return `${what} over ${placeOf(series)} at ${namedX(group.x, x)}, time${load} against ${axis.reference}: ${joinWords(texts)}`;
  });
}

/**
 * Returns up to three sentences that say over which transports the bytes of the busiest port explain what uneven traffic costs,
 * over which it costs less than these bytes predict, and over which more. A transport is in several if its configurations differ.
 * Points without an interval or prediction do not count.
 */
function skewReasons(rows: readonly ReferenceRow[]): string[] {
  const kinds = { like: new Set<string>(), below: new Set<string>(), above: new Set<string>() };
  let isCrowded = false;
  for (const row of rows) {
    const { loadRatio, point, series } = row;
    if (loadRatio === null || point.logHalfWidth === null) continue;
    const off = Math.log(ratioOf(row) / loadRatio);
    const kind =
      Math.abs(off) <= Math.max(likePrediction, point.logHalfWidth) ? 'like' : off < 0 ? 'below' : 'above';
    kinds[kind].add(placeOf(series));
    const cell = cellAt(series, point.x);
    if (kind === 'below' && isOk(cell) && cell.flags.some(({ name }) => name === 'oversubscribed'))
      isCrowded = true;
  }
  const over = (names: ReadonlySet<string>) => `over ${joinWords([...names])}`;
  return [
    ...(kinds.like.size === 0 ? [] : [`${over(kinds.like)} the busiest port explains the time`]),
    ...(kinds.below.size === 0
      ? []
      : [
          `${over(kinds.below)} skewed load costs less than its busiest port carries more${isCrowded ? ': ranks share processors, and together they move as many bytes' : ': the port is not what limits the time'}`,
        ]),
    ...(kinds.above.size === 0
      ? []
      : [`${over(kinds.above)} it costs more than its busiest port: ranks also wait for one another`]),
  ];
}

/** Returns one sentence per operation and transport about the shares of the bound that times reach, at the largest x. */
function boundTexts(all: readonly BoundShare[]): string[] {
  const operationOf = ({ group, axis }: BoundShare) => titleWithout(group, axis);
  const names = shortTitles(all.filter(({ share }) => share !== null).map(operationOf));
  return largestShares(all, operationOf).map(
    ({ group, series, axis, x, text }) =>
      `${names.textOf(titleWithout(group, axis))} over ${placeOf(series)} at ${namedX(group.x, x)}: ${text} of ${axis.titlePrefix ?? ''}${axis.bound}`,
  );
}

/**
 * Returns the number of messages that one operation of the series sends at this x: messages per second times the time of an
 * operation. Null if the workload has no such rate or the time is unknown.
 */
function messagesOf({ group, series, x }: BoundShare): number | null {
  const product = rateTimesNs(series, group, x, ({ isMessageRate }) => isMessageRate === true);
  return product === null ? null : product / 1e9;
}

/**
 * Returns one sentence per transport: how much time each additional message costs, or that it costs nothing. Additional are the
 * messages that an operation sends beyond those of the bound, which moves the same bytes in fewer messages. Transports without such
 * messages, or without an interval, have no sentence.
 */
function messageReasons(all: readonly BoundShare[]): string[] {
  const costs = new Map<string, { perMessageNs: number; more: number }[]>();
  for (const one of all) {
    const bound = all.find(
      (other) =>
        other.share === null &&
        other.x === one.x &&
        other.series.key === one.series.key &&
        titleWithout(other.group, other.axis) === titleWithout(one.group, one.axis),
    );
    const [own, fewest] = [messagesOf(one), bound === undefined ? null : messagesOf(bound)];
    if (
      one.share?.logHalfWidth == null ||
      bound === undefined ||
      own === null ||
      fewest === null ||
      own - fewest < 0.5
    )
      continue;
    addTo(costs, placeOf(one.series), {
      perMessageNs: (one.timeNs - bound.timeNs) / (own - fewest),
      more: own - fewest,
    });
  }
  return [...costs].map(([place, list]) => {
    const slower = list.filter(({ perMessageNs }) => perMessageNs > 0);
    const most = formatCount(Math.round(Math.max(...list.map(({ more }) => more))));
    if (slower.length === 0)
      return `over ${place} up to ${most} more messages than the bound cost nothing: they overlap`;
    const free = list.length - slower.length;
    const rest = free === 0 ? '' : `; at ${free} of ${list.length} they cost nothing`;
    return `over ${place} each message more than the bound (up to ${most}) adds ${formatTimeRange(slower.map(({ perMessageNs }) => perMessageNs))}${rest}`;
  });
}

/**
 * Returns a `collbench ... --why` command, as text to be printed, for an operation that moves the same bytes as those of the suite
 * and can be explained. It is for the first series that ran without a software device. Null if no workload of the suite names such
 * an operation.
 */
function whyCommand(groups: readonly SeriesGroup[]): string | null {
  for (const group of groups)
    for (const series of group.series) {
      const slot = series.slots.at(-1);
      if (slot === undefined || series.medium === 'emulated') continue;
      const { ranks } = series.run.plan;
      const words = workloadPlanning(slot.point).explainableWords?.({ axes: slot.point.axes, ranks });
      if (words === undefined) continue;
      return [
        'collbench',
        ...words,
        '--ranks',
        ranks,
        '--transport',
        transportOf({ name: series.transport }),
        '--why',
      ].join(' ');
    }
  return null;
}
