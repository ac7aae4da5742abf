import { type Ceiling, ceilingsOf } from '../ceiling.ts';
import { type Group, isOk } from '../series.ts';
import { formatPercent, joinWords } from '../wording.ts';
import type { Figure, GroupChart, PointRow } from './chart.ts';
import { overSize, pointRows, readingHint, ruleAt, trialPhrase, withoutDrawing } from './chart.ts';
import { modelHint, modelLines } from './model-lines.ts';

/** Algorithm bandwidth S/t over message size (thesis figure 5.2). */
export const algorithmBandwidth: GroupChart = {
  id: 'algbw',
  draw: (group) =>
    bandwidth(group, 'algGBps', 'algbw', 'Algorithm bandwidth', 'Bytes of the message per second, S/t'),
};

/** Bus bandwidth over message size (thesis figure 5.3), with the ceiling it is held against where one is known. */
export const busBandwidth: GroupChart = {
  id: 'busbw',
  draw: (group) =>
    bandwidth(
      group,
      'busGBps',
      'busbw',
      'Bus bandwidth',
      'Algorithm bandwidth times the share each link must carry, so that it can be held against the link’s own rate',
    ),
};

/** An interval that tells next to nothing must not press the lines of all others flat. */
const mostAbove = 1.5;

const ceilingWords = {
  link: 'the link itself',
  copy: 'copies in this machine’s memory, of which the emulated link is made',
} as const;

/** "The best of p2p is 63 % of 18 NVLinks of each GPU." */
function sharesOf(group: Group, rows: readonly PointRow[], ceilings: readonly Ceiling[]): string {
  return ceilings
    .filter(({ of }) => of === 'link')
    .map(({ series: key, busGBps, text }) => {
      const series = group.series.find((one) => one.key === key);
      const mine = rows.filter((row) => row.series === series?.label);
      if (series === undefined || mine.length === 0) return '';
      const best = Math.max(...mine.map((row) => row.busGBps));
      const inSwitch = series.slots.some(({ cell }) => isOk(cell) && /nvls/i.test(cell.algorithm));
      const why =
        best > busGBps && inSwitch
          ? ', because NVLS adds up in the switch and sends less over each link than the factor counts'
          : '';
      return ` The best of ${series.name} is ${formatPercent(best / busGBps)} of ${text.replace(/: [^:]*$/, '')}${why}.`;
    })
    .join('');
}

function bandwidth(
  group: Group,
  field: 'algGBps' | 'busGBps',
  id: string,
  noun: string,
  meaning: string,
): Figure | null {
  const rows: PointRow[] = pointRows(group).map((row) => ({
    ...row,
    low: row.highNs === null ? null : (row[field] * row.timeNs) / row.highNs,
    high: row.lowNs === null || row.lowNs <= 0 ? null : (row[field] * row.timeNs) / row.lowNs,
  }));
  if (rows.length === 0) return null;
  const ceilings = field === 'busGBps' ? ceilingsOf(group) : [];
  const top = mostAbove * Math.max(...rows.map((row) => row[field]), ...ceilings.map((c) => c.busGBps));
  const isCut = rows.some(({ high }) => typeof high === 'number' && high > top);
  const cut = isCut ? ' Bands that reach beyond the axis are cut; the data have them whole.' : '';
  const ceiling =
    field === 'algGBps'
      ? ''
      : ceilings.length > 0
        ? ` Dotted lines are ceilings: the rate of ${joinWords([...new Set(ceilings.map((c) => ceilingWords[c.of]))])}.${sharesOf(group, rows, ceilings)}`
        : ' No ceiling is drawn: none of these media has a link rate of its own.';
  return {
    name: `${group.key}-${id}`,
    title: `${noun} of ${group.title}`,
    caption: `${meaning}; t is the ${trialPhrase(group)}. The vertical axis is linear and starts at 0.${ceiling} ${readingHint(group)}${cut}${modelHint(group)}`,
    rows: withoutDrawing(rows).map(({ low: _low, high: _high, ...rest }) => rest),
    spec: (size) =>
      overSize({
        rows,
        series: group.series,
        size,
        description: `${noun} of ${group.title} over message size`,
        y: {
          field,
          low: 'low',
          high: 'high',
          title: 'GB/s',
          scale: { zero: true, nice: true, ...(isCut ? { domainMax: top, clamp: true } : {}) },
        },
        extra: [...modelLines(group, field), ...ceilings.flatMap((c) => ruleAt(c.busGBps, c.text))],
      }),
  };
}
