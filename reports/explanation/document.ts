// The document of an explanation: for each size, how the time of an operation divides into a bound and causes; then the causes that
// experiments excluded, and those that could not be tried.
import { addTo } from '../../results/collections.ts';
import { minShare } from '../../results/explain/ledger.ts';
import type {
  ExcludedCause,
  ExplainedSeries,
  ExplainedSize,
  ExplanationRecord,
  KnownBound,
  ModeVariable,
  TimeLedger,
  TimeShare,
  UntriedCause,
} from '../../results/schema/index.ts';
import { type DocumentBlock, onlyIn, tableOf } from '../document/blocks.ts';
import type { ShownExplanation } from '../series.ts';
import {
  flagMeanings,
  formatPercent,
  formatTime,
  joinWords,
  plural,
  sizeText,
  threeDigits,
} from '../wording.ts';
import { type ExplainedTime, explainedTimeNames, ledgerNamed, waterfall } from './waterfall.ts';

/** Title of an explanation, as a page of its own and as a chapter in the report of the run. */
export const explanationTitle = ({ operation }: ExplanationRecord): string =>
  `Why ${operation} is not faster`;

/**
 * Returns the document of an explanation: the verdict; for each size the parts of its time, the excluded causes, the stalls, all
 * known bounds, and the two modes of its launches; after the sizes of a series what was seen and suspected, the rails, and the
 * causes that were not tried or cannot be at work here. Blocks without content are left out.
 */
export function explanationDocument({ record, next, whole }: ShownExplanation): DocumentBlock[] {
  const { series } = record;
  return [
    {
      kind: 'verdict',
      by: 'collbench explain',
      text: verdictText(record),
      isBad: record.wrongLaunches > 0,
      ...(next === null || whole === null ? {} : { notes: [`to explain all sizes: ${whole}`] }),
      ...nextIn(next ?? whole),
    },
    ...series.flatMap((one) => seriesBlocks(record, one)),
  ];
}

const nextIn = (next: string | null): { next?: string } => (next === null ? {} : { next });

const nameOf = ({ name, medium }: ExplainedSeries): string =>
  medium === 'emulated' ? `${name} EMULATED` : name;

function seriesBlocks(record: ExplanationRecord, series: ExplainedSeries): DocumentBlock[] {
  const { operation, ranks } = record;
  const { sizes, suspicions, untried, flags } = series;
  const [absent, open] = [untried.filter((one) => one.isAbsent), untried.filter((one) => !one.isAbsent)];
  const reasons = new Map(open.map(({ id, reason }) => [id, reason]));
  const others = open.filter(({ id }) => !suspicions.some((one) => one.id === id));
  return [
    ...sizes.map(
      (size): DocumentBlock => ({
        kind: 'section',
        title: `${operation}, ${sizeText(size.payloadBytes)}, ${plural(ranks, 'rank')}, ${nameOf(series)}: ${sentenceOf(size, openSuspects(series))}`,
        body: [
          ...ledgerBlocks(record, series, size, 'typical'),
          ...(size.backToBack === null
            ? stallsBlock(size)
            : ledgerBlocks(record, series, size, 'backToBack')),
          ...boundsBlock(size),
          ...modesBlock(size),
        ],
      }),
    ),
    ...listOf(
      `Seen while measuring over ${nameOf(series)}`,
      flags.map(
        ({ name, share }) => `${name} in ${formatPercent(share)} of launches: ${flagMeanings[name] ?? name}`,
      ),
    ),
    ...listOf(
      'Suspected from what the run recorded',
      suspicions.map(({ id, title, text }) => {
        const reason = reasons.get(id);
        return `${title}: ${text}${reason === undefined ? '' : `; not tried: ${reason}`}`;
      }),
    ),
    ...listOf(...railsList(series)),
    ...listOf('Not tried', byReason(others)),
    onlyIn('page', ...listOf('No cause here', absent.map(withReason))),
    ...(absent.length === 0
      ? []
      : [onlyIn('terminal', paragraph(`No cause here: ${joinWords(absent.map(({ title }) => title))}`))]),
  ];
}

/**
 * Title and items of the list of rails (network adapters that a host uses at the same time). An item has the rail's share of the
 * bytes, and how many times as long the operation takes over this rail alone. Without rails there are no items, and the title is
 * not to be used.
 */
