import { mean, sumNthPowerDeviations } from 'simple-statistics';
import type { LaunchModes } from '../schema/index.ts';
import { type LaunchFacts, separatingVariable } from './separation.ts';

/** Smallest number of launches in which two modes are searched, and smallest number in the rarer mode. */
const [minLaunches, minInMode] = [8, 2];
/**
 * Smallest gap between two modes, in standard deviations within the modes. With eight launches or more, fewer than 1 % of normal,
 * t3 and log-normal samples have such a gap (20,000 simulated samples each).
 */
const minGap = 7;
/** Smallest ratio of the slow to the fast mode's time that is reported. */
const minRatio = 1.1;

/**
 * Finds out whether launches of one program fall into a fast and a slow mode, for example because ranks are placed in one of two
 * ways.
 * @param ns median time of each launch
 * @param facts facts recorded of each launch, in the same order; empty = none
 * @returns `slow`: number of slow launches; `of`: number of all; `ratio`: geometric mean time of the slow launches divided by that
 * of the fast ones; `separatedBy`: recorded variable whose values differ between slow and fast launches, null if none is known.
 * Null if all launches form one mode, or are too few
 */
export function launchModes(ns: readonly number[], facts: readonly LaunchFacts[] = []): LaunchModes | null {
  const logs = ns.map(Math.log).sort((a, b) => a - b);
  if (logs.length < minLaunches) return null;
  let best: { gap: number; modes: Omit<LaunchModes, 'separatedBy'>; slowest: number } | null = null;
  for (let cut = minInMode; cut <= logs.length - minInMode; cut += 1) {
    const [fast, slow] = [logs.slice(0, cut), logs.slice(cut)];
    const squares = sumNthPowerDeviations(fast, 2) + sumNthPowerDeviations(slow, 2);
    const deviation = Math.sqrt(squares / (logs.length - 2));
    const gap = ((slow[0] ?? 0) - (fast.at(-1) ?? 0)) / Math.max(deviation, Number.MIN_VALUE);
    const ratio = Math.exp(mean(slow) - mean(fast));
    if (gap < minGap || ratio < minRatio || gap < (best?.gap ?? 0)) continue;
    best = { gap, modes: { slow: slow.length, of: logs.length, ratio }, slowest: slow[0] ?? 0 };
  }
  if (best === null) return null;
  const { modes, slowest } = best;
  const isSlow = ns.map((one) => Math.log(one) >= slowest);
  return { ...modes, separatedBy: facts.length === 0 ? null : separatingVariable(facts, isSlow) };
}
