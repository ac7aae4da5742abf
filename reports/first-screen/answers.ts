// The first questions of a report's reader, with a short answer to each.
import type { Background } from '../../results/background.ts';
import type { PairOfRuns } from '../../results/schema/index.ts';
import { boundSentences } from '../bound-share.ts';
import { changesText } from '../comparison/versus-last.ts';
import { verdict } from '../comparison-sentence.ts';
import { fastestChoiceText } from '../html/device.ts';
import { overlapSentences } from '../load-overlap.ts';
import { launchesText, typicalInterval } from '../precision.ts';
import { namedX } from '../rows.ts';
import { headlineName, isOk, type ReportRun, type SeriesGroup, xsOf } from '../series.ts';
import { comparisonsOf, type PairedPoint, type SeriesComparison } from '../series-comparison.ts';
import { sideBySideSentences } from '../side-by-side.ts';
import { orderOf } from '../steps/sentences.ts';
import { partGroups } from '../steps/variants.ts';
import { comparisonSentences, intervalSentence } from '../summary.ts';
import {
  capitalise,
  formatRatio,
  joinWords,
  mediumMismatchText,
  plural,
  plusMinusLog,
  shortTransport,
} from '../wording.ts';
import type { ReportAnswer } from './answer.ts';
import type { SeriesHeadline } from './headlines.ts';
import { isGoodAnswer } from './reference-check.ts';
import { pathAnswer } from './transport-paths.ts';

export interface FirstScreenQuestion extends ReportAnswer {
  question: string;
  /** Id of the report's chapter with details, to which the question is linked. */
  to: string;
}

/** Maximum number of sentences in an answer on the first screen; the linked chapter has the others. */
const maxSentences = 3;

export function questionsOf(
  runs: readonly ReportRun[],
  groups: readonly SeriesGroup[],
  headlines: readonly SeriesHeadline[],
  background: Background,
): FirstScreenQuestion[] {
  const comparisons = groups.flatMap(comparisonsOf);
  const isCompared = comparisons.some(({ points }) => points.length > 0);
  return [
    isCompared ? faster(groups) : foundOf(runs, groups),
    {
      question: isCompared ? 'By how much, how sure?' : 'How sure?',
      to: 'distribution',
      ...howSure(runs, groups),
    },
    {
      question: 'How near to the bound?',
      word: '',
      texts: some(boundSentences(groups), 'Bandwidth'),
      to: 'bandwidth',
    },
    { question: 'Is it good for this machine?', to: 'bandwidth', ...isGoodAnswer(headlines, background) },
    { question: 'Did it use the hardware asked for?', to: 'evidence', ...pathAnswer(runs) },
    ...(runs.length === 1 ? [changed(runs[0]?.record.plan.imported !== undefined, background)] : []),
  ].filter(({ texts }) => texts.length > 0);
}

function faster(groups: readonly SeriesGroup[]): FirstScreenQuestion {
  const [only, ...others] = groups;
  const all =
    only !== undefined && others.length === 0
      ? orderedOrPairs(comparisonsOf(only))
      : comparisonSentences(groups, { caveat: '' });
  return {
    question: whichFaster(groups),
    word: '',
    texts: some(all, 'Crossover'),
    to: 'crossover',
  };
}

function whichFaster(groups: readonly SeriesGroup[]): string {
  const over = groups.filter(({ series }) => xsOf(series).length > 1);
  const [noun, ...others] = new Set(over.map(({ x }) => x.noun));
  if (noun === undefined) return 'Which is faster?';
  return others.length === 0 ? `Which is faster, from which ${noun}?` : 'Which is faster, and where?';
}

function some(texts: readonly string[], chapter: string): string[] {
  const rest = texts.length - maxSentences;
  return rest <= 0
    ? [...texts]
    : [...texts.slice(0, maxSentences), `${plural(rest, 'more comparison')} under ${chapter}`];
}

