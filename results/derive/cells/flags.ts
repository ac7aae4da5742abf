import { median } from 'simple-statistics';
import { numbersOf } from '../../fold.ts';
import {
  type BlockRecord,
  type CellRecord,
  type Inventory,
  type LaunchRecord,
  type MeasuredFigure,
  type RunPlan,
  ranksOfMachine,
  type TrialName,
} from '../../schema/index.ts';
import { loadFlagMeanings } from '../metrics/flags.ts';
import { windowOf } from '../metrics/windows.ts';
import { eventQuantumNs, signTau, timerReadNs } from '../statistics/interval.ts';

/** A measurement gets the flag `late` if more than this share of its samples is late, as operationTimes() counts them. */
const lateLimit = 0.05;
/**
 * Two launches count as close in time if the gap between them is shorter than this share of the earlier launch's duration. Close
 * launches are measured under the same momentary conditions, so they differ less than independent launches would.
 */
const closeGapShare = 0.25;
/** Launches whose starts are at least this many ns (1 s) apart count as independent, however short the pause between them. */
const closeNs = 1e9;
/**
 * An isolated measurement gets the flag `skew` if the distance of its ranks' starts differs from the planned one by more than this
 * share of the operation's time, and by more than `skewFloorNs`: a clock reading and a cache miss may take that long.
 */
const skewLimit = 0.05;
const skewFloorNs = 100;
/**
 * An isolated time over several hosts gets the flag `clock-unsure` if the error of the clock offsets exceeds this share of the
 * time. withSureClocks() also leaves out blocks with a larger error, if at least half of their launch's samples remain.
 */
export const clockLimit = 0.05;

/**
 * Returns the flags that apply to all cells of a run: `oversubscribed` if a machine has more ranks than cores, or than the cores
 * that they may run on (a container, a job, taskset). Two hardware threads of one core count as one core, if the cores are known.
 * Without known cores, neither of the machine nor of the ranks, there is no flag. `shared-gpu` if several ranks use
 * the same GPU, which then runs one of them at a time; `mps` if CUDA's Multi-Process Service runs them at the same time.
 * @param inventory hardware of each host, by name
 * @param launches launches of the run so far, with the cores that their ranks may use, and whether they share a GPU
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
  const sharing = launches.flatMap(({ ranks }) =>
    ranks.flatMap(({ detail }) =>
      detail.sharesGpu === true ? [detail.usesMps === true ? 'mps' : 'shared-gpu'] : [],
    ),
  );
  return [...(crowded ? ['oversubscribed'] : []), ...new Set(sharing)];
}

/**
 * True if there are more ranks than the cores that these ranks may use together. Hardware threads are counted if cores are not
 * known; false if neither is known of some rank.
 */
function shareCores(ranks: LaunchRecord['ranks']): boolean {
  const lists = ranks.map(({ cores, cpus }) => cores ?? cpus ?? '');
  return !lists.includes('') && new Set(lists.flatMap(numbersOf)).size < ranks.length;
}

/**
 * Returns the flags that follow from the samples of one kind of trial: `late`, `skew` and `clock-unsure` (both of isolated trials
 * only), `few-launches`, `timer-limited`.
 * @param units number by which the time of one operation was divided to give the figure: 2 for a round trip
 * @param plannedLaunches number of launches in the plan; `few-launches` if fewer have samples
 * @param startSpreadNs by how much the starts of the ranks lie further apart, or less far, than --skew asks, median over blocks
 * @param clockErrorNs largest error of a rank's clock offset, median over blocks; 0 on one host
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
 * True if a launch still drifts in the middle of its samples: each whole block of 10 samples in the first half differs from the
 * median of the second half by more than 2.58 robust standard errors, all in one direction. Then even a warm-up of
 * half of the samples would have been too short.
 * @param ns samples of one launch in time order; with fewer than 60 the result is false, because two blocks alone would flag 3 % of
 * steady launches with autocorrelation 0.5, while three flag 0.3 %
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

/** Returns the time span from the first start to the last end, ns. @param spans at least one, all on one clock */
export const spanOfAll = (spans: readonly TimeSpan[]): TimeSpan => ({
  fromNs: Math.min(...spans.map(({ fromNs }) => fromNs)),
  toNs: Math.max(...spans.map(({ toNs }) => toNs)),
});

/**
 * True if two launches of a configuration were measured shortly after one another; see areSpansClose(). Blocks without samples and
 * those of the trial `attest` do not count.
 * @param blocks blocks of the configuration, with times of one clock
 */
export function areLaunchesClose(blocks: readonly BlockRecord[]): boolean {
  const spans = new Map<number, TimeSpan>();
  for (const block of blocks) {
    if (block.trial === 'attest' || block.commonStartNs.length === 0) continue;
    const known = spans.get(block.launch);
    spans.set(block.launch, spanOfAll([windowOf(block), ...(known === undefined ? [] : [known])]));
  }
  return areSpansClose([...spans.values()]);
}

/**
 * True if two consecutive launches followed each other so closely that they may differ less than independent launches: the pause is
 * below `closeGapShare` of the earlier launch, and the starts are less than `closeNs` apart. A launch that overlaps the one before
 * is not compared with it.
 * @param spans one for each launch, of one clock
 */
export function areSpansClose(spans: readonly TimeSpan[]): boolean {
  const inTime = spans.toSorted((a, b) => a.fromNs - b.fromNs);
  return inTime.some((span, i) => {
    const before = inTime[i - 1];
    if (before === undefined) return false;
    const gapNs = span.fromNs - before.toNs;
    const isShort = gapNs < closeGapShare * (before.toNs - before.fromNs);
    // Launches that overlap have times of different clocks and are therefore ignored.
    return gapNs >= 0 && isShort && span.fromNs - before.fromNs < closeNs;
  });
}

/**
 * Returns, by name of a flag (a warning about a measurement), the number of measured configurations that have the flag. Flags that
 * none has are absent.
 */
export function flagCounts(cells: readonly CellRecord[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const cell of cells) {
    for (const { name } of cell.status === 'ok' ? cell.flags : []) counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** Explanation of each flag as a clause for readers of reports, by name. A flag that is not listed is shown without explanation. */
export const flagMeanings: Record<string, string> = {
  late: 'more than 5 % of the isolated samples missed the common start',
  skew: 'the ranks did not start together, or with --skew not as far apart as requested',
  'clock-unsure':
    'the clocks of the hosts are known no better than 5 % of the isolated time: the pipelined time, half a round trip of pingpong included, needs no common clock',
  unsteady: 'the times still drifted half-way through a launch',
  'timer-limited': 'reading the clock takes more than 5 % of the timed span',
  oversubscribed:
    'more ranks than processor cores that they may use; hardware threads of one core count once',
  'shared-gpu': 'several ranks use one GPU, which runs one of them at a time: the times are its time slices',
  mps: 'several ranks use one GPU at the same time (CUDA MPS): they share its processors and memory bandwidth',
  'few-launches': 'fewer launches were measured than planned',
  'launches-close':
    'launches were measured one right after another; they are counted as differing by twice what they show',
  'groups-apart': 'the groups worked side by side for less than half of the time',
  interrupted: 'the run was stopped before this configuration was complete',
  'network-busy': 'the network interface carried more than the run can cause',
  'uneven-rails':
    'of several interfaces or adapters between the same hosts one carried 1.25 times its equal part, or less than half of it',
  ...loadFlagMeanings,
};
