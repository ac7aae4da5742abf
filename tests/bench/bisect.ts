// How often a bisection names the right one of many builds, and what it costs, beside a plain bisection with a fixed number of
// pairs for every item. Simulated: pairs of launches with this scatter. `node dist/tests/bench/bisect.js [searches]`
import { mean, median, quantile } from 'simple-statistics';
import { BisectionSession } from '../../results/bisect/session.ts';
import { randomSource } from '../../results/random.ts';
import { testBisection } from '../../results/testing/bisection.ts';
import { seededNormal, seededUniform } from '../../results/testing/block.ts';

const items = 64;
/** Pairs per item of a plain bisection by people who do not know how launches scatter. */
const usualPairs = 5;

/** Noise of the log ratio of a pair, as a factor of its usual size. */
type Noise = (normal: () => number, uniform: () => number) => number;
const noises: Readonly<Record<string, Noise>> = {
  normal: (normal) => normal(),
  'heavy tails': (normal, uniform) => normal() / Math.sqrt(uniform() + 0.02),
  'two modes': (normal, uniform) => (uniform() < 0.2 ? 3 : 0) - (uniform() < 0.2 ? 3 : 0) + normal(),
};

interface SearchCost {
  isRight: boolean;
  /** True if another item is named, as opposed to none. */
  isWrong: boolean;
  pairs: number;
  probes: number;
}

/** Log ratio of a pair of launches of two items, with its noise. */
type PairOf = (item: number, reference?: number) => number;

function probabilistic(pairOf: PairOf, first: number): SearchCost {
  const session = new BisectionSession(testBisection(items, { maxPairs: 40 }));
  let pairs = 0;
  for (; session.question !== null && pairs < 5000; pairs += 1) {
    const { reference, candidate } = session.question;
    session.add(pairOf(candidate.item, reference.item), 1);
  }
  const { stages, probes } = session.record;
  const named = stages.flatMap(({ end, found }) => (end === 'found' && found !== null ? [found] : []));
  const [one, another] = named;
  const isRight = one?.first === first && one.last === first && another === undefined;
  const isWrong = !isRight && named.length > 0;
  return { isRight, isWrong, pairs, probes: probes.length };
}

/** Bisection that believes every verdict: an item is changed if the mean of its pairs is above half of the change. */
function plain(pairOf: PairOf, first: number, perItem: number): SearchCost {
  const measured = (item: number): number => mean(Array.from({ length: perItem }, () => pairOf(item)));
  // It also has to measure whether, and by how much, the ends differ.
  const change = measured(items - 1);
  let [good, bad, probes] = [0, items - 1, 1];
  for (; bad - good > 1; probes += 1) {
    const middle = Math.floor((good + bad) / 2);
    if (measured(middle) > change / 2) bad = middle;
    else good = middle;
  }
  return { isRight: bad === first, isWrong: bad !== first, pairs: probes * perItem, probes };
}

function table(searches: number): string[] {
  const lines = [
    '| scatter of a pair | noise | right, wrong (%) | pairs: median, 95th percentile | comparisons | plain, 5 pairs per item: right (%) in pairs | plain, fewest for 95 % right |',
    '|---|---|---|---|---|---|---|',
  ];
  const change = 0.2;
  for (const sd of [0.03, 0.06])
    for (const [name, noise] of Object.entries(noises)) {
      const trial = (seed: number, search: (pairOf: PairOf, first: number) => SearchCost): SearchCost => {
        const [random, normal, uniform] = [randomSource(seed), seededNormal(seed), seededUniform(seed + 7)];
        const first = 1 + Math.floor(random() * (items - 1));
        const level = (item: number): number => (item >= first ? Math.log1p(change) : 0);
        return search(
          (item, reference = 0) => level(item) - level(reference) + sd * noise(normal, uniform),
          first,
        );
      };
      const all = (search: (pairOf: PairOf, first: number) => SearchCost): SearchCost[] =>
        Array.from({ length: searches }, (_, seed) => trial(seed + 1, search));
      const own = all(probabilistic);
      const rightOf = (found: readonly SearchCost[]): number =>
        found.filter(({ isRight }) => isRight).length / found.length;
      const wrongOf = (found: readonly SearchCost[]): number =>
        found.filter(({ isWrong }) => isWrong).length / found.length;
      let perItem = 1;
      let other = all((pairOf, first) => plain(pairOf, first, perItem));
      while (rightOf(other) < 0.95 && perItem < 400) {
        perItem = Math.ceil(perItem * 1.2);
        other = all((pairOf, first) => plain(pairOf, first, perItem));
      }
      const usual = all((pairOf, first) => plain(pairOf, first, usualPairs));
      const pairs = own.map((one) => one.pairs);
      const percent = (share: number): string => (100 * share).toFixed(1);
      lines.push(
        `| ${100 * sd} % | ${name} | ${percent(rightOf(own))}, ${percent(wrongOf(own))} | ${median(pairs)}, ${Math.round(quantile(pairs, 0.95))} | ${median(own.map(({ probes }) => probes))} | ${percent(rightOf(usual))} in ${usual[0]?.pairs} | ${perItem}: ${percent(rightOf(other))} in ${other[0]?.pairs} |`,
      );
    }
  return lines;
}

process.stdout.write(`${table(Number(process.argv[2] ?? 200)).join('\n')}\n`);
