// Error rates of the steps of a baseline in docs/suites.md, as implemented in `results/compare`. Simulates 15 series of 28 sizes
// (45 groups, 420 cells) and two builds measured in one night. Groups and cells are tested; suspects are measured again before
// they count.

import { judge, type LaunchMedians } from '../../../results/compare/judge.ts';
import { meanArms, withScatter } from '../../../results/compare/launch-medians.ts';
import { type ScatterPrior, usualOptions } from '../../../results/compare/options.ts';
import { type Regime, regimeOf } from '../../../results/derive/cells/cell-group.ts';
import type { ComparisonChange } from '../../../results/schema/index.ts';
import { RandomDraws, type SimulatedShare, shareOf } from './random.ts';

/** Standard deviation of log time between launches by size range, and the share of the variance that all sizes have in common. */
const scatter: Record<Regime, number> = { small: 0.02, mid: 0.012, large: 0.008, all: 0.012 };
const sharedPart = 0.5;
const sizes = Array.from({ length: 28 }, (_, k) => 2 ** (k + 3));
const regimes: readonly Regime[] = ['small', 'mid', 'large'];
const seriesCount = 15;
const learnedDegrees = 20;

export interface SimulatedNight {
  launches: Record<Regime, number>;
  /** Factor by which the learned variance is wrong; null = nothing was learned in earlier nights. */
  learned: number | null;
  /** Change of log time of one group, or of one size in it. */
  effect?: { regime: Regime; log: number; size?: 'one' };
}

interface GateFamily {
  regime: Regime;
  series: number;
  cells: LaunchMedians[];
}

/** Measures both builds in one night. An effect applies to the first series. */
function measure({ launches, effect }: SimulatedNight, draws: RandomDraws): GateFamily[] {
  return Array.from({ length: seriesCount }, (_, series) => {
    const most = Math.max(...Object.values(launches));
    const common = [0, 1].map(() => Array.from({ length: most }, () => draws.normal()));
    return regimes.map((regime): GateFamily => {
      const own = sizes.filter((bytes) => regimeOf(bytes) === regime);
      const sd = scatter[regime];
      const cells = own.map((_, i): LaunchMedians => {
        const isHit = series === 0 && effect?.regime === regime && (effect.size !== 'one' || i === 2);
        const side = (arm: 0 | 1) =>
          Array.from(
            { length: launches[regime] },
            (_, l) =>
              sd *
                (Math.sqrt(sharedPart) * (common[arm]?.[l] as number) +
                  Math.sqrt(1 - sharedPart) * draws.normal()) +
              (arm === 1 && isHit ? (effect?.log ?? 0) : 0),
          );
        return {
          figure: 'latency',
          base: side(0),
          other: side(1),
          ratio: 0,
          prior: null,
          why: null,
          floor: 0,
          betweenRuns: null,
          disturbed: null,
        };
      });
      return { regime, series, cells };
    });
  }).flat();
}

/** Variance that many earlier nights would have shown, with a fixed number of degrees of freedom. */
function learnedOf({ regime, cells }: GateFamily, factor: number): ScatterPrior {
  const variance = scatter[regime] ** 2 * factor;
  const ofMean = variance * (sharedPart + (1 - sharedPart) / cells.length);
  return {
    cell: { variance, degrees: learnedDegrees },
    group: { variance: ofMean, degrees: learnedDegrees },
  };
}

interface GateJudgement {
  groups: ComparisonChange[];
  cells: { family: number; change: ComparisonChange }[];
}

function judged(families: readonly GateFamily[], { learned }: SimulatedNight): GateJudgement {
  const { groupThreshold, cellThreshold, falseDiscovery } = usualOptions;
  const known = families.map((family) => (learned === null ? undefined : learnedOf(family, learned)));
  const groups = judge(
    families.map((family, i) => meanArms(family.cells, known[i])),
    { threshold: groupThreshold, falseDiscovery },
  );
  const flat = families.flatMap((family, i) =>
    withScatter(family.cells, known[i]).map((arms) => ({ family: i, arms })),
  );
  const cells = judge(
    flat.map(({ arms }) => arms),
    { threshold: cellThreshold, falseDiscovery },
  );
  return { groups, cells: flat.map(({ family }, i) => ({ family, change: cells[i] as ComparisonChange })) };
}

const isAlarm = ({ verdict }: ComparisonChange) => verdict === 'slower' || verdict === 'faster';

/** Step 3 of the rule: the second measurement has the same sign, p below 5 %, and at least `least` as effect. */
const confirms = (first: ComparisonChange, again: ComparisonChange | undefined, least: number): boolean =>
  again !== undefined &&
  (again.p ?? 1) < 0.05 &&
  Math.sign(Math.log(again.ratio)) === Math.sign(Math.log(first.ratio)) &&
  Math.abs(Math.log(again.ratio)) >= Math.log1p(least);

export interface GateOutcome {
  /** Share of nights in which a group or size stood out; `red`: the second measurement of the night confirmed it. */
  suspected: SimulatedShare;
  red: SimulatedShare;
  /** Share in which the slowed group, or a size in it, was found and confirmed; null = there was no effect. */
  found: SimulatedShare | null;
}

export function nights(night: SimulatedNight, count: number, seed: number): GateOutcome {
  const draws = new RandomDraws(seed);
  let [suspected, red, found] = [0, 0, 0];
  for (let i = 0; i < count; i += 1) {
    const first = judged(measure(night, draws), night);
    const groupAlarms = first.groups.flatMap((change, at) => (isAlarm(change) ? [at] : []));
    const cellAlarms = first.cells.flatMap(({ change }, at) => (isAlarm(change) ? [at] : []));
    if (groupAlarms.length + cellAlarms.length === 0) continue;
    suspected += 1;
    const again = judged(measure(night, draws), night);
    const groups = groupAlarms.filter((at) =>
      confirms(first.groups[at] as ComparisonChange, again.groups[at], 0.02),
    );
    const cells = cellAlarms.filter((at) =>
      confirms((first.cells[at] as GateJudgement['cells'][number]).change, again.cells[at]?.change, 0.03),
    );
    if (groups.length + cells.length > 0) red += 1;
    const target = night.effect === undefined ? -1 : regimes.indexOf(night.effect.regime);
    if (groups.includes(target) || cells.some((at) => first.cells[at]?.family === target)) found += 1;
  }
  return {
    suspected: shareOf(suspected, count),
    red: shareOf(red, count),
    found: night.effect === undefined ? null : shareOf(found, count),
  };
}
