import { regimeName } from '../../results/history/series-name.ts';
import type { Trend } from '../../results/history/trend.ts';
import { trendPoints } from '../charts/trend.ts';
import { levelText, nounOf, trialText } from '../history/texts.ts';
import type { TerminalPlot } from '../terminal/plot.ts';

/**
 * Returns a chart for a terminal of a series' times night by night. The mean time between two changes is a horizontal line, each
 * change a vertical line. Null if no night is shown.
 * @param since first night that is shown; "" = all
 */
export function trendPlot(trend: Trend, since: string): TerminalPlot | null {
  const first = trend.nights.findIndex(({ night }) => night >= since);
  if (first < 0) return null;
  const noun = nounOf(trend);
  const emulated = trend.medium === 'emulated' ? ' EMULATED' : '';
  return {
    title: `${trend.title}; ${regimeName(trend.regime)}`,
    x: {
      title: trend.by === 'day' ? 'night' : `${noun}, time (UTC)`,
      isLog: false,
      text: (x) => (Number.isInteger(x) ? (trend.nights[x]?.night.slice(5) ?? '') : ''),
    },
    y: {
      title: `${trend.kind === 'time' ? 'time' : 'time by that of the reference build'}, ${trialText(trend)}`,
      isLog: false,
      text: (y) => levelText(Math.log(y), trend.kind),
    },
    series: [
      {
        label: `${noun}s${emulated}`,
        points: trendPoints(trend, first).map(({ index, value, low, high }) => ({
          x: index,
          y: value,
          low,
          high,
        })),
      },
    ],
    levels: trend.segments
      .filter(({ to }) => to > first)
      .map(({ from, to, log }) => ({ y: Math.exp(log), from: Math.max(first, from), to: to - 1 })),
    steps: trend.changes.filter(({ at }) => at >= first).map(({ at }) => at),
    notes: ['95 % intervals; lines are the levels between changes.'],
  };
}
