import path from 'node:path';
import type { RunTools } from '../orchestration/running/output.ts';

/** What driving a run needs of the rooms that only bin knows; each is loaded when it is used. */
export const runTools: RunTools = {
  async summarise(run, found) {
    const { record, cells } = run;
    if (record.plan.pairs !== undefined)
      return (await import('../reports/pairs.ts')).pairsSummary(record.plan, cells, found);
    const { summarise } = await import('../reports/summary.ts');
    return summarise({ ...run, warnings: [] });
  },
  async report(run) {
    const { writeReport } = await import('../reports/html/index.ts');
    return (await writeReport([run], run.dir)).html;
  },
  async versusLast(run) {
    const { lastLike } = await import('../results/history/index.ts');
    const last = await lastLike(run);
    if (last === null) return '';
    const [{ compareRuns, separateRuns }, { calibrationFor }, { versusLastText }] = await Promise.all([
      import('../results/compare/index.ts'),
      import('../results/store/index.ts'),
      import('../reports/compared/versus-last.ts'),
    ]);
    const records = [last.record, run.record];
    const learned = await calibrationFor(path.dirname(path.resolve(run.dir)), records);
    const [pair] = compareRuns([last, run], separateRuns(learned, records)).pairs;
    return pair === undefined ? '' : versusLastText(last.record, pair);
  },
  async finish({ record, cells, dir }) {
    const { lastWords } = await import('../reports/last-words.ts');
    process.stderr.write(lastWords(record, cells, dir));
  },
  async inProcess() {
    const [{ InProcessLaunch }, { openInProcessSampler }] = await Promise.all([
      import('../native/addon/in-process.ts'),
      import('../native/addon/in-process-sampler.ts'),
    ]);
    return {
      openLaunch: (request, signal) => InProcessLaunch.open(request, signal),
      openSampler: openInProcessSampler,
    };
  },
};
