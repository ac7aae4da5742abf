import type { Comparison, PairOfRuns } from '../../results/schema/index.ts';
import { type Figure, overSize, type Row, ruleAt } from '../charts/chart.ts';
import type { Series } from '../series.ts';
import { looksFor } from '../theme.ts';
import { formatBytes, formatTime } from '../wording.ts';
import { intervalText, plain } from './words.ts';

/** Ratio of times over message size: one figure for each trial and series family, a line per other run and series. */
export function ratioFigures({ base, pairs, rules }: Comparison): Figure[] {
  const trials = new Set(pairs.flatMap(({ groups }) => groups.map(({ change }) => change.trial)));
  return [...trials].flatMap((trial, i) => {
    const { rows, names } = rowsOf(pairs, trial);
    if (rows.length === 0) return [];
    const looks = looksFor([...names.keys()], false);
    const series = [...names].map(([label, medium], at) => ({
      label,
      medium,
      ...looks[at],
    })) as unknown as Series[];
    const title = `Time against ${plain(base.id, 40)}, ${trial} operations`;
    return [
      {
        name: `ratio-${i}`,
        title,
        caption: `Ratio of the two times: above 1 the other run is slower. Bands are 95 % intervals between launches; the dotted lines are the threshold of single sizes, ${Math.round(rules.cellThreshold * 1000) / 10} %.`,
        rows: rows.map(({ stretch: _stretch, tip: _tip, ...rest }) => rest),
        spec: (size) =>
          overSize({
            rows,
            series,
            size,
            description: title,
            y: {
              field: 'ratio',
              low: 'low',
              high: 'high',
              title: 'ratio of times',
              scale: scaleOf(rows, rules.cellThreshold),
              format: '~r',
            },
            extra: [
              ...ruleAt(1, 'equally fast', [1, 0]),
              ...ruleAt(1 + rules.cellThreshold, ''),
              ...ruleAt(1 / (1 + rules.cellThreshold), ''),
            ],
          }),
      },
    ];
  });
}

function rowsOf(pairs: readonly PairOfRuns[], trial: string) {
  const rows: Row[] = [];
  const names = new Map<string, string>();
  for (const pair of pairs) {
    for (const group of pair.groups.filter(({ change }) => change.trial === trial)) {
      const who = pairs.length > 1 ? `${plain(pair.other, 20)}: ` : '';
      const series = who + plain(group.title, 100);
      names.set(series, group.medium);
      for (const cell of pair.cells) {
        if (cell.group !== group.key || cell.payloadBytes === 0) continue;
        const { ratio, low, high } = cell.change;
        rows.push({
          series,
          medium: group.medium,
          payloadBytes: cell.payloadBytes,
          ratio,
          low,
          high,
          baseTimeNs: cell.baseNs,
          otherTimeNs: cell.otherNs,
          verdict: cell.change.verdict,
          stretch: `${series}#${trial}`,
          tip: `${formatBytes(cell.payloadBytes)}: ${intervalText(cell.change)}, ${formatTime(cell.baseNs, 'µs')} to ${formatTime(cell.otherNs, 'µs')}`,
        });
      }
    }
  }
  return { rows, names };
}

/** Always contains 1 and the threshold on both sides. */
function scaleOf(rows: readonly Row[], threshold: number): object {
  const values = rows
    .flatMap((row) => [row.ratio, row.low, row.high])
    .filter((v): v is number => typeof v === 'number');
  const low = Math.min(1 / (1 + 2 * threshold), ...values);
  const high = Math.max(1 + 2 * threshold, ...values);
  return { type: 'log', base: 2, domain: [low, high], nice: false };
}
