import type {
  BlockRecord,
  CellRecord,
  MetricsHeader,
  MetricsLine,
  MetricsTick,
  RunRecord,
  SuiteMembership,
} from '../schema/index.ts';
import type { Topology } from '../topology/index.ts';

/** A run directory being written. Every append is one write() of one line: what was appended survives a kill -9. */
export interface RunWriter {
  readonly dir: string;
  appendBlock(block: BlockRecord): Promise<void>;
  appendCell(cell: CellRecord): Promise<void>;
  /** Rewrites cells.ndjson atomically with the final cells; nothing is appended afterwards. */
  replaceCells(cells: readonly CellRecord[]): Promise<void>;
  /**
   * Adds text to `logs/<name>`; a newline is added where it is missing. Calls must not overlap.
   * @returns path of the file in the run's folder: characters that file names should not have are replaced
   */
  appendLog(name: string, text: string): Promise<string>;
  /** Adds to the metrics of a host; the first line must be its header. */
  appendMetrics(host: string, lines: readonly MetricsLine[]): Promise<void>;
  /** Readings from now on are of this attempt, in files of their own. */
  beginAttempt(attempt: number): void;
  /** Keeps what the machines of the run are made of: `results/machine` by host. */
  writeMachines(machines: Readonly<Record<string, object>>): Promise<void>;
  /** Rewrites run.json atomically. */
  update(record: RunRecord): Promise<void>;
  close(): Promise<void>;
}

/** What one host did during one start of a run. */
export interface HostMetrics {
  /** Relative to the run's folder. */
  file: string;
  header: MetricsHeader;
  /**
   * In the order of time, read from disk as they are asked for; may be asked for again.
   * @throws StoreError broken
   */
  lines(): AsyncIterable<MetricsTick | Exclude<MetricsLine, MetricsHeader>>;
  /** What was tolerated while reading: a torn last line. One sentence each, once `lines` has been read. */
  warnings: string[];
}

/** Size and time of change of a run.json: a run is read again when either differs from its line in the index. */
export interface RecordStamp {
  bytes: number;
  mtimeMs: number;
}

/** A run directory as read. */
export interface LoadedRun {
  dir: string;
  record: RunRecord;
  /** Of the run.json that was read. */
  stamp: RecordStamp;
  /** The last line of each cell, in the order of the plan (points, then transports). */
  cells: CellRecord[];
  /** What was found wrong and tolerated: torn last lines, cells derived anew. One sentence each. */
  warnings: string[];
  /** Those in use: of a cell that was measured anew, the blocks of its last attempt. `all` gives the superseded ones too. */
  blocks(which?: 'all'): AsyncIterable<BlockRecord>;
  /** By host, then start; empty where nothing was sampled. @throws StoreError broken, newer */
  metrics(): Promise<HostMetrics[]>;
  /** How machines are connected, by host; empty where the run did not keep it. @throws StoreError broken */
  topologies(): Promise<Topology[]>;
}

/** One row of `collbench runs`. */
export interface RunEntry {
  dir: string;
  id: string;
  title: string;
  startedAt: string;
  label: string | null;
  tags: Readonly<Record<string, string>>;
  notes: readonly string[];
  state: RunRecord['state'] | 'unreadable';
  /** The suite it was measured for; null = none. */
  suite: Pick<SuiteMembership, 'id' | 'name' | 'folder' | 'entry' | 'arm' | 'pass'> | null;
  cellsMeasured: number | null;
  cellsExpected: number | null;
  /** Why it cannot be read; null where it can. */
  problem: string | null;
}
