// `npm run bench:truth-history [-- SERIES]`: how often the change points of `collbench history` are wrong, and how soon real
// changes are found, on simulated nights. Seeded; results of the default go to docs/generated/truth-history.json.
import { writeFileSync } from 'node:fs';
import { changeRules, findChanges, type SeriesStep } from '../../results/history/changes.ts';
import { stepsAndModes } from '../../results/history/trend.ts';
import { randomSource } from '../../results/random.ts';
import { root } from '../e2e/harness.ts';

interface NightNoise {
  name: string;
  /** Standard deviation of log time between nights. */
  sd: number;
  /** Correlation of neighbouring nights. */
  rho: number;
  /** Share of nights that are slower by 5 % plus an exponential 10 %. */
  outliers: number;
  /** Share of nights in which the machine is in its second state, 5 % slower. */
  slowNights: number;
}

const kinds: readonly NightNoise[] = [
  { name: '1 % noise', sd: 0.01, rho: 0, outliers: 0, slowNights: 0 },
  { name: '2 % noise', sd: 0.02, rho: 0, outliers: 0, slowNights: 0 },
  { name: '2 % noise, neighbours alike by 0.3', sd: 0.02, rho: 0.3, outliers: 0, slowNights: 0 },
  { name: '3 % noise, neighbours alike by 0.3', sd: 0.03, rho: 0.3, outliers: 0, slowNights: 0 },
  { name: '2 % noise, 3 % of nights disturbed', sd: 0.02, rho: 0, outliers: 0.03, slowNights: 0 },
  ...[0.05, 0.1, 0.2, 0.5].map((slowNights) => ({
    name: `1 % noise, a second mode 5 % slower in ${100 * slowNights} % of nights`,
    ...{ sd: 0.01, rho: 0, outliers: 0, slowNights },
  })),
];

/** Standard normal value by the method of Box and Muller. */
function normal(random: () => number): number {
  const u = 1 - random();
  return Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * random());
}

function series(kind: NightNoise, nights: number, random: () => number, at = Infinity, step = 0): number[] {
  const { sd, rho, outliers, slowNights } = kind;
  let x = normal(random);
  return Array.from({ length: nights }, (_, night) => {
    if (night > 0) x = rho * x + Math.sqrt(1 - rho * rho) * normal(random);
    const extra = outliers > 0 && random() < outliers ? Math.log(1.05 - 0.1 * Math.log(1 - random())) : 0;
    const mode = slowNights > 0 && random() < slowNights ? Math.log(1.05) : 0;
    return sd * x + extra + mode + (night >= at ? step : 0);
  });
}

/** 95 % interval of a share, in percent (Wilson 1927). */
function wilson(hits: number, n: number): [number, number] {
  const z = 1.959964;
  const share = hits / n;
  const centre = (share + (z * z) / (2 * n)) / (1 + (z * z) / n);
  const half = (z / (1 + (z * z) / n)) * Math.sqrt((share * (1 - share)) / n + (z * z) / (4 * n * n));
  return [percent(centre - half), percent(centre + half)];
}
const percent = (share: number): number => Math.round(share * 1000) / 10;

const monitoredFrom = 20;
const length = 365;
const stepAt = 60;
const smallest = changeRules.smallest.ratio;

/** Number of alarms in series without a change, also per 1,000 series-nights. */
function falseAlarms(kind: NightNoise, count: number) {
  const random = randomSource(20260301);
  const rules: Record<SeriesStep['rule'], number> = { scan: 0, fast: 0, creep: 0 };
  for (let i = 0; i < count; i += 1)
    for (const { foundAt, rule } of findChanges(series(kind, length, random), smallest))
      if (foundAt >= monitoredFrom) rules[rule] += 1;
  const nights = count * (length - monitoredFrom);
  const all = rules.scan + rules.fast + rules.creep;
  // Interval of a Poisson count by the square root; good enough for ten or more (Anscombe).
  const [low, high] = [-0.98, 0.98].map((d) => Math.max(0, Math.sqrt(all + 3 / 8) + d) ** 2 - 3 / 8);
  const rate = (alarms: number): number => Math.round((alarms * 1e5) / nights) / 100;
  return {
    alarms: all,
    seriesNights: nights,
    per1000: rate(all),
    perYear: Math.round((all * 36_500) / nights) / 100,
    interval: [low ?? 0, high ?? 0].map(rate),
    rules,
  };
}

