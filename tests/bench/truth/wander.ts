// Intervals of runs that take the same time with few and with many launches: on a machine whose speed wanders, and with launches
// drawn from recorded pools.
import { mean, median } from 'simple-statistics';
import { launchFigure } from '../../../results/derive/launches/launches.ts';
import type { IntervalCoverage } from './coverage.ts';
import type { LaunchPool } from './pool-file.ts';
import { RandomDraws, shareOf } from './random.ts';

/** A machine: its speed stays at one level for a random time, then takes another one. */
interface WanderProfile {
  what: string;
  /** Standard deviation of the logarithm of the speed. */
  sd: number;
  /** Mean seconds at one level. */
  dwellS: number;
  shape: 'normal' | 'heavy' | 'twoStates';
  /** Share of levels that are stalls: 10 to 1,000 times as long, for 10 ms on average. */
  stalls: number;
  /** Standard deviation between launches, half of its variance common to all sizes. */
  launchSd: number;
}

const ordinary = { sd: 0.08, dwellS: 0.2, shape: 'normal', stalls: 0, launchSd: 0.02 } as const;

const profiles: readonly WanderProfile[] = [
  { ...ordinary, what: 'levels of 20 ms', dwellS: 0.02 },
  { ...ordinary, what: 'levels of 0.2 s' },
  { ...ordinary, what: 'levels of 1 s', dwellS: 1 },
  { ...ordinary, what: 'levels of 2 s', dwellS: 2 },
  { ...ordinary, what: 'heavy tails, levels of 0.2 s', shape: 'heavy' },
  { ...ordinary, what: 'two states of 1 s', shape: 'twoStates', dwellS: 1 },
  { ...ordinary, what: 'stalls between levels of 0.2 s', stalls: 0.3 },
  { ...ordinary, what: 'launches differ more than the machine wanders', sd: 0.02, launchSd: 0.06 },
];

/** Returns the logarithm of the speed by time; times must not go back. */
function wander({ sd, dwellS, shape, stalls }: WanderProfile, draws: RandomDraws): (atS: number) => number {
  let [untilS, level] = [0, 0];
  const deviation = (): number => {
    if (shape === 'twoStates') return draws.uniform() < 0.5 ? -1 : 1;
    const z = draws.normal();
    if (shape === 'normal') return z;
    // Student's t with 3 degrees of freedom, which has variance 3.
    return z / Math.sqrt(draws.normal() ** 2 + draws.normal() ** 2 + draws.normal() ** 2);
  };
  return (atS) => {
    while (atS >= untilS) {
      const isStall = draws.uniform() < stalls;
      untilS += draws.exponential(isStall ? 0.01 : dwellS);
      level = isStall ? Math.log(10) * (1 + 2 * draws.uniform()) : sd * deviation();
    }
    return level;
  };
}

/** Seconds of a run without its ends, of the start of a launch, and between the samples that are simulated. */
const [runS, startS, stepS] = [38, 0.15, 0.01] as const;
const sizes = 8;
/** Standard deviation of the logarithm of single samples. */
const sampleSd = 0.05;

/** Returns log launch medians [size][launch] of a run that goes launch by launch over all sizes. */
function drawRun(profile: WanderProfile, launches: number, draws: RandomDraws): number[][] {
  const speed = wander(profile, draws);
  const table: number[][] = Array.from({ length: sizes }, () => []);
  const visitS = (runS / launches - startS) / sizes;
  const part = profile.launchSd * Math.SQRT1_2;
  for (let launch = 0; launch < launches; launch += 1) {
    const common = part * draws.normal();
    const beganS = (launch * runS) / launches + startS;
    for (const [size, medians] of table.entries()) {
      const samples = Array.from({ length: Math.max(3, Math.floor(visitS / stepS)) }, (_, i) => {
        return speed(beganS + size * visitS + i * stepS) + sampleSd * draws.normal();
      });
      medians.push(median(samples) + common + part * draws.normal());
    }
  }
  return table;
}

export interface WanderCoverage extends IntervalCoverage {
  launches: number;
  /** Largest half width of the sizes of a run, median over runs. */
  worst: number;
}

/** Numbers of launches that are compared: those of a run before launches replaced each other, and those of a run today. */
export const comparedLaunches = [6, 32] as const;

/** Coverage of the truth 1 by the sizes of many runs. @param draw returns log launch medians [size][launch] of one run */
function coverageOf(what: string, launches: number, runs: number, draw: () => number[][]): WanderCoverage {
  const [widths, worst]: [number[], number[]] = [[], []];
  let hits = 0;
  for (let run = 0; run < runs; run += 1) {
    const table = draw().map((logs) => logs.map((log) => 1e4 * Math.exp(log)));
    const own = table.flatMap((medians) => {
      const others = table.filter((other) => other !== medians);
      const { interval } = launchFigure(medians, others, null);
      if (interval === null) return [];
      if (interval.low <= 1e4 && 1e4 <= interval.high) hits += 1;
      return [Math.log(interval.high / interval.low) / 2];
    });
    widths.push(...own);
    if (own.length > 0) worst.push(Math.max(...own));
  }
  // Sizes of a run share its launches, so that a run counts as one case.
  const covered = shareOf((hits / widths.length) * runs, runs);
  return {
    what: `${what}, ${launches} launches`,
    launches,
    covered,
    halfWidth: median(widths),
    worst: median(worst),
  };
}

export const simulateWander = (runs: number): WanderCoverage[] =>
  profiles.flatMap((profile) =>
    comparedLaunches.map((launches) => {
      const draws = new RandomDraws(20261129 + launches);
      return coverageOf(profile.what, launches, runs, () => drawRun(profile, launches, draws));
    }),
  );

/** The same numbers of launches drawn from a pool, with replacement; the truth is the geometric mean of the pool. */
export const drawPool = (name: string, { series }: LaunchPool, runs: number): WanderCoverage[] =>
  comparedLaunches.map((launches) => {
    const draws = new RandomDraws(20261129 + launches);
    const whole = series.filter(({ sizesBytes }) => sizesBytes.length > 1);
    return coverageOf(name, launches, runs, () => {
      const { launchMediansNs } = whole[draws.below(whole.length)] ?? { launchMediansNs: [] };
      const logs = launchMediansNs.map((row) => row.map(Math.log));
      const centres = (logs[0] ?? []).map((_, size) => mean(logs.map((row) => row[size] as number)));
      const rows = Array.from({ length: launches }, () => logs[draws.below(logs.length)] ?? []);
      return centres.map((centre, size) => rows.map((row) => (row[size] as number) - centre));
    });
  });
