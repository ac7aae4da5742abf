// Charts for papers: bandwidth and time of a collective over message size, and averages of all collectives.
import { sum } from 'simple-statistics';
import { addTo } from '../../results/collections.ts';
import type { FigureData, MeasuredFigure } from '../../results/schema/index.ts';
import { ceilingsOf } from '../ceiling.ts';
import type { AverageFigure } from '../charts/averages.ts';
import {
  breakSentence,
  type ChartPoint,
  type ChartValue,
  pointsOf,
  trialPhrase,
  withInterval,
} from '../charts/chart.ts';
import { averagesOf, bandwidthsOf, type ChartRow, hasAverages } from '../charts/index.ts';
import { decadeScale, numbersIn, rateScale } from '../charts/scales.ts';
import { factorOf } from '../models.ts';
import { panelsOf } from '../panels.ts';
import {
  type CellSlot,
  cellAt,
  figureOf,
  groupOfFigure,
  ranksOf,
  type Series,
  type SeriesGroup,
  xPhrase,
} from '../series.ts';
import { capitalise, formatBandwidth, joinWords, plural, threeDigits } from '../wording.ts';
import { type AverageSpread, spreadOf, spreadSentence } from './average-interval.ts';
import { barFigures } from './bars.ts';
import {
  intervalSentence,
  mediumSentence,
  nSentence,
  originSentence,
  placeText,
  runsOf,
  trustSentence,
} from './captions.ts';
import { coverageOf, coverageSentence, seriesFields, skippedSentence, slotKey } from './coverage.ts';
import { type CurvePanel, curvePanels } from './curves.ts';
import type { FigureInput } from './gather.ts';
import type { PaperFigure } from './paper.ts';
import { uniqueSeries } from './print-form.ts';

/** Returns the groups of series that have bandwidths over message size, as collectives do. */
const collectiveGroups = ({ groups }: FigureInput): SeriesGroup[] =>
  groups.filter((group) => hasAverages(group));

/**
 * Returns the group with the same key that also contains planned configurations without results, to count what is missing; `group`
 * itself if there is none.
 */
const plannedOf = (group: SeriesGroup, { planned }: FigureInput): SeriesGroup =>
  planned.find(({ key }) => key === group.key) ?? group;

const bandwidth = ({ row }: SeriesGroup, isBus: boolean): FigureData | undefined =>
  bandwidthsOf(row).find(({ factorColumn }) => (factorColumn !== undefined) === isBus);

/**
 * Maximum ratio of the highest line's maximum to the lowest line's maximum for a linear axis. With a higher ratio the axis is
 * logarithmic, because on a linear one the lower lines would overlap at the bottom.
 */
const maxLinearRatio = 8;

/**
 * Returns the data rows of one panel of a line chart: values with intervals, without values that are not positive. Each row has the
 * key of its configuration in `group`.
 * @param of name and unit of the charted value
 * @param valueAt returns the value of a point in that unit; null = none
 */
function rowsOf(
  group: SeriesGroup,
  panel: SeriesGroup,
  of: { name: string; unit: string },
  valueAt: (point: ChartPoint) => ChartValue | null,
): ChartRow[] {
  return pointsOf(panel).flatMap((point): ChartRow[] => {
    const { series, figure, row } = point;
    const value = valueAt(point);
    if (value === null || !(value.value > 0)) return [];
    const x = Number(row[group.x.field]);
    return [
      {
        ...seriesFields(series, group.title),
        [group.x.field]: x,
        measure: of.name,
        unit: of.unit,
        ...value,
        launches: figure.launches,
        samples: figure.samples,
        x,
        stretch: row.stretch ?? null,
        key: slotKey(group, series, x),
      },
    ];
  });
}

const tidy = (rows: readonly ChartRow[]): ChartRow[] =>
  rows.map(({ x: _x, stretch: _stretch, key: _key, ...rest }) => rest);

/**
 * Returns the panels of a line chart of one operation: one per rank count, or several if one would have too many lines. Panels
 * without data are omitted. A panel's title is what the group's title lacks: "3 ranks".
 * @param rows returns the data rows of one panel
 */
