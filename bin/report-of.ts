// A report with what its run is judged by.

import { type WrittenReport, writeReport } from '../reports/html/index.ts';
import { backgroundOf, noBackground } from '../results/background.ts';
import type { LoadedRun } from '../results/store/index.ts';

/** Several runs are compared with each other, and with nothing else. */
export async function reportOf(runs: readonly LoadedRun[], outDir: string): Promise<WrittenReport> {
  const [only, ...others] = runs;
  const isAlone = only !== undefined && others.length === 0;
  return writeReport(runs, outDir, isAlone ? await backgroundOf(only) : noBackground);
}
