import { interpolateTime, type StepTimes, stepTimes } from '../../results/models/step.ts';
import { type CollectiveName, groupsOfJob, type Job } from '../../results/schema/index.ts';
import { type DocumentBlock, tableOf } from '../document/blocks.ts';
import { terminalText } from '../document/terminal.ts';
import { sizePointsOf } from '../models.ts';
import type { Series, SeriesGroup } from '../series.ts';
import { formatTime, joinWords, wrap } from '../wording.ts';

/**
 * Predicted time of one training step of a job (list of computations and collectives) over one transport, in ns. `predicted` uses
 * the measured times of the collectives; `lowNs` and `highNs` use the lower and the upper ends of their intervals.
 */
export interface PredictedStep {
  job: string;
  transport: string;
  medium: Series['medium'];
  predicted: StepTimes;
  lowNs: number;
  highNs: number;
  /** Collectives of the job that the run did not measure over this transport. The prediction counts them as 0. */
  missing: CollectiveName[];
}

const hasGroups = ({ items }: Job): boolean => groupsOfJob(items).length > 0;

/**
 * Predicts the duration of a job's training step over each transport, from measured times of its collectives. If a collective was
 * measured in several series over a transport, the first series is used. Series of groups of ranks are not used, because they do
 * not describe a job. A transport over which none of the job's collectives was measured is left out.
 */
export function predictedSteps(groups: readonly SeriesGroup[], job: Job): PredictedStep[] {
  const curves = new Map<string, { series: Series; byWhat: Map<string, ReturnType<typeof sizePointsOf>> }>();
  for (const group of groups.filter(({ isMerged, x }) => isMerged !== true && x.unit === 'B'))
    for (const series of group.series.filter(({ member }) => member === null)) {
      const found = curves.get(series.key) ?? { series, byWhat: new Map() };
      if (!found.byWhat.has(group.what)) found.byWhat.set(group.what, sizePointsOf(group, series));
      curves.set(series.key, found);
    }
  return [...curves.values()].flatMap(({ series, byWhat }): PredictedStep[] => {
    const asked = [...new Set(job.items.flatMap((item) => (item.do === 'call' ? [item.collective] : [])))];
    const missing = asked.filter((what) => (byWhat.get(what) ?? []).length === 0);
    if (missing.length === asked.length) return [];
    const times = (side: -1 | 0 | 1) =>
      stepTimes(
        job.items,
        ({ collective, bytes }) => interpolateTime(byWhat.get(collective) ?? [], bytes, side) ?? 0,
      );
    return [
      {
        job: job.name,
        transport: series.name,
        medium: series.medium,
        predicted: times(0),
        lowNs: times(-1).stepNs,
        highNs: times(1).stepNs,
        missing,
      },
    ];
  });
}

/**
 * Returns predicted times of training steps as text, with one table per job (recorded or imitated training program). There is no
 * prediction for a job whose groups of ranks work at the same time, or of which no collective was measured.
 * @param columns width of the terminal in characters
 */
export function stepModelText(groups: readonly SeriesGroup[], jobs: readonly Job[], columns: number): string {
  const lead =
    'All of this is model: measured times of collectives alone, put beside the computations of the job. What the two take from each other is left out; collbench replay measures it.';
  const parts = jobs.flatMap((job) => ['', terminalText(jobBlocks(groups, job), { columns, color: false })]);
  return `${[...wrap(lead, columns, '  '), ...parts].join('\n').trimEnd()}\n`;
}

function jobBlocks(groups: readonly SeriesGroup[], job: Job): DocumentBlock[] {
  const computeNs = stepTimes(job.items, () => 0).stepNs;
  const paragraph = (text: string): DocumentBlock => ({ kind: 'paragraph', text });
  const head = paragraph(`step of ${job.name} (${job.source}): computations alone ${formatTime(computeNs)}`);
  if (hasGroups(job))
    return [
      head,
      paragraph('no prediction: its groups of ranks work at the same time (collbench replay shows it)'),
    ];
  const found = predictedSteps(groups, job);
  if (found.length === 0) return [head, paragraph('no prediction: the run has none of its collectives')];
  const missing = [...new Set(found.flatMap((one) => one.missing))];
  const table = tableOf<PredictedStep>(
    [
      { head: 'over', cell: ({ transport }) => transport },
      { head: 'step', quantity: 'ns', cell: ({ predicted }) => predicted.stepNs },
      { head: 'from', quantity: 'ns', cell: ({ lowNs }) => lowNs },
      { head: 'to', quantity: 'ns', cell: ({ highNs }) => highNs },
      { head: 'exposed', quantity: 'ns', cell: ({ predicted }) => predicted.exposedNs },
      { head: 'collectives', quantity: 'ns', cell: ({ predicted }) => predicted.collectivesNs },
      {
        head: 'hidden',
        quantity: 'share',
        cell: ({ predicted: { collectivesNs, exposedNs } }) =>
          collectivesNs > 0 ? 1 - exposedNs / collectivesNs : null,
      },
    ],
    found,
  );
  const omitted = `left out, because the run has not measured them: ${joinWords(missing)}`;
  return [head, table, ...(missing.length === 0 ? [] : [paragraph(omitted)])];
}
