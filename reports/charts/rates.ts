import { switchReductionOf } from '../../results/derive/index.ts';
import type { FigureData } from '../../results/schema/index.ts';
import { type CeilingLine, ceilingsOf } from '../ceiling.ts';
import { publishedFor } from '../published.ts';
import { fieldOf } from '../rows.ts';
import { groupOfFigure, isOk, type SeriesGroup } from '../series.ts';
import { capitalise, formatPercent, joinWords } from '../wording.ts';
import { breakLabels } from './break-labels.ts';
import type { ChartFigure, ChartPoint, GroupChart } from './chart.ts';
import { aboutPoints, pointsOf, readingHint, trialPhrase, withInterval, withoutDrawing } from './chart.ts';
import { modelHint, modelLines } from './model-lines.ts';
import { overX } from './over-x.ts';
import { rateAxis, rateScale } from './scales.ts';
import { screenForms } from './screen-forms.ts';

/**
 * Creates the chart of a derived value, such as a bandwidth, over x (message size), one line per series. If the value is a
 * bandwidth per link, dotted lines show its known upper limits: the rate of the link, or of the memory copies of an emulated
 * adapter. Dashed lines show results that others published. `draw` returns null for groups without this value.
 * @param of the derived value
 */
export const rate = (of: FigureData): GroupChart => ({
  id: of.name,
  chapter: 'bandwidth',
  hasBreaks: of.isCharted === true,
  draw: (group) => drawn(group, of),
});

/**
 * Ratio between the best rates of two series above which the axis of rates is logarithmic. A network and NVLink differ that much.
 */
const farApart = 30;

const ceilingWords = {
  link: 'the link itself',
  copy: 'memory copies of this machine, which limit the emulated link',
} as const;

/**
 * Returns sentences that say which share of the link's maximum bandwidth the best point of each series reaches, with a space before
 * each: " The best of p2p is 63 % of 18 NVLinks of each GPU." '' if no link's rate is known.
 * @param ceilings upper limits of bandwidth of the series; those that are copy rates are ignored
 */
function sharesOf(
  group: SeriesGroup,
  { name }: FigureData,
  points: readonly ChartPoint[],
  ceilings: readonly CeilingLine[],
): string {
  return ceilings
    .filter(({ of }) => of === 'link')
    .map(({ series: key, busGBps, name: link }) => {
      const series = group.series.find((one) => one.key === key);
      const mine = points.filter((point) => point.series === series);
      if (series === undefined || mine.length === 0) return '';
      const best = Math.max(...mine.map(({ rates }) => rates[name] ?? 0));
      const inSwitch = series.slots.some(
        ({ cell }) => isOk(cell) && switchReductionOf(cell.choice) === 'nvls',
      );
      const why =
        best > busGBps && inSwitch
          ? ', because NVLS reduces in the switch and sends less over each link than the factor assumes'
          : '';
      return ` The best of ${series.name} is ${formatPercent(best / busGBps)} of ${link}${why}.`;
    })
    .join('');
}

function drawn(group: SeriesGroup, of: FigureData): ChartFigure | null {
  const by = groupOfFigure(group, of);
  const all = pointsOf(by);
  // Series without this rate get neither a line nor an entry in the legend.
  const rated = new Set(all.flatMap(({ series, rates }) => (rates[of.name] == null ? [] : [series])));
  const points = all.filter(({ series }) => rated.has(series));
  const rows = points.map((point) => {
    const rate = point.rates[of.name] ?? null;
    const { low, high } = rate === null ? { low: null, high: null } : withInterval(rate, point.figure);
    return { ...point.row, low, high };
  });
  if (rows.length === 0) return null;
  const { x } = group;
  const ceilings = of.isPerLink === true ? ceilingsOf(group) : [];
  const published = publishedFor(group, of.name);
  const rules = [...ceilings.map((one) => ({ value: one.busGBps, text: one.text })), ...published.rules];
  const { axis, isLog, isCut } = rateScale(
    rows,
    fieldOf(of),
    rules.map(({ value }) => value),
    farApart,
  );
  const { domain } = axis.scale;
  const cut = isCut ? ' Bands beyond the axis are cut; the data have them in full.' : '';
  const ceiling =
    of.isPerLink !== true
      ? ''
      : ceilings.length > 0
        ? ` Dotted lines are ceilings: the rate of ${joinWords([...new Set(ceilings.map((c) => ceilingWords[c.of]))])}.${sharesOf(group, of, points, ceilings)}`
        : ' No ceiling is drawn: none of these media has a link rate of its own.';
  // A model describes the time that the group's charts show. A value that is computed from another time gets no model line.
  const isModelled = by === group && of.unit === 'GB/s';
  const noun = capitalise(of.title);
  return {
    name: `${group.key}-${of.name}`,
    title: `${noun} of ${group.title}`,
    caption: `${of.caption ?? noun}; t is the ${trialPhrase(by)}. The vertical axis is ${isLog ? 'logarithmic: the series are orders apart' : 'linear and starts at 0'}.${ceiling}${published.sentence} ${readingHint(group)}${cut}${isModelled ? modelHint(group) : ''}`,
    rows: withoutDrawing(points.map(({ row }) => row)),
    points: aboutPoints(points, by),
    spec: (size) =>
      overX({
        x,
        rows,
        series: group.series.filter((series) => rated.has(series)),
        form: screenForms[size],
        description: `${noun} of ${group.title} over ${x.title}`,
        y: {
          field: fieldOf(of),
          low: 'low',
          high: 'high',
          ...rateAxis(of),
          ...axis,
        },
        extra: [
          ...(isModelled ? modelLines(group, of) : []),
          ...breakLabels(
            by,
            rows,
            { field: fieldOf(of), isLog, rules, ...(domain === undefined ? {} : { domain }) },
            size,
          ),
        ],
        rules,
      }),
  };
}
