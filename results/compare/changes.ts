import { xValueOf } from '../derive/cells/cell-group.ts';
import {
  type CellChange,
  type ComparisonChange,
  dataOf,
  type GroupChange,
  measuredOf,
  type OkCell,
  whatOf,
} from '../schema/index.ts';
import type { ComparisonFamily } from './families.ts';
import { judge, type LaunchMedians } from './judge.ts';
import { armsOfCells, armsOfGroup } from './launch-medians.ts';
import type { OkPair } from './load.ts';
import type { CompareOptions } from './options.ts';
import { betweenRunsOf } from './run-scatter.ts';
import { seriesTitle } from './titles.ts';

/**
 * Judges the changes of all size ranges together, and separately those of all single message sizes. Each of the two sets of
 * tests keeps the expected share of false alarms below `rules.falseDiscovery`. The second headline is judged in two more sets
 * and only shown (`beside`).
 */
export function judgeAll(families: readonly ComparisonFamily[], rules: CompareOptions) {
  const { falseDiscovery } = rules;
  const learned = ({ group }: ComparisonFamily) => rules.learned[group.key];
  const ofGroups = { threshold: rules.groupThreshold, same: rules.groupSame, falseDiscovery };
  const ofCells = { threshold: rules.cellThreshold, same: rules.cellSame, falseDiscovery, isSingle: true };
  const isJudgedAnyway = rules.allow.includes('disturbed');
  const flat = families.flatMap((family) => family.pairs.map((pair) => ({ family, pair })));
  const all = flat.map(({ pair }) => pair);
  const groupChanges = judge(
    families.map((family) => ({
      ...armsOfGroup(family.pairs, family.figure, isJudgedAnyway, all, learned(family)),
      betweenRuns: betweenRunsOf(family.pairs, family.figure, rules),
    })),
    ofGroups,
    rules,
  );
  const cellChanges = judge(
    families.flatMap((family) =>
      withRuns(family, armsOfCells(family.pairs, family.figure, isJudgedAnyway, all, learned(family)), rules),
    ),
    ofCells,
    rules,
  );
  // The other headline is shown but does not decide. Learned scatter belongs to the first headline.
  const beside = families.flatMap((family) => family.beside ?? []);
  const groupsBeside = judge(
    beside.map(({ pairs, figure }) => ({
      ...armsOfGroup(pairs, figure, isJudgedAnyway, all),
      betweenRuns: betweenRunsOf(pairs, figure, rules),
    })),
    ofGroups,
    rules,
  );
  const cellsBeside = judge(
    beside.flatMap((one) => withRuns(one, armsOfCells(one.pairs, one.figure, isJudgedAnyway, all), rules)),
    ofCells,
    rules,
  );
  const besideGroup = new Map(beside.map((one, i) => [one, groupsBeside[i] ?? null]));
  const besideCell = new Map(
    beside.flatMap(({ pairs }) => pairs).map((pair, i) => [pair, cellsBeside[i] ?? null]),
  );
  const groups = families.map(
    (family, i): GroupChange => ({
      ...nameOf(family),
      change: groupChanges[i] as ComparisonChange,
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
      change: cellChanges[i] as ComparisonChange,
      beside: besideCell.get(pair) ?? null,
      flags: [...new Set([...base.flags, ...other.flags].map(({ name }) => name))],
    };
  });
  return { groups, cells };
}

/** Adds how much whole runs of the same program differ. @param arms launch medians of each of the `pairs`, in the same order */
const withRuns = (
  { pairs, figure }: Pick<ComparisonFamily, 'pairs' | 'figure'>,
  arms: readonly LaunchMedians[],
  rules: CompareOptions,
): LaunchMedians[] =>
  arms.map((one, i) => ({ ...one, betweenRuns: betweenRunsOf(pairs.slice(i, i + 1), figure, rules) }));

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
