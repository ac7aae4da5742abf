import type { GroupChart } from './chart.ts';
import { overSize, pointRows, readingHint, trialPhrase, withoutDrawing } from './chart.ts';

/** Time over message size, both logarithmic (thesis figure 5.4). */
export const time: GroupChart = {
  id: 'time',
  draw(group) {
    const rows = pointRows(group);
    if (rows.length === 0) return null;
    return {
      name: `${group.key}-time`,
      title: `Time of ${group.title}`,
      caption: `The ${trialPhrase(group)} over message size; both axes are logarithmic. ${readingHint(group)}`,
      rows: withoutDrawing(rows),
      spec: (size) =>
        overSize({
          group,
          rows,
          series: group.series,
          size,
          description: `Time of ${group.title} over message size`,
          y: {
            field: 'timeNs',
            low: 'lowNs',
            high: 'highNs',
            title: 'time',
            scale: { type: 'log', nice: true },
            labelExpr: timeLabel,
          },
        }),
    };
  },
};

/** Labels at powers of ten only: 100 ns, 10 µs, 1 s. */
const timeLabel =
  "abs(log(datum.value)/LN10 - round(log(datum.value)/LN10)) > 1e-6 ? '' : " +
  "datum.value >= 1e9 ? format(datum.value/1e9, '~r') + ' s' : datum.value >= 1e6 ? format(datum.value/1e6, '~r') + ' ms' : " +
  "datum.value >= 1e3 ? format(datum.value/1e3, '~r') + ' µs' : format(datum.value, '~r') + ' ns'";
