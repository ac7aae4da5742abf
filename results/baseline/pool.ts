import { logAverage } from 'simple-statistics';
import { addTo, sumOfCounts } from '../collections.ts';
import type { ComparableRun } from '../compare/compare-runs.ts';
import { deriveFigures } from '../derive/cells/cell.ts';
import { areSpansClose, spanOfAll } from '../derive/cells/flags.ts';
import {
  allMeasuredFigures,
  type CellFigure,
  type CellFlag,
  type CellRecord,
  flagLevelOf,
  isOk,
  type MeasuredFigure,
  measuredOf,
  type OkCell,
  workloadOf,
} from '../schema/index.ts';

/**
 * Combines several runs of one plan to one, whose results contain the launches of all; a time is the geometric mean of all launch
 * medians, without interval. A configuration that failed in one run counts as failed, and the flags of all runs are kept. A single
 * run is returned unchanged.
 * @param runs in the order of measuring, one at least; the record is that of the first
 * @throws {RangeError} if there is no run
 */
export function poolRuns(runs: readonly ComparableRun[]): ComparableRun {
  const [first, ...rest] = runs;
  if (first === undefined) throw new RangeError('nothing to pool');
  if (rest.length === 0) return first;
  const byId = new Map<string, CellRecord[]>();
  for (const cell of runs.flatMap(({ cells }) => cells)) {
    addTo(byId, cell.id, cell);
  }
  return { record: first.record, cells: [...byId.values()].map((cells) => poolCells(cells, runs.length)) };
}

/**
 * Combines the results of one configuration in several runs. If it failed in one, that result is returned, so that the failure is
 * not hidden. Otherwise the result has the worst evidence and the lowest verified share of all runs (null if a run has none), and
 * the sums of checks and wrong elements.
 * @param expected number of runs
 */
function poolCells(cells: readonly CellRecord[], expected: number): CellRecord {
  const bad = cells.find((cell) => !isOk(cell));
  if (bad !== undefined) return bad;
  const ok = cells.filter(isOk);
  const [first] = ok as [OkCell, ...OkCell[]];
  const worst =
    ok.find(({ evidence }) => evidence.verdict === 'contradicted') ??
    ok.find(({ evidence }) => evidence.verdict === 'unproven') ??
    first;
  const shares = ok.flatMap(({ verification }) => verification.share ?? []);
  const wrong = ok.find(({ verification }) => verification.wrongElements > 0) ?? first;
  const sum = (of: (cell: OkCell) => number): number => sumOfCounts(ok.map(of));
  return {
    ...first,
    evidence: worst.evidence,
    verification: {
      enabled: ok.every(({ verification }) => verification.enabled),
      checks: sum(({ verification }) => verification.checks),
      share: shares.length < ok.length ? null : Math.min(...shares),
      wrongElements: sum(({ verification }) => verification.wrongElements),
      comparedElements: sum(({ verification }) => verification.comparedElements),
      first: wrong.verification.first,
    },
    flags: poolFlags(ok, expected),
    figures: poolFigures(ok),
  };
}

/**
 * Returns the flags of one configuration in all runs, each once. `few-launches` is added if a run lacks the result, and
 * `launches-close` if runs followed each other closely.
 * @param expected number of runs
 */
function poolFlags(cells: readonly OkCell[], expected: number): CellFlag[] {
  const flag = (name: string): CellFlag => ({ name, level: flagLevelOf(name), reason: null });
  const spans = cells.flatMap(({ windows = [] }) => (windows.length === 0 ? [] : [spanOfAll(windows)]));
  const all = [
    ...cells.flatMap(({ flags }) => flags),
    ...(cells.length < expected ? [flag('few-launches')] : []),
    ...(areSpansClose(spans) ? [flag('launches-close')] : []),
  ];
  return all.filter(({ name }, i) => all.findIndex((one) => one.name === name) === i);
}

/**
 * Returns the times over the launches of all runs, the values derived from these times such as busbw, and the recorded values (kind
 * `side`) of the first run. A time that one of the runs lacks is left out.
 */
function poolFigures(cells: readonly OkCell[]): CellFigure[] {
  const [first] = cells as [OkCell, ...OkCell[]];
  const measured = allMeasuredFigures(first).flatMap(({ name }) => {
    const own = cells.flatMap((cell) => measuredOf(cell, name) ?? []);
    return own.length < cells.length ? [] : [poolMeasured(own)];
  });
  return [
    ...measured,
    ...first.figures.filter(({ kind }) => kind === 'side'),
    ...deriveFigures(workloadOf(first.workload), first, measured),
  ];
}

function poolMeasured(all: readonly MeasuredFigure[]): MeasuredFigure {
  const [first] = all as [MeasuredFigure, ...MeasuredFigure[]];
  const launchValues = all.flatMap((one) => one.launchValues);
  const sum = (of: (one: MeasuredFigure) => number): number => all.reduce((total, one) => total + of(one), 0);
  return {
    ...first,
    samples: sum(({ samples }) => samples),
    effectiveSamples: sum(({ effectiveSamples }) => effectiveSamples),
    launches: sum(({ launches }) => launches),
    value: logAverage(launchValues),
    interval: null,
    intervalReason: 'several runs as one: the gate works with their launches',
    launchValues,
  };
}
