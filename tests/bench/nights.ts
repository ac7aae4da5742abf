// npm run bench:nights: nights of the sequential gate, watched after every pair, beside a gate with a fixed number of pairs.
// Options: --nights N (default 2000; of changed builds a quarter), --pairs N (most pairs, default 30), --margin PERCENT (5),
// --only WORD (tables whose title has the word)
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { mean, median, sampleStandardDeviation } from 'simple-statistics';
import { studentQuantile } from '../../results/derive/statistics/student.ts';
import { type SequentialVerdict, sequentialTest } from '../../results/judge/sequential/test.ts';
import { packageRoot } from '../../results/package.ts';
import { type PairSource, plainSources, pooledSources, roughSources } from './truth/paired-noise.ts';
import { readPool } from './truth/pool-file.ts';
import { RandomDraws, type SimulatedShare, shareOf } from './truth/random.ts';

const { values } = parseArgs({
  options: {
    nights: { type: 'string', default: '2000' },
    pairs: { type: 'string', default: '30' },
    margin: { type: 'string', default: '5' },
    only: { type: 'string', default: '' },
  },
});
const nights = Number(values.nights);
const maxPairs = Number(values.pairs);
const [margin, alpha] = [Number(values.margin) / 100, 0.01];
const changes = [0, 0.05, 0.1, 0.2, 1];

/** Log ratio of a pair: the candidate is the first or the second launch, by a fair coin. */
function pairLogRatio(source: PairSource, change: number, draws: RandomDraws): number {
  const [first, second] = source(draws);
  return Math.log1p(change) + (draws.uniform() < 0.5 ? first - second : second - first);
}

interface SimulatedNight {
  verdict: SequentialVerdict;
  pairs: number;
}

function sequentialNight(source: PairSource, change: number, draws: RandomDraws): SimulatedNight {
  const test = sequentialTest({ margin, alpha });
  for (let pairs = 1; pairs <= maxPairs; pairs += 1) {
    test.add(pairLogRatio(source, change, draws));
    const verdict = test.verdict();
    if (verdict !== 'not-decided') return { verdict, pairs };
  }
  return { verdict: 'not-decided', pairs: maxPairs };
}

/** Verdict after a fixed number of pairs: paired t test at alpha, "same" by two one-sided t tests at alpha each. */
function fixedVerdict(logRatios: readonly number[]): SequentialVerdict {
  const n = logRatios.length;
  const centre = mean([...logRatios]);
  const standardError = sampleStandardDeviation([...logRatios]) / Math.sqrt(n);
  const isSame = Math.log1p(margin) - Math.abs(centre) >= studentQuantile(1 - alpha, n - 1) * standardError;
  if (isSame) return 'same';
  if (Math.abs(centre) < studentQuantile(1 - alpha / 2, n - 1) * standardError) return 'not-decided';
  return centre > 0 ? 'slower' : 'faster';
}

interface NightRow {
  what: string;
  change: number;
  alarms: SimulatedShare;
  /** Share of nights with the right verdict: the same, or slower. A change of the size of the margin has no right one. */
  right: SimulatedShare;
  medianPairs: number;
  /** Pairs with which a fixed gate has the right verdict as often; null = more than 100, or not asked. */
  fixedPairs: number | null;
}

const isRight = (verdict: SequentialVerdict, change: number): boolean =>
  verdict === (change === 0 ? 'same' : 'slower');

function rowOf(
  what: string,
  start: () => PairSource,
  change: number,
  { count, isFixedAsked }: { count: number; isFixedAsked: boolean },
): NightRow {
  const draws = new RandomDraws(20261129 + Math.round(1000 * change));
  const outcomes = Array.from({ length: count }, () => sequentialNight(start(), change, draws));
  const right = shareOf(outcomes.filter(({ verdict }) => isRight(verdict, change)).length, count);
  const isAlarm = ({ verdict }: SimulatedNight): boolean => verdict === 'slower' || verdict === 'faster';
  return {
    ...{ what, change, right },
    alarms: shareOf(outcomes.filter(isAlarm).length, count),
    medianPairs: median(outcomes.map(({ pairs }) => pairs)),
    fixedPairs: isFixedAsked ? fixedPairsFor(right.share, start, change) : null,
  };
}