/**
 * Returns "p2p is fastest at every size, then sisci, then socket" if three or more series have the same order at every x. Otherwise
 * returns for each compared pair of series which series is faster, and at which sizes.
 */
function orderedOrPairs(comparisons: readonly SeriesComparison[]): string[] {
  const winners = comparisons.map((c) => {
    const found = (['a', 'b'] as const).find((side) => c.points.every(({ winner }) => winner === side));
    return c.points.length === 0 || found === undefined ? null : c[found];
  });
  if (comparisons.length < 3 || winners.includes(null)) return comparisons.map(verdict);
  const series = [...new Set(comparisons.flatMap(({ a, b }) => [a, b]))];
  const wins = (one: (typeof series)[number]) => winners.filter((winner) => winner === one).length;
  const order = series.toSorted((a, b) => wins(b) - wins(a)).map(({ name }) => name);
  if (comparisons.length !== (series.length * (series.length - 1)) / 2) return comparisons.map(verdict);
  const noun = comparisons[0]?.x.noun ?? 'size';
  return [`${order[0]} is fastest at every ${noun}, then ${order.slice(1).join(', then ')}`];
}

/**
 * Returns the question for runs in which no two transports are compared. It is "What was found?" with sentences about other
 * results: loads, groups of ranks, algorithms, order of speed. Without such results it is "Which is faster?", and the answer says
 * that only one transport was measured. For imported runs or several transports that answer has no sentences, so the question is
 * not shown.
 */
function foundOf(runs: readonly ReportRun[], groups: readonly SeriesGroup[]): FirstScreenQuestion {
  const order = orderOf(partGroups(groups));
  const found = [
    ...overlapSentences(groups),
    ...sideBySideSentences(groups),
    ...fastestChoiceText(groups),
    ...order,
  ];
  const names = [
    ...new Set(runs.flatMap(({ record }) => record.plan.transports.map(({ name }) => shortTransport(name)))),
  ];
  if (found.length > 0)
    return { question: 'What was found?', word: '', texts: some(found, 'the chapters below'), to: 'latency' };
  // Imported runs were measured by another program, so advice to measure one more transport would not help.
  const isOurs = runs.every(({ record }) => record.plan.imported === undefined);
  return {
    question: 'Which is faster?',
    word: '',
    texts:
      names.length === 1 && isOurs
        ? [`Only ${names[0]} was measured; --transport with several names measures them interleaved`]
        : [],
    to: 'latency',
  };
}

function howSure(runs: readonly ReportRun[], groups: readonly SeriesGroup[]): ReportAnswer {
  const [only, ...others] = groups;
  const ahead = only !== undefined && others.length === 0 ? advantageTexts(comparisonsOf(only)) : [];
  const mixed = groups.flatMap(comparisonsOf).some(({ mixedMedia }) => mixedMedia);
  return {
    word: '',
    texts: [
      ...ahead,
      ...(runs.length === 1 ? runs.map(sureness) : [surenessOfAll(runs)]),
      mixed ? mediumMismatchText : '',
    ].filter((text) => text !== ''),
  };
}

/**
 * Maximum number of compared pairs of series for which the first screen says by how much one is faster; more text would push the
 * verdicts off the screen.
 */
const maxPairs = 2;

/**
 * Returns how many times as fast the faster series of a pair is, at the smallest and the largest x: "sisci 9.1x ±1.2 % at 8 B, 3.9x
 * ±0.9 % at 1 GiB". If there is no interval, the text says so. Only the first two pairs have a text.
 */
function advantageTexts(comparisons: readonly SeriesComparison[]): string[] {
  return comparisons.slice(0, maxPairs).flatMap((c) => {
    const ends = [...new Set([c.points[0], c.points.at(-1)])].filter((point) => point !== undefined);
    const names = ends.map(({ aNs, bNs }) => (aNs <= bNs ? c.a.name : c.b.name));
    const [first] = names;
    if (first === undefined) return [];
    const other = first === c.a.name ? c.b.name : c.a.name;
    const texts = ends.map(
      (point, i) => `${names[i] === first ? '' : `${names[i]} `}${advantageAt(c, point)}`,
    );
    return [`${first}${c.several === true ? ` against ${other}` : ''} ${texts.join(', ')}`];
  });
}

