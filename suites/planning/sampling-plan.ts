// How a run samples, from the options: until the figures are precise, or as many as were asked for.

import { refuse } from '../../results/refusals/refusal.ts';
import type { SamplingPlan } from '../../results/schema/index.ts';
import { planningEngines } from '../engines/index.ts';
import type { PlanOptions } from '../options/plan-options.ts';
import type { Said } from '../options/said.ts';

export const usualLaunches = 3;
/** Their processes wait beside those that measure: more would be felt. */
const mostLaunches = 6;
const mostProcesses = 64;
/** Of the budget, for one cell: 6 s of the usual 2 minutes, shared by its launches. */
const slotShare = 1 / 20;

/** What of a run decides about its sampling. */
export interface Crew {
  ranks: number;
  transports: number;
  hosts: number;
  hasGroups: boolean;
}

/** @param seed drawn, where none was asked for */
export function samplingOf(options: PlanOptions, crew: Crew, seed: number): SamplingPlan {
  const launches = options.launches ?? usualLaunches;
  const isAdaptive = options.iters === null && options.precision !== null && !crew.hasGroups;
  return {
    launches,
    warmup: options.warmup,
    iterations: options.iters,
    batch: options.batch,
    check: options.check,
    timeoutS: options.timeout,
    seed,
    ...(options.waitQuiet === null ? {} : { waitQuietS: options.waitQuiet }),
    ...(options.retryFlagged ? { retryFlagged: true } : {}),
    ...(planningEngines[options.engine].attests(options) ? { attest: true } : {}),
    ...(isAdaptive
      ? {
          adaptive: {
            precision: options.precision as number,
            budgetS: options.budget,
            slotS: (options.budget * slotShare) / launches,
            maxLaunches: options.launches ?? affordableLaunches(options, crew),
          },
        }
      : {}),
  };
}

/** A start of GPUs, or of ranks on other machines, costs more than it tells. */
function affordableLaunches({ engine, inProcess }: PlanOptions, { ranks, transports, hosts }: Crew): number {
  const { affordsLaunches } = planningEngines[engine].pace;
  if (!affordsLaunches || hosts > 1 || inProcess) return usualLaunches;
  const bearable = Math.floor(mostProcesses / (ranks * transports));
  return Math.max(usualLaunches, Math.min(mostLaunches, bearable));
}

/** @throws Refusal what depends on the system load was asked for, and it is not read */
export function requireLoadRead(options: PlanOptions, said: Said<keyof PlanOptions | 'groups'>): void {
  if (options.sampleInterval !== null) return;
  const key = options.waitQuiet !== null ? 'waitQuiet' : options.retryFlagged ? 'retryFlagged' : null;
  if (key !== null)
    throw refuse('load-not-read', { where: said.where(key), other: said.where('sampleInterval') });
}

/** @throws Refusal fixed counts and a precision were both asked for */
export function requireOneSampling(
  command: string,
  { precision }: PlanOptions,
  said: Said<keyof PlanOptions | 'groups'>,
): void {
  const option = said.has('precision') && precision !== null ? 'precision' : 'budget';
  const asked = said.get(option);
  if (asked === undefined) return;
  const { where: one, text } = asked;
  if (said.has('iters')) {
    throw refuse('samples-twice', { command, one, other: said.where('iters'), option, text });
  }
  if (said.has('groups')) throw refuse('precision-of-groups', { where: one, text });
  if (precision === null) {
    throw refuse('budget-without-precision', { one, other: said.where('precision'), text });
  }
}
