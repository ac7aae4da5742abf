// Compares the load of other processes during two runs, so that a difference in load is not reported as a change.
import { mean } from 'simple-statistics';
import { addTo } from '../collections.ts';
import { groupOf, regimeText } from '../derive/cells/cell-group.ts';
import type { OkCell, SettingChange } from '../schema/index.ts';

/** Results of one configuration in the two compared runs, which both measured it. */
export interface OkPair {
  base: OkCell;
  other: OkCell;
}

/**
 * Names of the flags for work of other processes. Such work lasts for minutes and slows down all sizes, so the scatter of launches
 * does not show it.
 */
export const loadFlags: readonly string[] = ['cpu-busy', 'cpu-stolen', 'swap'];
/**
 * A size range gets no verdict if other processes disturbed at least this share of its cells (they have a flag of `loadFlags`) in
 * one of the two runs. Only cells whose system load is known count. If these are fewer than half of the size range, all cells of
 * the run with a known load are used instead.
 */
const disturbedShare = 0.5;
/**
 * Lowest difference between the numbers of cores that other processes used in two runs that is listed: half of the smallest load
 * that gives a flag.
 */
const coresApart = 0.1;

/** Returns the names of the flags of a result that say that other processes disturbed it; empty = none does. */
export const loadFlagsOf = ({ flags }: OkCell): string[] =>
  flags.flatMap(({ name, level }) => (level === 'disturbs' && loadFlags.includes(name) ? [name] : []));

/**
 * Returns why there is no verdict on these sizes, if other processes disturbed them: "other processes used 0.4, then 0.9 cores", or
 * names of flags. All sizes of a run are measured during the same minutes, so more launches or sizes could not separate the
 * disturbance from a change. Only cells whose load is known count; short cells have no reading. If fewer than half of
 * these sizes of a run have a known load, all cells of that run are used instead.
 * @param pairs sizes of one size range in both runs
 * @param all pairs of all sizes of both runs
 * @returns null if in both runs fewer than half of the cells with a known load were disturbed
 */
export function disturbanceOf(pairs: readonly OkPair[], all: readonly OkPair[] = pairs): string | null {
  const sides = (['base', 'other'] as const).map((side) => {
    const told = pairs.map((pair) => pair[side]).filter(isLoadKnown);
    if (2 * told.length >= pairs.length) return told;
    return all.map((pair) => pair[side]).filter(isLoadKnown);
  });
  const hit = sides.map((cells) => cells.filter((cell) => loadFlagsOf(cell).length > 0));
  const isHit = hit.some(
    (cells, i) => cells.length > 0 && cells.length >= disturbedShare * (sides[i]?.length ?? 0),
  );
  if (!isHit) return null;
  const names = [...new Set(hit.flat().flatMap(loadFlagsOf))];
  if (!names.includes('cpu-busy')) return names.join(', ');
  const others = names.filter((name) => name !== 'cpu-busy');
  // Short cells have no reading of their own, so the mean of the whole run is used.
  const [from, to] = (['base', 'other'] as const).map(
    (side, i) => meanCores(sides[i] ?? []) ?? meanCores(all.map((pair) => pair[side])),
  );
  return [coresUsedText(from ?? null, to ?? null), ...others].join(', ');
}

/**
 * True if it is known whether other processes kept the CPUs busy during this measurement: their load was read, or there is a flag.
 */
const isLoadKnown = (cell: OkCell): boolean =>
  loadFlagsOf(cell).length > 0 ||
  (cell.load?.hosts.some(({ competingCores }) => competingCores !== null) ?? false);

const coresText = (cores: number): string => cores.toFixed(1);

/**
 * Returns how many cores other processes used in the first and second run: "other processes used 0.4, then 0.9 cores". Null = the
 * load of that run was not read; the text then says so, and names no number if both are null.
 * @param from, to mean number of cores in the first and in the second run
 */
function coresUsedText(from: number | null, to: number | null): string {
  if (from !== null && to !== null)
    return `other processes used ${coresText(from)}, then ${coresText(to)} cores`;
  if (from === null && to === null) return 'other processes took processor time';
  const [cores, unread] = from === null ? [to ?? 0, 'first'] : [from, 'second'];
  return `other processes used ${coresText(cores)} cores, load of the ${unread} run not read`;
}

/**
 * Returns the mean over measurements of the number of CPU cores that other processes used on all hosts together; null if it was
 * never read.
 */
function meanCores(cells: readonly OkCell[]): number | null {
  const known = cells.flatMap(({ load }) => {
    const hosts = load?.hosts.flatMap(({ competingCores }) => competingCores ?? []) ?? [];
    return hosts.length === 0 ? [] : [hosts.reduce((sum, cores) => sum + cores, 0)];
  });
  return known.length === 0 ? null : mean(known);
}

/**
 * Returns how many CPU cores other processes used in each run, for each transport and size range for which the two numbers differ
 * by at least 0.1 cores. If a number is unknown in one run, there is no entry.
 */
export function loadDifferences(pairs: readonly OkPair[]): SettingChange[] {
  const byGroup = new Map<string, OkPair[]>();
  for (const pair of pairs) {
    const { transport } = pair.base;
    const name = `cores used by others, ${transport} ${regimeText[groupOf(pair.base).regime]}`;
    addTo(byGroup, name, pair);
  }
  return [...byGroup].flatMap(([name, own]) => {
    const base = meanCores(own.map((pair) => pair.base));
    const other = meanCores(own.map((pair) => pair.other));
    if (base === null || other === null || Math.abs(base - other) < coresApart) return [];
    return [{ about: 'load' as const, name, base: coresText(base), other: coresText(other) }];
  });
}
