// Runs the same command several times, and stores each as a normal run.
import { openRun } from '../../results/store/read.ts';
import type { LoadedRun } from '../../results/store/types.ts';
import { type ExitCode, exitCode } from '../../results/verdicts/exit-code.ts';
import type { RequestedRun } from '../preparing/prepare.ts';
import { measureOneRun } from './one-run.ts';
import type { RunTools } from './output.ts';

export interface EqualRunsInput extends RequestedRun {
  root: string;
  tools: RunTools;
  note(text: string): void;
  /**
   * Reports progress of one run of the series. @param run index of the run, from 0 @param share finished share of the
   * run, 0 to 1
   */
  progress(run: number, share: number): void;
}

/**
 * Measures one run.
 * @returns the stored run and exit code 0; null and the exit code if the run was not measured completely, or its data are wrong
 * @throws Refusal, FailureError and StoreError as measureOneRun() does
 */
async function measureOne(
  { root, tools, note, progress, ...requested }: EqualRunsInput,
  index: number,
): Promise<{ run: LoadedRun | null; code: ExitCode }> {
  const { dir, exitCode: code } = await measureOneRun(
    requested,
    { root, tools },
    {
      ...{ note, progress: (share) => progress(index, share) },
      prepared: (notes) => {
        if (index === 0) for (const text of notes) note(text);
      },
    },
  );
  return { run: code === exitCode.ok ? await openRun(dir) : null, code };
}

/**
 * Measures pairs of equal runs A and B, in the order A B, B A, A B, ..., so that a drift of the machine affects A and B alike.
 * Each is stored as a run.
 * @param pairs number of pairs
 * @returns complete pairs [A, B], and 0; if a run failed and so ended the series early, its exit code
 * @throws Refusal, FailureError and StoreError as measureOneRun() does
 */
export async function equalRuns(
  input: EqualRunsInput,
  pairs: number,
): Promise<{ pairs: [LoadedRun, LoadedRun][]; code: ExitCode }> {
  const done: [LoadedRun, LoadedRun][] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    const first = await measureOne(input, 2 * pair);
    if (first.run === null) return { pairs: done, code: first.code };
    const second = await measureOne(input, 2 * pair + 1);
    if (second.run === null) return { pairs: done, code: second.code };
    done.push(pair % 2 === 0 ? [first.run, second.run] : [second.run, first.run]);
  }
  return { pairs: done, code: exitCode.ok };
}
