import type { CellRecord, RunRecord } from '../../results/schema/index.ts';
import type { LoadedRun } from '../../results/store/index.ts';
import type { SessionOptions } from '../session/session.ts';

/** Number of measurements of one size in one launch: finished and planned. */
export interface MeasurementProgress {
  done: number;
  total: number;
}

/** Receives the events of a run and presents them: as a table, as JSON lines, in a file. */
export interface RunOutput {
  begin(): void;
  /** Called when a cell is finished; `row` has all cells of its point when the last one is finished, else null. */
  cell(cell: CellRecord, row: readonly CellRecord[] | null): void;
  /** Called when the first blocks of a point are measured, with its row, without intervals. Absent = early rows are not shown. */
  early?(point: number, row: readonly CellRecord[]): void;
  /** Prints a line of text. */
  note(text: string): void;
  /** New estimate of the run's total time in seconds, if it differs much from the plan's estimate. */
  estimate?(wholeS: number): void;
  /**
   * Reports progress.
   * @param leftS estimated seconds left, null while unknown
   * @param share share of the time that is over, 0 to 1
   * @param measured what was measured last: "launch 2, 1 MiB"
   */
  progress(leftS: number | null, share: number, measured?: string, visits?: MeasurementProgress): void;
  end(cells: readonly CellRecord[], record: RunRecord, dir: string, report: string | null): void;
  /** Prints one line that compares the run with the last similar run. Absent = the comparison is not made. */
  last?(text: string): void;
}

/** Receives only notes and progress of a run. */
export interface RunListener {
  note(text: string): void;
  /** Share of the run that is over, 0 to 1. */
  progress(share: number): void;
}

/** An output for a run that is one of several: passes on notes and progress, and drops the rest. */
export const progressOutput = ({ note, progress }: RunListener): RunOutput => ({
  begin: () => progress(0),
  cell: () => undefined,
  note,
  progress: (_, share) => progress(share),
  end: () => undefined,
});

/** Combines several outputs into one. */
export const combineOutputs = (outputs: readonly RunOutput[]): RunOutput => {
  const each = (say: (output: RunOutput) => void): void => {
    for (const output of outputs) say(output);
  };
  return {
    begin: () => each((one) => one.begin()),
    cell: (cell, row) => each((one) => one.cell(cell, row)),
    ...(outputs.some((one) => one.early !== undefined)
      ? { early: (point, row) => each((one) => one.early?.(point, row)) }
      : {}),
    note: (text) => each((one) => one.note(text)),
    estimate: (wholeS) => each((one) => one.estimate?.(wholeS)),
    progress: (leftS, share, measured, visits) => each((one) => one.progress(leftS, share, measured, visits)),
    end: (cells, record, dir, report) => each((one) => one.end(cells, record, dir, report)),
    ...(outputs.some((one) => one.last !== undefined)
      ? { last: (text) => each((one) => one.last?.(text)) }
      : {}),
  };
};

/** A finished run. */
export interface RunResult {
  record: RunRecord;
  cells: readonly CellRecord[];
  dir: string;
}

/** Functions that come from rooms which orchestration may not import: reports, and ranks that are threads of this process. */
export interface RunTools {
  /** Makes the summary of a run. @param found sentences about the result of a search */
  summarise(run: RunResult, found?: readonly string[]): Promise<NonNullable<RunRecord['summary']>>;
  /** Writes the report. @returns path of the page */
  report(run: LoadedRun): Promise<string>;
  /** One line that compares the run with the last similar run on these hosts; "" if there was none. */
  versusLast(run: LoadedRun): Promise<string>;
  /** Prints closing lines, after all outputs have printed the end of the run. */
  finish(ended: RunResult): Promise<void>;
  inProcess(): Promise<Pick<SessionOptions, 'openLaunch' | 'openSampler'>>;
}
