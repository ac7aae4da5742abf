import { pointsOf, withInterval } from '../charts/chart.ts';
import { isImported } from '../imported.ts';
import { chartedRow, figureText } from '../rows.ts';
import { groupOfFigure, groupsOfRun, type SeriesGroup, type SeriesSource } from '../series.ts';
import type { TerminalPlot } from '../terminal/plot.ts';
import { capitalise, halfWidth, plusMinusHalf, uncapitalise } from '../wording.ts';

/** Maximum number of charts of a run in a terminal; the HTML report has all charts. */
const maxPlots = 4;

/**
 * Returns charts of a run for a terminal: one per operation with results, over x, at most four. A chart shows the main rate of the
 * workload, such as bus bandwidth, or else the time. `left` is the number of charts beyond these four.
 */
export function runPlots(run: SeriesSource): { plots: TerminalPlot[]; left: number } {
  const plots = groupsOfRun(run).flatMap((group) => plotOf(group) ?? []);
  return { plots: plots.slice(0, maxPlots), left: Math.max(0, plots.length - maxPlots) };
}

function plotOf(group: SeriesGroup): TerminalPlot | null {
  const figure = chartedRow(group.row);
  const rated =
    figure === undefined
      ? []
      : pointsOf(groupOfFigure(group, figure)).filter(({ rates }) => rates[figure.name] != null);
  const of = rated.length > 0 ? figure : undefined;
  const points = of === undefined ? pointsOf(group) : rated;
  if (points.length === 0) return null;
  const named = uncapitalise(of?.title ?? 'time');
  const series = group.series.map((one) => ({
    label: `${one.name}${one.medium === 'hardware' ? '' : ` ${one.medium.toUpperCase()}`}`,
    points: points
      .filter(({ series: own }) => own.key === one.key)
      .map(({ row, figure: time, timeNs, lowNs, highNs, rates }) => {
        const rate = of === undefined ? null : (rates[of.name] ?? null);
        const { value: y, ...ends } =
          rate === null ? { value: timeNs, low: lowNs, high: highNs } : withInterval(rate, time);
        return { x: Number(row[group.x.field]), y, ...ends };
      }),
  }));
  const unit = of?.unit ?? 'ns';
  return {
    title: `${capitalise(named)} of ${group.title}`,
    x: { title: `${group.x.title} (log)`, isLog: true, base: group.x.base, text: group.x.text },
    y: { title: `${named} (log)`, isLog: true, text: (y) => figureText(unit, y) },
    series: series.filter((one) => one.points.length > 0),
    notes: [intervalNote(group, points)],
  };
}

/**
 * Returns a note about the intervals in a chart with their median half width: "95 % intervals, typical ±0.8 %." If there are no
 * intervals, it says so.
 * @param points drawn points; default: all points of the group of series
 */
export function intervalNote(group: SeriesGroup, points = pointsOf(group)): string {
  if (isImported(group)) return 'No intervals: the samples are not available.';
  const halves = points
    .flatMap(({ timeNs, lowNs, highNs }) =>
      lowNs === null || highNs === null ? [] : [halfWidth(timeNs, { low: lowNs, high: highNs })],
    )
    .sort((a, b) => a - b);
  if (halves.length === 0) return 'No intervals.';
  return `95 % intervals, typical ${plusMinusHalf(halves[Math.floor(halves.length / 2)] as number)}.`;
}
