import { predict } from '../../results/models/index.ts';
import { transportRow, trialOf } from '../../results/schema/index.ts';
import { modelSentences, modelsOf, reasonText, type SeriesWithModel } from '../models.ts';
import type { SeriesGroup } from '../series.ts';
import { formatBandwidth, formatTime, wrap } from '../wording.ts';
import { column, headLine, line } from './columns.ts';

/**
 * Returns the models of a run for a terminal: one sentence per series, and the line segments of its model. If `ranks` is not
 * null, predictions for that rank count replace the segments.
 */
export function modelText(groups: readonly SeriesGroup[], width: number, ranks: number | null): string {
  const all = groups.flatMap(modelsOf);
  if (all.length === 0) return 'No series has the four sizes that a model needs.\n';
  const lines = modelSentences(groups).flatMap((sentence, i) => {
    const modelled = all[i];
    if (modelled === undefined) return [];
    const below = ranks === null ? lineRows(modelled) : predictionRows(modelled, ranks, width);
    return [...wrap(`${sentence}.`, width, '  '), ...below, ''];
  });
  return `${['All of this is model; nothing of it was measured.', '', ...lines].join('\n').trimEnd()}\n`;
}

function lineRows({ model, group: { x } }: SeriesWithModel): string[] {
  if (model.status === 'none') return [];
  const columns = [
    column('from', 'from', 8),
    column('to', 'to', 8),
    column('alpha', 'alpha', 9),
    column('rate', '1/beta', 9),
    column('change', 'the engine changed', 30, 'left'),
  ];
  const rows = model.segments.map((segment, i) => ({
    from: x.short(segment.firstBytes),
    to: x.short(segment.lastBytes),
    alpha: formatTime(segment.alphaNs),
    rate: segment.nsPerByte > 0 ? formatBandwidth(1 / segment.nsPerByte) : '-',
    change: model.breaks[i - 1]?.choice ?? '',
  }));
  return [headLine(columns), ...rows.map((row) => line(columns, row))];
}

/**
 * Returns the times that predict() computes for one series at another rank count. If no prediction is possible, `status` is
 * `none` and `reason` says why.
 */
export function predictionOf({ group, series, points, model }: SeriesWithModel, ranks: number) {
  if (model.status === 'none') return { status: 'none' as const, reason: reasonText(model, group) };
  const { hosts } = series.run.plan;
  return predict({
    what: group.what,
    model,
    points,
    fromRanks: series.member?.ranks.length ?? series.run.plan.ranks,
    toRanks: ranks,
    // Only GPUs with NVLink have links of their own; other ranks of one host share its memory.
    isShared: hosts.length === 1 && transportRow(series.transport)?.gpuLinks !== 'nvlink',
  });
}

function predictionRows(modelled: SeriesWithModel, ranks: number, width: number): string[] {
  const found = predictionOf(modelled, ranks);
  const { x } = modelled.group;
  if (found.status === 'none') return wrap(`no prediction for ${ranks} ranks: ${found.reason}`, width, '  ');
  const columns = [
    column('size', x.noun, 8),
    column('low', 'from', 10),
    column('high', `to, ${ranks} ranks`, 16),
  ];
  return [
    headLine(columns),
    ...found.at.map(({ bytes, lowNs, highNs }) =>
      line(columns, { size: x.short(bytes), low: formatTime(lowNs), high: formatTime(highNs) }),
    ),
    ...(found.missing === null ? [] : wrap(`other sizes: ${found.missing}`, width, '  ')),
  ];
}

/** Returns the model of each series as an object for --json. @param ranks rank count for a prediction; null = no prediction */
export function modelObjects(groups: readonly SeriesGroup[], ranks: number | null): object[] {
  return groups.flatMap(modelsOf).map((modelled) => {
    const { group, series, model, ceiling } = modelled;
    const { engine } = series.run.plan;
    const name = {
      run: series.run.id,
      series: group.title,
      trial: trialOf(group.row, group.figure),
      engine,
      transport: series.transport,
    };
    const prediction = ranks === null ? {} : { predicted: { ranks, ...predictionOf(modelled, ranks) } };
    return {
      type: 'model',
      ...name,
      medium: series.medium,
      group: series.member?.name ?? null,
      ceiling,
      ...model,
      ...prediction,
    };
  });
}