function railsList({ rails = [] }: ExplainedSeries): [title: string, items: string[]] {
  const [first] = rails;
  const items = rails.map(({ name, share, alone }) => {
    const used = `${name}: ${formatPercent(share)} of the bytes`;
    return alone === null ? `${used}; not measured alone` : `${used}; alone ${ratioText(alone)}`;
  });
  return [`${plural(rails.length, 'rail')} of ${first?.host}`, items];
}

const withReason = ({ title, reason }: UntriedCause): string => `${title}: ${reason}`;

/** Returns one line for each reason why causes were not tried, with the names of all causes that share this reason. */
function byReason(untried: readonly UntriedCause[]): string[] {
  const titles = new Map<string, string[]>();
  for (const { title, reason } of untried) addTo(titles, reason, title);
  return [...titles].map(([reason, names]) => `${joinWords(names)}: ${reason}`);
}

const paragraph = (text: string): DocumentBlock => ({ kind: 'paragraph', text });

/** Returns a list with a title as a document block; no block if the list has no items. */
const listOf = (title: string, items: readonly string[]): DocumentBlock[] =>
  items.length === 0 ? [] : [{ kind: 'list', title, items }];

/**
 * Texts in the table of parts for each kind of part: a cause can be avoided, work is needed, the bound is the lowest time possible.
 */
const kindNames = { cause: 'can go', work: 'needed', unexplained: '', bound: 'bound' } as const;

/**
 * Returns chart (on pages) and table of how a time divides into bound, causes and an unexplained rest, then the causes that were
 * tried without certain gain. If the time could not be divided, a sentence replaces chart and table. Empty if that time was not
 * explained.
 * @param which which time of this size: of a typical isolated operation, or of operations back to back
 */
function ledgerBlocks(
  record: ExplanationRecord,
  series: ExplainedSeries,
  size: ExplainedSize,
  which: ExplainedTime,
): DocumentBlock[] {
  const ledger = ledgerNamed(size, which);
  if (ledger === null) return [];
  if (ledger.shares.length < 2)
    return [paragraph('Its parts are not known: no bound was measured'), ...excludedBlock(ledger)];
  const caption = `Parts of ${explainedTimeNames[which]}, geometric means over ${plural(size.rounds, 'round')}`;
  return [
    onlyIn('page', { kind: 'chart', figure: waterfall(record, series, size, which) }),
    onlyIn('terminal', paragraph(caption)),
    partsTable(ledger, caption),
    ...excludedBlock(ledger),
  ];
}

function partsTable({ time, shares }: TimeLedger, caption: string): DocumentBlock {
  const whole = { kind: 'whole' as const, id: '', title: 'whole time', experiment: '', ...time };
  return tableOf<TimeShare | typeof whole>(
    [
      { head: 'part', isLong: true, cell: ({ title }) => title },
      { head: 'time', quantity: 'ns', cell: ({ ns }) => ns },
      {
        head: '95 % ±',
        quantity: 'ns',
        cell: ({ low, high }) => (high - low > 2 * time.ns ? null : (high - low) / 2),
      },
      { head: 'share', align: 'right', cell: ({ ns }) => signedPercent(ns / time.ns) },
      { head: '', cell: ({ kind }) => (kind === 'whole' ? '' : kindNames[kind]) },
      { head: 'shown by', isLong: true, priority: 2, cell: ({ experiment }) => experiment },
    ],
    [whole, ...shares],
    { caption },
  );
}

/** Formats a share of the time as percent; negative if the operation took longer without this cause. */
const signedPercent = (share: number): string => `${share <= -0.001 ? '-' : ''}${formatPercent(share)}`;

/**
 * Ratio of the high to the low end of an interval above which the interval is too wide to be printed; the text then says "not
 * certain".
 */
const widestInterval = 10;

/**
 * Ratio of the 95th percentile of the times of operations to their median from which the slowest operations count as stalled, not
 * only as slower.
 */
const stallRatio = 3;

/**
 * Returns a sentence if some operations take far longer than the median; none otherwise. The table of parts is about a median
 * operation, so no part contains these stalls.
 */
