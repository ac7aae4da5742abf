import type { FigureData } from '../../results/schema/index.ts';
import { fieldOf, figureText, type XAxisFormat } from '../rows.ts';
import { cellAt, groupOfFigure, ranksOf, rateOf, type Series, type SeriesGroup, xsOf } from '../series.ts';
import { compare } from '../series-comparison.ts';
import { ink } from '../theme.ts';
import { formatPercent, formatRatio, plural } from '../wording.ts';
import type { ChartRow, GroupChart } from './chart.ts';
import { trialPhrase, withoutDrawing } from './chart.ts';
import { legendSeriesOf } from './legend.ts';
import { overX } from './over-x.ts';
import { numbersIn } from './scales.ts';
import { screenForms } from './screen-forms.ts';

/** Format of an x axis with the number of ranks. */
const ranksAxis: XAxisFormat = {
  unit: '',
  noun: 'rank',
  title: 'ranks',
  field: 'ranks',
  base: 2,
  text: String,
  short: String,
  about: String,
};

/**
 * Maximum number of lines in a speed-up chart, because readers cannot distinguish more; message sizes are left out until there are
 * no more lines. Each combination of engine, transport and medium keeps at least one size, so more than six combinations give more
 * lines.
 */
const maxLines = 6;

/**
 * Returns lists of series that differ only in the number of ranks: same engine, transport and medium, in ascending order of ranks.
 * If several runs have the same number of ranks, the last run is used. Series of groups of ranks are left out, and lists with a
 * single rank count.
 */
function rankLadders(group: SeriesGroup): Series[][] {
  const all = new Map<string, Map<number, Series>>();
  for (const series of group.series) {
    if (series.member !== null) continue;
    const { engine } = series.run.plan;
    const key = [engine, series.transport, series.medium].join('/');
    const ladder = all.get(key) ?? new Map<number, Series>();
    all.set(key, ladder.set(ranksOf(series), series));
  }
  return [...all.values()]
    .map((ladder) => [...ladder.values()].sort((a, b) => ranksOf(a) - ranksOf(b)))
    .filter(({ length }) => length > 1);
}

/**
 * Returns at most `most` items, evenly distributed: the first, the last and some between; all if there are not more; only the first
 * if `most` is 1.
 */
function evenlyChosen<T>(items: readonly T[], most: number): T[] {
  if (items.length <= most) return [...items];
  const step = (items.length - 1) / Math.max(1, most - 1);
  return Array.from({ length: most }, (_, i) => items[Math.round(i * step)] as T);
}

/**
 * Creates a chart of a rate over the number of ranks. The rate is divided by that of the lowest number of ranks for the same
 * transport and size. `draw` returns null for a group in which no transport was measured with several numbers of ranks by one
 * engine.
 */
export const speedup = (of: FigureData): GroupChart => ({
  id: 'speedup',
  chapter: 'bandwidth',
  isAlone: true,
  isWhole: true,
  draw(given) {
    const group = groupOfFigure(given, of);
    const found = rankLadders(group);
    if (found.length === 0) return null;
    const xs = evenlyChosen(xsOf(found.flat()), Math.max(1, Math.floor(maxLines / found.length)));
    const rows = found.flatMap((ladder) => xs.flatMap((x) => rowsAt(group, of, ladder, x)));
    if (rows.length === 0) return null;
    const fewest = Math.min(...found.map(([first]) => (first === undefined ? 1 : ranksOf(first))));
    const ranks = rows.map((row) => Number(row.ranks));
    return {
      name: `${group.key}-speedup`,
      title: `Speed-up of ${group.title}`,
      caption: `How many times the ${of.title} of ${plural(fewest, 'rank')} more ranks reach (t is the ${trialPhrase(group)}); the efficiency is its share of the dotted line, where each rank does as much as with ${plural(fewest, 'rank')}. Both axes are logarithmic. Bands are 95 % intervals.${rows.some(({ medium }) => medium === 'emulated') ? ' Dashed lines are emulated: they do not show the speed of the real adapter.' : ''}`,
      rows: withoutDrawing(rows),
      spec: (size) =>
        overX({
          x: ranksAxis,
          rows,
          series: legendSeriesOf(rows),
          form: screenForms[size],
          description: `Speed-up of ${group.title} over the number of ranks`,
          y: {
            field: 'speedup',
            low: 'low',
            high: 'high',
            title: 'speed-up',
            scale: { type: 'log', base: 2, domain: speedupDomain(rows, fewest), nice: false },
            format: '~r',
          },
          extra: [ideal(fewest, Math.max(...ranks))],
        }),
    };
  },
});

/**
 * Returns the chart rows of one line: the speed-up over the number of ranks, for one transport at one x (message size). Empty if
 * the lowest rank count has no rate at this x; other rank counts without a rate are left out.
 * @param ladder series that differ only in the number of ranks, in ascending order
 */
function rowsAt(group: SeriesGroup, of: FigureData, ladder: readonly Series[], x: number): ChartRow[] {
  const [first] = ladder;
  const least = first === undefined ? null : rateOf(cellAt(first, x), group, of.name);
  if (first === undefined || least === null) return [];
  return ladder.flatMap((series): ChartRow[] => {
    const rate = rateOf(cellAt(series, x), group, of.name);
    const pair = compare(first, series, group).points.find((point) => point.x === x);
    if (rate === null || pair === undefined) return [];
    const value = rate / least;
    const half = series === first ? 0 : pair.logHalfWidth;
    const efficiency = (value * ranksOf(first)) / ranksOf(series);
    const label = `${series.transport}${series.medium === 'emulated' ? ' (emulated)' : ''}, ${group.x.noun} ${group.x.text(x)}`;
    return [
      {
        series: label,
        transport: series.transport,
        medium: series.medium,
        [group.x.field]: x,
        ranks: ranksOf(series),
        speedup: value,
        low: half === null ? null : value * Math.exp(-half),
        high: half === null ? null : value * Math.exp(half),
        efficiency,
        [fieldOf(of)]: rate,
        timeNs: pair.bNs,
        stretch: label,
        tip: `${label}, ${plural(ranksOf(series), 'rank')}: ${formatRatio(value)}, efficiency ${formatPercent(efficiency)}, ${figureText(of.unit, rate)}`,
      },
    ];
  });
}

function speedupDomain(rows: readonly ChartRow[], fewest: number): [number, number] {
  const values = numbersIn(rows, 'speedup', 'low', 'high');
  const most = Math.max(...rows.map((row) => Number(row.ranks))) / fewest;
  return [Math.min(0.5, ...values) * 0.95, Math.max(most, ...values) * 1.05];
}

/**
 * Returns the layer with the dotted line of ideal speed-up: n times the ranks give n times the rate.
 * @param fewest lowest number of ranks, at which the speed-up is 1
 * @param most highest number of ranks
 */
const ideal = (fewest: number, most: number): object => ({
  data: {
    values: [fewest, most].map((ranks) => ({ ranks, ideal: ranks / fewest })),
  },
  mark: { type: 'line', strokeDash: [2, 3], strokeWidth: 1, color: ink.soft, aria: false },
  encoding: {
    y: { field: 'ideal', type: 'quantitative' },
    x: { field: 'ranks', type: 'quantitative' },
  },
});
