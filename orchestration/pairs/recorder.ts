import { deriveCell, missingCell, overlapOf } from '../../results/derive/index.ts';
import type {
  BlockRecord,
  BlockRequest,
  CellRecord,
  Failure,
  LaunchRecord,
  RunPlan,
  RunRecord,
} from '../../results/schema/index.ts';
import type { RunWriter } from '../../results/store/types.ts';
import type { SetLog } from '../session/sets.ts';

/**
 * A set of ranks (pair or ring) and its results over one transport. `requests`: blocks to measure. Before the measurement `blocks`
 * is empty, `launch` and `failure` are null.
 */
export interface RankSetResult {
  /** Index of the set among all sets of the run. */
  index: number;
  name: string;
  /** Ranks of the set, numbered as in the whole plan. */
  ranks: readonly number[];
  /** Plan that has only the ranks of this set. */
  plan: RunPlan;
  requests: readonly BlockRequest[];
  /**
   * Measured blocks of the set. Their numbers count from 0 over all sets of the round; `group.index` is the set's index among the
   * sets measured at the same time.
   */
  blocks: readonly BlockRecord[];
  launch: LaunchRecord | null;
  failure: Failure | null;
}

/**
 * Stores the results of sets of ranks in the run folder: every block, launch and log line, and one result (cell) per set and
 * point, also for sets that were not measured. Launches are added to `record`, which the caller stores.
 */
export class SetRecorder {
  readonly cells: CellRecord[] = [];
  private readonly rule: string;
  private readonly record: RunRecord;
  private readonly writer: RunWriter;
  private blocks = 0;

  /**
   * @param rule name of the kind of run that chose the sets, stored with each result: "pairs" or "search"
   * @param writer open run folder; the caller closes it
   */
  constructor(rule: string, record: RunRecord, writer: RunWriter) {
    this.rule = rule;
    this.record = record;
    this.writer = writer;
  }

  /**
   * Stores the results of sets that were measured at the same time: appends blocks and results (cells) to the files of the run,
   * and adds launches to the record.
   * @returns the results (cells) of each set, in the order of `sets`; within a set in the order of its requests
   * @throws StoreError if the disk cannot be written
   */
  async addRound(sets: readonly RankSetResult[]): Promise<CellRecord[][]> {
    const all = sets.flatMap(({ blocks }) => blocks);
    const began = this.blocks;
    for (const { index, ranks, launch, blocks } of sets) {
      if (launch !== null) this.record.launches.push(inRun(launch, index, ranks));
      for (const block of blocks) {
        const group =
          block.group === undefined
            ? {}
            : { group: { ...block.group, index, round: began + block.group.round } };
        await this.writer.appendBlock({ ...block, block: began + block.block, ...group });
        this.blocks = Math.max(this.blocks, began + block.block + 1);
      }
    }
    const cells: CellRecord[][] = [];
    for (const [place, set] of sets.entries()) {
      const mine: CellRecord[] = [];
      for (const request of set.requests)
        mine.push(await this.keep(set, cellOf(set, request, place, sets.length, all)));
      cells.push(mine);
    }
    return cells;
  }

  async log({ level, host, rank, text }: SetLog): Promise<void> {
    const who = rank === null ? host : `${host} rank ${rank}`;
    await this.writer.appendLog('session.log', `${level} ${who}: ${text}`);
  }

  /**
   * Stores results without values, of status `skipped`, for all points of a set that is not measured.
   * @param reason why the set is not measured; stored in each result
   * @throws StoreError if the disk cannot be written
   */
  async skip(set: RankSetResult, reason: string): Promise<void> {
    for (const { point, transport } of set.requests)
      await this.keep(set, missingCell(set.plan, point, transport, 'skipped', reason));
  }

  /**
   * Writes the file of results (cells) again at the end of the run, in the order in which results were added.
   * @throws StoreError if the disk cannot be written
   */
  async conclude(): Promise<void> {
    await this.writer.replaceCells(this.cells);
  }

  private async keep(set: RankSetResult, cell: CellRecord): Promise<CellRecord> {
    const { index, name, ranks } = set;
    const group = { rule: this.rule, index, name, ranks: [...ranks] };
    const named: CellRecord = { ...cell, id: `${cell.id}/${this.rule}/${index}`, group };
    await this.writer.appendCell(named);
    this.cells.push(named);
    return named;
  }
}

/**
 * Returns the launch record with ranks numbered as in the run. A session that measured one set alone numbers its ranks
 * from 0; a fleet already uses the numbers of the run.
 * @param index index of the set among all sets of the run
 * @param ranks ranks of the set, numbered as in the run
 */
function inRun(launch: LaunchRecord, index: number, ranks: readonly number[]): LaunchRecord {
  if (launch.group !== undefined) return { ...launch, group: index };
  const numbered = launch.ranks.map((one) => ({ ...one, rank: ranks[one.rank] ?? one.rank }));
  return { ...launch, group: index, ranks: numbered };
}

/**
 * Returns the result (cell) of a set for one point. Without a block its status is `aborted` (if interrupted) or `failed`, with the
 * reason. If several sets were measured at the same time, it has the share of time in which all of them measured (overlap).
 * @param place index of the set among the sets measured at the same time
 * @param sets number of sets measured at the same time
 * @param all blocks of all sets that were measured at the same time
 */
function cellOf(
  { plan, blocks, failure }: RankSetResult,
  { point, transport }: BlockRequest,
  place: number,
  sets: number,
  all: readonly BlockRecord[],
): CellRecord {
  const isMine = (block: BlockRecord) => block.point === point && block.transport === transport;
  const own = blocks.filter(isMine);
  if (own.length === 0) {
    const why = failure === null ? 'nothing was measured' : failure.message;
    return missingCell(plan, point, transport, failure?.kind === 'interrupted' ? 'aborted' : 'failed', why);
  }
  const beside = all.filter((block) => isMine(block) && !own.includes(block));
  const cell = deriveCell(plan, point, transport, own, [], beside);
  return cell.status === 'ok' && sets > 1
    ? { ...cell, overlap: overlapOf(place, sets, all.filter(isMine)) }
    : cell;
}
