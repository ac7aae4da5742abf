// Compares the measured duration of blocks with the estimates, to predict the duration of blocks that are not measured yet.
import { median } from 'simple-statistics';
import { operationTimes } from '../../results/derive/cells/operation-times.ts';
import {
  type BlockRecord,
  type BlockRequest,
  type PointPlan,
  type RunPlan,
  skewNsOf,
} from '../../results/schema/index.ts';
import { estimateBlockNs, estimateCheckNs, plannedPace } from '../costs.ts';

/**
 * Ratios of measured to estimated time in a measured block: `operations` for one operation, `checks` for filling buffers and
 * verifying results. Above 1 = slower than estimated.
 */
interface PaceRatios {
  operations: number;
  checks: number;
}

/**
 * Predicts the duration of blocks of samples from the last blocks of the same transport and timing mode. Sizes are measured in
 * ascending order, so the last block is usually of the next smaller size.
 */
export class RunPace {
  private readonly plan: RunPlan;
  /**
   * Ratios of the last block. Key "TRANSPORT TRIAL" (index and name): last block of this transport and timing mode; "TRANSPORT": of
   * this transport; "": of the run.
   */
  private readonly seen = new Map<string, PaceRatios>();
  /**
   * Nanoseconds that the last block took besides its operations and their verification, by index of the transport. The key -1 has
   * the last block over any transport.
   */
  private readonly overheads = new Map<number, { ns: number; point: PointPlan }>();
  /** Median nanoseconds of one operation in the last block of each point, transport and timing mode, by "POINT TRANSPORT TRIAL". */
  private readonly operationNs = new Map<string, number>();

  constructor(plan: RunPlan) {
    this.plan = plan;
  }

  /**
   * Adds a measured block; a block without usable samples is ignored.
   * @param tookS seconds of the block; null if the measured time includes the start of the launch and cannot be used
   */
  add(record: BlockRecord, tookS: number | null): void {
    const { transport, trial } = record;
    const point = this.plan.points[record.point];
    const { ns } = operationTimes(record);
    if (point === undefined || ns.length === 0) return;
    const operationNs = median(ns) + skewNsOf(this.plan.transports[transport]);
    this.operationNs.set(keyOf(record), operationNs);
    const checkingNs = Math.max(0, ...(record.checkingNs ?? []));
    const planned = plannedPace(this.plan, point, transport);
    const before = this.of(transport, trial);
    const estimateNs = estimateCheckNs(this.plan, point, record.commonStartNs.length, record.batch);
    const seen = {
      operations: operationNs / planned.operationNs,
      checks: checkingNs > 0 && estimateNs > 0 ? checkingNs / estimateNs : (before?.checks ?? 1),
    };
    for (const key of [`${transport} ${trial}`, `${transport}`, '']) this.seen.set(key, seen);
    if (tookS === null) return;
    const overheadNs = Math.max(0, tookS * 1e9 - record.operations * operationNs - checkingNs);
    for (const key of [transport, -1]) this.overheads.set(key, { ns: overheadNs, point });
  }

  /** Expected seconds of a requested block (series of samples), its warm-up and verification included. */
  blockS(block: BlockRequest): number {
    const { transport, trial } = block;
    const point = this.plan.points[block.point];
    if (point === undefined) return 0;
    const planned = plannedPace(this.plan, point, transport);
    const { operations, checks } = this.of(transport, trial) ?? { operations: 1, checks: 1 };
    const overheadNs = this.overheadNs(point, transport, checks) ?? planned.overheadNs;
    const operationNs = this.operationNs.get(keyOf(block)) ?? operations * planned.operationNs;
    const pace = { operationNs, checks: block.check ? checks : 0, overheadNs };
    return estimateBlockNs(this.plan, point, transport, block, pace) / 1e9;
  }

  /**
   * Expected nanoseconds of a block besides operations and verification: as long as in the last block, plus the time to allocate
   * and fill larger buffers, which takes about as long as verifying them. Null before any block.
   * @param checks ratio of measured to estimated time of filling and verifying buffers
   */
  private overheadNs(point: PointPlan, transport: number, checks: number): number | null {
    const last = this.overheads.get(transport) ?? this.overheads.get(-1);
    if (last === undefined) return null;
    const fillNs = (of: PointPlan) => checks * estimateCheckNs(this.plan, of, 1, 1);
    return last.ns + Math.max(0, fillNs(point) - fillNs(last.point));
  }

  private of(transport: number, trial: string): PaceRatios | undefined {
    const { seen } = this;
    return seen.get(`${transport} ${trial}`) ?? seen.get(`${transport}`) ?? seen.get('');
  }
}

const keyOf = ({ point, transport, trial }: Pick<BlockRequest, 'point' | 'transport' | 'trial'>): string =>
  `${point} ${transport} ${trial}`;
