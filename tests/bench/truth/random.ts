import { randomSource } from '../../../results/random.ts';

/** Seeded random numbers of one simulation. */
export class RandomDraws {
  readonly uniform: () => number;
  private spare: number | null = null;

  constructor(seed: number) {
    this.uniform = randomSource(seed);
  }

  /** Standard normal value by the method of Box and Muller. */
  normal(): number {
    if (this.spare !== null) {
      const kept = this.spare;
      this.spare = null;
      return kept;
    }
    const radius = Math.sqrt(-2 * Math.log(1 - this.uniform()));
    const angle = 2 * Math.PI * this.uniform();
    this.spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  }

  exponential(mean: number): number {
    return -mean * Math.log(1 - this.uniform());
  }

  /** Random integer from 0 to n - 1. */
  below(n: number): number {
    return Math.floor(this.uniform() * n);
  }
}

export interface SimulatedShare {
  hits: number;
  of: number;
  share: number;
  /** 95 % interval of Wilson (1927). */
  low: number;
  high: number;
}

export function shareOf(hits: number, of: number): SimulatedShare {
  const z = 1.959964;
  const share = hits / of;
  const scale = 1 + (z * z) / of;
  const centre = (share + (z * z) / (2 * of)) / scale;
  const half = (z / scale) * Math.sqrt((share * (1 - share)) / of + (z * z) / (4 * of * of));
  return { hits, of, share, low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}
