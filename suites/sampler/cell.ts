// One cell during sampling: its two trials, and the cost of its blocks.

import { regimeOf } from '../../results/derive/cell-group.ts';
import { headlines } from '../../results/derive/headline.ts';
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
import { isCounted, isShort } from '../sampling.ts';
import { goalOf, spreadGoal } from './launch.ts';
import { TrialSampling } from './precision.ts';

/** Maximum number of samples of a block with counted samples. It is small because every block repeats the warm-up. */
const mostCounted = 5;

/** Maximum share of a cell's time for verification: filling buffers and comparing results. */
const mostCheckShare = 1 / 4;

/** One trial of a cell, with the properties of its blocks so far. */
export class TrialInProgress {
  readonly trial: TrialName;
  readonly sampling = new TrialSampling();
  /** Seconds of the last block; at first an estimate. */
  blockS: number;
  /** Nanoseconds of one operation in the last block; at first an estimate. */
  operationNs: number;
  /** Number of samples of the last block, and operations per sample. */
  private last = { samples: 1, batch: 1 };
  /** Number of samples of the launch with the fewest samples, at the time when the trial last got more time. */
  samplesBefore = 0;
  /** Half of the clock's resolution divided by the batch, ns. */
  halfQuantumNs = timerQuantumNs / 2;

  constructor(trial: TrialName, blockS: number, operationNs: number) {
    this.trial = trial;
    this.blockS = blockS;
    this.operationNs = operationNs;
  }

  add(block: BlockRecord): void {
    const { ns, measured } = headlines(block);
    this.last = { samples: measured, batch: block.batch };
    this.sampling.of(block.launch).add(ns, measured);
    const middle = [...ns].sort((a, b) => a - b)[Math.floor(ns.length / 2)];
    if (middle !== undefined) this.operationNs = middle;
    const quantumNs = block.clock === 'device' ? eventQuantumNs : timerQuantumNs;
    this.halfQuantumNs = quantumNs / (2 * block.batch);
  }

  /** Whether this launch needs no further block now: it has enough samples, or more would not help. */
  isEnough(launch: number, { precision, launches }: { precision: number; launches: number }): boolean {
    const { sampling } = this;
    const others = [...sampling.launches].flatMap(([other, { medianNs }]) =>
      other === launch || medianNs === null ? [] : [medianNs],
    );
    const goal = Math.max(goalOf(precision, launches), spreadGoal(others));
    return sampling.of(launch).judge(goal, this.halfQuantumNs, isShort(this.operationNs)) !== null;
  }

  /** Estimated seconds of a block with this number of samples. */
  costS(samples: number): number {
    const { samples: last, batch } = this.last;
    return this.blockS + ((samples - last) * batch * this.operationNs) / 1e9;
  }

  /** Factor by which the samples of each launch would grow in `leftS` further seconds per launch. */
  timesMore(leftS: number): number {
    const { fewest } = this.sampling;
    return fewest === 0 ? Number.POSITIVE_INFINITY : 1 + ((leftS / this.blockS) * this.last.samples) / fewest;
  }

  /**
   * Number of samples of the next block, for operations that are counted. Divides the samples that are missing for the next
   * check into equal blocks, limited by time. Null for shorter operations, whose blocks are limited by time.
   */
  countedSamples(launch: number, leftS: number): number | null {
    if (!isCounted(this.operationNs)) return null;
    const lacking = this.sampling.of(launch).untilLook;
    let samples = Math.ceil(lacking / Math.ceil(lacking / mostCounted));
    while (samples > 1 && this.costS(samples) > leftS) samples -= 1;
    return samples;
  }
}

export class CellInProgress {
  readonly point: number;
  readonly transport: number;
  readonly trials: readonly TrialInProgress[];
  /** True if large buffers are released before another launch measures. */
  readonly releases: boolean;
  /** Seconds spent in each launch, without the time to start it. */
  readonly spentS = new Map<number, number>();
  private checkingS = 0;

  constructor(point: number, transport: number, trials: readonly TrialInProgress[], releases: boolean) {
    this.point = point;
    this.transport = transport;
    this.trials = trials;
    this.releases = releases;
  }

  /** True if verification has used its share of the cell's time; later blocks are not verified. */
  get isCheckedEnough(): boolean {
    const spentS = [...this.spentS.values()].reduce((sum, one) => sum + one, 0);
    return this.checkingS > mostCheckShare * spentS;
  }

  get open(): TrialInProgress[] {
    return this.trials.filter(({ sampling }) => sampling.stopped === null);
  }

  /** @param costS seconds of the block; null if they include the start of the launch and so are not used */
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

/** Launch medians of all cells so far. Other sizes in the same range show how much launches differ. */
export class OtherSizes {
  /** Medians by series and size range, then by point. */
  private readonly series = new Map<string, Map<string, number[]>>();

  /** Stores a cell's medians, replacing earlier ones of the same cell. */
  put(at: PointPlan, transport: number, trial: TrialName, medians: number[]): void {
    const key = keyOf(at, transport, trial);
    const own = this.series.get(key) ?? new Map<string, number[]>();
    this.series.set(key, own.set(pointKey(at), medians));
  }

  /** Medians of the other sizes in the range, as far as they are measured. The report uses the same sizes. */
  of(at: PointPlan, transport: number, trial: TrialName): number[][] {
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
