// Charts of a suite's page: averages, each operation over its sizes, and runs that differ in their rank count.
import path from 'node:path';
import type { SuiteRecord } from '../../results/schema/index.ts';
import { StoreError } from '../../results/store/errors.ts';
import { openRun } from '../../results/store/read.ts';
import { isMeasuring } from '../../suites/workloads/index.ts';
import { averages, type ChartFigure, chartsOf, figuresOfChart } from '../charts/index.ts';
import { chaptersOf } from '../report-chapters.ts';
import { groupsOf, type ReportRun, type SeriesGroup } from '../series.ts';
import { steps } from '../steps/chart.ts';
import { partGroups } from '../steps/variants.ts';
import { plural } from '../wording.ts';
import { html, type SafeHtml } from './markup.ts';
import { drawer } from './sections.ts';

/**
 * Maximum number of panels (charts for one rank count) on a suite's page. With more operations than that, each operation still
 * gets its first panel. Further panels are only in the reports of the runs.
 */
const maxCharts = 6;

/**
 * Returns the last run of each suite entry (benchmark command) that measures, without unreadable runs and runs of the reference
 * build.
 * @throws errors other than `StoreError`
 */
async function runsOf({ entries }: SuiteRecord, dir: string): Promise<ReportRun[]> {
  const found: ReportRun[] = [];
  for (const { command, runs } of entries) {
    const last = runs.findLast(({ arm }) => arm === 'tonight');
    if (last === undefined || !isMeasuring(command)) continue;
    try {
      found.push(await openRun(path.join(dir, last.folder)));
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }
  return found;
}

/**
 * Returns the main chart of each operation, as one list of panels (charts for one rank count) per operation. If any operation has
 * timed steps, only the charts of steps are returned.
 */
function mainCharts(groups: readonly SeriesGroup[]): ChartFigure[][] {
  const parted = partGroups(groups).flatMap((group) => steps.draw(group) ?? []);
  if (parted.length > 0) return parted.map((figure) => [figure]);
  return chaptersOf(groups).map(({ group }) => {
    const [chart] = chartsOf(group.row);
    return chart === undefined ? [] : figuresOfChart(chart, group).map(({ figure }) => figure);
  });
}

/**
 * Limits the number of panels. Each operation keeps its first panel. Further panels are added until the limit: first the
 * second panel of each operation, then the third, and so on. The order of operations is kept.
 */
function limitPanels<T>(operations: readonly (readonly T[])[], limit = maxCharts): T[] {
  const byRound = operations
    .flatMap((panels, operation) => panels.map((panel, round) => ({ panel, round, operation })))
    .sort((a, b) => a.round - b.round);
  const firsts = byRound.filter(({ round }) => round === 0).length;
  return byRound
    .slice(0, Math.max(limit, firsts))
    .sort((a, b) => a.operation - b.operation || a.round - b.round)
    .map(({ panel }) => panel);
}

/**
 * Returns the charts of the suite's runs as HTML: averages, the main chart of each operation, and speed-ups of runs that differ
 * in rank count. Empty if no run can be read.
 * @param dir folder of the suite
 */
export async function chartsSection(record: SuiteRecord, dir: string): Promise<SafeHtml> {
  const groups = groupsOf(await runsOf(record, dir));
  const over = mainCharts(groups);
  const shown = limitPanels(over);
  const more = over.flat().length - shown.length;
  const charts = [...averages(groups), ...shown];
  const speedups = groups.flatMap((group) => {
    const figure = chartsOf(group.row)
      .find(({ id }) => id === 'speedup')
      ?.draw(group);
    return figure == null ? [] : [figure];
  });
  const { draw, fill } = drawer(undefined, false);
  const rest = more > 0 ? html`<p>${plural(more, 'more chart')} in the reports of the runs.</p>` : '';
  const { body } =
    await fill(html`${charts.length === 0 ? '' : html`<section><h2>Charts</h2>${charts.map(draw)}${rest}</section>`}
${speedups.length === 0 ? '' : html`<section><h2>Scaling</h2>${speedups.map(draw)}</section>`}`);
  return body;
}
