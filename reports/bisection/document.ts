// The document of `collbench bisect`, which searches for the build or setting that changed the time of an operation. It has the
// changes, then every comparison with the probability of each item (the posterior) after it.
import type {
  BisectedSubject,
  BisectionProbe,
  BisectionRecord,
  BisectionStage,
  TimeRatio,
} from '../../results/schema/index.ts';
import { type DocumentBlock, onlyIn, tableOf } from '../document/blocks.ts';
import { endsText, formatDuration, formatPercent, joinWords, plural } from '../wording.ts';
import { posteriorChart } from './posterior-chart.ts';

export const bisectionTitle = ({ command, good, bad }: BisectionRecord): string =>
  `What changed ${command[0]} between ${good} and ${bad}`;

/**
 * A change that a bisection found, with the stage (search for one change) that found it. `needs`: names of settings without which
 * the change has no effect.
 */
export interface FoundChange {
  stage: BisectionStage;
  /** Names of the items of which one is the first with the change; several only if items between them cannot be measured. */
  names: string[];
  /** Name of the last item that the change does not affect: the item directly before the first one in `names`. */
  before: string;
  needs: string[];
}

/**
 * Returns the changes that a bisection found: the builds, variables or options that changed the time, in the order in which the
 * bisection was given them. Settings without which a change has no effect are in its `needs`, not changes of their own.
 */
export function changesOf({ stages, items }: BisectionRecord): FoundChange[] {
  const names = (first: number, last: number): string[] =>
    items.slice(first, last + 1).map(({ name }) => name);
  return stages
    .flatMap((stage, at): FoundChange[] => {
      const { found, end, partnerOf } = stage;
      if (found === null || end !== 'found' || partnerOf !== null) return [];
      const needs = stages.flatMap((one) =>
        one.partnerOf === at && one.end === 'found' && one.found !== null
          ? names(one.found.first, one.found.last)
          : [],
      );
      const before = items[found.first - 1]?.name ?? '';
      return [{ stage, names: names(found.first, found.last), before, needs }];
    })
    .sort((a, b) => (a.stage.found?.first ?? 0) - (b.stage.found?.first ?? 0));
}

/**
 * Returns the document of a bisection: the verdict, the changes, on pages charts of the probability of each item, the comparisons
 * in order of time, and the items that could not be measured.
 * @param next command to type next; null = none
 */
export function bisectionDocument(record: BisectionRecord, next: string | null): DocumentBlock[] {
  const changes = changesOf(record);
  const charted = record.stages.flatMap((stage, at) =>
    stage.posterior.length > 2 && stage.end !== 'same' ? [{ stage, at }] : [],
  );
  return [
    verdict(record, changes, next),
    ...(changes.length === 0 ? [] : [changesTable(record, changes)]),
    ...charted.map(({ stage, at }) =>
      onlyIn('page', { kind: 'chart', figure: posteriorChart(record, stage, at) }),
    ),
    ...(record.probes.length === 0 ? [] : [probesTable(record)]),
    ...unmeasurable(record),
  ];
}

/** Formats a ratio of two times: "1.21 times as long". */
const timesAsLong = (ratio: number): string => `${ratio.toFixed(2)} times as long`;

const intervalText = ({ ratio, ...interval }: TimeRatio): string =>
  endsText(ratio, interval, (end) => end.toFixed(2));

function changesTable({ kind }: BisectionRecord, changes: readonly FoundChange[]): DocumentBlock {
  return tableOf<FoundChange>(
    [
      { head: 'change', isLong: true, cell: ({ names }) => joinWords(names, 'or') },
      ...(kind === 'settings'
        ? []
        : [
            {
              head: 'unchanged before',
              isLong: true,
              priority: 2,
              cell: ({ before }: FoundChange) => before,
            },
          ]),
      { head: 'time', align: 'right', cell: ({ stage }) => stage.step?.ratio.toFixed(2) ?? '' },
      { head: '95 %', cell: ({ stage }) => (stage.step === null ? '' : intervalText(stage.step)) },
      {
        head: 'probability',
        align: 'right',
        cell: ({ stage }) => stage.found?.probability.toFixed(3) ?? '',
      },
      { head: 'only together with', isLong: true, cell: ({ needs }) => joinWords(needs) },
    ],
    changes,
    { caption: 'Changes: time after over time before, both measured as pairs' },
  );
}

