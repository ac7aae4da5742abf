// Runs for `collbench tune`: one per collective and number of ranks, each stored as a normal run.
import { openRun } from '../results/store/read.ts';
import type { LoadedRun } from '../results/store/types.ts';
import { type ExitCode, exitCode } from '../results/verdicts/exit-code.ts';
import type { RequestedRun } from './preparing/prepare.ts';
import { InterruptHandler } from './running/interrupt.ts';
import { measureOneRun } from './running/one-run.ts';
import type { RunTools } from './running/output.ts';

/**
 * A run of `collbench tune`, with its number of ranks. Its `words` are first those that tune adds, then those that the user typed.
 */
export interface TuneRun extends RequestedRun {
  ranks: number;
}

export interface TuneScreen {
  note(text: string): void;
  /** Reports progress of one run. @param run index of the run, from 0 @param share finished share of the run, 0 to 1 */
  progress(run: number, share: number): void;
  /**
   * Called when a run has ended and is stored, whatever its exit code is.
   * @param dir folder of the run
   */
  ended(run: TuneRun, dir: string, code: ExitCode): void;
}

/**
 * Measures all runs that a tuning table needs, and stops at the first run that does not end with exit code 0. Each is stored as a
 * run. The caller makes the table.
 * @param asked runs to measure, in order
 * @param root folder in which the runs are stored
 * @returns the complete runs, and the exit code: 0, that of the run that stopped the series, or `interrupted` after Ctrl-C between
 * two runs
 * @throws Refusal, FailureError and StoreError as measureOneRun() does
 */
export async function measureForTuning(
  asked: readonly TuneRun[],
  root: string,
  tools: RunTools,
  screen: TuneScreen,
): Promise<{ runs: LoadedRun[]; code: ExitCode }> {
  const runs: LoadedRun[] = [];
  // Ctrl-C between two runs also ends the command in order and names the stored runs.
  const interrupt = new InterruptHandler();
  const one = async (wanted: TuneRun, index: number): Promise<ExitCode> => {
    const progress = (share: number) => screen.progress(index, share);
    const measured = await measureOneRun(wanted, { root, tools }, { note: screen.note, progress });
    screen.ended(wanted, measured.dir, measured.exitCode);
    if (measured.exitCode === exitCode.ok) runs.push(await openRun(measured.dir));
    return measured.exitCode;
  };
  try {
    for (const [index, wanted] of asked.entries()) {
      const code = interrupt.signal.aborted ? exitCode.interrupted : await one(wanted, index);
      if (code !== exitCode.ok) return { runs, code };
    }
    return { runs, code: exitCode.ok };
  } finally {
    interrupt.release();
  }
}