/** Percentage of steps that are found within a number of nights, the first night after the step included. */
function delays(kind: NightNoise, count: number, step: number) {
  const random = randomSource(20260302);
  const seen: number[] = new Array(count).fill(Infinity);
  let near = 0;
  for (let i = 0; i < count; i += 1) {
    const changes = findChanges(series(kind, 90, random, stepAt, Math.log1p(step)), smallest);
    const first = changes.find(({ foundAt, at }) => foundAt >= stepAt && at >= stepAt - 5);
    if (first === undefined) continue;
    seen[i] = first.foundAt - stepAt + 1;
    if (Math.abs(first.at - stepAt) <= 1) near += 1;
  }
  const within = [1, 2, 3, 5, 7, 14, 30].map((nights) => {
    const hits = seen.filter((n) => n <= nights).length;
    return { nights, percent: percent(hits / count), interval: wilson(hits, count) };
  });
  return { step: `${100 * step} %`, within, rightNightPercent: percent(near / count) };
}

/** Nights that scatter by 1 %, and between two levels 10 % apart as their row says. */
interface Alternation {
  name: string;
  nights: number;
  /** True if the series has two modes; otherwise each switch is a change. */
  areModes: boolean;
  /** Says of every night whether it is at the slower level. */
  levels: (random: () => number) => boolean[];
}

const filled = (nights: number, isSlow: (night: number) => boolean): boolean[] =>
  Array.from({ length: nights }, (_, night) => isSlow(night));

/** Nights at the first level before the first switch, as many as a change needs and some more. */
const quietNights = 16;

const alternations: readonly Alternation[] = [
  ...[30, 60, 120].flatMap((nights) =>
    [0.2, 0.5].map((share) => ({
      name: `at random, ${100 * share} % of ${nights} nights slow`,
      ...{ nights, areModes: true },
      levels: (random: () => number) => filled(nights, () => random() < share),
    })),
  ),
  {
    name: 'modes that last for 8 nights on average, 200 nights',
    ...{ nights: 200, areModes: true },
    levels: (random) => {
      let isSlow = false;
      return filled(200, () => {
        isSlow = random() < 1 / 8 ? !isSlow : isSlow;
        return isSlow;
      });
    },
  },
  ...[5, 7, 14, 21].flatMap((dwell) =>
    [4, 8].map((switches) => ({
      name: `${switches / 2} times slower and mended, ${dwell} nights each`,
      ...{ nights: quietNights + (switches + 1) * dwell, areModes: false },
      levels: () =>
        filled(quietNights + (switches + 1) * dwell, (night) => {
          const stretch = Math.floor((night - quietNights) / dwell) + 1;
          return night >= quietNights && Math.min(stretch, switches) % 2 === 1;
        }),
    })),
  ),
];

/** How often a series that alternates is called one with two modes, and how many changes it has, per series. */
function alternating({ name, nights, areModes, levels }: Alternation, count: number) {
  const random = randomSource(20260303);
  let [called, changes, switches] = [0, 0, 0];
  for (let i = 0; i < count; i += 1) {
    const isSlow = levels(random);
    const z = isSlow.map((slow) => 0.01 * normal(random) + (slow ? Math.log(1.1) : 0));
    const { steps, modes } = stepsAndModes(z, smallest);
    if (modes.length > 0) called += 1;
    changes += steps.length;
    switches += isSlow.filter((slow, night) => night > 0 && slow !== isSlow[night - 1]).length;
  }
  const each = (sum: number): number => Math.round((10 * sum) / count) / 10;
  return {
    ...{ name, nights, areModes, switches: each(switches) },
    ...{ calledModesPercent: percent(called / count), changes: each(changes) },
  };
}

const count = Number(process.argv[2] ?? 400);
const began = performance.now();
const figures = kinds.map((kind) => ({
  ...kind,
  falseAlarms: falseAlarms(kind, count),
  found: [0.05, 0.1].map((step) => delays(kind, count, step)),
}));
for (const { name, falseAlarms: wrong, found } of figures) {
  process.stdout.write(
    `${name}\n  ${wrong.per1000} false alarms per 1,000 series-nights [${wrong.interval.join(', ')}], ${wrong.perYear} a year\n${found
      .map(
        ({ step, within, rightNightPercent }) =>
          `  a step of ${step} found ${within.map((w) => `within ${w.nights}: ${w.percent} %`).join(', ')}; its night right ±1: ${rightNightPercent} %\n`,
      )
      .join('')}`,
  );
}
const alternated = alternations.map((one) => alternating(one, count));
for (const { name, switches, calledModesPercent, changes } of alternated)
  process.stdout.write(
    `${name}: ${switches} switches, two modes in ${calledModesPercent} %, ${changes} changes a series\n`,
  );
process.stdout.write(
  `${count} series each, rules ${JSON.stringify(changeRules)}, ${Math.round((performance.now() - began) / 1000)} s\n`,
);
if (process.argv[2] === undefined) {
  const file = `${root}/docs/generated/truth-history.json`;
  const about = 'npm run bench:truth-history (tests/bench/truth-history.ts), seeds 20260301 to 20260303';
  writeFileSync(
    file,
    `${JSON.stringify({ about, series: count, rules: changeRules, figures, alternated }, null, 2)}\n`,
  );
  process.stdout.write(`${file}\n`);
}
