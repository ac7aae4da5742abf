// Simulated samples: four noise profiles for tests of sampling, and a run that uses them.
import { addTo } from '../../results/collections.ts';
import { deriveCells, refineIntervals } from '../../results/derive/index.ts';
import type { BlockRecord, BlockRequest, CellRecord, RunPlan } from '../../results/schema/index.ts';
import { seededNormal, seededUniform, testBlock } from '../../results/testing/block.ts';
import { samplerOf, withReasons } from '../sampler/index.ts';
import { schedule } from '../schedule.ts';

/**
 * Properties of simulated samples. The samples are log-normal and autocorrelated: `sigma` is the standard deviation of the
 * logarithm, `rho` the correlation of neighbours. A share of them (`outlierShare`) are slow samples.
 */
export interface NoiseProfile {
  sigma: number;
  rho: number;
  outlierShare: number;
  /** Mean extra time of a slow sample, divided by the time of other samples: 0.5 = 50 % longer. It is exponentially distributed. */
  outlierMean: number;
}

export const noiseProfiles = {
  quiet: { sigma: 0.004, rho: 0, outlierShare: 0.01, outlierMean: 0.3 },
  mid: { sigma: 0.015, rho: 0.3, outlierShare: 0.02, outlierMean: 0.4 },
  small: { sigma: 0.05, rho: 0.5, outlierShare: 0.05, outlierMean: 0.5 },
  sticky: { sigma: 0.03, rho: 0.8, outlierShare: 0.02, outlierMean: 0.4 },
} satisfies Record<string, NoiseProfile>;

/**
 * Returns a generator of the samples of one launch. Each call returns a factor around 1, by which the time without noise is
 * multiplied.
 */
export function noiseSource(profile: NoiseProfile, seed: number): () => number {
  const normal = seededNormal(seed);
  const uniform = seededUniform(seed * 31 + 7);
  // The first values of this generator are similar for similar seeds, so they are skipped.
  for (let i = 0; i < 8; i += 1) uniform();
  let state = normal();
  return () => {
    state = profile.rho * state + Math.sqrt(1 - profile.rho ** 2) * normal();
    const slow = uniform() < profile.outlierShare ? 1 - profile.outlierMean * Math.log(1 - uniform()) : 1;
    return Math.exp(profile.sigma * state) * slow;
  };
}

/**
 * Median of the profile's samples, as a factor on the time without noise, found by drawing 200001 independent samples (`rho` does
 * not change it). The seed is fixed, so the result is always the same.
 */
export function trueMedian(profile: NoiseProfile): number {
  const next = noiseSource({ ...profile, rho: 0 }, 12_345);
  const many = Array.from({ length: 200_001 }, next).sort((a, b) => a - b);
  return many[100_000] as number;
}

export interface SimulationOptions {
  profile: NoiseProfile | ((point: number) => NoiseProfile);
  /** Standard deviation of the logarithm of launch medians; it says how much launches differ. */
  betweenLaunches: number;
  /** Nanoseconds of one operation of a point over a transport, without noise. Both arguments are indices into the plan. */
  operationNs(point: number, transport: number): number;
  /** Seconds that a block takes besides its operations. */
  overheadS: number;
  seed: number;
}

export interface SimulatedRun {
  cells: CellRecord[];
  elapsedS: number;
  /** Seconds of the timed operations only, without overhead. */
  timedS: number;
}

/**
 * Carries out a plan with simulated samples.
 * @returns the results with final confidence intervals as at the end of a run, and the simulated seconds of the run
 */
export function simulateRun(plan: RunPlan, made: SimulationOptions): SimulatedRun {
  const sampler = samplerOf(plan, schedule(plan));
  const normal = seededNormal(made.seed);
  const sources = new Map<string, { next: () => number; level: number }>();
  const blocks = new Map<string, BlockRecord[]>();
  const cells: CellRecord[] = [];
  let atS = 0;
  let timedS = 0;
  let number = 0;
  const profileOf = (point: number): NoiseProfile =>
    typeof made.profile === 'function' ? made.profile(point) : made.profile;
  const measure = (request: BlockRequest): BlockRecord => {
    const { point, transport, launch, trial } = request;
    const key = `${point} ${transport} ${launch} ${trial}`;
    const source = sources.get(key) ?? {
      next: noiseSource(profileOf(point), made.seed * 7919 + 104_729 * (sources.size + 1)),
      level: Math.exp(made.betweenLaunches * normal()),
    };
    sources.set(key, source);
    const base = made.operationNs(point, transport) * source.level;
    const batch = request.batch === 0 ? Math.max(1, Math.round(50_000 / base)) : request.batch;
    const wanted = request.targetNs === 0 ? request.maxSamples : request.targetNs / (base * batch);
    const samples = Math.round(Math.min(request.maxSamples, Math.max(request.minSamples, wanted)));
    const ns = Array.from({ length: samples }, () => base * batch * source.next());
    timedS += samples * base * batch * 1e-9;
    const baseNs = Math.round(atS * 1e9);
    atS += made.overheadS + (samples + request.warmup / batch) * base * batch * 1e-9;
    return testBlock(ns, { block: number++, point, transport, launch, trial, batch, baseNs }, plan.ranks);
  };
  for (const request of sampler) {
    const record = measure(request);
    const key = `${record.point} ${record.transport}`;
    addTo(blocks, key, record);
    for (const { point, transport, stopped } of sampler.take(record, request.completesCell, atS)) {
      for (const cell of deriveCells(plan, point, transport, blocks.get(`${point} ${transport}`) ?? [])) {
        cells.push(cell.status === 'ok' ? withReasons(cell, stopped) : cell);
      }
    }
  }
  return { cells: refineIntervals(cells), elapsedS: atS, timedS };
}
