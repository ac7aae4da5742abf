// Makes a pool from run folders: the launch medians of every cell, in the order of time.
import { seriesTitle } from '../../../results/compare/titles.ts';
import { groupOf, type Regime, regimeOf, xValueOf } from '../../../results/derive/cells/cell-group.ts';
import {
  dataOf,
  engineRow,
  measuredOf,
  type OkCell,
  type RunRecord,
  type TrialName,
  whatOf,
} from '../../../results/schema/index.ts';
import type { LoadedRun } from '../../../results/store/types.ts';
import type { LaunchPool, PooledSeries } from './pool-file.ts';

export interface PoolOfRuns {
  pool: LaunchPool;
  /** Text about each part that was left out, with the reason. */
  leftOut: string[];
}

interface TrialSeries {
  title: string;
  first: OkCell;
  /** Launch medians by size and trial, of all runs in order. */
  sizes: Map<number, Record<TrialName, number[]>>;
}

/** Rounds to six digits: the error is half a millionth, and the file has half the size. */
const short = (ns: number): number => Number(ns.toPrecision(6));

/**
 * Makes a pool; parts without enough launches are left out.
 * @param runs runs of the same machine, in any order. All launches of a run count. Runs of one launch each are best, because
 * launches of one run are measured at the same time.
 * @param lowTimes lower quartiles of each run, by configuration: the runs are then pairs that measured in turn
 * @throws RangeError if nothing is left
 */
export function poolOfRuns(
  runs: readonly LoadedRun[],
  note: string,
  lowTimes?: ReadonlyMap<LoadedRun, ReadonlyMap<string, number>>,
): PoolOfRuns {
  const inOrder = [...runs].sort((a, b) => a.record.startedAt.localeCompare(b.record.startedAt));
  const parts = new Map<string, LoadedRun[]>();
  for (const run of inOrder) {
    const key = measuredAs(run.record);
    parts.set(key, [...(parts.get(key) ?? []), run]);
  }
  const leftOut: string[] = [];
  const series = [...parts].flatMap(([measured, own]) => seriesOf(measured, own, leftOut, lowTimes));
  const [first] = inOrder;
  if (first === undefined || series.length === 0) {
    throw new RangeError(`no cell has a figure in two launches or more of these ${runs.length} runs`);
  }
  const pool: LaunchPool = {
    schemaVersion: 1,
    machine: machineOf(first.record),
    command: first.record.plan.command.join(' '),
    note,
    series,
  };
  return { pool, leftOut };
}

const measuredAs = ({ suite, title }: RunRecord): string => (suite === undefined ? title : suite.entry);

function machineOf({ inventory, launches, plan }: RunRecord): string {
  const hosts = Object.values(inventory).map(
    ({ cpuModel, cpuCount }) => `${cpuModel}, ${cpuCount} processors`,
  );
  const devices = engineRow(plan).onDevice ? (launches[0]?.ranks.map(({ device }) => device) ?? []) : [];
  return [...hosts, ...devices].join('; ');
}

function seriesOf(
  measured: string,
  runs: readonly LoadedRun[],
  leftOut: string[],
  lowTimes?: ReadonlyMap<LoadedRun, ReadonlyMap<string, number>>,
): PooledSeries[] {
  const launches = runs.reduce((sum, { record }) => sum + record.plan.sampling.launches, 0);
  const collected = new Map<string, TrialSeries>();
  for (const run of runs) {
    for (const cell of run.cells) {
      if (cell.status !== 'ok') continue;
      const key = groupOf(cell).series;
      const entry = collected.get(key) ?? { title: seriesTitle(cell), first: cell, sizes: new Map() };
      const size = entry.sizes.get(xValueOf(cell)) ?? { isolated: [], pipelined: [] };
      const low = lowTimes?.get(run)?.get(cell.id);
      if (low !== undefined) size.isolated.push(low);
      if (lowTimes === undefined) {
        size.isolated.push(...(measuredOf(cell, 'latency')?.launchValues ?? []));
        size.pipelined.push(...(measuredOf(cell, 'pipelined')?.launchValues ?? []));
      }
      entry.sizes.set(xValueOf(cell), size);
      collected.set(key, entry);
    }
  }
  return [...collected.values()].flatMap(({ title, first, sizes }): PooledSeries[] => {
    const columns = [...sizes]
      .sort(([a], [b]) => a - b)
      .flatMap(([bytes, figures]) => {
        const trial = trialOf(regimeOf(bytes), figures, launches);
        if (trial !== null) return [{ bytes, trial, ns: figures[trial] }];
        const most = Math.max(figures.isolated.length, figures.pipelined.length);
        leftOut.push(`${title}, ${bytes} bytes: figures of ${most} of ${launches} launches`);
        return [];
      });
    if (columns.length === 0 || launches < 2) return [];
    const { engine, transport, medium } = first;
    const collective = whatOf(dataOf(first.workload), first.axes);
    return [
      {
        ...{ measured, title, collective, engine, transport, medium },
        sizesBytes: columns.map(({ bytes }) => bytes),
        trials: columns.map(({ trial }) => trial),
        ...(lowTimes === undefined ? {} : { isPaired: true as const }),
        launchMediansNs: Array.from({ length: launches }, (_, l) =>
          columns.map(({ ns }) => short(ns[l] as number)),
        ),
      },
    ];
  });
}

/** The trial that comparisons use, if every launch has it; otherwise the other one. Null if neither is complete. */
function trialOf(
  regime: Regime,
  figures: Record<TrialName, readonly number[]>,
  launches: number,
): TrialName | null {
  const order =
    regime === 'large' ? (['pipelined', 'isolated'] as const) : (['isolated', 'pipelined'] as const);
  return order.find((trial) => figures[trial].length === launches) ?? null;
}
