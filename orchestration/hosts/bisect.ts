// Finds the host or pair of hosts with which a large run fails, by runs over fewer and fewer hosts.
import { foldNames } from '../../results/fold.ts';

/** Result of a search for the hosts with which a run fails. `sentence`: the result as text for the user, with full stop. */
export interface BisectResult {
  /**
   * `none`: no run failed, `hosts` is empty. `host`: every run with one of `hosts` fails, whatever other hosts take part. `pair`:
   * runs fail if both of `hosts` take part. `set`: runs fail only if all of `hosts` take part.
   */
  kind: 'none' | 'host' | 'pair' | 'set';
  hosts: string[];
  /** Number of runs that the search made; a repeated run counts again. */
  calls: number;
  /**
   * True if the found hosts failed once more in a last run; always true for `none`. False: the fault is intermittent,
   * or the runs contradict each other.
   */
  isCertain: boolean;
  sentence: string;
}

/**
 * Makes a run over `hosts` and resolves to true if the run fails. If it rejects, the search ends with this error. A search passes
 * at least its minimum number of hosts.
 */
export type BreakCheck = (hosts: string[]) => Promise<boolean>;

const isWithin = (small: Set<string>, large: Set<string>): boolean =>
  small.size <= large.size && [...small].every((host) => large.has(host));

/**
 * Makes the runs of a search and remembers their results. A failed run is believed at once. A good run is repeated once, because a
 * fault may not show every time. Results that follow from earlier runs need no new run: a superset of a failed set fails, too, and
 * a subset of a good set is good.
 */
class BisectRuns {
  calls = 0;
  private readonly bad: Set<string>[] = [];
  private readonly good: Set<string>[] = [];
  private readonly breaks: BreakCheck;

  constructor(breaks: BreakCheck) {
    this.breaks = breaks;
  }

  /**
   * Returns true if a run over `hosts` fails, as an earlier run showed or a new run shows.
   * @param isFresh true to make a new run even if a run over more hosts was good, because that run may have missed an intermittent
   * fault
   */
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

/**
 * Returns the smallest k from `low` to `high` for which `holds(k)` is true, by halving. `holds` must be true at `high`, which is
 * not tested. If it is true for one k, it must be true for all larger ones.
 */
async function smallest(low: number, high: number, holds: (k: number) => Promise<boolean>): Promise<number> {
  // `low` is tested first, because a host that breaks with any partner is then found at once.
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
 * Returns a minimal set of hosts that fail together: if any of them is left out, the others do not fail. It has at
 * least `minHosts` hosts, so it may contain hosts without a fault. Each step searches for the shortest beginning of
 * the host list that fails together with the hosts found earlier; the last host of this beginning joins the set.
 * @param runs makes the runs, or knows their results
 */
async function minimalSet(hosts: readonly string[], minHosts: number, runs: BisectRuns): Promise<string[]> {
  let others = [...hosts];
  const fixed: string[] = [];
  for (;;) {
    const least = Math.max(0, minHosts - fixed.length);
    const row = others;
    const k = await smallest(least, row.length, (length) => runs.isBad([...row.slice(0, length), ...fixed]));
    const found = row[k - 1];
    // If the row has the minimum length, its last host joins the set even if it is innocent: a run needs enough hosts.
    if (k === 0 || found === undefined) return fixed;
    fixed.push(found);
    others = row.slice(0, k - 1);
    if (fixed.length >= minHosts && (await runs.isBad(fixed))) return fixed;
  }
}

/**
 * Returns the hosts of a failing pair that also fail with a third host, so that each of them is faulty by itself. At most two
 * third hosts are tried. Empty if neither host fails with a third one, or there is no third host.
 * @param hosts all hosts of the search
 * @param runs makes the runs, or knows their results
 */
async function blame(pair: readonly string[], hosts: readonly string[], runs: BisectRuns): Promise<string[]> {
  // If the first third host breaks with both, the third host may be at fault; a second one decides.
  let guilty: string[] = [];
  for (const third of hosts.filter((host) => !pair.includes(host)).slice(0, 2)) {
    guilty = [];
    for (const host of pair) if (await runs.isBad([host, third], true)) guilty.push(host);
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
 * Finds a host, a pair or a minimal set of hosts with which a run fails. The result is `none` if no run fails, or there are fewer
 * hosts than `minHosts`. Needs about 2 log2(n) runs to find one of n hosts, and twice as many for a pair. With several independent
 * faults it finds one: leave that host out and search again.
 * @param hosts distinct names
 * @param breaks makes a run over some hosts and reports whether it fails
 * @param minHosts minimum number of hosts of a run; 1 if a host can fail alone
 */
export async function bisectHosts(
  hosts: readonly string[],
  breaks: BreakCheck,
  minHosts = 2,
): Promise<BisectResult> {
  const runs = new BisectRuns(breaks);
  const say = (kind: BisectResult['kind'], culprits: string[], isCertain: boolean): BisectResult => {
    const doubt = isCertain ? '' : ' It did not break when tried again: the fault is intermittent.';
    const sentence = sentenceOf(kind, culprits, hosts.length) + doubt;
    return { kind, hosts: culprits, calls: runs.calls, isCertain, sentence };
  };
  if (hosts.length < minHosts || !(await runs.isBad(hosts))) return say('none', [], true);
  const found = await minimalSet(hosts, minHosts, runs);
  const set = hosts.filter((host) => found.includes(host));
  const isCertain = await runs.ask(set);
  if (set.length === 1) return say('host', set, isCertain);
  if (set.length > 2) return say('set', set, isCertain);
  const guilty = await blame(set, hosts, runs);
  return guilty.length === 0 ? say('pair', set, isCertain) : say('host', guilty, isCertain);
}
