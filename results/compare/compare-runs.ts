import { xValueOf } from '../derive/cells/cell-group.ts';
import {
  allMeasuredFigures,
  type CellChange,
  type CellRecord,
  type Comparison,
  type ComparisonChange,
  type ComparisonRun,
  dataOf,
  type GroupChange,
  isOk,
  type MissingCell,
  measuredOf,
  type OkCell,
  type PairOfRuns,
  whatOf,
} from '../schema/index.ts';
import { type ComparisonFamily, familiesOf } from './families.ts';
import { judge } from './judge.ts';
import { armsOfCells, armsOfGroup } from './launch-medians.ts';
import { loadDifferences, type OkPair } from './load.ts';
import { type CompareOptions, usualOptions } from './options.ts';
import { type CellPair, pairCells } from './pairing.ts';
import { type ComparableRun, nameOfRun } from './run.ts';
import { betweenRunsOf } from './run-scatter.ts';
import { changedSettings } from './settings.ts';
import { countVerdicts, summaryOf, verdictOfAll } from './summary.ts';
import { seriesTitle } from './titles.ts';

export type { ComparableRun };

/**
 * Compares every run with the first one, `base`; the result has one entry in `pairs` for each other run, in the same order.
 * Configurations that both runs measured are compared; those that cannot be compared, and those that only one run has, are listed
 * with a reason.
 * @param runs two at least
 * @param options those that differ from `usualOptions`
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
 * Lists a pair whose measurement failed in one of the two runs, with the reason; if it failed in both, there is one entry for each
 * run, and if it failed in neither, none.
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

/**
 * Judges the changes of all size ranges together, and separately those of all single message sizes. Each of the two sets of tests
 * keeps the expected share of false alarms below `rules.falseDiscovery`. The second main time is judged in two further sets,
 * and is only shown (`beside`).
 */
function judgeAll(families: readonly ComparisonFamily[], rules: CompareOptions) {
  const { falseDiscovery } = rules;
  const ofGroups = { threshold: rules.groupThreshold, same: rules.groupSame, falseDiscovery };
  const ofCells = { threshold: rules.cellThreshold, same: rules.cellSame, falseDiscovery, isSingle: true };
  const isJudgedAnyway = rules.allow.includes('disturbed');
  const flat = families.flatMap((family) => family.pairs.map((pair) => ({ family, pair })));
  const all = flat.map(({ pair }) => pair);
  const judged = (
    some: readonly (Pick<ComparisonFamily, 'pairs' | 'figure'> & { group?: ComparisonFamily['group'] })[],
  ) => {
    const groups = some.map(({ pairs, figure, group }) => ({
      ...armsOfGroup(pairs, figure, isJudgedAnyway, all, group && rules.learned[group.key]),
      betweenRuns: betweenRunsOf(pairs, figure, rules),
    }));
    const cells = some.flatMap(({ pairs, figure, group }) =>
      armsOfCells(pairs, figure, isJudgedAnyway, all, group && rules.learned[group.key]).map((arms, i) => ({
        ...arms,
        betweenRuns: betweenRunsOf(pairs.slice(i, i + 1), figure, rules),
      })),
    );
    return { groups: judge(groups, ofGroups, rules), cells: judge(cells, ofCells, rules) };
  };
  const changes = judged(families);
  // The second main time is shown but does not decide. Learned scatter is that of the first one, so `group` is absent here.
  const beside = families.flatMap((family) => family.beside ?? []);
  const besideChanges = judged(beside);
  const besideGroup = new Map(beside.map((one, i) => [one, besideChanges.groups[i] ?? null]));
  const besideCell = new Map(
    beside.flatMap(({ pairs }) => pairs).map((pair, i) => [pair, besideChanges.cells[i] ?? null]),
  );
  const groups = families.map(
    (family, i): GroupChange => ({
      ...nameOf(family),
      change: changes.groups[i] as ComparisonChange,
      beside: family.beside === null ? null : (besideGroup.get(family.beside) ?? null),
    }),
  );
  const cells = flat.map(({ family, pair }, i): CellChange => {
    const { base, other } = pair;
    const value = (cell: OkCell) => measuredOf(cell, family.figure)?.value as number;
    return {
      id: base.id,
      ...(other.id === base.id ? {} : { otherId: other.id }),
      group: family.group.key,
      x: xValueOf(base),
      base: value(base),
      other: value(other),
      change: changes.cells[i] as ComparisonChange,
      beside: besideCell.get(pair) ?? null,
      flags: [...new Set([...base.flags, ...other.flags].map(({ name }) => name))],
    };
  });
  return { groups, cells };
}

function nameOf({ group: { key, regime }, pairs }: ComparisonFamily): Omit<GroupChange, 'change' | 'beside'> {
  const [{ base }] = pairs as [OkPair, ...OkPair[]];
  const { workload, axes, engine, transport, medium } = base;
  return {
    ...{
      key,
      title: seriesTitle(base),
      what: whatOf(dataOf(workload), axes),
      engine,
      transport,
      medium,
      regime,
    },
    xs: pairs.map((pair) => xValueOf(pair.base)).sort((a, b) => a - b),
  };
}