function curvePanelsOf(group: SeriesGroup, rows: (panel: SeriesGroup) => ChartRow[]): CurvePanel[] {
  return panelsOf(group).flatMap((panel) => {
    const made = rows(panel);
    return made.length === 0 ? [] : [{ title: panel.panel ?? '', group: panel, rows: made }];
  });
}

/** Returns the keys (see `slotKey`) of all configurations that the chart shows. */
const drawnKeys = (panels: readonly CurvePanel[]): Set<string> =>
  new Set(panels.flatMap((panel) => panel.rows.map(({ key }) => String(key))));

const whyNotOver = (_group: SeriesGroup, _series: Series, { x }: CellSlot): string =>
  x === 0 ? 'of size 0, which a logarithmic axis has no place for' : 'beyond the panels of the figure';

function closing(group: SeriesGroup, material: FigureInput, panels: readonly CurvePanel[]): string {
  const coverage = coverageOf([plannedOf(group, material)], drawnKeys(panels), whyNotOver);
  const series = uniqueSeries(panels.flatMap((panel) => panel.group.series));
  const figures = panels.flatMap((panel) =>
    panel.rows.flatMap((row) => {
      const of = panel.group.series.find(({ label, run }) => label === row.series && run.id === row.run);
      return of === undefined ? [] : (figureOf(cellAt(of, Number(row.x)), panel.group) ?? []);
    }),
  );
  const runs = runsOf(
    panels.flatMap((panel) => panel.group.series),
    material.runs,
  );
  return [
    coverageSentence(coverage),
    ...skippedSentence([group], runs),
    nSentence(figures),
    intervalSentence(figures, 'Bands'),
    ...breakSentence(group),
    mediumSentence(series),
    trustSentence(coverage.drawn),
    originSentence(runs),
  ].join(' ');
}

/**
 * Returns a sentence that algorithm and bus bandwidth are equal, with a space behind it. '' unless `of` is the bus bandwidth and
 * its factor (bus bandwidth divided by algorithm bandwidth) is 1 for all series.
 */
function factorSentence(group: SeriesGroup, of: FigureData): string {
  if (of.factorColumn === undefined) return '';
  const factors = group.series.map((series) => factorOf(group, series, of.name));
  return factors.every((factor) => factor === 1)
    ? 'With these ranks the factor is 1: both bandwidths are the same. '
    : '';
}

/**
 * Returns the start of a caption, which says what the chart shows: "allreduce float32 sum, 2 ranks on 1 node, 8 sizes from 64 B to
 * 1 MiB".
 */
const over = (group: SeriesGroup, material: FigureInput, panels: readonly CurvePanel[]): string =>
  `${group.title}, ${placeText(
    runsOf(
      panels.flatMap((panel) => panel.group.series),
      material.runs,
    ),
  )}, ${sizesOfPanels(group, panels)}`;

/**
 * Returns the number and range of sizes: "4 sizes from 8 B to 1 KiB". If panels have different sizes, each range is followed
 * by the titles of its panels.
 */
function sizesOfPanels({ x }: SeriesGroup, panels: readonly CurvePanel[]): string {
  const titles = new Map<string, string[]>();
  for (const { title, rows } of panels)
    addTo(
      titles,
      xPhrase(
        x,
        rows.map((row) => Number(row.x)),
      ),
      title,
    );
  if (titles.size === 1) return [...titles.keys()].join('');
  return [...titles].map(([phrase, of]) => `${phrase} (${joinWords(of)})`).join(', ');
}

/**
 * Returns a group's name for file names: "allreduce" if only one group has this operation, else its key with all options:
 * "allreduce-float16-sum-in".
 */
const nameOf = (group: SeriesGroup, groups: readonly SeriesGroup[]): string =>
  groups.filter(({ what }) => what === group.what).length === 1 ? group.what : group.key;

/**
 * Draws the bandwidth of each collective over message size. Its upper limits (rate of the link, or of the copies of an emulated
 * adapter) are drawn only with bus bandwidth, because algorithm bandwidth cannot be compared with them.
 * @param isBus true = bus bandwidth, false = algorithm bandwidth
 */
