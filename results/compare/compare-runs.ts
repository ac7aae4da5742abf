import { xValueOf } from '../derive/cells/cell-group.ts';
import {
  allMeasuredFigures,
  type CellRecord,
  type Comparison,
  type ComparisonRun,
  type MissingCell,
  type PairOfRuns,
} from '../schema/index.ts';
import { judgeAll } from './changes.ts';
import { familiesOf } from './families.ts';
import type { OkPair } from './load.ts';
import { loadDifferences } from './load.ts';
import { type CompareOptions, usualOptions } from './options.ts';
import { type CellPair, isOk, pairCells } from './pairing.ts';
import { type ComparableRun, nameOfRun } from './run.ts';
import { changedSettings } from './settings.ts';
import { countVerdicts, summaryOf, verdictOfAll } from './summary.ts';

export type { ComparableRun };

/**
 * Compares every run with the first one. Configurations that both measured are compared; those that cannot be compared, and those
 * that only one run has, are listed with a reason.
 * @param runs two at least
 * @throws {RangeError} with fewer runs, or if a threshold is not above 0
 */
export function compareRuns(
  runs: readonly ComparableRun[],
  options: Partial<CompareOptions> = {},
): Comparison {
  const rules = { ...usualOptions, ...options };
  const [base, ...others] = runs;
  if (base === undefined || others.length === 0) throw new RangeError('a comparison needs two runs or more');
  for (const threshold of [rules.groupThreshold, rules.cellThreshold]) {
    if (!(threshold > 0)) throw new RangeError(`a threshold must be above 0, got ${threshold}`);
  }
  return {
    schemaVersion: 3,
    rules: {
      groupThreshold: rules.groupThreshold,
      cellThreshold: rules.cellThreshold,
      falseDiscovery: rules.falseDiscovery,
      confidence: 0.95,
      power: 0.8,
      allowed: [...rules.allow],
      excludeFlagged: rules.excludeFlagged,
      scatterFactor: rules.scatterFactor,
      ...(rules.runScatterFrom === null ? {} : { groupSame: rules.groupSame, cellSame: rules.cellSame }),
    },
    base: comparedRun(base),
    others: others.map(comparedRun),
    pairs: others.map((other) => compareTwo(base, other, rules)),
  };
}

function comparedRun({ record, cells }: ComparableRun): ComparisonRun {
  const launches = cells.flatMap((cell) => allMeasuredFigures(cell).map((figure) => figure.launches));
  const { id, label, title, startedAt, state } = record;
  return {
    id,
    ...(label === undefined ? {} : { label }),
    title,
    startedAt,
    launches: Math.max(0, ...launches),
    ...(state === 'complete' ? {} : { ended: state }),
  };
}

function compareTwo(base: ComparableRun, other: ComparableRun, rules: CompareOptions): PairOfRuns {
  const { pairs, baseOnly, otherOnly } = pairCells(base.cells, other.cells);
  const both = pairs.filter((pair): pair is OkPair => isOk(pair.base) && isOk(pair.other));
  const { families, refused } = familiesOf(both, base.record, other.record, rules);
  const { groups, cells } = judgeAll(families, rules);
  const missing = [
    ...pairs.flatMap(oneSided),
    ...baseOnly.map((cell) => onlyIn(cell, 'other')),
    ...otherOnly.map((cell) => onlyIn(cell, 'base')),
  ];
  const verdict = verdictOfAll(groups, cells);
  const found = { groups, cells, refused: refused.length, missing: missing.length };
  return {
    other: other.record.id,
    ...(other.record.label === undefined ? {} : { otherLabel: other.record.label }),
    verdict,
    summary: summaryOf(nameOfRun(other.record), found, verdict),
    counts: { groups: countVerdicts(groups), cells: countVerdicts(cells) },
    groups,
    cells,
    refused,
    missing,
    settings: [...changedSettings(base.record, other.record, both), ...loadDifferences(both)],
  };
}

const onlyIn = (cell: CellRecord, from: MissingCell['from']): MissingCell => ({
  id: cell.id,
  x: xValueOf(cell),
  from,
  reason: from === 'base' ? 'the base did not measure it' : 'the other run did not measure it',
});

/**
 * Lists the measurements that failed in one of the two runs, so that there is nothing to compare, with the reason; one that
 * failed in both is listed for each.
 */
function oneSided({ base, other }: CellPair): MissingCell[] {
  const { id } = base;
  const x = xValueOf(base);
  return (
    [
      ['base', base],
      ['other', other],
    ] as const
  ).flatMap(([from, cell]) => (isOk(cell) ? [] : [{ id, x, from, reason: cell.reason }]));
}