/**
 * Texts that say why a comparison was made: to see if start and end differ, to narrow the range, or to measure the change that was
 * found.
 */
const purposes = { ends: 'any change?', search: 'already changed?', step: 'this step?' } as const;

/** Maximum number of bars with which a terminal draws the probabilities of all items. */
const maxLevels = 16;

/**
 * Reduces the probabilities of all items to at most 16 numbers for small bars, each the sum of the probabilities of neighbouring
 * items. The first item is left out, because it is the start and cannot be the change. Empty if there are fewer than two items.
 * @param posterior probability of each item that the change came with it, in order of the items
 */
function levelsOf(posterior: readonly number[]): number[] {
  const items = posterior.slice(1);
  const width = Math.max(1, Math.ceil(items.length / maxLevels));
  return Array.from({ length: Math.ceil(items.length / width) }, (_, part) =>
    items.slice(part * width, (part + 1) * width).reduce((sum, p) => sum + p, 0),
  );
}

function probesTable(record: BisectionRecord): DocumentBlock {
  const { probes, kind } = record;
  const name = (subject: BisectedSubject): string => subjectName(record, subject);
  return tableOf<BisectionProbe>(
    [
      {
        head: kind === 'settings' ? 'with' : 'candidate',
        isLong: true,
        cell: ({ candidate }) => name(candidate),
      },
      { head: 'against', isLong: true, priority: 3, cell: ({ reference }) => name(reference) },
      { head: '', priority: 4, cell: ({ purpose }) => purposes[purpose] },
      { head: 'pairs', align: 'right', cell: ({ logRatios }) => String(logRatios.length) },
      {
        head: 'time',
        align: 'right',
        cell: ({ ratio, logRatios }) => (logRatios.length === 0 ? '' : ratio.toFixed(2)),
      },
      {
        head: '95 %',
        priority: 1,
        cell: (probe) => (probe.logRatios.length === 0 ? '' : intervalText(probe)),
      },
      {
        head: 'verdict',
        cell: ({ verdict, logRatios }) => verdict ?? (logRatios.length === 0 ? '' : 'no verdict'),
      },
      {
        head: 'posterior',
        only: ['terminal'],
        priority: 5,
        cell: ({ posterior }) => ({ levels: levelsOf(posterior) }),
      },
      {
        head: 'likeliest',
        align: 'right',
        cell: ({ posterior }) => (posterior.length === 0 ? '' : Math.max(...posterior).toFixed(2)),
      },
    ],
    probes,
    {
      caption: `Comparisons in their order; time: candidate over reference; likeliest: probability of the likeliest item`,
    },
  );
}

/**
 * Returns the name of what was measured in one comparison. For builds it is the name of the item. For settings it says how many of
 * the settings, in order, had the value of the bad end, and which others had it too: "first 3", "first 3 + NCCL_ALGO". Instead of
 * "first 0" it is "good end", and if all had it "bad end".
 */
function subjectName({ kind, items }: BisectionRecord, { item, fixed }: BisectedSubject): string {
  if (kind !== 'settings') return items[item]?.name ?? String(item);
  const others = fixed.map((at) => items[at]?.name ?? String(at));
  const first = item === 0 ? 'good end' : item === items.length - 1 ? 'bad end' : `first ${item}`;
  return [first, ...others].join(' + ');
}

function unmeasurable(record: BisectionRecord): DocumentBlock[] {
  const items = record.probes.flatMap(({ verdict, candidate, reason }) =>
    verdict === 'unmeasurable' ? [`${subjectName(record, candidate)}: ${reason}`] : [],
  );
  return items.length === 0
    ? []
    : [{ kind: 'list', title: 'Could not be measured', items: [...new Set(items)] }];
}