function advantageAt(
  { x }: SeriesComparison,
  { aNs, bNs, logHalfWidth, winner, x: at }: PairedPoint,
): string {
  const sure = logHalfWidth === null ? ' (no interval)' : ` ${plusMinusLog(logHalfWidth)}`;
  const tie = winner === 'tie' ? ', no difference seen' : '';
  return `${formatRatio(Math.max(aNs / bNs, bNs / aNs))}${sure} at ${namedX(x, at)}${tie}`;
}

function sureness(run: ReportRun): string {
  const ok = run.cells.filter(isOk);
  const { plan } = run.record;
  if (ok.length === 0) return '';
  const typical = typicalInterval(ok, plan);
  const text = typical === '' ? intervalSentence(ok, headlineName(plan.workloads, ok)) : typical;
  const launches = launchesText(plan.sampling);
  const how =
    plan.imported !== undefined
      ? 'imported, so the scatter is unknown'
      : launches === '1 launch'
        ? 'one launch, so the scatter between launches is unknown'
        : launches;
  const isSaid = text.includes(how); // a reason names the launches, too
  return `${text}${isSaid ? '' : `; ${how}`}`;
}

/**
 * Returns one sentence about how certain the results of several runs are: median half width of the 95 % intervals, number of runs,
 * and number of launches in each. "" if no configuration was measured.
 */
function surenessOfAll(runs: readonly ReportRun[]): string {
  const ok = runs.flatMap(({ cells }) => cells.filter(isOk));
  const [plan] = runs.map(({ record }) => record.plan);
  if (plan === undefined || ok.length === 0) return '';
  const typical = typicalInterval(ok, plan);
  const launches = [...new Set(runs.map(({ record }) => launchesText(record.plan.sampling)))];
  return `${typical === '' ? 'no intervals' : typical}; ${plural(runs.length, 'run')} of ${joinWords(launches, 'or')} each`;
}

const changeWords: Record<PairOfRuns['verdict'], string> = {
  slower: 'Slower',
  faster: 'Faster',
  mixed: 'Slower in part',
  same: 'Same',
  'not-enough-data': 'No verdict',
  unconfirmed: 'Not confirmed',
};

function changed(isImported: boolean, { last }: Background): FirstScreenQuestion {
  const question = 'What changed since the last run?';
  if (last === null) {
    const why = isImported
      ? 'an imported run is not compared with the runs here'
      : 'no earlier run of these series on these hosts is stored here';
    return { question, word: 'Not known', texts: [why], to: 'reproduce' };
  }
  const { pair, run } = last;
  const text = changesText(pair);
  const word = changeWords[pair.verdict];
  // The answer begins with the word, so it is removed from the text: "Slower. At 4 MiB by 8 %".
  const rest = text.startsWith(word.toLowerCase()) ? text.slice(word.length).trim() : text;
  const settings = pair.settings.filter(
    ({ about }) => about === 'versions' || about === 'environment' || about === 'machine',
  );
  const differs = settings
    .slice(0, 3)
    .map(({ name, base, other }) => `${name} ${base ?? 'unset'} → ${other ?? 'unset'}`);
  const more = settings.length > 3 ? ` and ${settings.length - 3} more` : '';
  const when = run.record.startedAt.slice(0, 16).replace('T', ' ');
  return {
    question,
    word,
    texts: [
      `${rest} (run ${run.record.label ?? run.record.id}, ${when} UTC)`,
      differs.length === 0
        ? 'software, environment and machine are the same'
        : `different: ${joinWords(differs)}${more}`,
    ].map(capitalise),
    to: 'crossover',
  };
}
