import { figureOf, isOk } from '../series.ts';
import { formatPercent, formatTime } from '../wording.ts';
import { type AboutPoint, aboutCell, type ChartRow, type GroupChart } from './chart.ts';
import { overX } from './over-x.ts';
import { screenForms } from './screen-forms.ts';

/**
 * Chart of each launch's median time, as a deviation in % from the geometric mean of the medians of all launches. It shows how much
 * a new start of all rank processes changes the result. Configurations with one launch are left out; `draw` returns null if no
 * others exist.
 */
export const launches: GroupChart = {
  id: 'launches',
  chapter: 'distribution',
  draw(group) {
    const { x } = group;
    const points: AboutPoint[] = [];
    const rows: ChartRow[] = group.series.flatMap((series) =>
      series.slots.flatMap(({ cell, x: at }) => {
        const figure = figureOf(cell, group);
        if (figure === null || !isOk(cell) || figure.launchValues.length < 2 || at === 0) return [];
        const { value } = figure;
        return figure.launchValues.map((ns, launch) => {
          const tip = `${series.name}, ${x.text(at)}, launch ${launch + 1}: ${formatTime(ns)}, ${ns < value ? '-' : '+'}${formatPercent(ns / value - 1)}`;
          points.push(aboutCell(tip, series, cell, group));
          return {
            series: series.label,
            medium: series.medium,
            [x.field]: at,
            launch,
            launchMedianNs: ns,
            deviationPercent: (ns / value - 1) * 100,
            low: null,
            high: null,
            stretch: `${series.key}#${launch}`,
            tip,
          };
        });
      }),
    );
    if (rows.length === 0) return null;
    return {
      name: `${group.key}-launches`,
      title: `Launches apart, ${group.title}`,
      caption:
        'Median of each launch as a deviation from the geometric mean of all launch medians: the effect of restarting the processes. One point is one launch.',
      rows: rows.map(({ stretch: _stretch, tip: _tip, low: _low, high: _high, ...rest }) => rest),
      points,
      spec: (size) =>
        overX({
          x,
          pointsOnly: true,
          rows,
          series: group.series,
          form: screenForms[size],
          description: `Deviation of each launch's median from the geometric mean of all launch medians, ${group.title}`,
          y: {
            field: 'deviationPercent',
            low: 'low',
            high: 'high',
            title: 'deviation from the mean (%)',
            scale: { zero: true, nice: true },
          },
        }),
    };
  },
};
