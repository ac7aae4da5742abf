import type { CellRecord, RunRecord } from '../../results/schema/index.ts';
import type { LoadedRun } from '../../results/store/index.ts';
import type { SessionOptions } from '../session/session.ts';

/** Measurements of a size in a launch. */
export interface MeasurementProgress {
  done: number;
  total: number;
}

/** LaunchContext a run is told while it goes on: table, JSON lines, a file. */
export interface RunOutput {
  begin(): void;
  /** A cell is finished; `row` has all cells of its point once the last of them is. */
  cell(cell: CellRecord, row: readonly CellRecord[] | null): void;
  /** The first blocks of a point have been measured: its row, without intervals. Absent = nobody wants it so soon. */
  early?(point: number, row: readonly CellRecord[]): void;
  /** Something worth a line for people. */
  note(text: string): void;
  /** The run is now thought to take so long in all, s: much more or less than the plan said. */
  estimate?(wholeS: number): void;
  /**
   * Seconds to go, null while nothing can be said, the share of the time that is over, 0 to 1, and what was measured just now:
   * "launch 2, 1 MiB"; and the measurements of a size in a launch, those that are over and all.
   */
  progress(leftS: number | null, share: number, measured?: string, visits?: MeasurementProgress): void;
  end(cells: readonly CellRecord[], record: RunRecord, dir: string, report: string | null): void;
  /** How it compares with the last run of its kind, one line. Absent = nobody reads it. */
  last?(text: string): void;
}

/** Only what is worth a line, and how far it is. */
export interface RunListener {
  note(text: string): void;
  /** Share of the run that is over, 0 to 1. */
  progress(share: number): void;
}

/** For a run that is one of several. */
export const progressOutput = ({ note, progress }: RunListener): RunOutput => ({
  begin: () => progress(0),
  cell: () => undefined,
  note,
  progress: (_, share) => progress(share),
  end: () => undefined,
});

/** Several as one. */
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

/** A run at its end. */
export interface RunResult {
  record: RunRecord;
  cells: readonly CellRecord[];
  dir: string;
}

/** What driving a run needs from rooms that it may not know: reports, and ranks that are threads of this process. */
export interface RunTools {
  /** @param found by a search, in words */
  summarise(run: RunResult, found?: readonly string[]): Promise<NonNullable<RunRecord['summary']>>;
  /** @returns path of the page */
  report(run: LoadedRun): Promise<string>;
  /** How it compares with the last run of its kind on these hosts; "" where there was none. */
  versusLast(run: LoadedRun): Promise<string>;
  /** Last words, after outputs have told the end. */
  finish(ended: RunResult): Promise<void>;
  inProcess(): Promise<Pick<SessionOptions, 'openLaunch' | 'openSampler'>>;
}
