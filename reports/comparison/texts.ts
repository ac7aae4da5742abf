// Sentences about a comparison of runs, for terminal, Markdown and HTML page. Names in them come from files that others may have
// written: `plain` limits their length and removes control characters.
import { rowOfKey } from '../../results/axis-text.ts';
import { addTo } from '../../results/collections.ts';
import { nameOfRun } from '../../results/compare/run.ts';
import { interfacePrefix } from '../../results/compare/settings.ts';
import { nameOfSeries } from '../../results/history/series-name.ts';
import { effectText } from '../../results/judge/verdict-text.ts';
import {
  type BetweenRuns,
  type ChangeVerdict,
  type Comparison,
  type ComparisonChange,
  type PairOfRuns,
  trialOf,
} from '../../results/schema/index.ts';
import { rangeText, type XAxisFormat, xAxisFormat } from '../rows.ts';
import {
  cutAfterWord,
  formatCount,
  joinWords,
  percentText,
  plural,
  shortTransport,
  valueRange,
  visible,
} from '../wording.ts';

const longest = 90;

/**
 * Returns text from a run's files as one printable line of at most `most` characters (default 90). "·" replaces each control
 * character. A longer text is cut, after a whole word if that loses at most half of `most`, and ends with "…".
 */
export function plain(text: string, most = longest): string {
  return cutAfterWord(visible(text), most);
}

/**
 * Returns sentences about what the comparison allows for beyond the scatter between launches. The first are about scatter between
 * separate runs, as earlier runs show it or as it is assumed for the transport. The last is about the factor by which intervals
 * between launches are widened, and whether `collbench aa` measured it. Empty if the comparison allows for neither.
 */
export function betweenRunsSentences({ rules, pairs }: Comparison): string[] {
  const groups = pairs.flatMap((pair) => pair.groups);
  const from = (source: BetweenRuns['from']) =>
    groups.flatMap(({ transport, change: { betweenRuns } }) =>
      betweenRuns?.from === source ? [{ transport: shortTransport(transport), ...betweenRuns }] : [],
    );
  const [shown, assumed, learned] = [from('history'), from('transport'), from('aa')];
  const sds = (all: readonly BetweenRuns[]) =>
    valueRange(
      all.map(({ sd }) => sd),
      percentText,
    );
  const names = [...new Set(assumed.map(({ transport }) => transport))];
  const { scatterFactor } = rules;
  const hasSeveralLaunches = groups.some(({ change }) => Math.max(...change.launches) > 1);
  const times = `${scatterFactor.toFixed(1)}x`;
  return [
    ...(shown.length === 0
      ? []
      : [
          `separate runs: ${sds(shown)} between them, as ${valueRange(
            shown.map(({ runs }) => runs),
            String,
          )} earlier runs on these hosts show`,
        ]),
    ...(assumed.length === 0
      ? []
      : [
          `separate runs: ${sds(assumed)} between them is assumed for ${joinWords(names)} (too few earlier runs or nights here; collbench aa measures it)`,
        ]),
    ...(scatterFactor === 1 || shown.length === groups.length
      ? []
      : learned.length > 0
        ? [
            `equal runs differ ${times} as much as launches of one run (collbench aa): intervals are ${times} wider`,
          ]
        : hasSeveralLaunches
          ? [`launches of one run were side by side: what they show counts ${times}`]
          : []),
  ];
}

export const changeVerdictTexts: Record<ChangeVerdict, string> = {
  faster: 'faster',
  slower: 'slower',
  same: 'same',
  unconfirmed: 'not confirmed',
  'not-enough-data': 'no verdict',
};

/**
 * Returns how x values, such as message sizes, are named and written for a size range or configuration.
 * @param key key of the size range, or id of the configuration, which contain the workload
 */
export const xOfKey = (key: string): XAxisFormat => xAxisFormat(rowOfKey(key));

/**
 * Returns the range from the lowest to the highest x as text: "8 B - 32 KiB"; "8 B" if all are equal.
 * @param key key of a size range, or id of a configuration
 * @param xs not empty
 */
