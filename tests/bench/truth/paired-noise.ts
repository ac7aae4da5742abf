// Noise of launches that come in pairs, for simulations of the sequential gate: scatter of launches, and drift of the machine.
import { mean } from 'simple-statistics';
import { regimeOf } from '../../../results/derive/cells/cell-group.ts';
import type { LaunchPool } from './pool-file.ts';
import type { RandomDraws } from './random.ts';

/** Log times of the two launches of a pair under equal builds, in the order of measuring. */
type PairSource = (draws: RandomDraws) => [first: number, second: number];

/** Deviation of one launch, with standard deviation 1 where it has one. */
type LaunchNoise = (draws: RandomDraws) => number;

const studentNoise = (degrees: number, draws: RandomDraws): number => {
  const squares = Array.from({ length: degrees }, () => draws.normal() ** 2);
  return draws.normal() / Math.sqrt(mean(squares));
};

export const launchNoises: Readonly<Record<string, LaunchNoise>> = {
  normal: (draws) => draws.normal(),
  't with 3 degrees': (draws) => studentNoise(3, draws) / Math.sqrt(3),
  'two modes': (draws) => Math.sqrt(0.96) * (draws.uniform() < 0.5 ? -1 : 1) + 0.2 * draws.normal(),
  skewed: (draws) => ([1, 1, 1, 1].reduce((sum, one) => sum + draws.exponential(one), 0) - 4) / 2,
};

const independent =
  (noise: LaunchNoise, sd: number): PairSource =>
  (draws) => [sd * noise(draws), sd * noise(draws)];

/** Noise of the table of the design: four distributions of launches, with a standard deviation of `sd`. */
export const plainSources = (sd: number): [string, PairSource][] =>
  Object.entries(launchNoises).map(([name, noise]) => [name, independent(noise, sd)]);

/** Noise that a gate must survive on real machines, with a standard deviation of `sd` besides. */
export function roughSources(sd: number): [string, PairSource][] {
  const base = (draws: RandomDraws): number => sd * draws.normal();
  return [
    ['the second launch of a pair 5 % slower', (draws) => [base(draws), base(draws) + Math.log(1.05)]],
    [
      'a machine that wanders by 5 % from launch to launch',
      (draws) => [base(draws), base(draws) + 0.05 * draws.normal()],
    ],
    [
      'stalls: one launch in ten up to 20 times slower',
      (draws) => {
        const stalled = () => base(draws) + (draws.uniform() < 0.1 ? Math.log(1 + draws.exponential(5)) : 0);
        return [stalled(), stalled()];
      },
    ],
    [
      'tails without a variance (t, 1 degree)',
      (draws) => [sd * studentNoise(1, draws), sd * studentNoise(1, draws)],
    ],
    [
      'modes that last for some launches',
      (draws) => {
        const isSlow = draws.uniform() < 0.3;
        const isOther = draws.uniform() < 0.2 ? !isSlow : isSlow;
        return [base(draws) + (isSlow ? 0.2 : 0), base(draws) + (isOther ? 0.2 : 0)];
      },
    ],
  ];
}

/**
 * Recorded launches of one size range of a series: neighbours become pairs, from a random launch on, around the end. Launches that
 * were measured in pairs keep their partner.
 */
export function pooledSources({ series }: LaunchPool): [string, () => PairSource][] {
  return series.flatMap(({ title, sizesBytes, launchMediansNs, isPaired = false }) => {
    const regimes = [...new Set(sizesBytes.map(regimeOf))];
    return regimes.map((regime): [string, () => PairSource] => {
      const columns = sizesBytes.flatMap((bytes, i) => (regimeOf(bytes) === regime ? [i] : []));
      const levels = launchMediansNs.map((launch) => mean(columns.map((i) => Math.log(launch[i] as number))));
      return [`${title}, ${regime}`, () => neighbours(levels, isPaired)];
    });
  });
}

function neighbours(levels: readonly number[], isPaired: boolean): PairSource {
  let next: number | null = null;
  const first = (draws: RandomDraws): number =>
    isPaired ? 2 * draws.below(levels.length / 2) : draws.below(levels.length);
  return (draws) => {
    const at: number = next ?? first(draws);
    next = (at + 2) % levels.length;
    return [levels[at] as number, levels[(at + 1) % levels.length] as number];
  };
}

export type { PairSource };
