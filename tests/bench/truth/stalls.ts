// Coverage with stalled samples: 1 to 5 % of samples take 10 to 1000 times as long, in bursts. The stalls are in all launches
// or in every third; causes are a scheduler, a hypervisor or another process. Complete figures, as of a run, are compared with
// an oracle.
import { median, quantile } from 'simple-statistics';
import { launchFigure } from '../../../results/derive/launches/launches.ts';
import {
  type FigureInterval,
  minLaunches,
  singleLaunchInterval,
} from '../../../results/derive/statistics/figure-interval.ts';
import { intervalZ, medianInterval } from '../../../results/derive/statistics/interval.ts';
import { tInterval } from '../../../results/derive/statistics/launch-interval.ts';
import { samplesAlone } from '../../../results/derive/statistics/sample-interval.ts';
import { type NoiseParameters, profiles, samplesOf } from './profiles.ts';
import { RandomDraws, type SimulatedShare, shareOf } from './random.ts';

export interface StallProfile {
  name: string;
  /** Share of stalled samples in the affected launches. */
  share: number;
  /** Mean length of a burst, samples. */
  burst: number;
  isOneOfThree: boolean;
}

export const clean: StallProfile = { name: 'clean', share: 0, burst: 1, isOneOfThree: false };
export const stalls: readonly StallProfile[] = [
  { name: '1 % stalled', share: 0.01, burst: 5, isOneOfThree: false },
  { name: '3 % stalled', share: 0.03, burst: 10, isOneOfThree: false },
  { name: '5 % stalled', share: 0.05, burst: 20, isOneOfThree: false },
  { name: '5 % of one launch of three stalled', share: 0.05, burst: 20, isOneOfThree: true },
];

const halfQuantumNs = 0.5;
const blockLength = 25;
const otherSizes = 8;
/** Standard deviation of log launch medians. */
const launchSd = 0.01;

/**
 * Adds bursts of stalled samples at random positions. All samples of a burst take 10 to 1000 times as long, by a factor that is
 * uniform in its logarithm.
 */
export function addStalls(
  ns: readonly number[],
  { share, burst }: StallProfile,
  draws: RandomDraws,
): number[] {
  const starts = share / burst / (1 - share);
  let left = draws.uniform() < share ? Math.ceil(draws.exponential(burst)) : 0;
  let factor = 10 ** (1 + 2 * draws.uniform());
  return ns.map((one) => {
    if (left > 0) {
      left -= 1;
      return one * factor;
    }
    if (share > 0 && draws.uniform() < starts) {
      left = Math.max(0, Math.round(draws.exponential(burst)) - 1);
      factor = 10 ** (1 + 2 * draws.uniform());
      return one * factor;
    }
    return one;
  });
}

interface StallCase {
  profile: NoiseParameters;
  stalls: StallProfile;
  launches: number;
  samples: number;
  withOthers: boolean;
}

/** Log of the median of very many samples, by profile and kind of stalls. */
const truths = new Map<string, number>();
function longRun(profile: NoiseParameters, kind: StallProfile): number {
  const key = `${profile.name} ${kind.name}`;
  const found =
    truths.get(key) ??
    Math.log(
      median(
        addStalls(samplesOf({ ...profile, rho: 0 }, 400_000, new RandomDraws(78)), kind, new RandomDraws(79)),
      ),
    );
  truths.set(key, found);
  return found;
}

export interface StalledCoverage {
  what: string;
  /** Share of figures that have an interval. */
  given: SimulatedShare;
  /** Reason why the first figure without an interval has none; null if all have one. */
  reason: string | null;
  /** True if every figure should have an interval. */
  isDue: boolean;
  /**
   * Coverage and half width (log time) of the intervals. `oracle` is the constant half width that covers 95 % around the same
   * figures.
   */
  found: { covered: SimulatedShare; halfWidth: number; oracle: number } | null;
}