function stallsBlock({ time, p95Ns }: ExplainedSize): DocumentBlock[] {
  if (p95Ns === null || p95Ns < stallRatio * time.ns) return [];
  const text = `one operation in twenty takes ${formatTime(p95Ns)} or more, ${(p95Ns / time.ns).toFixed(1)} times this median; what stops those is in no part`;
  return [{ kind: 'paragraph', text, isSentence: true }];
}

function modesBlock({ modes }: ExplainedSize): DocumentBlock[] {
  if (modes === null) return [];
  const { slow, of, ratio, separatedBy } = modes;
  const found = `two modes: ${slow} of ${of} launches take ${ratio.toFixed(2)} times as long as the others`;
  const text = separatedBy === null ? found : `${found}; ${separationText(separatedBy)}`;
  return [{ kind: 'paragraph', text, isSentence: true }];
}

/**
 * Returns the clause that names the property by which all slow launches of a size differ from all its other launches: a flag, the
 * CPU use of other processes, the CPUs of the launch's ranks, the round of the launch, or the launch's position in its round.
 */
function separationText(variable: ModeVariable): string {
  switch (variable.kind) {
    case 'flag':
      return `all slow ones and no others have the flag ${variable.flag} (${flagMeanings[variable.flag] ?? 'no description'})`;
    case 'load':
      return `all slow ones ran beside others' load (at least ${formatCores(variable.slowCores)} busy cores; the others at most ${formatCores(variable.fastCores)})`;
    case 'cpus':
      return `the slow ones ran on CPUs ${joinWords(variable.slow, 'or')}, the others on ${joinWords(variable.fast, 'or')}`;
    case 'round':
      return `the slow ones were measured ${variable.end}`;
    default:
      return `the slow ones came ${variable.end} in their rounds`;
  }
}

const formatCores = (cores: number): string => cores.toFixed(2);

function excludedBlock({ excluded }: TimeLedger): DocumentBlock[] {
  if (excluded.length === 0) return [];
  const text = (one: ExcludedCause) =>
    `${one.experiment === '' ? one.title : one.experiment}: ${ratioText(one)}`;
  const isPossible = ({ ratio, high }: ExcludedCause): boolean =>
    ratio <= 1 - minShare && high > 1 - minShare;
  const possible = excluded.filter(isPossible);
  const others = excluded.filter((one) => !isPossible(one));
  return [
    ...listOf('Tried without gain', others.map(text)),
    ...listOf('Tried, gain not certain', possible.map(text)),
  ];
}

function ratioText({ ratio, low, high }: ExcludedCause): string {
  const text = (value: number): string => (value < 10 ? value.toFixed(2) : threeDigits(value));
  const interval =
    high > widestInterval * low ? 'not certain: launches differ' : `${text(low)} to ${text(high)}`;
  return `${text(ratio)} times as long (${interval})`;
}

const causesOf = ({ shares }: TimeLedger): TimeShare[] => shares.filter(({ kind }) => kind === 'cause');

/**
 * Returns the share of a time (0 to 1) that neither the bound nor a cause explains; 0 if all is explained, null if no bound was
 * measured.
 */
function openShare({ shares, time }: TimeLedger): number | null {
  if (!shares.some(({ kind }) => kind === 'bound')) return null;
  const open = shares.find(({ kind }) => kind === 'unexplained');
  return open === undefined ? 0 : Math.max(0, open.ns / time.ns);
}

/**
 * Returns the titles of the suspected causes of a series that no experiment tried, or not often enough. The measured bound contains such a cause, too,
 * so that even a time near the bound may be longer than it need be.
 */
const openSuspects = ({ suspicions, untried }: ExplainedSeries): string[] =>
  suspicions.flatMap(({ id, title }) =>
    untried.some((one) => one.id === id && !one.isAbsent) ? [title] : [],
  );

const suspectsText = (titles: readonly string[]): string =>
  `suspected and not examined: ${joinWords(titles)}`;

/**
 * Returns a text about how much time would be saved without each cause: "interrupts recovers 2.1 µs". If no cause was found, it
 * says whether any time is left to explain.
 * @param ledger a time with the parts into which it is divided
 * @param suspects titles of suspected causes that were not examined
 */
