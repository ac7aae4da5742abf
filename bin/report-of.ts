// Writes a report together with the stored runs that it compares its run with.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type ReportFiles, writeReport } from '../reports/html/write.ts';
import type { ReportRun } from '../reports/series.ts';
import { backgroundOf, emptyBackground } from '../results/background.ts';
import { pictureOf, recordFolder } from '../results/record/index.ts';
import { explanationsOf } from '../results/store/findings.ts';
import type { LoadedRun } from '../results/store/types.ts';
import { shownExplanation } from './finding.ts';

/**
 * Writes report.html and its figures to a folder; older files of these names are replaced. The report of a single run also compares
 * it with the newest earlier run that measured one of its series on the same hosts, and with shipped reference results. Several
 * runs are compared only with each other.
 * @returns paths of the page and of the figures
 * @throws StoreError if the folder cannot be written
 */
export async function reportOf(runs: readonly LoadedRun[], outDir: string): Promise<ReportFiles> {
  const [only, ...others] = runs;
  const isAlone = only !== undefined && others.length === 0;
  return writeReport(runs.map(withRecords), outDir, isAlone ? await backgroundOf(only) : emptyBackground);
}

/**
 * Adds what the report of a run shows besides its results: for a run of `collbench record` the timeline of calls, otherwise the
 * newest explanation.
 */
function withRecords(run: LoadedRun): ReportRun {
  const folder = path.join(run.dir, recordFolder);
  if (run.record.plan.imported?.format === 'record' && existsSync(folder))
    return { ...run, recorded: () => pictureOf(folder) };
  return {
    ...run,
    explanation: async () => {
      const newest = (await explanationsOf(run.record, path.dirname(run.dir))).at(-1);
      return newest === undefined ? null : shownExplanation(newest);
    },
  };
}
