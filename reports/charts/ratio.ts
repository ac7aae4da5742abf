import type { Series } from '../series.ts';
import { compare } from '../series-comparison.ts';
import { formatRatio, formatTime } from '../wording.ts';
import type { AboutPoint, ChartRow, GroupChart } from './chart.ts';
import { trialPhrase, withoutDrawing } from './chart.ts';
import { overX } from './over-x.ts';
import { numbersIn, ratioAxis } from './scales.ts';
import { screenForms } from './screen-forms.ts';

/**
 * Chart of the first series' time divided by that of each other series (mostly of other transports); above 1 the other series is
 * faster. Only an x at which both have a time is drawn; `draw` returns null if there is none.
 */
export const ratio: GroupChart = {
  id: 'ratio',
  chapter: 'crossover',
  isAlone: true,
  draw(group) {
    const base = group.series[0];
    if (base === undefined) return null;
    const pairs = group.series
      .slice(1)
      .map((other) => compare(base, other, group))
      .filter((c) => c.points.length > 0);
    if (pairs.length === 0) return null;
    const { what, x } = group;
    const label = (other: Series) =>
      `${base.name} / ${other.name}${other.medium === base.medium ? '' : ' (emulated against hardware)'}`;
    const points: AboutPoint[] = [];
    const rows: ChartRow[] = pairs.flatMap((c) =>
      c.points
        .filter((p) => p.x > 0)
        .map((p) => {
          const value = p.aNs / p.bNs;
          const h = p.logHalfWidth;
          const tip = `${x.text(p.x)}: ${formatRatio(value)}, ${formatTime(p.aNs)} against ${formatTime(p.bNs)}`;
          // Each ratio involves the first transport, so the filter hides a point only with the other transport.
          points.push({ tip, transport: c.b.transport, what, x: p.x, at: x.text(p.x) });
          return {
            series: label(c.b),
            medium: c.b.medium === base.medium ? base.medium : `${c.b.medium} against ${base.medium}`,
            [x.field]: p.x,
            ratio: value,
            low: h === null ? null : value * Math.exp(-h),
            high: h === null ? null : value * Math.exp(h),
            baseTimeNs: p.aNs,
            otherTimeNs: p.bNs,
            stretch: c.b.key,
            tip,
          };
        }),
    );
    if (rows.length === 0) return null;
    const isMixed = new Set(group.series.map(({ medium }) => medium)).size > 1;
    const series = pairs.map(({ b }) => ({
      label: label(b),
      colour: b.colour,
      shape: b.shape,
      medium: isMixed ? ('emulated' as const) : b.medium,
    }));
    return {
      name: `${group.key}-ratio`,
      title: `Time of ${base.name} over the others, ${group.title}`,
      caption: `Ratio of the two times (${trialPhrase(group)}): above 1 ${base.name} takes longer. The axis is logarithmic: twice as fast and half as fast are at the same distance from 1. Bands are 95 % intervals of the ratio.`,
      rows: withoutDrawing(rows),
      points,
      spec: (size) =>
        overX({
          x,
          rows,
          series,
          form: screenForms[size],
          description: `Time of ${base.name} divided by the time of the others, ${group.title}, over ${x.title}`,
          y: {
            field: 'ratio',
            low: 'low',
            high: 'high',
            title: 'ratio of times',
            ...ratioScale(rows),
          },
          rules: [{ value: 1, text: 'equally fast' }],
        }),
    };
  },
};

/**
 * Returns the axis scale for ratios of times. Its range contains all intervals and 1 (equal times), and is never smaller than 0.9
 * to 1.2.
 */
function ratioScale(rows: readonly ChartRow[]) {
  const values = numbersIn(rows, 'ratio', 'low', 'high');
  return ratioAxis([Math.min(0.9, ...values), Math.max(1.1, ...values) * 1.1]);
}
