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

/** A run directory open for writing. Every append is one write() of one line, so that appended lines survive a kill -9. */
export interface RunWriter {
  readonly dir: string;
  appendBlock(block: BlockRecord): Promise<void>;
  appendCell(cell: CellRecord): Promise<void>;
  /** Rewrites cells.ndjson atomically with the final cells; nothing is appended afterwards. */
  replaceCells(cells: readonly CellRecord[]): Promise<void>;
  /**
   * Adds text to `logs/<name>`, with a newline at its end if it has none. Calls must not overlap.
   * @returns path of the file relative to the run's folder: characters unsuitable for file names are replaced
   */
  appendLog(name: string, text: string): Promise<string>;
  /** Adds lines to the metrics file of a host; the first line must be its header. */
  appendMetrics(host: string, lines: readonly MetricsLine[]): Promise<void>;
  /** Sets the number of the current attempt: later metrics go into separate files of this attempt. */
  beginAttempt(attempt: number): void;
  /** Writes the hardware description (`results/machine`) of each host, by host name. */
  writeMachines(machines: Readonly<Record<string, object>>): Promise<void>;
  /** Rewrites run.json atomically. */
  update(record: RunRecord): Promise<void>;
  close(): Promise<void>;
}

/** Metrics of one host during one start of a run. */
export interface HostMetrics {
  /** Path relative to the run's folder. */
  file: string;
  header: MetricsHeader;
  /**
   * Readings and other lines in the order of time. Each call reads the file from disk again.
   * @throws StoreError broken
   */
  lines(): AsyncIterable<MetricsTick | Exclude<MetricsLine, MetricsHeader>>;
  /**
   * Defects that were tolerated while reading, such as a torn last line: one sentence each. Complete once `lines` has been read.
   */
  warnings: string[];
}

/** Size and modification time of a run.json. A run is read again if either differs from the run's line in the index. */
export interface RecordStamp {
  bytes: number;
  mtimeMs: number;
}

/** A run read from its directory. */
export interface LoadedRun {
  dir: string;
  record: RunRecord;
  /** Size and modification time of the run.json that was read. */
  stamp: RecordStamp;
  /** The last line of each cell, in the order of the plan (points, then transports). */
  cells: CellRecord[];
  /** Defects that were tolerated: torn last lines, cells derived again from blocks. One sentence each. */
  warnings: string[];
  /** Blocks in use: of each cell, the blocks of its last attempt. With `all`, also the blocks that later attempts replace. */
  blocks(which?: 'all'): AsyncIterable<BlockRecord>;
  /** Metrics by host, then by attempt; empty if nothing was sampled. @throws StoreError broken, newer */
  metrics(): Promise<HostMetrics[]>;
  /** Hardware topology of each host; empty if the run did not store it. @throws StoreError broken */
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
  /** The suite for which the run was measured; null = no suite. */
  suite: Pick<SuiteMembership, 'id' | 'name' | 'folder' | 'entry' | 'arm' | 'pass'> | null;
  cellsMeasured: number | null;
  cellsExpected: number | null;
  /** Reason why the run cannot be read; null if it can. */
  problem: string | null;
}