export const rateFigures =
  (isBus: boolean) =>
  (material: FigureInput): PaperFigure[] => {
    const groups = collectiveGroups(material);
    return groups.flatMap((main): PaperFigure[] => {
      const of = bandwidth(main, isBus);
      if (of === undefined) return [];
      const group = groupOfFigure(main, of);
      const panels = curvePanelsOf(group, (panel) =>
        rowsOf(group, panel, of, ({ rates, figure }) => {
          const rate = rates[of.name] ?? null;
          return rate === null ? null : withInterval(rate, figure);
        }),
      );
      const made = panels.flatMap(({ rows }) => rows);
      if (made.length === 0) return [];
      const rules =
        of.isPerLink === true
          ? ceilingsOf(group).map(({ busGBps, text }) => ({
              value: busGBps,
              text,
              shortText: formatBandwidth(busGBps),
            }))
          : [];
      const ceilings = rules.map(({ value }) => value);
      const { axis, isLog } = rateScale(made, 'value', ceilings, maxLinearRatio, true);
      const title = `${capitalise(of.title)} (${of.unit}${isLog ? ', log scale' : ''})`;
      const series = uniqueSeries(panels.flatMap((panel) => panel.group.series));
      return [
        {
          kind: 'figure',
          name: `${of.name}-${nameOf(group, groups)}`,
          title: `${capitalise(of.title)} of ${group.what}`,
          caption: `${capitalise(of.title)} of ${over(group, material, panels)}. ${of.caption ?? capitalise(of.title)}; t is the ${trialPhrase(group)}. ${factorSentence(group, of)}${rules.length === 0 ? '' : `Dotted: the ceiling, ${joinWords([...new Set(rules.map(({ text }) => text))])}. `}${closing(group, material, panels)}`,
          rows: tidy(made),
          panels: (style) => curvePanels({ panels, series, title, axis, rules }, style),
        },
      ];
    });
  };

export const timeFigures = (material: FigureInput): PaperFigure[] => {
  const groups = collectiveGroups(material);
  return groups.flatMap((group): PaperFigure[] => {
    const panels = curvePanelsOf(group, (panel) =>
      rowsOf(group, panel, { name: group.figure, unit: 'us' }, ({ timeNs, lowNs, highNs }) => ({
        value: timeNs / 1e3,
        low: lowNs === null ? null : lowNs / 1e3,
        high: highNs === null ? null : highNs / 1e3,
      })),
    );
    const rows = panels.flatMap((panel) => panel.rows);
    if (rows.length === 0) return [];
    const series = uniqueSeries(panels.flatMap((panel) => panel.group.series));
    const title = 'Time per operation (µs, log scale)';
    const axis = decadeScale(numbersIn(rows, 'value', 'low', 'high'));
    return [
      {
        kind: 'figure',
        name: `time-${nameOf(group, groups)}`,
        title: `Time of ${group.what}`,
        caption: `Time of ${over(group, material, panels)}: the ${trialPhrase(group)}. Both axes are logarithmic. ${closing(group, material, panels)}`,
        rows: tidy(rows),
        panels: (style) => curvePanels({ panels, series, title, axis, rules: [] }, style),
      },
    ];
  });
};

/**
 * Draws bars of the average bandwidth of all collectives, each over the message sizes that every transport measured. Empty if there
 * are no such averages.
 * @param isBus true = bus bandwidth, false = algorithm bandwidth
 */
