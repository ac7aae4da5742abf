import type { CellChange, GroupChange, OkCell } from '../schema/index.ts';
import { armsOfCells, armsOfGroup, type OkPair } from './arms.ts';
import { type Family, has, otherTrial } from './families.ts';
import { judge } from './judge.ts';
import type { CompareOptions } from './options.ts';
import { seriesTitle } from './titles.ts';

/** Verdicts on all groups, and on all cells: two families of tests, each with its own control of false discoveries. */
export function judgeAll(families: readonly Family[], rules: CompareOptions) {
  const { falseDiscovery } = rules;
  const learned = ({ group }: Family) => rules.learned[group.key];
  const ofGroups = { threshold: rules.groupThreshold, falseDiscovery };
  const ofCells = { threshold: rules.cellThreshold, falseDiscovery };
  const flat = families.flatMap((family) => family.pairs.map((pair) => ({ family, pair })));
  const groupChanges = judge(
    families.map((family) => armsOfGroup(family.pairs, family.trial, learned(family))),
    ofGroups,
  );
  const cellChanges = judge(
    families.flatMap((family) => armsOfCells(family.pairs, family.trial, learned(family))),
    ofCells,
  );
  // The other kind of trial is told beside and decides nothing. What was learned is of the headline.
  const beside = families.map((family) => family.pairs.filter(has(otherTrial(family.trial))));
  const told = families.flatMap((family, i) =>
    (beside[i]?.length ?? 0) > 0 ? [{ family, pairs: beside[i] as OkPair[] }] : [],
  );
  const groupsBeside = judge(
    told.map(({ family, pairs }) => armsOfGroup(pairs, otherTrial(family.trial))),
    ofGroups,
  );
  const cellsBeside = judge(
    told.flatMap(({ family, pairs }) => armsOfCells(pairs, otherTrial(family.trial))),
    ofCells,
  );
  const besideGroup = new Map(told.map(({ family }, i) => [family, groupsBeside[i] ?? null]));
  const besideCell = new Map(
    told.flatMap(({ pairs }) => pairs).map((pair, i) => [pair, cellsBeside[i] ?? null]),
  );
  const groups = families.map((family, i): GroupChange => {
    const { base } = family.pairs[0] as OkPair;
    const { key, regime } = family.group;
    const { collective, engine, transport, medium } = base;
    return {
      ...{ key, title: seriesTitle(base), collective, engine, transport, medium, regime },
      payloadBytes: family.pairs.map((pair) => pair.base.payloadBytes).sort((a, b) => a - b),
      change: groupChanges[i] as GroupChange['change'],
      beside: besideGroup.get(family) ?? null,
    };
  });
  const cells = flat.map(({ family, pair }, i): CellChange => {
    const { base, other } = pair;
    const time = (cell: OkCell) => cell[family.trial]?.medianNs as number;
    return {
      id: base.id,
      ...(other.id === base.id ? {} : { otherId: other.id }),
      group: family.group.key,
      payloadBytes: base.payloadBytes,
      baseNs: time(base),
      otherNs: time(other),
      change: cellChanges[i] as CellChange['change'],
      beside: besideCell.get(pair) ?? null,
      flags: [...new Set([...base.flags, ...other.flags])],
    };
  });
  return { groups, cells };
}