const [maxFixed, fixedNights] = [100, 400];

/** Returns the lowest number of pairs with which a fixed gate has the right verdict in this share of nights; null if over 100. */
function fixedPairsFor(share: number, start: () => PairSource, change: number): number | null {
  const draws = new RandomDraws(7);
  for (let pairs = 3; pairs <= maxFixed; pairs += 1) {
    let hits = 0;
    for (let night = 0; night < fixedNights; night += 1) {
      const source = start();
      const x = Array.from({ length: pairs }, () => pairLogRatio(source, change, draws));
      if (isRight(fixedVerdict(x), change)) hits += 1;
    }
    if (hits / fixedNights >= share) return pairs;
  }
  return null;
}

const percent = (share: number, digits = 0): string => (100 * share).toFixed(digits);
const shareText = ({ share, low, high }: SimulatedShare): string =>
  `${percent(share, 2)} % (${percent(low, 2)} to ${percent(high, 2)})`;

/** Prints a row per kind of noise: equal builds, then each change. */
function printTable(
  title: string,
  sources: readonly [string, () => PairSource][],
  isFixedAsked: boolean,
): void {
  if (!title.includes(values.only)) return;
  process.stdout.write(`\n${title}\n\n| noise | equal: alarms | "same", pairs |`);
  for (const change of changes.slice(1)) process.stdout.write(` +${percent(change)} %: found, pairs |`);
  process.stdout.write(`\n|${'---|'.repeat(2 + changes.length)}\n`);
  for (const [what, start] of sources) {
    const rows = changes.map((change) =>
      rowOf(what, start, change, {
        count: change === 0 ? nights : Math.ceil(nights / 4),
        isFixedAsked: isFixedAsked && (change === 0 || change >= 0.1),
      }),
    );
    const cells = rows.map(({ right, medianPairs, fixedPairs }) => {
      const fixed = fixedPairs === null ? '' : ` (fixed ${fixedPairs})`;
      return `${percent(right.share)} % in ${medianPairs}${fixed}`;
    });
    process.stdout.write(`| ${what} | ${shareText((rows[0] as NightRow).alarms)} | ${cells.join(' | ')} |\n`);
  }
}

const started = (sources: readonly [string, PairSource][]): [string, () => PairSource][] =>
  sources.map(([name, source]) => [name, () => source]);

process.stdout.write(
  `margin ${percent(margin)} %, alpha ${percent(alpha)} %, looks after each of at most ${maxPairs} pairs; ${nights} nights of equal builds, ${Math.ceil(nights / 4)} of each change\n` +
    'fixed: pairs with which a gate of a fixed number has the right verdict as often; it must know the scatter beforehand\n',
);
for (const sd of [0.02, 0.05]) {
  printTable(`launches scatter by ${percent(sd)} %`, started(plainSources(sd)), true);
}
for (const sd of [0.02]) {
  printTable(`launches scatter by ${percent(sd)} %, and`, started(roughSources(sd)), false);
}
const reference = path.join(packageRoot, 'results', 'reference');
const files: string[] = [];
for (const folder of ['launch-pools', 'pair-pools'])
  for (const file of (await readdir(path.join(reference, folder))).sort())
    files.push(path.join(folder, file));
for (const file of files) {
  const pool = await readPool(path.join(reference, file));
  const all = pooledSources(pool);
  // One row per pool: each night draws one of its series.
  const draws = new RandomDraws(5);
  printTable(
    file,
    [[`${all.length} ranges of sizes`, () => (all[draws.below(all.length)] as (typeof all)[number])[1]()]],
    false,
  );
}
