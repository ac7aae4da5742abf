// The runs of `collbench tune`: one for each collective and number of ranks, kept as any run.
import type { LoadedRun } from '../../results/store/index.ts';
import { openRun } from '../../results/store/index.ts';
import { type ExitCode, exitCode } from '../../results/verdicts/exit-code.ts';
import type { MeasureOptions } from '../engines/index.ts';
import { InterruptHandler } from '../running/interrupt.ts';
import { progressOutput, type RunTools } from '../running/output.ts';
import { measurePlan, withPrepared } from '../running/run.ts';

export interface TuneRun {
  collective: string;
  ranks: number;
  options: MeasureOptions;
  /** As typed, for the plan. */
  words: readonly string[];
}

export interface TuneScreen {
  note(text: string): void;
  /** Counted from 0; share of it that is done, 0 to 1. */
  progress(run: number, share: number): void;
  /** It is kept, whatever its code. */
  ended(run: TuneRun, dir: string, code: ExitCode): void;
}

/** @returns the runs that were measured in full, and the code of the one that ended it early */
export async function measureForTuning(
  asked: readonly TuneRun[],
  root: string,
  tools: RunTools,
  screen: TuneScreen,
): Promise<{ runs: LoadedRun[]; code: ExitCode }> {
  const runs: LoadedRun[] = [];
  // Between runs, too, Ctrl-C is an end that names what is kept.
  const interrupt = new InterruptHandler();
  const one = async (wanted: TuneRun, index: number): Promise<ExitCode> =>
    withPrepared(wanted.collective, wanted.options, wanted.words, async (prepared, nodes) => {
      if (interrupt.signal.aborted) return exitCode.interrupted;
      const output = progressOutput({
        note: screen.note,
        progress: (share) => screen.progress(index, share),
      });
      const how = { root, tools, outputsFor: () => ({ outputs: [output] }), report: false };
      const measured = await measurePlan(prepared, nodes, how);
      screen.ended(wanted, measured.dir, measured.exitCode);
      if (measured.exitCode === exitCode.ok) runs.push(await openRun(measured.dir));
      return measured.exitCode;
    });
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
