import type { FigureData } from '../../results/schema/index.ts';
import { type CeilingLine, ceilingsOf } from '../ceiling.ts';
import { publishedFor, publishedText } from '../published.ts';
import { fieldOf } from '../rows.ts';
import { groupOfFigure, isOk, type SeriesGroup } from '../series.ts';
import { capitalise, formatPercent, joinWords } from '../wording.ts';
import { breakLabels } from './break-labels.ts';
import type { ChartFigure, ChartPoint, GroupChart } from './chart.ts';
import { aboutPoints, pointsOf, readingHint, trialPhrase, withoutDrawing } from './chart.ts';
import { modelHint, modelLines } from './model-lines.ts';
import { overX, rateAxis, ruleAt } from './over-x.ts';
import { decades } from './time.ts';

/**
 * Creates the chart of a derived value, such as a bandwidth, over x (message size). It has a line for the link's maximum
 * bandwidth if known (thesis figures 5.2 and 5.3).
 */
export const rate = (of: FigureData): GroupChart => ({ id: of.name, draw: (group) => drawn(group, of) });

/**
 * Maximum upper end of the axis, as a multiple of the highest value. Intervals that reach further are cut; otherwise they
 * would stretch the axis and all lines would look flat.
 */
const mostAbove = 1.5;

/** Ratio of two series' best rates above which the axis is logarithmic; on a linear axis the slower one would look like zero. */
const farApart = 30;

/** True if the best rates of two series differ by more than the factor `farApart`, as rates of a network and of NVLink do. */
function isFarApart(points: readonly ChartPoint[], name: string): boolean {
  const best = new Map<unknown, number>();
  for (const { series, rates } of points) best.set(series, Math.max(best.get(series) ?? 0, rates[name] ?? 0));
  const all = [...best.values()].filter((value) => value > 0);
  return Math.max(...all) > farApart * Math.min(...all);
}

/** Dash pattern of lines for published results, in pixels. It is longer than that of lines for a link's maximum bandwidth. */
const publishedDash = [8, 4];

const ceilingWords = {
  link: 'the link itself',
  copy: 'memory copies of this machine, which limit the emulated link',
} as const;

const isPositive = (value: unknown): value is number => typeof value === 'number' && value > 0;

/**
 * Returns which share of the link's maximum bandwidth the best point of each series reaches: "The best of p2p is 63 % of 18
 * NVLinks of each GPU."
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
      const inSwitch = series.slots.some(({ cell }) => isOk(cell) && /nvls/i.test(cell.choice.algorithm));
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
  // Some series of the workload may not have this rate.
  const rated = new Set(all.flatMap(({ series, rates }) => (rates[of.name] == null ? [] : [series])));
  const points = all.filter(({ series }) => rated.has(series));
  const rows = points.map(({ row, rates, timeNs, lowNs, highNs }) => {
    const value = rates[of.name] ?? null;
    const at = (ns: number | null) =>
      value === null || ns === null || ns <= 0 ? null : (value * timeNs) / ns;
    return { ...row, low: at(highNs), high: at(lowNs) };
  });
  if (rows.length === 0) return null;
  const { x } = group;
  const ceilings = of.isPerLink === true ? ceilingsOf(group) : [];
  const published = publishedFor(group, of.name);
  const highest = Math.max(
    ...points.map(({ rates }) => rates[of.name] ?? 0),
    ...ceilings.map((c) => c.busGBps),
    ...published.map(({ GBps }) => GBps),
  );
  const isLog = isFarApart(points, of.name);
  const least = Math.min(
    ...[...rows.map(({ low }) => low), ...points.map(({ rates }) => rates[of.name])].filter(isPositive),
  );
  const top = mostAbove * highest;
  const isCut = rows.some(({ high }) => typeof high === 'number' && high > top);
  const cut = isCut ? ' Bands beyond the axis are cut; the data have them in full.' : '';
  const ceiling =
    of.isPerLink !== true
      ? ''
      : ceilings.length > 0
        ? ` Dotted lines are ceilings: the rate of ${joinWords([...new Set(ceilings.map((c) => ceilingWords[c.of]))])}.${sharesOf(group, of, points, ceilings)}`
        : ' No ceiling is drawn: none of these media has a link rate of its own.';
  const others =
    published.length === 0
      ? ''
      : ` Dashed lines are published by others, of their machines: ${joinWords(published.map(publishedText))}.`;
  const rules = [
    ...ceilings.map((one) => ({ value: one.busGBps, text: one.text })),
    ...published.map((one) => ({ value: one.GBps, text: publishedText(one) })),
  ];
  // A model describes the times of the group's own figure, so other figures get no model line.
  const isModelled = by === group && of.unit === 'GB/s';
  const noun = capitalise(of.title);
  return {
    name: `${group.key}-${of.name}`,
    title: `${noun} of ${group.title}`,
    caption: `${of.caption ?? noun}; t is the ${trialPhrase(by)}. The vertical axis is ${isLog ? 'logarithmic: the series are orders apart' : 'linear and starts at 0'}.${ceiling}${others} ${readingHint(group)}${cut}${isModelled ? modelHint(group) : ''}`,
    rows: withoutDrawing(points.map(({ row }) => row)),
    points: aboutPoints(points, by),
    spec: (size) =>
      overX({
        x,
        rows,
        series: group.series.filter((series) => rated.has(series)),
        size,
        description: `${noun} of ${group.title} over ${x.title}`,
        y: {
          field: fieldOf(of),
          low: 'low',
          high: 'high',
          ...rateAxis(of),
          scale: isLog
            ? { type: 'log', domain: [least, top], nice: false, clamp: true }
            : { zero: true, nice: true, ...(isCut ? { domainMax: top, clamp: true } : {}) },
          ...(isLog
            ? {
                values: decades([least, top]).filter((value) => value >= least && value <= top),
                format: '~r',
              }
            : {}),
        },
        extra: [
          ...(isModelled ? modelLines(group, of) : []),
          ...breakLabels(
            by,
            rows,
            { field: fieldOf(of), isLog, rules, ...(isLog ? { domain: [least, top] } : {}) },
            size,
          ),
          ...ceilings.flatMap((c) => ruleAt(c.busGBps, c.text)),
          ...published.flatMap((one) => ruleAt(one.GBps, publishedText(one), publishedDash)),
        ],
      }),
  };
}
