// One cell while it is sampled: its two trials, and what its blocks cost.

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

/** Most samples of a block where they are counted: every block has a warm-up of its own. */
const mostCounted = 5;

/** Share of the time of a cell for filling and comparing data that are verified. */
const mostCheckShare = 1 / 4;

/** A trial with what is known of its blocks. */
export class TrialInProgress {
  readonly trial: TrialName;
  readonly sampling = new TrialSampling();
  /** Of the last block, seconds; at first as estimated. */
  blockS: number;
  /** One operation, ns, as last measured; at first as estimated. */
  operationNs: number;
  /** Samples of the last block, and operations of each. */
  private last = { samples: 1, batch: 1 };
  /** Samples of the launch that had fewest, when it last was given more time. */
  samplesBefore = 0;
  /** Half the step of the clock over the batch, ns. */
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

  /** Whether this launch has samples enough, or more would not help: then there is no need of another block now. */
  isEnough(launch: number, { precision, launches }: { precision: number; launches: number }): boolean {
    const { sampling } = this;
    const others = [...sampling.launches].flatMap(([other, { medianNs }]) =>
      other === launch || medianNs === null ? [] : [medianNs],
    );
    const goal = Math.max(goalOf(precision, launches), spreadGoal(others));
    return sampling.of(launch).judge(goal, this.halfQuantumNs, isShort(this.operationNs)) !== null;
  }

  /** Seconds of a block with so many samples. */
  costS(samples: number): number {
    const { samples: last, batch } = this.last;
    return this.blockS + ((samples - last) * batch * this.operationNs) / 1e9;
  }

  /** By how much each launch's samples would grow in so many seconds of it, as a factor. */
  timesMore(leftS: number): number {
    const { fewest } = this.sampling;
    return fewest === 0 ? Number.POSITIVE_INFINITY : 1 + ((leftS / this.blockS) * this.last.samples) / fewest;
  }

  /**
   * Samples of the next block where they are counted: what the next look lacks, in even parts, and no more than there is time
   * for; null where operations are so short that time decides.
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
  /** Its buffers are given back when another launch measures next. */
  readonly releases: boolean;
  /** Seconds spent in each launch, their starts left out. */
  readonly spentS = new Map<number, number>();
  private checkingS = 0;

  constructor(point: number, transport: number, trials: readonly TrialInProgress[], releases: boolean) {
    this.point = point;
    this.transport = transport;
    this.trials = trials;
    this.releases = releases;
  }

  /** Verifying took its share of the time: further blocks go without. */
  get isCheckedEnough(): boolean {
    const spentS = [...this.spentS.values()].reduce((sum, one) => sum + one, 0);
    return this.checkingS > mostCheckShare * spentS;
  }

  get open(): TrialInProgress[] {
    return this.trials.filter(({ sampling }) => sampling.stopped === null);
  }

  /** @param costS null = it had the start of the launch in it, and says nothing */
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

/** Launch medians of the cells so far, for what they say about launches of other sizes of the same range. */
export class OtherSizes {
  /** By series and size range, by point. */
  private readonly series = new Map<string, Map<string, number[]>>();

  /** In place of what was known of that cell. */
  put(at: PointPlan, transport: number, trial: TrialName, medians: number[]): void {
    const key = keyOf(at, transport, trial);
    const own = this.series.get(key) ?? new Map<string, number[]>();
    this.series.set(key, own.set(pointKey(at), medians));
  }

  /** Medians of the other sizes of the range: those that the report learns from, as far as they are measured. */
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