function gainsText(ledger: TimeLedger, suspects: readonly string[]): string {
  const gains = causesOf(ledger).map(({ title, ns }) => `${title} recovers ${formatTime(ns)}`);
  if (gains.length > 0) return joinWords(gains);
  const open = openShare(ledger);
  if (suspects.length > 0) return suspectsText(suspects);
  if (open === null) return 'no cause found';
  return open <= maxUnexplained
    ? 'nothing to explain'
    : `no cause found, ${formatPercent(open)} not explained`;
}

/**
 * Returns the highest bound that is not above the measured time, with its name and its time in ns. If all bounds are above, returns
 * the lowest. A bound that is longer than the time without the found causes bounds nothing: it contains such a cause, too. Null if
 * no bound is left.
 */
function nearestBound(size: ExplainedSize): Pick<KnownBound, 'title' | 'ns'> | null {
  const { time, shares, bounds = [] } = size;
  const causes = causesOf(size);
  const reachedNs = causes.reduce((ns, one) => ns - one.low, time.ns);
  const all = [...shares.filter(({ kind }) => kind === 'bound'), ...bounds]
    .filter(({ ns }) => causes.length === 0 || ns <= reachedNs)
    .sort((a, b) => a.ns - b.ns);
  return all.findLast(({ ns }) => ns <= time.ns) ?? all[0] ?? null;
}

/**
 * Ratios of a time to its bound: below the first the time is "within 4 % of the bound", from the second on it is written as "2.5
 * times the bound", between them as "20 % above the bound".
 */
const [nearRatio, multipleRatio] = [1.1, 2];

/**
 * Returns how far a time is from its bound: "within 4 % of the bound".
 * @param ratio the time divided by the bound
 */
function distanceText(ratio: number): string {
  if (ratio >= multipleRatio) return `${ratio.toFixed(1)} times the bound`;
  const above = formatPercent(Math.max(0, ratio - 1));
  return ratio < nearRatio ? `within ${above} of the bound` : `${above} above the bound`;
}

/**
 * Returns one sentence about a size, without full stop: its time, the distance to the nearest known bound, and what each cause
 * costs or how much is left to explain. If the time of operations back to back was explained separately, the same about that time
 * follows.
 * @param suspects titles of suspected causes that were not examined
 */
function sentenceOf(size: ExplainedSize, suspects: readonly string[]): string {
  const { time, backToBack } = size;
  const bound = nearestBound(size);
  const against = bound === null ? '' : `, ${distanceText(time.ns / bound.ns)} (${bound.title})`;
  const typical = `${formatTime(time.ns)}${against}; ${gainsText(size, suspects)}`;
  if (backToBack === null) return typical;
  const ratio = (backToBack.time.ns / time.ns).toFixed(1);
  return `${typical}; back to back ${formatTime(backToBack.time.ns)}, ${ratio} times as long; ${gainsText(backToBack, suspects)}`;
}

/** Returns a paragraph with all bounds of a size, highest first; none if only the measured bound is known. */
function boundsBlock({ shares, bounds = [] }: ExplainedSize): DocumentBlock[] {
  if (bounds.length === 0) return [];
  const all = [...shares.filter(({ kind }) => kind === 'bound'), ...bounds].sort((a, b) => b.ns - a.ns);
  return [paragraph(`Bounds: ${joinWords(all.map(({ title, ns }) => `${title} ${formatTime(ns)}`))}`)];
}

/**
 * Maximum share of a time that may be unexplained for the verdict "nothing to explain". This verdict is given if no cause was found
 * and no size whose bound was measured exceeds the share. Otherwise, or if no bound was measured, the verdict is "no cause found".
 * If suspected causes were not examined, the verdict names them instead.
 */
const maxUnexplained = 0.1;

/**
 * Returns the largest share (0 to 1) of a time that neither its bound nor a cause explains. Only times whose bound was measured
 * count; null if there are none.
 */
function openShareOf(ledgers: readonly TimeLedger[]): number | null {
  const shares = ledgers.flatMap((one) => openShare(one) ?? []);
  return shares.length === 0 ? null : Math.max(...shares);
}

