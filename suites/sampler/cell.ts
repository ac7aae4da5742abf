// State of one cell during sampling: its two trials (isolated, pipelined), and the time that its blocks take.

import { regimeOf } from '../../results/derive/cells/cell-group.ts';
import { operationTimes } from '../../results/derive/cells/operation-times.ts';
import { eventQuantumNs, timerQuantumNs } from '../../results/derive/statistics/interval.ts';
import {
  type BlockRecord,
  fileKeyOf,
  type PointPlan,
  type StopReason,
  type TrialName,
  workloadOf,
  xOf,
} from '../../results/schema/index.ts';
import { isCounted, isShort } from '../block-shapes.ts';
import { goalOf, spreadGoal } from './launch.ts';
import { TrialSampling } from './precision.ts';

/**
 * Maximum number of samples per block of long operations (above 10 ms): their blocks have a fixed number of samples instead of a
 * fixed duration. Each block also runs its own warm-up operation.
 */
const maxCounted = 5;

/**
 * Share of all time spent on a configuration's blocks that filling buffers and verifying results may take. Once it is exceeded,
 * only the first block of each launch is verified.
 */
const maxCheckShare = 1 / 4;

/** State of one timing mode (isolated or pipelined) of a configuration that is being measured, with data of its last block. */
export class TrialInProgress {
  readonly trial: TrialName;
  readonly sampling = new TrialSampling();
  /** Duration of the last block in seconds; an estimate before the first block. */
  blockS: number;
  /**
   * Median duration of one operation in the last block, ns. It includes `skewNs`, the wait for the delayed rank. An estimate before
   * the first block.
   */
  operationNs: number;
  /** Nanoseconds by which the last rank is delayed on purpose at the start of each operation; 0 = no delay. */
  private readonly skewNs: number;
  /** Last block of this timing mode: its number of samples (`samples`), and of operations per sample (`batch`). */
  private last = { samples: 1, batch: 1 };
  /**
   * Lowest number of samples of any launch when more measuring time was last granted. If the launches gained too few samples since
   * then, they get no more time.
   */
  samplesBefore = 0;
  /**
   * Minimum half width of an interval of this timing mode, ns: half of the clock's resolution, divided by the number of operations
   * in a sample.
   */
  halfQuantumNs = timerQuantumNs / 2;

  constructor(trial: TrialName, blockS: number, operationNs: number, skewNs = 0) {
    this.trial = trial;
    this.blockS = blockS;
    this.operationNs = operationNs;
    this.skewNs = skewNs;
  }

  add(block: BlockRecord): void {
    const { ns, measured } = operationTimes(block);
    this.last = { samples: measured, batch: block.batch };
    this.sampling.of(block.launch).add(ns, measured);
    const middle = [...ns].sort((a, b) => a - b)[Math.floor(ns.length / 2)];
    if (middle !== undefined) this.operationNs = middle + this.skewNs;
    const quantumNs = block.clock === 'device' ? eventQuantumNs : timerQuantumNs;
    this.halfQuantumNs = quantumNs / (2 * block.batch);
  }

  /**
   * True if the launch needs no further samples in this timing mode: its interval is narrow enough, it has the maximum number of
   * samples, or more samples no longer narrow the interval. Stores the reason in the launch.
   * @param precision target half width of the 95 % interval of the result, as a share of the result
   * @param launches number of launches that reach this precision together
   * @param maxSamples number of measured samples with which a launch ends
   */
  isEnough(
    launch: number,
    { precision, launches, maxSamples }: { precision: number; launches: number; maxSamples: number },
  ): boolean {
    const { sampling } = this;
    const others = [...sampling.launches].flatMap(([other, { medianNs }]) =>
      other === launch || medianNs === null ? [] : [medianNs],
    );
    const goal = Math.max(goalOf(precision, launches), spreadGoal(others));
    const isShortOperation = isShort(this.operationNs);
    return sampling.of(launch).judge(goal, this.halfQuantumNs, isShortOperation, maxSamples) !== null;
  }

  /** Estimated seconds of a block with this number of samples, computed from the duration of the last block. */
  costS(samples: number): number {
    const { samples: last, batch } = this.last;
    return this.blockS + ((samples - last) * batch * this.operationNs) / 1e9;
  }

