// Charts over ranks on the page of a suite: of its runs that differ in their number.
import path from 'node:path';
import type { SuiteRecord } from '../../results/schema/index.ts';
import { openRun, StoreError } from '../../results/store/index.ts';
import { isMeasuring, planningOfCommand } from '../../suites/workloads/index.ts';
import { chartsOf } from '../charts/index.ts';
import { groupsOf, type ReportedRun } from '../series.ts';
import { drawFigure } from './figure.ts';
import { type Html, html } from './markup.ts';

/** A workload with a rate of all ranks together. */
const scales = (command: string): boolean =>
  isMeasuring(command) &&
  planningOfCommand(command).row.figures.some(({ isThroughput }) => isThroughput === true);

/** The run of each entry that counts, as far as it can be read. */
async function runsOf({ entries }: SuiteRecord, dir: string): Promise<ReportedRun[]> {
  const found: ReportedRun[] = [];
  for (const { command, runs } of entries) {
    const last = runs.findLast(({ arm }) => arm === 'tonight');
    if (last === undefined || !scales(command)) continue;
    try {
      found.push(await openRun(path.join(dir, last.folder)));
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }
  return found;
}

/** Nothing where no two runs differ in the number of ranks. */
export async function scalingSection(record: SuiteRecord, dir: string): Promise<Html> {
  const figures: Html[] = [];
  for (const group of groupsOf(await runsOf(record, dir))) {
    const figure = chartsOf(group.row)
      .find(({ id }) => id === 'speedup')
      ?.draw(group);
    if (figure != null) figures.push((await drawFigure(figure, figures.length + 1, false)).body);
  }
  return figures.length === 0 ? html`` : html`<section><h2>Scaling</h2>${figures}</section>`;
}
