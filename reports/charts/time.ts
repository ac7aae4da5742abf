import { breakLabels } from './break-labels.ts';
import type { GroupChart } from './chart.ts';
import { aboutPoints, pointsOf, readingHint, trialPhrase, withoutDrawing } from './chart.ts';
import { modelHint, modelLines } from './model-lines.ts';
import { overX } from './over-x.ts';
import { decadeScale, numbersIn, timeLabel } from './scales.ts';
import { screenForms } from './screen-forms.ts';

/**
 * Chart of the group's measured time (such as latency) over x, one line per series, both axes logarithmic. `draw` returns null for
 * a group of series without measured times.
 */
export const time: GroupChart = {
  id: 'time',
  chapter: 'latency',
  hasBreaks: true,
  draw(group) {
    const points = pointsOf(group);
    if (points.length === 0) return null;
    const rows = points.map(({ row }) => row);
    const { x } = group;
    const axis = decadeScale(numbersIn(rows, 'timeNs', 'lowNs', 'highNs'));
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
          form: screenForms[size],
          description: `Time of ${group.title} over ${x.title}`,
          y: {
            field: 'timeNs',
            low: 'lowNs',
            high: 'highNs',
            title: 'time (log scale)',
            ...axis,
            labelExpr: timeLabel,
          },
          extra: [
            ...modelLines(group, null),
            ...breakLabels(group, rows, { field: 'timeNs', isLog: true, domain: axis.values }, size),
          ],
        }),
    };
  },
};
