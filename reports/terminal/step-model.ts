import { interpolateTime, type StepTimes, sizePoints, stepTimes } from '../../results/models/index.ts';
import { type CollectiveName, groupsOfJob, type Job } from '../../results/schema/index.ts';
import type { Series, SeriesGroup } from '../series.ts';
import { formatPercent, formatTime, joinWords, wrap } from '../wording.ts';
import { column, headLine, line } from './columns.ts';

/**
 * Predicted duration of a job's training step over one transport. `lowNs` and `highNs` are predicted from the ends of the
 * intervals of the measured times.
 */
export interface PredictedStep {
  job: string;
  transport: string;
  medium: Series['medium'];
  predicted: StepTimes;
  lowNs: number;
  highNs: number;
  /** Collectives of the job that the run did not measure over this transport; the prediction leaves them out. */
  missing: CollectiveName[];
}

const hasGroups = ({ items }: Job): boolean => groupsOfJob(items).length > 0;

const pointsOf = ({ figure }: SeriesGroup, { slots }: Series) =>
  sizePoints(
    slots.flatMap(({ cell }) => (cell === null ? [] : [cell])),
    figure,
  );

/**
 * Predicts the duration of a job's training step over each transport, from measured times of its collectives. If a collective
 * was measured several times, its first series is used. Series of groups of ranks are not used, because they do not describe a
 * job.
 */
export function predictedSteps(groups: readonly SeriesGroup[], job: Job): PredictedStep[] {
  const curves = new Map<string, { series: Series; byWhat: Map<string, ReturnType<typeof pointsOf>> }>();
  for (const group of groups.filter(({ isMerged, x }) => isMerged !== true && x.unit === 'B'))
    for (const series of group.series.filter(({ member }) => member === null)) {
      const found = curves.get(series.key) ?? { series, byWhat: new Map() };
      if (!found.byWhat.has(group.what)) found.byWhat.set(group.what, pointsOf(group, series));
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

/** Returns the predicted training steps as text, with one table per job. */
export function stepModelText(groups: readonly SeriesGroup[], jobs: readonly Job[], width: number): string {
  const parts = jobs.flatMap((job) => {
    const found = hasGroups(job) ? [] : predictedSteps(groups, job);
    const computeNs = stepTimes(job.items, () => 0).stepNs;
    const head = wrap(
      `step of ${job.name} (${job.source}): computations alone ${formatTime(computeNs)}`,
      width,
      '  ',
    );
    if (hasGroups(job))
      return [
        ...head,
        '  no prediction: its groups of ranks work at the same time (collbench replay shows it)',
        '',
      ];
    if (found.length === 0) return [...head, '  no prediction: the run has none of its collectives', ''];
    const columns = [
      column('over', 'over', Math.max(4, ...found.map(({ transport }) => transport.length)), 'left'),
      column('step', 'step', 9),
      column('range', 'from', 9),
      column('to', 'to', 9),
      column('exposed', 'exposed', 9),
      column('all', 'collectives', 11),
      column('hidden', 'hidden', 7),
    ];
    const rows = found.map(
      ({ transport, predicted: { stepNs, exposedNs, collectivesNs }, lowNs, highNs }) => ({
        over: transport,
        step: formatTime(stepNs),
        range: formatTime(lowNs),
        to: formatTime(highNs),
        exposed: formatTime(exposedNs),
        all: formatTime(collectivesNs),
        hidden: collectivesNs > 0 ? formatPercent(1 - exposedNs / collectivesNs) : '-',
      }),
    );
    const missing = [...new Set(found.flatMap((one) => one.missing))];
    const left =
      missing.length === 0
        ? []
        : wrap(`left out, because the run has not measured them: ${joinWords(missing)}`, width, '  ');
    return [...head, headLine(columns), ...rows.map((row) => line(columns, row)), ...left, ''];
  });
  return `${[...wrap('All of this is model: measured times of collectives alone, put beside the computations of the job. What the two take from each other is left out; collbench replay measures it.', width, '  '), '', ...parts].join('\n').trimEnd()}\n`;
}
