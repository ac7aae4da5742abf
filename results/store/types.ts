import type { MetricsSeries } from '../derive/index.ts';
import type {
  BlockRecord,
  CellRecord,
  HistoryLine,
  MetricsLine,
  RunRecord,
  SuiteMembership,
} from '../schema/index.ts';
import type { Topology } from '../topology/index.ts';

export interface FolderOptions {
  /** Folder in which runs are created; absent = `collbench-runs` in the working directory. */
  root?: string;
  /** Folder to write to, instead of a new one with a generated name. It is created, or must be empty. */
  out?: string;
}

/**
 * A run directory that is open for writing. Each append is a single write() of a whole line, so that the line survives a kill -9.
 * If writing fails, the promise of a call rejects with a StoreError (full, unwritable, write). The caller must call close(), which
 * closes the files and releases the lock of the run.
 */
export interface RunWriter {
  readonly dir: string;
  appendBlock(block: BlockRecord): Promise<void>;
  appendCell(cell: CellRecord): Promise<void>;
  /** Replaces cells.ndjson atomically by the final results. appendCell() must not be called afterwards. */
  replaceCells(cells: readonly CellRecord[]): Promise<void>;
  /**
   * Adds text to `logs/<name>`, with a newline at its end if it has none. Calls must not overlap.
   * @returns path of the file relative to the run's folder: characters unsuitable for file names are replaced
   */
  appendLog(name: string, text: string): Promise<string>;
  /**
   * Adds lines to the metrics file of a host: load readings (CPU, GPU, network). The caller passes the header as the first line of
   * the host in each attempt.
   */
  appendMetrics(host: string, lines: readonly MetricsLine[]): Promise<void>;
  /**
   * Sets the number of the current attempt (0 = first start). Load readings that are appended later go into separate files with
   * this number.
   */
  beginAttempt(attempt: number): void;
  /**
   * Writes the hardware description (`results/machine`) of each host, by host name, to machines.json. An older file is replaced.
   */
  writeMachines(machines: Readonly<Record<string, object>>): Promise<void>;
  /** Rewrites run.json atomically. */
  update(record: RunRecord): Promise<void>;
  close(): Promise<void>;
}

/**
 * Load readings (CPU, GPU, network) of one host during one attempt of a run: its first start, or a resumption or retry. Each call of
 * `lines()` reads the file from disk again; its iteration rejects with a StoreError (broken, newer).
 */
export interface HostMetrics extends MetricsSeries {
  /** Path of the metrics file, relative to the run's folder. */
  file: string;
  /**
   * Problems that were tolerated while reading, such as an incomplete last line; one sentence each. Complete after `lines` was
   * read to its end.
   */
  warnings: string[];
}

/** Size and modification time of a run.json. If either differs from the values stored in the index, the run is read again. */
export type RecordStamp = HistoryLine['record'];

/** A stored run: its record and results in memory; samples and load readings are read from its folder when asked for. */
export interface LoadedRun {
  dir: string;
  record: RunRecord;
  /** Size and modification time of the run.json that was read. */
  stamp: RecordStamp;
  /**
   * The valid (last stored) result of each configuration, in the order of the plan: by point, then by transport, then by group of
   * ranks. Of `collbench pairs`: in the order of its sets.
   */
  cells: CellRecord[];
  /**
   * Problems that were tolerated, one sentence each: an incomplete last line, results that were computed from samples because the
   * run ended too early, a run without end.
   */
  warnings: string[];
  /**
   * Reads the blocks of samples from which the present results were computed, in the order in which they were stored. With `all`,
   * also those that a resumed or repeated measurement replaced. Each call reads the file from disk again; without a file it yields
   * nothing.
   * @throws StoreError broken, newer; the iteration rejects
   */
  blocks(which?: 'all'): AsyncIterable<BlockRecord>;
  /**
   * Opens the files with load readings (CPU, GPU, network), one per host and attempt; [] if there are none.
   * @throws StoreError broken, newer
   */
  metrics(): Promise<HostMetrics[]>;
  /** Reads the hardware topology of each host from machines.json; [] if the run did not store it. @throws StoreError broken */
  topologies(): Promise<Topology[]>;
}

/**
 * One run as `collbench runs` lists it. If the run cannot be read, `startedAt` is '', both numbers of configurations are null, and
 * `title` is the name of its folder. `cellsMeasured`: configurations with a result; `cellsExpected`: those of the plan.
 */
export interface RunEntry {
  dir: string;
  id: string;
  title: string;
  startedAt: string;
  label: string | null;
  tags: Readonly<Record<string, string>>;
  notes: readonly string[];
  state: RunRecord['state'] | 'unreadable';
  /**
   * The suite (set of runs that one file defines) for which the run was measured; null = no suite, or the run cannot be read.
   * `arm`: "anchor" for the reference build, otherwise "tonight". `pass`: "again" for a second measurement of the entry, otherwise
   * "first".
   */
  suite: Pick<SuiteMembership, 'id' | 'name' | 'folder' | 'entry' | 'arm' | 'pass'> | null;
  cellsMeasured: number | null;
  cellsExpected: number | null;
  /** Reason why the run cannot be read; null if it can. */
  problem: string | null;
}
