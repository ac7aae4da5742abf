import type { RunTools } from '../orchestration/running/output.ts';
import { formatDuration, plural } from '../results/units.ts';
import { usualBudgetS } from '../suites/planning/budget-plan.ts';
import { printMessage } from './terminal.ts';

/**
 * Functions of reports and of the native in-process ranks that orchestration needs. They are passed in from here, so that
 * orchestration does not import these rooms. Each function imports its module when it is called.
 */
export const runTools: RunTools = {
  async summarise(run, found) {
    const { record, cells } = run;
    if (record.plan.pairs !== undefined)
      return (await import('../reports/pairs.ts')).pairsSummary(record.plan, cells, found);
    const { summarise } = await import('../reports/summary.ts');
    return summarise(run);
  },
  async report(run) {
    const { reportOf } = await import('./report-of.ts');
    return (await reportOf([run], run.dir)).html;
  },
  async versusLast(run) {
    const { compareWithLast } = await import('../results/background.ts');
    const { versusLastText } = await import('../reports/comparison/versus-last.ts');
    const last = await compareWithLast(run);
    return last === null ? '' : versusLastText(last.run.record, last.pair);
  },
  async finish({ record, cells, dir }) {
    const { runEndText } = await import('../reports/run-end.ts');
    const text = runEndText(record, cells, dir).trimEnd();
    if (text !== '') printMessage(text);
  },
  async inProcess() {
    const { InProcessLaunch } = await import('../orchestration/in-process/in-process.ts');
    const { openInProcessSampler } = await import('../orchestration/in-process/in-process-sampler.ts');
    return {
      openLaunch: (request, signal) => InProcessLaunch.open(request, signal),
      openSampler: openInProcessSampler,
    };
  },
};

/**
 * Text about how long a command takes that measures several runs: "6 runs, at most about 2 min each: 12 min in all".
 * @param budgetS time budget of each run in seconds, as the user set it; null = the default
 */
export function durationOfRuns(runs: number, budgetS: number | null): string {
  const eachS = budgetS ?? usualBudgetS;
  return `${plural(runs, 'run')}, at most about ${formatDuration(eachS)} each: ${formatDuration(runs * eachS)} in all`;
}
