// Looks for a recorded variable that has other values in all slow launches of a program than in all fast ones.
import type { ModeVariable } from '../schema/index.ts';

/** Facts recorded of a launch besides its time. */
export interface LaunchFacts {
  /** Names of the flags of the launch's measurement. */
  flags: readonly string[];
  /**
   * CPUs that each rank may use, in the kernel's list format, joined by blanks in the order of ranks: "0-3 4-7". A rank whose CPUs
   * are not known adds an empty text: "" = no CPUs known and one rank or no launch. Several unknown ranks leave only blanks.
   */
  cpus: string;
  /** Lower bound of the number of cores that other processes kept busy; null = not known. */
  competingCores: number | null;
  /** Number of launches of the round that were measured before this one. */
  position: number;
}

/**
 * Highest probability that any variable of one family separates slow from fast launches by chance. Flags, load and CPUs are one
 * family, the order of launches is the other.
 */
const maxChance = 0.05;

interface Separation {
  /** Number of ways in which values of the variable could separate as many launches as the slow mode has from the others. */
  ways: number;
  /** The variable with its values; null if it does not separate slow from fast launches. */
  variable: ModeVariable | null;
}

/**
 * Finds the recorded variable that separates slow from fast launches. Flags, load and CPUs are tried first, as one family, then the
 * order of launches. Null if no variable separates them completely, or if the probability that a variable of its family does so by
 * chance is above 5 %.
 * @param isSlow for each launch, in the order of `facts`
 */
export function separatingVariable(
  facts: readonly LaunchFacts[],
  isSlow: readonly boolean[],
): ModeVariable | null {
  const slow = isSlow.filter(Boolean).length;
  const groupings = waysToChoose(facts.length, slow);
  const physical = [
    ...flagSeparations(facts, isSlow),
    loadSeparation(facts, isSlow),
    cpuSeparation(facts, isSlow),
  ];
  const order = (['round', 'position'] as const).map((kind) =>
    orderSeparation(
      kind,
      facts.map((one, round) => (kind === 'round' ? round : one.position)),
      isSlow,
    ),
  );
  for (const family of [physical, order]) {
    const ways = family.reduce((sum, one) => sum + one.ways, 0);
    const found = family.find(({ variable }) => variable !== null);
    if (found !== undefined && ways / groupings <= maxChance) return found.variable;
  }
  return null;
}

/** Returns the number of ways to choose `k` of `n`. */
function waysToChoose(n: number, k: number): number {
  let ways = 1;
  for (let at = 1; at <= k; at += 1) ways = (ways * (n - k + at)) / at;
  return ways;
}

const valuesOf = <T>(values: readonly T[], isSlow: readonly boolean[], wanted: boolean): T[] =>
  values.filter((_, at) => isSlow[at] === wanted);

function flagSeparations(facts: readonly LaunchFacts[], isSlow: readonly boolean[]): Separation[] {
  const flags = [...new Set(facts.flatMap((one) => one.flags))];
  return flags.flatMap((flag) => {
    const has = facts.map((one) => one.flags.includes(flag));
    if (has.every(Boolean)) return [];
    const separates = has.every((one, at) => one === isSlow[at]);
    return [{ ways: 1, variable: separates ? { kind: 'flag' as const, flag } : null }];
  });
}

function loadSeparation(facts: readonly LaunchFacts[], isSlow: readonly boolean[]): Separation {
  const cores = facts.flatMap(({ competingCores }) => competingCores ?? []);
  if (cores.length < facts.length || new Set(cores).size < 2) return { ways: 0, variable: null };
  const slowCores = Math.min(...valuesOf(cores, isSlow, true));
  const fastCores = Math.max(...valuesOf(cores, isSlow, false));
  return { ways: 1, variable: slowCores > fastCores ? { kind: 'load', slowCores, fastCores } : null };
}

function cpuSeparation(facts: readonly LaunchFacts[], isSlow: readonly boolean[]): Separation {
  const cpus = facts.map((one) => one.cpus);
  if (cpus.includes('') || new Set(cpus).size < 2) return { ways: 0, variable: null };
  const [slow, fast] = [true, false].map((wanted) => new Set(valuesOf(cpus, isSlow, wanted))) as [
    Set<string>,
    Set<string>,
  ];
  const separates = [...slow].every((one) => !fast.has(one));
  const counts = [...new Set(cpus)].map((one) => cpus.filter((other) => other === one).length);
  const variable = separates ? { kind: 'cpus' as const, slow: [...slow], fast: [...fast] } : null;
  return { ways: waysToFill(counts, isSlow.filter(Boolean).length), variable };
}

/**
 * Returns the number of subsets of `counts` whose sum is `total`: in so many ways a slow mode of `total` launches can consist of
 * all launches with certain values.
 */
function waysToFill(counts: readonly number[], total: number): number {
  const ways = [1, ...new Array<number>(total).fill(0)];
  for (const count of counts)
    for (let sum = total; sum >= count; sum -= 1) ways[sum] = (ways[sum] ?? 0) + (ways[sum - count] ?? 0);
  return ways[total] ?? 0;
}

function orderSeparation(
  kind: 'round' | 'position',
  values: readonly number[],
  isSlow: readonly boolean[],
): Separation {
  if (new Set(values).size < 2) return { ways: 0, variable: null };
  const [slow, fast] = [valuesOf(values, isSlow, true), valuesOf(values, isSlow, false)];
  const end =
    Math.max(...slow) < Math.min(...fast) ? 'first' : Math.min(...slow) > Math.max(...fast) ? 'last' : null;
  return { ways: 2, variable: end === null ? null : { kind, end } };
}