export const xTexts = (key: string, xs: readonly number[]): string => rangeText(xOfKey(key), xs, ' - ');

/**
 * Returns how the compared samples were timed: "isolated" or "pipelined".
 * @param key key of a size range, or id of a configuration, which contain the workload
 */
export const trialText = (key: string, { figure }: ComparisonChange): string =>
  trialOf(rowOfKey(key), figure);

/**
 * Returns how many configurations were not compared and why: "3 configurations not compared: emulated against hardware (accept
 * with --allow medium)". One text per reason, at most six; another text counts further reasons.
 */
export function refusedSentences({ refused }: PairOfRuns): string[] {
  const kinds = new Map<string, { count: number; allow: string }>();
  for (const { kind, reason } of refused) {
    const allow = kind === 'wrong-data' ? '' : kind === 'flagged' ? '' : ` (accept with --allow ${kind})`;
    const entry = kinds.get(reason) ?? { count: 0, allow };
    entry.count += 1;
    kinds.set(reason, entry);
  }
  return bounded(
    [...kinds].map(
      ([reason, { count, allow }]) =>
        `${plural(count, 'configuration')} not compared: ${plain(reason, 200)}${allow}`,
    ),
  );
}

/**
 * Returns how many configurations only one of both runs has, and why: "2 configurations in one run only: the other run did not
 * measure it (8 B, 64 B; first allreduce float32 sum, cpu over socket, 2 ranks)". One text per reason with up to four sizes.
 * After six texts another one counts further reasons.
 */
export function missingSentences({ missing }: PairOfRuns): string[] {
  const reasons = new Map<string, PairOfRuns['missing']>();
  for (const cell of missing) addTo(reasons, cell.reason, cell);
  return bounded(
    [...reasons].map(([reason, cells]) => {
      const [first] = cells;
      const xs = [...new Set(cells.map(({ x }) => x))].sort((a, b) => a - b);
      const { text } = xOfKey(first?.id ?? '');
      const shown = xs.slice(0, 4).map(text).join(', ');
      const more = xs.length > 4 ? ', ...' : '';
      return `${plural(cells.length, 'configuration')} in one run only: ${plain(reason, 200)} (${shown}${more}; first ${plain(first === undefined ? '' : nameOfSeries(first.id).title)})`;
    }),
  );
}

const maxSentences = 6;

function bounded(sentences: string[]): string[] {
  const more = sentences.length - maxSentences;
  return more > 0 ? [...sentences.slice(0, maxSentences), `and ${more} more reasons: see --json`] : sentences;
}

/**
 * Merges settings of which there can be many, so that they do not hide the others. These are the CPU cores that other programs used
 * during each size range, and network interfaces that only one run has, because programs such as container runtimes make and remove
 * virtual ones.
 */
export const foldSettings = <T extends PairOfRuns['settings'][number]>(settings: readonly T[]): T[] =>
  foldLoad(foldInterfaces(settings));

const maxInterfaces = 3;

/**
 * Merges two or more network interfaces that only one run has into one setting "24 interfaces", with the first three names for each
 * run, at the place of the first of them. Settings that differ in more than name and values, such as the entries of a suite, stay
 * apart.
 */
function foldInterfaces<T extends PairOfRuns['settings'][number]>(settings: readonly T[]): T[] {
  const keyOf = ({ name, base, other, ...rest }: T): string | null =>
    name.startsWith(interfacePrefix) && (base === null || other === null) ? JSON.stringify(rest) : null;
  const names = (some: readonly T[]): string | null => {
    if (some.length === 0) return null;
    const first = some.slice(0, maxInterfaces).map(({ name }) => name.slice(interfacePrefix.length));
    return [...first, ...(some.length > maxInterfaces ? ['...'] : [])].join(', ');
  };
  return settings.flatMap((setting, at) => {
    const key = keyOf(setting);
    const alike = key === null ? [] : settings.filter((one) => keyOf(one) === key);
    if (alike.length < 2) return [setting];
    if (settings.findIndex((one) => keyOf(one) === key) !== at) return [];
    const [base, other] = [
      alike.filter((one) => one.other === null),
      alike.filter((one) => one.base === null),
    ];
    return [{ ...setting, name: `${alike.length} interfaces`, base: names(base), other: names(other) }];
  });
}