function coverageOf(one: StallCase, repetitions: number, seed: number): StalledCoverage {
  const { profile, stalls: kind, launches, samples, withOthers } = one;
  const draws = new RandomDraws(seed);
  const isHit = (l: number): boolean => !kind.isOneOfThree || l % 3 === 0;
  const logs = Array.from({ length: launches }, (_, l) => longRun(profile, isHit(l) ? kind : clean));
  const truth = Math.exp(logs.reduce((sum, log) => sum + log, 0) / launches);
  const blocks = new Array<number>(samples / blockLength).fill(blockLength);
  const errors: number[] = [];
  const widths: number[] = [];
  let hits = 0;
  let why: string | null = null;
  for (let i = 0; i < repetitions; i += 1) {
    const series = Array.from({ length: launches }, (_, l) => {
      const level = launches === 1 ? 0 : launchSd * draws.normal();
      const ns = samplesOf(profile, samples, draws, level);
      return { ns: isHit(l) ? addStalls(ns, kind, draws) : ns, blocks };
    });
    const medians = series.map(({ ns }) => median(ns));
    const [only] = medians;
    const sorted = series.flatMap(({ ns }) => ns).sort((a, b) => a - b);
    const seen = { min: sorted[0] ?? 0, max: sorted.at(-1) ?? 0 };
    const others = Array.from({ length: withOthers ? otherSizes : 0 }, () =>
      medians.map(() => 1000 * Math.exp(Math.hypot(launchSd, withinSd(one)) * draws.normal())),
    );
    const { interval, reason } =
      launches === 1
        ? singleLaunchInterval(medianInterval(series[0]?.ns ?? [], halfQuantumNs, blocks), samples)
        : reported(medians, others, { ...samplesAlone(series, halfQuantumNs, intervalZ), ...seen });
    const centre = launches === 1 ? (only ?? 1) : tInterval(medians).centreNs;
    if (interval === null) {
      why ??= reason;
      continue;
    }
    errors.push(Math.abs(Math.log(centre / truth)));
    if (interval.low <= truth && truth <= interval.high) hits += 1;
    widths.push(Math.log(interval.high / interval.low) / 2);
  }
  const alone = launches > 1 && !withOthers ? ' alone' : '';
  const what = `${profile.name}, ${kind.name}, ${launches === 1 ? '1 launch' : `${launches} launches${alone}`} of ${samples}`;
  const all = widths.length;
  return {
    what,
    given: shareOf(all, repetitions),
    reason: why,
    isDue: launches === 1 || withOthers || launches >= minLaunches,
    found:
      all === 0
        ? null
        : { covered: shareOf(hits, all), halfWidth: median(widths), oracle: quantile(errors, 0.95) },
  };
}

/** Interval of a figure, as a run computes it. */
function reported(...of: Parameters<typeof launchFigure>): FigureInterval {
  const { interval, intervalReason } = launchFigure(...of);
  return interval === null ? { interval, reason: intervalReason ?? 'no reason' } : { interval, reason: null };
}

/** Approximate standard deviation of a launch median caused by its samples, in log time; other sizes have it too. */
function withinSd({ profile: { sd, rho }, samples }: StallCase): number {
  return (1.2533 * sd * Math.sqrt((1 + rho) / (1 - rho))) / Math.sqrt(samples);
}

/** Rows near a limit get more repetitions (`times`), because 1,500 repetitions leave 3 % of a width uncertain. */
const shapes = [
  { launches: 1, samples: 200, withOthers: false, times: 1 },
  { launches: 1, samples: 500, withOthers: false, times: 4 },
  { launches: 1, samples: 2000, withOthers: false, times: 1 },
  { launches: 3, samples: 200, withOthers: true, times: 1 },
  { launches: 6, samples: 500, withOthers: true, times: 1 },
  { launches: 3, samples: 200, withOthers: false, times: 1 },
  { launches: 4, samples: 200, withOthers: false, times: 4 },
];

export function underStalls(repetitions: number): StalledCoverage[] {
  return profiles.flatMap((profile, p) =>
    [clean, ...stalls].flatMap((kind, k) =>
      shapes
        .filter(({ launches }) => launches > 1 || !kind.isOneOfThree)
        .map(({ times, ...shape }, s) =>
          coverageOf(
            { profile, stalls: kind, ...shape },
            times * repetitions,
            20260108 + 1000 * p + 100 * k + s,
          ),
        ),
    ),
  );
}
