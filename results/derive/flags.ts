import { median } from 'simple-statistics';
import { numbersOf } from '../machine/cpu-list.ts';
import type {
  BlockRecord,
  Inventory,
  LaunchRecord,
  MeasuredFigure,
  RunPlan,
  TrialName,
} from '../schema/index.ts';
import { ranksOfMachine } from './machines.ts';
import { windowOf } from './metrics/windows.ts';
import { eventQuantumNs, signTau, timerReadNs } from './statistics/interval.ts';

/** Share of late samples above which the start window is too narrow (stats.md R2). */
export const lateLimit = 0.05;
/**
 * Limit for launches close in time: a shorter gap, as a share of the duration of the launch before. Close launches share
 * momentary conditions of the machine.
 */
const closeGapShare = 0.25;
/** Distance of two starts from which launches are never close, however long each takes. */
const closeNs = 1e9;
/** Start spread that flags a cell, as a share of the figure. Below `skewFloorNs` it is clock reading and one cache miss. */
const skewLimit = 0.05;
const skewFloorNs = 100;
/** Error of the clock offset between hosts that flags an isolated figure, as a share of it: the full error is in the figure. */
export const clockLimit = 0.05;

/**
 * Flags that apply to all cells of a run: `oversubscribed` if a machine has more ranks than cores, or than the cores
 * that they may run on (a container, a job, taskset). Two hardware threads of one core count as one core.
 * @param launches launches of the run so far, with the cores that their ranks may use
 */
export function machineFlags(
  plan: RunPlan,
  inventory: Record<string, Inventory>,
  launches: readonly LaunchRecord[],
): string[] {
  const crowded = plan.hosts.some(({ name, ranks }) => {
    const cores = inventory[name]?.coreCount ?? inventory[name]?.cpuCount;
    // A container is compared with its own ranks, a machine with the ranks of all its host names.
    return [ranks, ranksOfMachine(plan.hosts, name)].some(
      (some) =>
        (cores !== undefined && some.length > cores) ||
        launches.some((launch) => shareCores(launch.ranks.filter(({ rank }) => some.includes(rank)))),
    );
  });
  return crowded ? ['oversubscribed'] : [];
}

/** True if the ranks of one machine outnumber the cores that the kernel lets them use; false if some cores are unknown. */
function shareCores(ranks: LaunchRecord['ranks']): boolean {
  const lists = ranks.map(({ cores, cpus }) => cores ?? cpus ?? '');
  return !lists.includes('') && new Set(lists.flatMap(numbersOf)).size < ranks.length;
}

/**
 * Flags of one trial kind.
 * @param units how often one timed operation contains the figure: a round trip has two one-way latencies
 * @param startSpreadNs median over blocks of the spread of the ranks' starts
 * @param clockErrorNs median over blocks of the largest error of the clock offset of any rank; 0 on one host
 */
export function trialFlags(
  figure: MeasuredFigure,
  trial: TrialName,
  units: number,
  plannedLaunches: number,
  startSpreadNs: number,
  clockErrorNs: number,
): string[] {
  const operationNs = figure.value * units;
  const flags: string[] = [];
  if (figure.lateShare > lateLimit) flags.push('late');
  if (trial === 'isolated' && startSpreadNs > Math.max(skewFloorNs, skewLimit * operationNs)) {
    flags.push('skew');
  }
  if (trial === 'isolated' && clockErrorNs > clockLimit * operationNs) flags.push('clock-unsure');
  if (figure.launches < plannedLaunches) flags.push('few-launches');
  // Timer overhead above 5 % of the timed span (Hoefler & Belli 2015, section 4.2.1).
  const timerNs = figure.method.sync === 'hold' ? eventQuantumNs : timerReadNs;
  if (operationNs * figure.batch < 20 * timerNs) flags.push('timer-limited');
  return flags;
}

const blockLength = 10;

/**
 * True if a launch still drifts at half of its samples: each leading block of 10 samples differs from the last half by more
 * than 2.58 robust standard errors (stats.md 1.3). Then no warm-up short of half the samples would help.
 * @param ns samples of one launch in time order; with fewer than 60 always false, since two blocks alone would flag
 * 3 % of steady launches with autocorrelation 0.5, three 0.3 %
 */
export function isUnsteady(ns: readonly number[]): boolean {
  const half = Math.floor(ns.length / 2);
  if (half < 3 * blockLength) return false;
  const tail = ns.slice(ns.length - half);
  const middle = median(tail);
  const mad = median(tail.map((x) => Math.abs(x - middle)));
  // 1.4826: MAD to standard deviation; 1.2533: standard error of a median against that of a mean.
  const tau = Math.max(signTau(tail), 1 + 10 / half);
  const error = (1.4826 * 1.2533 * mad * Math.sqrt(tau)) / Math.sqrt(blockLength);
  let direction = 0;
  for (let from = 0; from + blockLength <= half; from += blockLength) {
    const shift = median(ns.slice(from, from + blockLength)) - middle;
    if (Math.abs(shift) <= 2.58 * error || shift === 0) return false;
    if (direction !== 0 && Math.sign(shift) !== direction) return false;
    direction = Math.sign(shift);
  }
  return true;
}

interface TimeSpan {
  fromNs: number;
  toNs: number;
}

/** Span from the first start to the last end. @param spans one at least */
export const spanOfAll = (spans: readonly TimeSpan[]): TimeSpan => ({
  fromNs: Math.min(...spans.map(({ fromNs }) => fromNs)),
  toNs: Math.max(...spans.map(({ toNs }) => toNs)),
});

/** True if two launches of a cell were measured shortly after one another. @param blocks of one cell, on one clock */
export function areLaunchesClose(blocks: readonly BlockRecord[]): boolean {
  const spans = new Map<number, TimeSpan>();
  for (const block of blocks) {
    if (block.trial === 'attest' || block.commonStartNs.length === 0) continue;
    const known = spans.get(block.launch);
    spans.set(block.launch, spanOfAll([windowOf(block), ...(known === undefined ? [] : [known])]));
  }
  return areSpansClose([...spans.values()]);
}

/** True if two launches follow one another too soon. @param spans of each launch, on one clock */
export function areSpansClose(spans: readonly TimeSpan[]): boolean {
  const inTime = spans.toSorted((a, b) => a.fromNs - b.fromNs);
  return inTime.some((span, i) => {
    const before = inTime[i - 1];
    if (before === undefined) return false;
    const gapNs = span.fromNs - before.toNs;
    const isShort = gapNs < closeGapShare * (before.toNs - before.fromNs);
    // Overlapping launches are not on one clock and therefore ignored.
    return gapNs >= 0 && isShort && span.fromNs - before.fromNs < closeNs;
  });
}
