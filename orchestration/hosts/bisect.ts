// Which host or pair breaks a big run: smaller and smaller runs, each of which breaks or does not.
import { foldNames } from '../../results/fold.ts';

/** What a search found. */
export interface BisectResult {
  /** `none`: nothing broke. `host`: that one, with any partner. `pair`: those two with each other. `set`: only together. */
  kind: 'none' | 'host' | 'pair' | 'set';
  hosts: string[];
  /** Runs that were made. */
  calls: number;
  /** It broke each time it was tried. False: intermittent, or the runs contradicted each other. */
  isCertain: boolean;
  sentence: string;
}

/** Whether a run over these hosts breaks; at least `leastHosts` are given. */
export type BreakCheck = (hosts: string[]) => Promise<boolean>;

const isWithin = (small: Set<string>, large: Set<string>): boolean =>
  small.size <= large.size && [...small].every((host) => large.has(host));

/**
 * Runs and what they said. A run that broke is believed; one that did not is repeated once, because a fault may not
 * show every time. What follows from earlier runs is not asked: more hosts than a broken set break too, fewer than a
 * good one do not.
 */
class BisectRuns {
  calls = 0;
  private readonly bad: Set<string>[] = [];
  private readonly good: Set<string>[] = [];
  private readonly breaks: BreakCheck;

  constructor(breaks: BreakCheck) {
    this.breaks = breaks;
  }

  /** @param isFresh asks even where a larger run was good, which an intermittent fault may have been by luck */
  async isBad(hosts: readonly string[], isFresh = false): Promise<boolean> {
    const asked = new Set(hosts);
    if (this.bad.some((set) => isWithin(set, asked))) return true;
    const isKnown = (set: Set<string>) => isWithin(asked, set) && (!isFresh || set.size === asked.size);
    if (this.good.some(isKnown)) return false;
    const isBad = (await this.ask(hosts)) || (await this.ask(hosts));
    (isBad ? this.bad : this.good).push(asked);
    return isBad;
  }

  ask(hosts: readonly string[]): Promise<boolean> {
    this.calls++;
    return this.breaks([...hosts]);
  }
}

/** Smallest k from `low` to `high` for which it holds; known to hold at `high`, and to stay once it does. */
async function smallest(low: number, high: number, holds: (k: number) => Promise<boolean>): Promise<number> {
  // A host that breaks with anybody is found at once.
  if (low === high || (await holds(low))) return low;
  let [from, to] = [low + 1, high];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (await holds(middle)) to = middle;
    else from = middle + 1;
  }
  return to;
}

/**
 * A set of hosts that breaks, none of which can be left out: one host is fixed after the other, each by halving the
 * shortest row of the others that breaks together with those fixed so far.
 */
async function minimalSet(
  hosts: readonly string[],
  leastHosts: number,
  witness: BisectRuns,
): Promise<string[]> {
  let others = [...hosts];
  const fixed: string[] = [];
  for (;;) {
    const least = Math.max(0, leastHosts - fixed.length);
    const row = others;
    const k = await smallest(least, row.length, (length) =>
      witness.isBad([...row.slice(0, length), ...fixed]),
    );
    const found = row[k - 1];
    // With too few hosts for a run the last of the shortest run is one of the set, whatever it is.
    if (k === 0 || found === undefined) return fixed;
    fixed.push(found);
    others = row.slice(0, k - 1);
    if (fixed.length >= leastHosts && (await witness.isBad(fixed))) return fixed;
  }
}

/** Of two hosts that break each other: which of them breaks with a third one, too. */
async function blame(
  pair: readonly string[],
  hosts: readonly string[],
  witness: BisectRuns,
): Promise<string[]> {
  // A second bystander decides where the first one breaks with both.
  let guilty: string[] = [];
  for (const third of hosts.filter((host) => !pair.includes(host)).slice(0, 2)) {
    guilty = [];
    for (const host of pair) if (await witness.isBad([host, third], true)) guilty.push(host);
    if (guilty.length < 2) return guilty;
  }
  return guilty;
}

const sentenceOf = (kind: BisectResult['kind'], hosts: readonly string[], total: number): string => {
  const names = foldNames(hosts);
  if (kind === 'none') return `A run over all ${total} does not fail.`;
  if (kind === 'host') {
    return hosts.length === 1
      ? `${names} breaks every run that it takes part in.`
      : `each of ${names} breaks every run.`;
  }
  if (kind === 'pair') {
    const who = total === 2 ? '; which of them is unknown without a third host' : '; each runs with others';
    return `${hosts.join(' and ')} break when they run together${who}.`;
  }
  return `${names} break only when all of them run together.`;
};

/**
 * Finds the smallest breaking host or pair, in about 2 log2(n) runs for a host, twice that for a pair. Of several independent
 * culprits it names one: leave it out and search again.
 * @param hosts distinct names
 * @param leastHosts fewest hosts of a run; 1 where a host can break all by itself
 */
export async function findCulprit(
  hosts: readonly string[],
  breaks: BreakCheck,
  leastHosts = 2,
): Promise<BisectResult> {
  const witness = new BisectRuns(breaks);
  const say = (kind: BisectResult['kind'], culprits: string[], isCertain: boolean): BisectResult => {
    const doubt = isCertain ? '' : ' It did not break when tried again: the fault is intermittent.';
    const sentence = sentenceOf(kind, culprits, hosts.length) + doubt;
    return { kind, hosts: culprits, calls: witness.calls, isCertain, sentence };
  };
  if (hosts.length < leastHosts || !(await witness.isBad(hosts))) return say('none', [], true);
  const found = await minimalSet(hosts, leastHosts, witness);
  const set = hosts.filter((host) => found.includes(host));
  const isCertain = await witness.ask(set);
  if (set.length === 1) return say('host', set, isCertain);
  if (set.length > 2) return say('set', set, isCertain);
  const guilty = await blame(set, hosts, witness);
  return guilty.length === 0 ? say('pair', set, isCertain) : say('host', guilty, isCertain);
}
