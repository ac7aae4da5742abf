// Explains where the time of one message size goes: by experiments that remove suspected causes, one after the other.
import { chooseSuspects, minStalledRatio } from '../../results/explain/ledger.ts';
import { highestLoad, type RecordedLoad } from '../../results/explain/recorded-load.ts';
import type { ExplainedRail, ExplainedSize } from '../../results/schema/index.ts';
import type { CauseRow, ExplainedMachine, Suspicion } from '../../suites/explain/causes.ts';
import {
  baseVariant,
  changedVariant,
  type ExplainedOperation,
  type Intervention,
  type NeededWork,
  type OptionTexts,
  type Variant,
} from '../../suites/explain/variants.ts';
import { commandNamed } from '../../suites/workloads/index.ts';
import { divideTimes, explainedRails, quantitiesOf, triedChangesIn } from './explained-times.ts';
import { PointLaunches } from './point-launches.ts';
import type { ExplainTools, MeasuredVariant, VariantLaunch } from './rounds.ts';

/**
 * One message size over one transport. `expectedNs`: time of an operation in the explained run in ns, typical or back to back,
 * whichever is longer.
 */
export interface ExplainedPoint extends ExplainedOperation {
  expectedNs: number;
}

/** Maximum number of suspected causes that are removed, one on top of the other, at one message size. */
const maxSuspects = 3;
/**
 * Numbers for affordableSuspects(). `minRounds`: rounds in which every variant must be measured; with fewer, even a large cause is
 * not certain. `otherParts`: variants in each round besides one per removed suspect, at most: the command itself and the work that
 * it cannot avoid.
 */
const [minRounds, otherParts] = [4, 3];
/**
 * Maximum number of rounds that measure how much each suspected cause costs; more rounds hardly narrow the intervals.
 */
const maxRounds = 12;

/**
 * Returns the number of suspected causes to remove, 1 to `maxSuspects`, so that each variant can be measured in
 * `minRounds` rounds.
 * @param launches number of launches for which there is time
 */
export const affordableSuspects = (launches: number): number =>
  Math.max(1, Math.min(maxSuspects, Math.floor(launches / minRounds) - otherParts));

export interface ExplainWork {
  /** Message sizes to explain, in ascending order for each series (transport and medium). */
  series: readonly (readonly ExplainedPoint[])[];
  /** Causes that are possible with the engine of the command. */
  causes: readonly CauseRow[];
  machine: ExplainedMachine;
  budgetS: number;
  signal: AbortSignal;
}

/**
 * Explains one message size over one transport in a limited time: finds the suspected causes, and measures how much of
 * the time each one costs.
 */
export class PointExplainer {
  private point: ExplainedPoint;
  private readonly causes: readonly CauseRow[];
  private readonly machine: ExplainedMachine;
  readonly launches: PointLaunches;
  /**
   * Suspected causes, by id: causes that are likely by the figures of the recorded run, or by the load in the first launches, with
   * the reason.
   */
  readonly suspicions = new Map<string, Suspicion>();
  /**
   * Rails (network interfaces) of the host whose traffic is shared least evenly among its rails; empty = no host has several, or
   * explain() has not measured yet.
   */
  rails: readonly ExplainedRail[] = [];
  /** True if the command itself could not be measured, so that nothing can be explained. */
  hasFailed = false;

  constructor(
    point: ExplainedPoint,
    { causes, machine, signal }: ExplainWork,
    tools: ExplainTools,
    time: { seconds: number; leftS: number },
    progress: (what: string) => void,
  ) {
    this.point = point;
    this.causes = causes;
    this.machine = machine;
    const expected = { ns: point.expectedNs, isStalled: this.isStopSuspected, before: null };
    this.launches = new PointLaunches(expected, signal, tools, time, progress);
  }

