// What others did on the machines of two runs: a difference in load is no difference of what is compared.
import { groupOf, regimeText } from '../derive/cell-group.ts';
import { meanOf } from '../judge/difference.ts';
import type { ChangedSetting, OkCell } from '../schema/index.ts';

/** Two cells that may be compared. */
export interface OkPair {
  base: OkCell;
  other: OkCell;
}

/** Flags of load that comes and goes: it hits all sizes of some minutes alike, which is no scatter that launches show. */
const loadNames = ['cpu-busy', 'cpu-stolen', 'swap'];
/** A size range is disturbed where so many of its sizes are, on either side. */
const disturbedShare = 0.5;
/** Cores of others that count as a difference between runs: half of the least that is flagged. */
const coresApart = 0.1;

const loadFlagsOf = ({ flags }: OkCell): string[] =>
  flags.flatMap(({ name, level }) => (level === 'disturbs' && loadNames.includes(name) ? [name] : []));

/**
 * Why there is no verdict on these sizes: "others used 0.4 -> 0.9 cores". Sizes of a run share its minutes, so that more
 * launches or sizes would not tell the load from the change (stats.md 8).
 * @returns null where fewer than half of them were disturbed
 */
export function disturbanceOf(pairs: readonly OkPair[]): string | null {
  const hit = pairs.filter(({ base, other }) => loadFlagsOf(base).length + loadFlagsOf(other).length > 0);
  if (hit.length === 0 || hit.length < disturbedShare * pairs.length) return null;
  const names = [...new Set(hit.flatMap(({ base, other }) => [...loadFlagsOf(base), ...loadFlagsOf(other)]))];
  const [from, to] = coresOf(hit);
  if (!names.includes('cpu-busy')) return names.join(', ');
  const others = names.filter((name) => name !== 'cpu-busy');
  return [`others used ${coresText(from)} -> ${coresText(to)} cores`, ...others].join(', ');
}

const coresText = (cores: number | null): string => cores?.toFixed(1) ?? '?';

/** Mean of what others used, of the base and of the other run, all hosts of a cell together; null where it was not read. */
function coresOf(pairs: readonly OkPair[]): [number | null, number | null] {
  const mean = (cells: readonly OkCell[]): number | null => {
    const known = cells.flatMap(({ load }) => {
      const hosts = load?.hosts.flatMap(({ competingCores }) => competingCores ?? []) ?? [];
      return hosts.length === 0 ? [] : [hosts.reduce((sum, cores) => sum + cores, 0)];
    });
    return known.length === 0 ? null : meanOf(known);
  };
  return [mean(pairs.map(({ base }) => base)), mean(pairs.map(({ other }) => other))];
}

/** Cores that others used in one run and not in the other, by size range. */
export function loadDifferences(pairs: readonly OkPair[]): ChangedSetting[] {
  const byGroup = new Map<string, OkPair[]>();
  for (const pair of pairs) {
    const { transport } = pair.base;
    const name = `cores used by others, ${transport} ${regimeText[groupOf(pair.base).regime]}`;
    byGroup.set(name, [...(byGroup.get(name) ?? []), pair]);
  }
  return [...byGroup].flatMap(([name, own]) => {
    const [base, other] = coresOf(own);
    if (base === null || other === null || Math.abs(base - other) < coresApart) return [];
    return [{ about: 'load' as const, name, base: coresText(base), other: coresText(other) }];
  });
}