  /**
   * Factor by which the number of samples of the launch with the fewest samples would grow if it measured `leftS` seconds longer,
   * at the speed of the last block; infinity if a launch has no samples.
   */
  timesMore(leftS: number): number {
    const { fewest } = this.sampling;
    return fewest === 0 ? Number.POSITIVE_INFINITY : 1 + ((leftS / this.blockS) * this.last.samples) / fewest;
  }

  /**
   * Number of samples of the next block of long operations (above 10 ms), at least one. Divides the samples missing until the next
   * precision check into equal blocks of at most 5, and takes fewer if they need more than `leftS` seconds. Null for shorter
   * operations, whose blocks are limited by time.
   * @param launch number of the launch
   */
  countedSamples(launch: number, leftS: number): number | null {
    if (!isCounted(this.operationNs)) return null;
    const lacking = this.sampling.of(launch).untilLook;
    let samples = Math.ceil(lacking / Math.ceil(lacking / maxCounted));
    while (samples > 1 && this.costS(samples) > leftS) samples -= 1;
    return samples;
  }
}

export class CellInProgress {
  readonly point: number;
  readonly transport: number;
  readonly trials: readonly TrialInProgress[];
  /** True if the buffers are so large that a launch must free them before another launch measures. */
  readonly releases: boolean;
  /** Seconds spent on the blocks of this configuration, by launch number; the start of the launch is not included. */
  readonly spentS = new Map<number, number>();
  private checkingS = 0;

  constructor(point: number, transport: number, trials: readonly TrialInProgress[], releases: boolean) {
    this.point = point;
    this.transport = transport;
    this.trials = trials;
    this.releases = releases;
  }

  /**
   * True if filling buffers and verifying results took more than 1/4 of the time. Then only the first block of each launch is
   * verified.
   */
  get isCheckedEnough(): boolean {
    const spentS = [...this.spentS.values()].reduce((sum, one) => sum + one, 0);
    return this.checkingS > maxCheckShare * spentS;
  }

  get open(): TrialInProgress[] {
    return this.trials.filter(({ sampling }) => sampling.stopped === null);
  }

  /**
   * Adds a measured block; a block whose timing mode is not sampled is ignored.
   * @param costS seconds of the block; null if the measured time includes the start of the launch and cannot be used
   */
  add(block: BlockRecord, costS: number | null): void {
    const own = this.trials.find(({ trial }) => trial === block.trial);
    if (own === undefined) return;
    own.add(block);
    if (costS !== null) own.blockS = costS;
    this.checkingS += Math.max(0, ...(block.checkingNs ?? [])) / 1e9;
    this.spentS.set(block.launch, (this.spentS.get(block.launch) ?? 0) + (costS ?? own.blockS));
  }

  get stopped(): Partial<Record<TrialName, StopReason>> {
    return Object.fromEntries(
      this.trials.flatMap(({ trial, sampling }) =>
        sampling.stopped === null ? [] : [[trial, sampling.stopped]],
      ),
    );
  }
}

/**
 * Launch medians (ns) of all configurations measured so far. The confidence interval of one size also uses the launch medians of
 * other sizes in its size range, because they show how much launches differ.
 */
export class OtherSizes {
  /** Launch medians, ns: the first key is transport, timing mode, series and size range, the second key the point. */
  private readonly series = new Map<string, Map<string, number[]>>();

  /** Stores the launch medians (ns) of one point, transport and timing mode, replacing earlier ones. */
  setMedians(at: PointPlan, transport: number, trial: TrialName, medians: number[]): void {
    const key = keyOf(at, transport, trial);
    const own = this.series.get(key) ?? new Map<string, number[]>();
    this.series.set(key, own.set(pointKey(at), medians));
  }

  /**
   * Launch medians (ns) of the other sizes in the same series and size range, one list per size measured so far. The report
   * computes its intervals from the same sizes.
   * @param at the point whose own launch medians are left out
   */
  mediansOfOthers(at: PointPlan, transport: number, trial: TrialName): number[][] {
    return [...(this.series.get(keyOf(at, transport, trial)) ?? [])].flatMap(([key, medians]) =>
      key === pointKey(at) ? [] : [medians],
    );
  }
}

const pointKey = ({ workload, axes }: PointPlan): string => JSON.stringify([workload, axes]);

function keyOf(at: PointPlan, transport: number, trial: TrialName): string {
  const row = workloadOf(at.workload);
  const x = xOf(row, at.axes);
  const regime = x?.axis.unit === 'B' ? regimeOf(x.value) : null;
  return JSON.stringify([fileKeyOf(row, at.axes), transport, trial, regime]);
}
