import { nameOfOther, nameOfRun } from '../../results/compare/run.ts';
import { nameOfSeries } from '../../results/history/series-name.ts';
import { intervalText } from '../../results/judge/verdict-text.ts';
import type { Comparison, GroupChange, PairOfRuns } from '../../results/schema/index.ts';
import { type ChartFigure, type ChartRow, withoutDrawing } from '../charts/chart.ts';
import type { LegendSeries } from '../charts/legend.ts';
import { overX } from '../charts/over-x.ts';
import { numbersIn, ratioAxis } from '../charts/scales.ts';
import { screenForms } from '../charts/screen-forms.ts';
import { seriesStyles } from '../theme.ts';
import { formatTime, usefulEnds } from '../wording.ts';
import { changeVerdictTexts, plain, trialText, xOfKey } from './texts.ts';

/** Sentence that explains the interval bands in a chart of ratios. */
export const bandsText =
  'Bands are 95 % intervals between launches; where there is none, from the lowest to the highest launch.';

/**
 * Draws the ratio of times over x: the time of a compared run divided by that of the base run. There is one chart for each trial
 * (isolated or pipelined) and kind of x axis, with one line per compared run and series.
 */
export function ratioFigures({ base, pairs, rules }: Comparison): ChartFigure[] {
  return ratioKinds(pairs).flatMap(({ group: { key, change }, rows, names }, i) => {
    if (rows.length === 0) return [];
    const looks = seriesStyles([...names.values()].map(({ transport }) => transport));
    const series = [...names].flatMap(([label, { medium }], at): LegendSeries[] => {
      const look = looks[at];
      return look === undefined ? [] : [{ label, medium, ...look }];
    });
    const trial = trialText(key, change);
    const title = `Time against ${plain(nameOfRun(base), 40)}, ${trial} operations`;
    return [
      {
        name: `ratio-${i}`,
        title,
        caption: `Ratio of the two times: above 1 the other run is slower. ${bandsText} The dotted lines are the threshold of single sizes, ${Math.round(rules.cellThreshold * 1000) / 10} %.`,
        rows: withoutDrawing(rows),
        spec: (size) =>
          overX({
            x: xOfKey(key),
            rows,
            series,
            form: screenForms[size],
            description: title,
            y: {
              field: 'ratio',
              low: 'low',
              high: 'high',
              title: 'ratio of times',
              ...scaleOf(rows, rules.cellThreshold),
            },
            rules: [
              { value: 1, text: 'equally fast', dash: [1, 0] },
              { value: 1 + rules.cellThreshold, text: '' },
              { value: 1 / (1 + rules.cellThreshold), text: '' },
            ],
          }),
      },
    ];
  });
}

/**
 * Returns one element per chart of a comparison; each trial and kind of x axis has a chart. An element has one of the chart's size
 * ranges (`group`), the chart's data (`rows`), and medium and transport of each series by its label (`names`).
 */
export function ratioKinds(pairs: readonly PairOfRuns[]) {
  const kinds = new Map(
    pairs.flatMap(({ groups }) => groups.map((group) => [kindOf(group), group] as const)),
  );
  return [...kinds].map(([kind, group]) => ({ group, ...rowsOf(pairs, kind) }));
}

/**
 * Returns the key of the chart in which a size range is drawn: trial and field name of x. Size ranges with equal keys share a
 * chart.
 */
const kindOf = ({ key, change }: GroupChange): string => `${trialText(key, change)} ${xOfKey(key).field}`;

function rowsOf(pairs: readonly PairOfRuns[], kind: string) {
  const rows: ChartRow[] = [];
  const names = new Map<string, { medium: string; transport: string }>();
  for (const pair of pairs) {
    for (const group of pair.groups.filter((one) => kindOf(one) === kind)) {
      const who = pairs.length > 1 ? `${plain(nameOfOther(pair), 20)}: ` : '';
      const series = who + plain(group.title, 100);
      const x = xOfKey(group.key);
      names.set(series, { medium: group.medium, transport: nameOfSeries(group.key).transport });
      for (const cell of pair.cells) {
        if (cell.group !== group.key || cell.x === 0) continue;
        const { ratio, observed } = cell.change;
        const ends = usefulEnds(ratio, cell.change);
        const [low, high] = ends.low === null || ends.high === null ? observed : [ends.low, ends.high];
        rows.push({
          series,
          medium: group.medium,
          [x.field]: cell.x,
          ratio,
          low,
          high,
          baseTimeNs: cell.base,
          otherTimeNs: cell.other,
          verdict: cell.change.verdict,
          stretch: `${series}#${trialText(group.key, group.change)}`,
          tip: `${x.text(cell.x)}: ${intervalText(cell.change)}, ${changeVerdictTexts[cell.change.verdict]}, ${formatTime(cell.base)} to ${formatTime(cell.other)}`,
        });
      }
    }
  }
  return { rows, names };
}

/**
 * Returns the axis scale for ratios of times. Its range contains all ratios and intervals, and at least 1 with twice the threshold
 * for a change on both sides.
 * @param rows chart rows with the fields `ratio`, `low` and `high`
 * @param threshold smallest change that counts, as a share of the time
 */
function scaleOf(rows: readonly ChartRow[], threshold: number) {
  const values = numbersIn(rows, 'ratio', 'low', 'high');
  const low = Math.min(1 / (1 + 2 * threshold), ...values);
  const high = Math.max(1 + 2 * threshold, ...values);
  return ratioAxis([low, high]);
}
