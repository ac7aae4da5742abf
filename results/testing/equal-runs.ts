import type { ComparableRun } from '../compare/compare-runs.ts';
import { seededNormal } from './block.ts';
import { nightAt } from './nights.ts';
import { testPlan } from './plan.ts';
import { syntheticRecord } from './run.ts';

export interface EqualRuns {
  seed: number;
  /** Standard deviation of log time between whole runs, common to all sizes. */
  runSd: number;
}

/** Runs of one build, one each night, with three launches that scatter by 2 %; the level of whole runs scatters, too. */
export function* equalRuns({ seed, runSd }: EqualRuns): Generator<ComparableRun, never> {
  const normal = seededNormal(seed);
  for (let run = 1; ; run += 1) yield runOfNight(run, { seed, level: Math.exp(runSd * normal()) });
}

interface NightOfRun {
  seed: number;
  /** Factor on all times of the run. */
  level: number;
  /** Number of the run within its night. */
  turn?: number;
  transport?: string;
}

/**
 * A single run of such a series: three launches that scatter by 2 %, with times of 10 us plus 1 ns per 10 bytes times `level`,
 * at the start of its night. The same arguments give the same run.
 */
export function runOfNight(
  night: number,
  { seed, level, turn = 0, transport = 'socket' }: NightOfRun,
): ComparableRun {
  const id = (0x100000 + 16 * night + turn).toString(16);
  const transports = testPlan().transports.filter(({ name }) => name === transport);
  const made = {
    ...{ id, seed: seed * 1000 + 100 * turn + night, launches: 3, sd: 0.02, factor: () => level },
    transports,
  };
  const { record, cells } = syntheticRecord({ ...made, record: { startedAt: nightAt(night) } });
  const sampling = { ...record.plan.sampling, apart: true };
  return { record: { ...record, plan: { ...record.plan, sampling } }, cells };
}

export const take = <T>(all: Iterator<T, never>, count: number): T[] =>
  Array.from({ length: count }, () => all.next().value);