  /**
   * Explains this message size. Failed launches are not thrown: `launches` has the reasons.
   * @returns null if fewer than two launches of the command succeeded, or the time ended before the causes could be measured again
   * and the first trials alone show no cause
   */
  async explain(): Promise<ExplainedSize | null> {
    const base = baseVariant(this.point);
    const trials = fresh([base]);
    const [first] = trials;
    if (first === undefined) return null;
    if (!(await this.launches.firstLaunch(trials, first))) {
      this.hasFailed = this.launches.ended === null;
      return null;
    }
    const [launch] = first.launches;
    if (launch !== undefined) this.learn(launch);
    const interventions = new Map<Variant, Intervention>();
    await this.tryCauses(trials, base, interventions);
    // A CPU quota may have stopped no launch of the command so far, but one launch of a variant.
    for (const { launches } of trials)
      for (const { throttledShare } of launches) this.learnLoad({ ...this.point, throttledShare });
    await this.tryCauses(trials, base, interventions);
    await this.launches.repeatTrials(trials, first);
    if (first.launches.length < 2) return null;
    const others = trials.filter((one) => one !== first);
    const quantities = quantitiesOf(first, others);
    this.rails = explainedRails(this.point, first, others);
    const { suspects, late, excluded } = chooseSuspects(
      quantities.map((quantity) => triedChangesIn(quantity, first, others)),
      affordableSuspects(this.launches.affordableCount),
      // In two rounds, times of operations that were sometimes stopped vary too much to exclude a cause.
      new Set(quantities.length > 1 ? this.suspicions.keys() : []),
    );
    for (const { change } of late) {
      const reason = `no time to measure it again; ${change.ratio.toFixed(2)} times as long when first tried`;
      this.launches.untried.set(change.id, { id: change.id, title: change.title, reason, isAbsent: false });
    }
    const tried = selectionsLast(
      suspects.flatMap(({ variant }) => others.find((one) => one.variant.title === variant.title) ?? []),
    );
    const removed: Variant[] = [];
    for (const { variant } of tried) {
      const intervention = interventions.get(variant);
      if (intervention !== undefined)
        removed.push(changedVariant(removed.at(-1) ?? base, variant.cause, intervention));
    }
    this.launches.expected.before = first.launches.at(-1) ?? null;
    const algorithm = await this.algorithmOf(removed.at(-1) ?? base, [first, ...tried]);
    const { rest, variants: work } = this.neededWork(removed.at(-1) ?? base, algorithm);
    const chain = fresh([base, ...removed, ...work]);
    await this.launches.measureRounds(chain, maxRounds);
    const [suspect] = tried;
    if ((chain[0]?.launches.length ?? 0) >= 2)
      return divideTimes(this.point, quantities, {
        ...{ base, measured: chain, removed, work, rest, excluded },
        ...(suspect === undefined
          ? {}
          : { trials: { base: first, first: suspect, examined: others.length } }),
      });
    // The time did not suffice to measure how much each cause costs. The first trials show at least what the best
    // change saves.
    this.launches.ended ??= 'budget';
    const size = divideTimes(this.point, quantities, {
      ...{ base, measured: trials, removed: tried.slice(0, 1).map(({ variant }) => variant), work: [] },
      ...{ rest: null, excluded, examined: others.length },
    });
    const shares = [...(size?.shares ?? []), ...(size?.backToBack?.shares ?? [])];
    return shares.some(({ kind }) => kind === 'cause') ? size : null;
  }

  /**
   * Measures for the first time the changed variants of all causes that have none in `interventions` yet. A second
   * call does this for causes that became possible because the first launches showed a higher load.
   * @param trials measured variants, the command first; new ones are added
   * @param base the command without changes
   * @param interventions change of each variant tried so far; new ones are added
   */
  private async tryCauses(
    trials: MeasuredVariant[],
    base: Variant,
    interventions: Map<Variant, Intervention>,
  ): Promise<void> {
    const known = new Set([...interventions.keys()].map(({ cause }) => cause));
    const variants: Variant[] = [];
    for (const row of this.causes) {
      const suspicion = row.suspicion?.(this.point, this.machine) ?? null;
      if (suspicion !== null) this.suspicions.set(row.id, suspicion);
      if (known.has(row.id)) continue;
      const found = row.interventions(this.point, this.machine);
      if (!('changes' in found)) {
        const isAbsent = 'absent' in found;
        const reason = isAbsent ? found.absent : found.reason;
        this.launches.untried.set(row.id, { id: row.id, title: row.title, reason, isAbsent });
        continue;
      }
      this.launches.untried.delete(row.id);
      for (const one of found.changes) {
        const variant = changedVariant(base, row.id, one);
        interventions.set(variant, one);
        variants.push(variant);
      }
    }
    const ordered = inOrder(variants, base, this.point.options, this.suspicions);
    const likely = ordered.filter(({ isLikely }) => isLikely).length;
    await this.launches.firstTrials(trials, fresh(ordered.map(({ variant }) => variant)), likely);
  }

