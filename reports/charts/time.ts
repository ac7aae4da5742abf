import { breakLabels } from './break-labels.ts';
import type { GroupChart } from './chart.ts';
import { aboutPoints, pointsOf, readingHint, trialPhrase, withoutDrawing } from './chart.ts';
import { modelHint, modelLines } from './model-lines.ts';
import { overX } from './over-x.ts';

/** Chart of time over x, both logarithmic (thesis figure 5.4). */
export const time: GroupChart = {
  id: 'time',
  draw(group) {
    const points = pointsOf(group);
    if (points.length === 0) return null;
    const rows = points.map(({ row }) => row);
    const { x } = group;
    const ticks = decades(points.flatMap((r) => [r.timeNs, r.lowNs ?? r.timeNs, r.highNs ?? r.timeNs]));
    return {
      name: `${group.key}-time`,
      title: `Time of ${group.title}`,
      caption: `The ${trialPhrase(group)} over ${x.title}; both axes are logarithmic. ${readingHint(group)}${modelHint(group)}`,
      rows: withoutDrawing(rows),
      points: aboutPoints(points, group),
      spec: (size) =>
        overX({
          x,
          rows,
          series: group.series,
          size,
          description: `Time of ${group.title} over ${x.title}`,
          y: {
            field: 'timeNs',
            low: 'lowNs',
            high: 'highNs',
            title: 'time (log scale)',
            scale: { type: 'log', domain: [ticks[0], ticks.at(-1)], nice: false },
            values: ticks,
            labelExpr: timeLabel,
          },
          extra: [
            ...modelLines(group, null),
            ...breakLabels(group, rows, { field: 'timeNs', isLog: true, domain: ticks }, size),
          ],
        }),
    };
  },
};

/**
 * Returns the consecutive powers of ten that enclose all times, in ns. They are the ticks, grid lines and ends of a
 * logarithmic time axis.
 */
export function decades(times: readonly number[]): number[] {
  const values = times.filter((v) => v > 0);
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))));
  return Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i));
}

/** Vega expression for the tick labels of a time axis in ns: 100 ns, 10 µs, 1 s. */
export const timeLabel =
  "datum.value >= 1e9 ? format(datum.value/1e9, '~r') + ' s' : datum.value >= 1e6 ? format(datum.value/1e6, '~r') + ' ms' : " +
  "datum.value >= 1e3 ? format(datum.value/1e3, '~r') + ' µs' : format(datum.value, '~r') + ' ns'";