/** Returns how much of these times is not explained, after a comma; without a bound, why there is none. */
function openText(ledgers: readonly TimeLedger[]): string {
  const share = openShareOf(ledgers);
  if (share !== null) return `, not explained: at most ${formatPercent(share)} of the time`;
  return ledgers.some(({ excluded }) => excluded.some(({ id }) => id === 'bound'))
    ? ', no bound is known: what was measured as one takes longer'
    : ', the bound was not measured';
}

function endText({ ended }: ExplanationRecord): string {
  if (ended === null) return '';
  return ended === 'interrupted' ? '; interrupted' : '; the time was too short';
}

/**
 * Returns the distance to the nearest bound, of the size that is farthest from its bound: "at most 20 % above the bound; ". "" if
 * no bound is known.
 */
function boundsText(sizes: readonly ExplainedSize[]): string {
  const ratios = sizes.flatMap((size) => {
    const bound = nearestBound(size);
    return bound === null ? [] : [size.time.ns / bound.ns];
  });
  if (ratios.length === 0) return '';
  const farthest = Math.max(...ratios);
  const most = sizes.length > 1 && farthest >= nearRatio ? 'at most ' : '';
  return `${most}${distanceText(farthest)}; `;
}

function verdictText(record: ExplanationRecord): string {
  const { series, launches, wrongLaunches } = record;
  const sizes = series.flatMap((one) => one.sizes);
  const measured = `${plural(sizes.length, 'size')}, ${plural(launches, 'launch', 'launches')}`;
  const end = endText(record);
  const wrong = wrongLaunches === 0 ? '' : `WRONG DATA in ${plural(wrongLaunches, 'launch', 'launches')}; `;
  const rest = openShareOf(sizes);
  if (sizes.length === 0) return `${wrong}no size was explained (${measured})${end}`;
  const found = [...new Set(sizes.flatMap((size) => causesOf(size).map(({ title }) => title)))];
  const suspects = [...new Set(series.flatMap(openSuspects))];
  const none =
    suspects.length > 0
      ? suspectsText(suspects)
      : rest !== null && rest <= maxUnexplained
        ? 'nothing to explain'
        : 'no cause found';
  const typical =
    found.length === 0
      ? `${none}: ${boundsText(sizes)}no change of the command certainly shortens a typical operation by 5 % or more`
      : `found: ${joinWords(found)}`;
  const texts = [`${typical}${openText(sizes)}`, ...stalledText(series)];
  // Without a cause for a typical operation, the sentence about operations back to back comes first if there is one.
  if (found.length === 0) texts.reverse();
  return `${wrong}${texts.join('; ')} (${measured})${end}`;
}

/**
 * Returns a sentence on how much longer operations back to back take, and what causes that, over all sizes whose time back to back
 * was explained separately. If a cause was found at several sizes, its largest share is named. Empty if there is no such size.
 */
function stalledText(series: readonly ExplainedSeries[]): string[] {
  const stalled = series.flatMap(({ sizes, suspicions }) =>
    sizes.flatMap(({ time, backToBack }) =>
      backToBack === null ? [] : [{ backToBack, suspicions, ratio: backToBack.time.ns / time.ns }],
    ),
  );
  if (stalled.length === 0) return [];
  const rest = openText(stalled.map(({ backToBack }) => backToBack));
  const highest = Math.max(...stalled.map(({ ratio }) => ratio)).toFixed(1);
  const ratio = `back to back ${stalled.length > 1 ? 'up to ' : ''}${highest} times as long as a typical operation`;
  const causes = new Map<string, { share: number; why: string; sizes: number }>();
  for (const { backToBack, suspicions } of stalled)
    for (const { id, title, ns } of causesOf(backToBack)) {
      const text = suspicions.find((one) => one.id === id)?.text;
      const share = ns / backToBack.time.ns;
      const known = causes.get(title);
      const largest =
        known !== undefined && known.share >= share
          ? known
          : { share, why: text === undefined ? '' : ` (${text})` };
      causes.set(title, { ...largest, sizes: (known?.sizes ?? 0) + 1 });
    }
  const gains = [...causes].map(
    ([title, { share, why, sizes }]) =>
      `${title} recovers ${sizes > 1 ? 'up to ' : ''}${formatPercent(share)}${why}`,
  );
  const found = gains.length === 0 ? 'no cause found' : joinWords(gains);
  return [`${ratio}: ${found}${rest}`];
}
