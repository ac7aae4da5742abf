import type { CellRecord, RunRecord } from '../../results/schema/index.ts';
import type { LoadedRun } from '../../results/store/types.ts';
import type { SessionOptions } from '../session/session.ts';

/**
 * Numbers of finished (`done`) and planned (`total`) measurements. With fixed counts of samples a measurement is one block. With
 * adaptive sampling it is one slot (one point in one launch, over all transports), and slots may be added during the run.
 */
export interface MeasurementProgress {
  done: number;
  total: number;
}

/**
 * Receives the events of a run and shows or writes them: as a table, as JSON lines, in a file. begin() is called first. At the end,
 * end() is called with the folder of the run and the path of its report (null = none), and then `last`.
 */
export interface RunOutput {
  begin(): void;
  /**
   * Called when a configuration (a point over one transport, with groups once per group) is finished or given up. If it is the
   * last configuration of its point, `row` has the results of all transports and groups of ranks at this point; otherwise `row` is
   * null.
   */
  cell(cell: CellRecord, row: readonly CellRecord[] | null): void;
  /**
   * Called when the first samples of a point over one more transport are measured; `row` has provisional results of all transports
   * so far, without confidence intervals. Absent = results are shown only when they are final.
   */
  early?(point: number, row: readonly CellRecord[]): void;
  /** Shows a line of text, such as a warning, to the user; given without newline. */
  note(text: string): void;
  /**
   * Called at most once, with a new estimate of the run's total seconds, if it differs from the plan's estimate by a factor of at
   * least 1.4.
   */
  estimate?(wholeS: number): void;
  /**
   * Reports progress.
   * @param leftS estimated seconds to the end of the run; null while unknown
   * @param share elapsed share of the estimated duration, 0 to 1; it never falls, although estimates change
   * @param measured text about what was measured last: "launch 2, 1 MiB"
   * @param visits counts of finished and planned measurements; absent = they are not counted
   */
  progress(leftS: number | null, share: number, measured?: string, visits?: MeasurementProgress): void;
  end(cells: readonly CellRecord[], record: RunRecord, dir: string, report: string | null): void;
  /**
   * Prints one line, given without newline, that compares the run with an earlier one (versusLast()). Absent = no such comparison
   * is made.
   */
  last?(text: string): void;
}

/**
 * Receives the notes and the progress of a run that is one of several, for example of a suite. It gets no results. Notes are
 * single lines without newline.
 */
export interface RunListener {
  note(text: string): void;
  /** Reports the elapsed share of the run's estimated duration, 0 to 1. */
  progress(share: number): void;
}

/**
 * Makes the output of a run that is one of several: passes notes and progress to the listener, and ignores all other events.
 */
export const progressOutput = ({ note, progress }: RunListener): RunOutput => ({
  begin: () => progress(0),
  cell: () => undefined,
  note,
  progress: (_, share) => progress(share),
  end: () => undefined,
});

/**
 * Combines several outputs into one that passes each event to all of them, in order. It has `early` only if one of them has
 * `early`; the same holds for `last`.
 */
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

/** A finished run with its results. `dir`: folder of the run. */
export interface RunResult {
  record: RunRecord;
  cells: readonly CellRecord[];
  dir: string;
}

/**
 * Functions from folders that orchestration may not import: reports, and the code that runs ranks as threads of this process
 * (`inProcess`).
 */
export interface RunTools {
  /**
   * Returns the summary of a run for run.json, which the caller stores.
   * @param found sentences about the result of a search, for the summary
   */
  summarise(run: RunResult, found?: readonly string[]): Promise<NonNullable<RunRecord['summary']>>;
  /** Writes the report of a run into its folder. @returns path of the report's page @throws StoreError if it cannot be written */
  report(run: LoadedRun): Promise<string>;
  /**
   * Returns one line that compares the run with the newest earlier run of an equal series on the same hosts; "" if there is none.
   * @throws StoreError if the store cannot be read
   */
  versusLast(run: LoadedRun): Promise<string>;
  /** Prints final lines, after all outputs have printed the end of the run. `ended` has only the results that are judged. */
  finish(ended: RunResult): Promise<void>;
  inProcess(): Promise<Pick<SessionOptions, 'openLaunch' | 'openSampler'>>;
}