  private neededWork(last: Variant, algorithm: string): NeededWork {
    const { workload } = commandNamed(this.point.command);
    // The median of the needed work hardly contains rare stops, and a launch with enough samples to leave them out takes long.
    const from = last.filter === 'without-timeouts' ? { ...last, filter: undefined } : last;
    return workload.neededWork?.(this.point, from, algorithm) ?? { rest: null, variants: [] };
  }

  /**
   * Returns the algorithm that the engine uses for a variant. No launch is needed if all measured variants in `tried` use the same
   * algorithm, or `tried` has at most two variants: then it is that of the last one. Otherwise the variant is launched once.
   * @param tried the command, then the variants whose changes `variant` combines
   * @returns name of the algorithm; "" if its launch failed
   */
  private async algorithmOf(variant: Variant, tried: readonly MeasuredVariant[]): Promise<string> {
    const known = new Set(tried.map(({ launches }) => launches.at(-1)?.algorithm ?? ''));
    const last = tried.at(-1)?.launches.at(-1);
    if (last !== undefined && (known.size === 1 || tried.length <= 2)) return last.algorithm;
    const launch = await this.launches.measure(variant);
    return 'ns' in launch ? launch.algorithm : '';
  }

  /**
   * Takes over what the first launch of the command shows beyond the recorded run. A higher load of the hosts may make causes more
   * likely. Its samples, a longer time, and stops of operations decide the number of samples of later launches.
   */
  private learn(launch: VariantLaunch): void {
    const { ns, backToBackNs } = launch;
    this.learnLoad(launch);
    const isLonger = backToBackNs !== null && backToBackNs >= minStalledRatio * ns;
    this.launches.expected = {
      ns: Math.max(this.launches.expected.ns, backToBackNs ?? ns),
      isStalled: isLonger || this.isStopSuspected,
      before: launch,
    };
  }

  private learnLoad(load: RecordedLoad): void {
    this.point = { ...this.point, ...highestLoad(this.point, load) };
  }

  /**
   * True if a cause is likely that stops some operations, such as a CPU quota: by figures of the recorded run, or by a higher load
   * in the launches measured so far. It can become true during the explanation.
   */
  private get isStopSuspected(): boolean {
    return this.causes.some(
      (row) => row.stops === true && (row.suspicion?.(this.point, this.machine) ?? null) !== null,
    );
  }
}

/**
 * Returns the variants with the most likely causes first, because the time may not suffice for all. First come suspected causes,
 * by the share of the time that they could explain, then one variant of each cause that undoes an option of the user; both are
 * marked likely. Then comes one variant of each other cause, then the rest.
 * @param typed options that the user typed, keyed by name
 * @param base the command without changes
 * @param suspicions suspected causes, keyed by id
 */
export function inOrder(
  variants: readonly Variant[],
  base: Variant,
  typed: OptionTexts,
  suspicions: ReadonlyMap<string, Suspicion>,
): { variant: Variant; isLikely: boolean }[] {
  const seen = new Set<string>();
  const rankOf = (variant: Variant): number => {
    const suspicion = suspicions.get(variant.cause);
    if (suspicion !== undefined) return -suspicion.share;
    if (seen.has(variant.cause)) return 3;
    seen.add(variant.cause);
    return Object.keys(typed).some((key) => variant.options[key] !== base.options[key]) ? 1 : 2;
  };
  const ranked = variants.map((variant) => ({ variant, rank: rankOf(variant) }));
  ranked.sort((a, b) => a.rank - b.rank);
  return ranked.map(({ variant, rank }) => ({ variant, isLikely: rank <= 1 }));
}

/**
 * Returns the variants with those at the end that select samples by counters. Other causes, such as busy CPUs, also have TCP
 * segments sent again, and must be removed first.
 */
const selectionsLast = (variants: readonly MeasuredVariant[]): MeasuredVariant[] => {
  const isLast = ({ variant: { filter } }: MeasuredVariant): boolean => filter === 'without-timeouts';
  return [...variants.filter((one) => !isLast(one)), ...variants.filter(isLast)];
};

const fresh = (variants: readonly Variant[]): MeasuredVariant[] =>
  variants.map((variant) => ({ variant, launches: [] }));