/**
 * Merges the settings about system load (CPU cores that other programs used) into one, which becomes the last of the list. Its
 * values are ranges: "cores used by others 0.4 to 1.0 -> 0.9 to 1.4". With fewer than two such settings the list stays unchanged.
 */
function foldLoad<T extends PairOfRuns['settings'][number]>(settings: readonly T[]): T[] {
  const loads = settings.filter(({ about }) => about === 'load');
  const [first] = loads;
  if (first === undefined || loads.length === 1) return [...settings];
  const range = (side: 'base' | 'other'): string => {
    const cores = loads.map((setting) => Number(setting[side]));
    return valueRange(cores, (one) => one.toFixed(1));
  };
  const folded = { ...first, name: 'cores used by others', base: range('base'), other: range('other') };
  return [...settings.filter(({ about }) => about !== 'load'), folded];
}

/**
 * Returns a recorded setting that differs between both runs as text: "nccl 2.28.9 -> 2.30.7". null becomes "not set", '' "empty".
 */
export const settingText = ({ name, base, other }: PairOfRuns['settings'][number]): string =>
  `${plain(name, 60)} ${settingValue(base)} -> ${settingValue(other)}`;

export const settingValue = (text: string | null): string =>
  text === null ? 'not set' : text === '' ? 'empty' : plain(text, 100);

/**
 * Returns the smallest change of time that the comparison can detect, for each size range; where several series have the range, the
 * largest of their values: "1.3 % (large), 4.8 % (small)". Null if nothing was tested.
 */
export function detectableText(pair: PairOfRuns): string | null {
  const regimes = (['large', 'mid', 'small', 'all'] as const).flatMap((regime) => {
    const seen = pair.groups.flatMap(({ regime: own, change }) =>
      own === regime && change.detectable !== null ? [change.detectable] : [],
    );
    return seen.length === 0
      ? []
      : [`${effectText(Math.max(...seen))}${regime === 'all' ? '' : ` (${regime})`}`];
  });
  return regimes.length === 0 ? null : regimes.join(', ');
}

/**
 * Returns advice on how to get a verdict for size ranges that have none: measure on a quiet machine, else with more than one
 * launch, else with about so many launches; if no number of launches would do, find what disturbs. Null if all ranges have a
 * verdict, or if a range could not be tested although both runs have several launches.
 */
export function adviceSentence({ base, others }: Comparison, pair: PairOfRuns): string | null {
  const open = pair.groups.filter(({ change }) => change.doubt !== null);
  if (open.length === 0) return null;
  if (open.some(({ change }) => change.doubt === 'busy'))
    return 'measure again on a quiet machine (collbench doctor names what uses it), or compare with --allow disturbed';
  const foreign = open.filter(({ change }) => change.p === null);
  const other = others.find(({ id }) => id === pair.other);
  if (foreign.length > 0) {
    const one = [base, ...(other === undefined ? [] : [other])].filter(({ launches }) => launches < 2);
    if (one.length === 0) return null;
    return `measure ${joinWords(one.map(nameOfRun))} again with --launches 5 for a verdict`;
  }
  const wanted = open.flatMap(({ change }) => change.launchesWanted ?? []);
  if (wanted.length < open.length) {
    return 'no number of launches would give a verdict, because they scatter too much: find the disturbance (collbench doctor), bind ranks, or raise --threshold';
  }
  // The wanted number of launches is estimated from the measured scatter. The present number was not enough, so at least one more
  // is needed.
  const least = Math.max(base.launches, other?.launches ?? 0) + 1;
  return `about ${formatCount(Math.max(least, ...wanted))} launches in each run (--launches) would give a verdict`;
}