export const averageFigures =
  (isBus: boolean) =>
  (material: FigureInput): PaperFigure[] => {
    const groups = collectiveGroups(material);
    const [first] = groups;
    const of = first === undefined ? undefined : bandwidth(first, isBus);
    const all = averagesOf(groups);
    if (first === undefined || of === undefined || all.length === 0) return [];
    const bars = all.flatMap((one): AverageBar[] => {
      const { group, series, what, bytes, rates } = one;
      const rate = rates.find(({ of: { name } }) => name === of.name)?.GBps;
      if (rate === undefined) return [];
      const figures = bytes.flatMap((at) => figureOf(cellAt(series, at), group) ?? []);
      const spread = spreadOf(figures);
      const row = {
        ...seriesFields(series, one.title),
        what,
        firstBytes: bytes[0] ?? null,
        lastBytes: bytes.at(-1) ?? null,
        sizes: bytes.length,
        measure: `mean ${of.name}`,
        unit: of.unit,
        value: rate,
        low: spread === null ? null : rate / spread.longer,
        high: spread === null ? null : rate / spread.shorter,
        launches: Math.min(...figures.map(({ launches }) => launches)),
        samples: sum(figures.map(({ samples }) => samples)),
        text: threeDigits(rate),
      };
      return [{ ...one, row, spread, figures }];
    });
    const noun = capitalise(first.row.noun);
    const title = `Average ${of.title}`;
    const name = `average-${of.name}`;
    return barFigures(bars, { name, noun, title, unit: of.unit }, (mine) => {
      const groupsOfMine = groups.filter(({ key }) => mine.some(({ groupKey }) => groupKey === key));
      const ranks = new Set(mine.map((bar) => bar.ranks));
      const planned = material.planned
        .filter(hasAverages)
        .map((group) => ({ ...group, series: group.series.filter((one) => ranks.has(ranksOf(one))) }));
      const keys = new Set(
        mine.flatMap(({ groupKey, series, bytes }) => bytes.map((x) => `${groupKey} ${series.key} ${x}`)),
      );
      const coverage = coverageOf(planned, keys, (_group, _series, { x }) =>
        x > 0 ? 'at sizes that not every transport measured' : 'of size 0',
      );
      const series = uniqueSeries(mine.map((bar) => bar.series));
      const runs = runsOf(
        mine.map((bar) => bar.series),
        material.runs,
      );
      return {
        title: `Average ${of.title} of ${plural(groupsOfMine.length, first.row.noun)}`,
        caption: `Average ${of.title} of ${plural(groupsOfMine.length, first.row.noun)}, ${placeText(runs)}: all bytes over all their time${isBus ? ', times the bus factor' : ''}. Over ${sizesText(mine)}. Large messages take most of the time and so count most. ${[coverageSentence(coverage), ...skippedSentence(groupsOfMine, runs)].join(' ')} ${nSentence(
          mine.flatMap(({ figures }) => figures),
          'size',
        )} ${spreadSentence(mine.map(({ spread }) => spread))} ${mediumSentence(series)} ${trustSentence(coverage.drawn)} ${originSentence(runs)}`,
      };
    });
  };

interface AverageBar extends AverageFigure {
  row: ChartRow;
  spread: AverageSpread | null;
  figures: MeasuredFigure[];
}

/**
 * Returns the number and range of averaged sizes: "6 sizes from 64 B to 64 KiB". If bars have different sizes, each range is
 * followed by the rank counts of its bars, or by their names if the rank count does not tell them apart.
 */
function sizesText(bars: readonly AverageBar[]): string {
  const phrases = new Map<string, AverageBar[]>();
  for (const bar of bars) {
    const phrase = xPhrase(bar.group.x, bar.bytes);
    phrases.set(phrase, [...(phrases.get(phrase) ?? []), bar]);
  }
  if (phrases.size === 1) return [...phrases.keys()].join('');
  const severalRanks = new Set(bars.map(({ ranks }) => ranks)).size > 1;
  const nameFor = ({ ranks, what }: AverageBar, byRanks: boolean) =>
    byRanks ? plural(ranks, 'rank') : severalRanks ? `${what}, ${plural(ranks, 'rank')}` : what;
  const named = (byRanks: boolean) =>
    [...phrases].map(([phrase, those]) => ({
      phrase,
      names: [...new Set(those.map((bar) => nameFor(bar, byRanks)))],
    }));
  const byRanks = named(true);
  const isClear = byRanks.every(({ names }, i) =>
    byRanks.every((other, j) => i === j || !names.some((one) => other.names.includes(one))),
  );
  return (isClear ? byRanks : named(false))
    .map(({ phrase, names }) => `${phrase} (${names.join('; ')})`)
    .join(', ');
}