function verdict(
  record: BisectionRecord,
  changes: readonly FoundChange[],
  next: string | null,
): DocumentBlock {
  const { wrongLaunches } = record;
  const wrong = wrongLaunches === 0 ? '' : `WRONG DATA in ${plural(wrongLaunches, 'launch', 'launches')}; `;
  return {
    kind: 'verdict',
    by: 'collbench bisect',
    text: `${wrong}${findingText(record, changes)}`,
    isBad: wrongLaunches > 0,
    notes: notesOf(record, changes),
    ...(next === null ? {} : { next }),
  };
}

function findingText(record: BisectionRecord, changes: readonly FoundChange[]): string {
  const { ended, stages, items, launches, seconds, margin, good, bad } = record;
  const cost = `${plural(launches, 'launch', 'launches')}, ${Math.round(seconds)} s`;
  if (changes.length > 0) {
    const texts = changes.map(({ names, stage }) => {
      const step = stage.step === null ? '' : ` (${timesAsLong(stage.step.ratio)})`;
      return `${joinWords(names, 'or')}${step}`;
    });
    return `found: ${joinWords(texts)}, of ${plural(items.length - 1, 'item')}; ${cost}${endText(ended)}`;
  }
  const [first] = stages;
  if (first?.end === 'same')
    return `nothing to find: ${bad} takes as long as ${good}, within ${formatPercent(margin)}; ${cost}`;
  if (first?.end === 'gradual')
    return `${bad} takes ${timesAsLong(first.whole?.ratio ?? 1)} as ${good}, and no single item shows it: many small steps; ${cost}`;
  if (first?.end === 'no-verdict') return `no verdict: launches scatter too much; ${cost}`;
  return `not found yet; ${cost}${endText(ended)}`;
}

const endText = (ended: BisectionRecord['ended']): string =>
  ended === null
    ? ''
    : { budget: '; the time was too short', interrupted: '; interrupted', failed: '; stopped by a failure' }[
        ended
      ];

/**
 * Returns a text of one line without a newline, printed before a bisection starts. It says how many pairs of launches each
 * comparison may take, and how much time the bisection may take.
 */
export const bisectionLimits = ({ items, maxPairs, budgetS }: BisectionRecord): string =>
  `${plural(items.length, 'item')} · each comparison: up to ${plural(maxPairs, 'pair')} of launches, as many again without a verdict · time limit ${formatDuration(budgetS)}`;

/**
 * Returns the progress of a bisection in one line. A pair is one launch of the reference and one of the candidate.
 * @param question comparison that is being measured; null = none, which returns ''
 * @param furtherPairs expected number of pairs that this comparison still needs; null = not known
 */
export function bisectionLine(
  record: BisectionRecord,
  question: Pick<BisectionProbe, 'reference' | 'candidate'> | null,
  furtherPairs: number | null,
): string {
  if (question === null) return '';
  const { probes, stages } = record;
  const likeliest = Math.max(0, ...(stages.at(-1)?.posterior ?? []));
  const pairs = probes.at(-1)?.logRatios.length ?? 0;
  const more = furtherPairs === null || pairs === 0 ? '' : `, about ${furtherPairs} more`;
  return `${subjectName(record, question.candidate)} against ${subjectName(record, question.reference)}: ${plural(pairs, 'pair')}${more} · likeliest: probability ${likeliest.toFixed(2)}`;
}

/**
 * Returns sentences about what remains open besides the found changes: ranges of items with many small changes, ranges in which
 * launches scatter too much to know whether there are more, and whether a found setting needs another one, if that is not known.
 * Empty if no change was found.
 */
function notesOf({ stages, items }: BisectionRecord, changes: readonly FoundChange[]): string[] {
  if (changes.length === 0) return [];
  return stages.flatMap(({ end, from, to, partnerOf }) => {
    const between = `${items[from]?.name} and ${items[to]?.name}`;
    if (end === 'no-verdict' && partnerOf === null)
      return [`whether more changed between ${between} is not known: launches scatter too much`];
    if (end === 'no-verdict') return ['whether the setting needs another one is not known'];
    if (end === 'gradual') return [`between ${between} more changed, in many small steps`];
    return [];
  });
}
