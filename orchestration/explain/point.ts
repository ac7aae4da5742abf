// Explains where the time of one message size goes: by experiments that remove suspected causes, one after the other.
import { randomInt } from 'node:crypto';
import { geometricMean } from 'simple-statistics';
import {
  chooseSuspects,
  explainedSize,
  type LedgerInput,
  minStalledRatio,
  trialsOf,
  type VariantTimes,
} from '../../results/explain/ledger.ts';
import { highestLoad, type RecordedLoad } from '../../results/explain/recorded-load.ts';
import { randomSource } from '../../results/random.ts';
import type {
  ExplainedRail,
  ExplainedSize,
  ExplanationRecord,
  UntriedCause,
} from '../../results/schema/index.ts';
import { sizeText } from '../../results/units.ts';
import type { CauseRow, ExplainedMachine, Suspicion } from '../../suites/explain/causes.ts';
import { railsCause, railTitle, worstRails } from '../../suites/explain/rails.ts';
import {
  baseVariant,
  changedVariant,
  changesOf,
  changeText,
  type ExplainedOperation,
  type Intervention,
  type NeededWork,
  type OptionTexts,
  unsetBy,
  type Variant,
} from '../../suites/explain/variants.ts';
import { commandNamed } from '../../suites/workloads/index.ts';
import {
  type ExpectedTime,
  type ExplainTools,
  type MeasuredVariant,
  type MissingLaunch,
  measureRound,
  measureVariant,
  type VariantLaunch,
} from './rounds.ts';

/**
 * One message size over one transport. `expectedNs`: time of an operation in the explained run, typical or back to
 * back, whichever is longer.
 */
export interface ExplainedPoint extends ExplainedOperation {
  expectedNs: number;
}

/**
 * Number of rounds of the first trials, which measure the command and every changed variant of the command once per
 * round.
 */
const trialRounds = 2;
/**
 * Maximum number of likely causes whose first trials may use all time of a message size, instead of only its share `trialShare`. On
 * a busy machine, where launches take long, at least these causes are tried.
 */
const maxLikely = 3;
/** Reason that is recorded for a variant of the command that was not measured because the time was over. */
const noTime: MissingLaunch = { reason: 'no time' };
/** Maximum number of suspected causes that are removed, one on top of the other, at one message size. */
const maxSuspects = 3;
/**
 * Numbers for affordableSuspects(). `minRounds`: rounds in which every variant must be measured; with fewer, even a
 * large cause is not certain. `otherParts`: number of variants in each round besides one per removed suspect, namely
 * the command itself and the work that it cannot avoid.
 */
const [minRounds, otherParts] = [4, 3];
/**
 * Share of a message size's time that the first trials may use. The rest is for measuring how much each suspected
 * cause costs.
 */
const trialShare = 0.5;
/**
 * Maximum number of rounds that measure how much each suspected cause costs; more rounds hardly narrow the intervals.
 */
const maxRounds = 12;
/**
 * Minimum number of launches that explain one message size: two rounds of the command and its likeliest changes, then
 * three rounds of four variants. If the budget is too small for this at all sizes, the last sizes get no time, because
 * half of the launches would explain no size.
 */
export const minLaunches = trialRounds * (1 + maxLikely) + 3 * 4;

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
  private expected: ExpectedTime;
  private readonly causes: readonly CauseRow[];
  private readonly machine: ExplainedMachine;
  private readonly tools: ExplainTools;
  private readonly beganMs = performance.now();
  /** Planned seconds for this message size; `seconds` is what it gets. */
  private readonly plannedS: number;
  /** Seconds that were left for all remaining message sizes when this size began. */
  private readonly leftS: number;
  private readonly signal: AbortSignal;
  /** Shows a text about what is being measured. */
  private readonly progress: (what: string) => void;
  private readonly random = randomSource(randomInt(2 ** 31));
  readonly untried = new Map<string, UntriedCause>();
  /** Suspected causes, by id: causes that the figures of the recorded run make likely, with the reason. */
  readonly suspicions = new Map<string, Suspicion>();
  readonly flags: (readonly string[])[] = [];
  /**
   * Rails (network interfaces) of the host whose traffic is shared least evenly among its rails; empty = no host has
   * several.
   */
  rails: readonly ExplainedRail[] = [];
  ended: ExplanationRecord['ended'] = null;
  /** True if the command itself could not be measured, so that nothing can be explained. */
  hasFailed = false;
  launches = 0;
  /** Number of launches whose results were verified and found wrong. */
  wrongLaunches = 0;

  constructor(
    point: ExplainedPoint,
    { causes, machine, signal }: ExplainWork,
    tools: ExplainTools,
    { seconds, leftS }: { seconds: number; leftS: number },
    progress: (what: string) => void,
  ) {
    this.point = point;
    this.causes = causes;
    this.machine = machine;
    this.expected = { ns: point.expectedNs, isStalled: this.isStopSuspected, before: null };
    this.tools = tools;
    this.signal = signal;
    this.plannedS = seconds;
    this.leftS = leftS;
    this.progress = progress;
  }

  /**
   * Explains this message size. @returns null if the command itself could be measured less than twice, or no cause was
   * found in the time
   */
  async explain(): Promise<ExplainedSize | null> {
    const base = baseVariant(this.point);
    const trials = fresh([base]);
    const [first] = trials;
    if (first === undefined) return null;
    if (!(await this.firstLaunch(trials, first))) {
      this.hasFailed = this.ended === null;
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
    this.dropUnlikely(trials);
    await this.rounds(trials, trialRounds - 1, first);
    if (first.launches.length < 2) return null;
    const others = trials.filter((one) => one !== first);
    const quantities = quantitiesOf(first, others);
    this.rails = this.explainedRails(first, others);
    const { suspects, late, excluded } = chooseSuspects(
      quantities.map((quantity) => {
        const times = (one: MeasuredVariant) =>
          doesConcern(quantity, one.variant) ? (timesOf(quantity, first, one) ?? []) : [];
        return [first].flatMap(times).flatMap((whole) => trialsOf(whole, others.flatMap(times)));
      }),
      affordableSuspects(this.affordableLaunches),
      // In two rounds, times of operations that were sometimes stopped vary too much to exclude a cause.
      new Set(quantities.length > 1 ? this.suspicions.keys() : []),
    );
    for (const { change } of late) {
      const reason = `no time to measure it again; ${change.ratio.toFixed(2)} times as long when first tried`;
      this.untried.set(change.id, { id: change.id, title: change.title, reason, isAbsent: false });
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
    this.expected.before = first.launches.at(-1) ?? null;
    const algorithm = await this.algorithmOf(removed.at(-1) ?? base, [first, ...tried]);
    const { rest, variants: work } = this.neededWork(removed.at(-1) ?? base, algorithm);
    const chain = fresh([base, ...removed, ...work]);
    await this.rounds(chain, maxRounds);
    const [suspect] = tried;
    if ((chain[0]?.launches.length ?? 0) >= 2)
      return sizeOf(this.point, quantities, {
        ...{ base, measured: chain, removed, work, rest, excluded },
        ...(suspect === undefined
          ? {}
          : { trials: { base: first, first: suspect, examined: others.length } }),
      });
    // The time did not suffice to measure how much each cause costs. The first trials show at least what the best
    // change saves.
    this.ended ??= 'budget';
    const size = sizeOf(this.point, quantities, {
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
        this.untried.set(row.id, { id: row.id, title: row.title, reason, isAbsent });
        continue;
      }
      this.untried.delete(row.id);
      for (const one of found.changes) {
        const variant = changedVariant(base, row.id, one);
        interventions.set(variant, one);
        variants.push(variant);
      }
    }
    const ordered = inOrder(variants, base, this.point.options, this.suspicions);
    const likely = Math.min(maxLikely, ordered.filter(({ isLikely }) => isLikely).length);
    await this.firstTrials(trials, fresh(ordered.map(({ variant }) => variant)), likely);
  }

  /**
   * Returns, for each rail, its share in the bytes of all rails of the host, and how the time changes if only this rail is used
   * (time with this rail alone / time of the command). Empty if no host has several rails.
   * @param first measurements of the command
   * @param others measurements of its changed variants
   */
  private explainedRails(first: MeasuredVariant, others: readonly MeasuredVariant[]): ExplainedRail[] {
    const worst = worstRails(this.point);
    if (worst === null) return [];
    const times = (one: MeasuredVariant) => timesOf('ns', first, one) ?? [];
    const alone = others.filter(({ variant }) => variant.cause === railsCause.id);
    const trials = [first].flatMap(times).flatMap((whole) => trialsOf(whole, alone.flatMap(times)));
    const sum = worst.rails.reduce((total, { bytes }) => total + bytes, 0);
    return worst.rails.map(({ name, bytes }) => ({
      ...{ host: worst.host, name, share: bytes / sum },
      alone: trials.find(({ change }) => change.title === railTitle(name))?.change ?? null,
    }));
  }

  private neededWork(last: Variant, algorithm: string): NeededWork {
    const { workload } = commandNamed(this.point.command);
    // The median of the needed work hardly contains rare stops, and a launch with enough samples to leave them out takes long.
    const from = last.filter === 'without-timeouts' ? { ...last, filter: undefined } : last;
    return workload.neededWork?.(this.point, from, algorithm) ?? { rest: null, variants: [] };
  }

  /**
   * Returns the algorithm that the engine uses for a variant. It is known without a launch if all measured variants in
   * `tried` use the same one, or `tried` has at most two.
   * @param tried the command, then the variants whose changes `variant` combines
   * @returns name of the algorithm; "" if its launch failed
   */
  private async algorithmOf(variant: Variant, tried: readonly MeasuredVariant[]): Promise<string> {
    const known = new Set(tried.map(({ launches }) => launches.at(-1)?.algorithm ?? ''));
    const last = tried.at(-1)?.launches.at(-1);
    if (last !== undefined && (known.size === 1 || tried.length <= 2)) return last.algorithm;
    this.noteLaunch(variant);
    const launch = await measureVariant(variant, this.expected, this.tools);
    return 'ns' in launch ? launch.algorithm : '';
  }

  /** Counts a launch that begins, and shows it as progress, because one launch of a slow operation takes seconds. */
  private noteLaunch({ title, payloadBytes }: Variant): void {
    this.launches += 1;
    this.progress(`${sizeText(payloadBytes)}, launch ${this.launches}: ${title}`);
  }

  /** Seconds since the explanation of this message size began. */
  get tookS(): number {
    return (performance.now() - this.beganMs) / 1000;
  }

  /**
   * Seconds for this message size: the planned ones, or more if `minLaunches` launches take longer, by the mean of those so far.
   * The first launch alone may be much slower or faster than the others.
   */
  private get seconds(): number {
    const neededS = this.launches === 0 ? 0 : (minLaunches * this.tookS) / this.launches;
    return Math.max(this.plannedS, Math.min(this.leftS, neededS));
  }

  /**
   * Number of launches for which this message size still has time, if each takes as long as the mean of those so far.
   */
  private get affordableLaunches(): number {
    return ((this.seconds - this.tookS) * this.launches) / this.tookS;
  }

  /**
   * Removes the least likely variants from the list, if there is no time to measure all variants once more.
   * @param trials the command, then its variants in order of likelihood
   */
  private dropUnlikely(trials: MeasuredVariant[]): void {
    for (const one of trials.slice(Math.max(1 + maxLikely, Math.floor(this.affordableLaunches))).reverse())
      this.drop(trials, one, noTime);
  }

  /**
   * Measures variants for the first time, in their order, and inserts them into `trials` behind the command. A variant
   * is measured only if there is time for a second round of all: the share `trialShare` of the size's time, or all of
   * it for the first `likely` variants. Other variants, and those that cannot be measured, are recorded as not tried.
   * @param trials measured variants, the command first
   * @param variants variants to measure, the likeliest first
   */
  private async firstTrials(
    trials: MeasuredVariant[],
    variants: readonly MeasuredVariant[],
    likely: number,
  ): Promise<void> {
    const before = trials.length;
    trials.splice(1, 0, ...variants);
    for (const [at, one] of variants.entries()) {
      if (this.ended !== null) return;
      const limitS = ((at < likely ? 1 : trialShare) * this.seconds) / trialRounds;
      // One more launch takes as long as the mean of those before it.
      if (this.tookS * (1 + 1 / (before + at)) > limitS) this.drop(trials, one, noTime);
      else await this.firstLaunch(trials, one);
    }
  }

  /**
   * Measures one of the variants for the first time. @returns false if it could not be measured; a variant that failed
   * is removed from `trials`
   */
  private async firstLaunch(trials: MeasuredVariant[], one: MeasuredVariant): Promise<boolean> {
    // A variant may take much longer than the command, so its first launch is short. One that selects samples of the command does
    // not.
    this.noteLaunch(one.variant);
    const before = one.variant.filter === undefined ? null : this.expected.before;
    const launch = await measureVariant(one.variant, { ...this.expected, before }, this.tools);
    if ('ns' in launch) one.launches.push(launch);
    else if ('interrupted' in launch) this.ended = 'interrupted';
    else this.drop(trials, one, launch);
    return one.launches.length > 0;
  }

  /**
   * Takes over what the first launch of the command shows beyond the recorded run: a higher load of the hosts, and what the number
   * of samples of later launches depends on (its samples and their speed, a longer time, and whether operations seem to be stopped
   * for a while).
   */
  private learn(launch: VariantLaunch): void {
    const { ns, backToBackNs } = launch;
    this.learnLoad(launch);
    const isLonger = backToBackNs !== null && backToBackNs >= minStalledRatio * ns;
    this.expected = {
      ns: Math.max(this.expected.ns, backToBackNs ?? ns),
      isStalled: isLonger || this.isStopSuspected,
      before: launch,
    };
  }

  private learnLoad(load: RecordedLoad): void {
    this.point = { ...this.point, ...highestLoad(this.point, load) };
  }

  /** True if figures of the recorded run make a cause likely that stops some operations, such as a CPU quota. */
  private get isStopSuspected(): boolean {
    return this.causes.some(
      (row) => row.stops === true && (row.suspicion?.(this.point, this.machine) ?? null) !== null,
    );
  }

  private drop(measured: MeasuredVariant[], one: MeasuredVariant, { reason, isWrong }: MissingLaunch): void {
    measured.splice(measured.indexOf(one), 1);
    if (isWrong === true) this.wrongLaunches += 1;
    const { cause: id, title } = one.variant;
    // A cause counts as tried if another variant of it is measured.
    if (measured.some(({ variant }) => variant.cause === id)) return;
    this.untried.set(id, { id, title, reason, isAbsent: false });
  }

  /**
   * Measures rounds until the time of this message size is over, at most `most` rounds. The launches of an unfinished
   * round are dropped.
   * @param first variant that each round needs: when the time is over, the round goes on until `first` is measured,
   * and other unmeasured variants are recorded as not tried. Absent = a round ends at once when the time is over
   * @param measured variants to measure; they get the launches
   */
  private async rounds(measured: MeasuredVariant[], most: number, first?: MeasuredVariant): Promise<void> {
    for (let round = 0; round < most && this.ended === null; round += 1) {
      const end = await measureRound(measured, this.expected, this.random, this.tools, {
        isOver: (found) =>
          this.signal.aborted || (this.tookS >= this.seconds && (first === undefined || found.has(first))),
        begin: ({ variant }) => this.noteLaunch(variant),
        drop: (one, missing) => this.drop(measured, one, missing),
        late: first && ((one) => this.drop(measured, one, noTime)),
      });
      if (end === 'interrupted' || this.signal.aborted) this.ended = 'interrupted';
      if (end === 'interrupted' || (end === 'over' && first === undefined)) return;
      this.flags.push(
        ...measured
          .filter(({ variant }) => variant.cause === 'base')
          .map(({ launches }) => launches.at(-1)?.flags ?? []),
      );
    }
  }
}

/**
 * Sorts variants so that the most likely causes come first, because the time may not suffice for all. First come
 * suspected causes, by the share of the time that they could explain, then one variant of each cause that undoes an
 * option of the user; both are marked likely. Then comes one variant of each other cause, then the rest.
 * @param typed options that the user typed
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
 * Sorts variants so that those come last that select samples by counters. Other causes, such as busy CPUs, also have TCP segments
 * sent again, and must be removed first.
 */
const selectionsLast = (variants: readonly MeasuredVariant[]): MeasuredVariant[] => {
  const isLast = ({ variant: { filter } }: MeasuredVariant): boolean => filter === 'without-timeouts';
  return [...variants.filter((one) => !isLast(one)), ...variants.filter(isLast)];
};

const fresh = (variants: readonly Variant[]): MeasuredVariant[] =>
  variants.map((variant) => ({ variant, launches: [] }));

/**
 * A time that is explained: `ns` = time of a typical operation, `backToBackNs` = mean time when operations run back to
 * back.
 */
type Quantity = keyof Pick<VariantLaunch, 'ns' | 'backToBackNs'>;

/**
 * Returns the times to explain: the typical time, and the back-to-back time if it is much longer, which happens if
 * some operations are stopped. Stops may be so rare that no launch of the command meets one, but a longer launch of a
 * variant does that selects samples.
 */
function quantitiesOf({ launches }: MeasuredVariant, others: readonly MeasuredVariant[]): Quantity[] {
  const ratios = launches.map(({ ns, backToBackNs }) => (backToBackNs ?? 0) / ns);
  const parts = others.flatMap((one) =>
    one.launches.flatMap(({ remaining }) => remaining?.backToBackNs ?? []),
  );
  const isStalled =
    geometricMean(ratios) >= minStalledRatio ||
    (parts.length > 0 && geometricMean(parts) <= 1 / minStalledRatio);
  return isStalled ? ['ns', 'backToBackNs'] : ['ns'];
}

/**
 * True if a change may affect this time. Late ranks (cause `arrival`) do not affect typical operations, which have a
 * common start.
 */
const doesConcern = (quantity: Quantity, { cause, filter }: Variant): boolean =>
  quantity === 'backToBackNs' || filter !== 'common-start' || cause !== 'arrival';

/**
 * Returns the times of a variant, one per round; null if a launch lacks this time. If the variant only selects samples, each of its
 * times is that of the variant before it, times the part that remains in the variant's own launch. Launches differ by the number of
 * rare long operations in them; samples of the same launch do not.
 * @param before variant from which the measured one differs by one change; null = there is none
 */
function timesOf(
  quantity: Quantity,
  before: MeasuredVariant | null,
  { variant, launches }: MeasuredVariant,
): VariantTimes | null {
  const isSelected = before !== null && variant.filter !== undefined && before.variant.filter === undefined;
  const ns = launches.flatMap((launch, round) => {
    const whole = before?.launches[round]?.[quantity];
    return isSelected && launch.remaining !== null
      ? whole == null
        ? []
        : whole * launch.remaining[quantity]
      : (launch[quantity] ?? []);
  });
  if (ns.length < launches.length) return null;
  const from = before?.variant ?? variant;
  return {
    ...(isSelected && variant.filter === 'without-timeouts' ? { isOfSameLaunch: true as const } : {}),
    id: variant.cause,
    title: variant.title,
    experiment:
      variant.command === from.command ? changeText(from, variant) : `${variant.command} of the same bytes`,
    change: changesOf(from, variant),
    unset: unsetBy(from, variant),
    ns,
    p95Ns: launches.flatMap(({ p95Ns }) => p95Ns ?? []),
    facts: launches,
  };
}

/** Measurements of one message size, with the role of each variant. */
interface MeasuredChain {
  base: Variant;
  measured: readonly MeasuredVariant[];
  /** Variants that remove suspected causes. Each one has the changes of the previous ones, too. */
  removed: readonly Variant[];
  work: readonly Variant[];
  rest: NeededWork['rest'];
  /** Causes that the first trials excluded: one list for each explained time. */
  excluded: readonly LedgerInput['excluded'][];
  examined?: number;
  /**
   * First trials of the command, and of the first variant in `removed`; absent = `measured` already contains the first
   * trials.
   */
  trials?: { base: MeasuredVariant; first: MeasuredVariant; examined: number };
}

/**
 * Divides each explained time among the causes, using the same variants for all times. Returns null if the command has
 * no two launches.
 * @param quantities times to explain: typical, and back to back if it is much longer
 */
function sizeOf(
  { payloadBytes, bounds = [] }: ExplainedOperation,
  quantities: readonly Quantity[],
  { base, measured, removed, work, rest, excluded, trials, ...examined }: MeasuredChain,
): ExplainedSize | null {
  const entryOf = (variant: Variant): MeasuredVariant | null =>
    measured.find((one) => one.variant === variant) ?? null;
  const timesIn = (quantity: Quantity, variants: readonly Variant[]): VariantTimes[] =>
    variants.flatMap((variant, at) => {
      const one = entryOf(variant);
      return one === null ? [] : (timesOf(quantity, entryOf(variants[at - 1] ?? base), one) ?? []);
    });
  const trialsIn = (quantity: Quantity): Pick<LedgerInput, 'trials'> => {
    if (trials === undefined || !doesConcern(quantity, trials.first.variant)) return {};
    const [whole, first] = [trials.base, trials.first].map((one) => timesOf(quantity, trials.base, one));
    return whole == null || first == null || whole.ns.length !== first.ns.length
      ? {}
      : { trials: { base: whole, first, examined: trials.examined } };
  };
  const inputOf = (quantity: Quantity, at: number): LedgerInput | null => {
    const [whole] = timesIn(quantity, [base]);
    if (whole === undefined || whole.ns.length < 2) return null;
    const input = {
      base: whole,
      removed: timesIn(
        quantity,
        removed.filter((one) => doesConcern(quantity, one)),
      ),
      excluded: excluded[at] ?? [],
      ...trialsIn(quantity),
    };
    if (quantity === 'backToBackNs') {
      const [last] = timesIn('ns', [removed.at(-1) ?? base]);
      // Without stops, operations take as long back to back as typical ones.
      const bound = last === undefined ? [] : [{ ...last, ...typicalNames }];
      return { ...input, work: bound, ...examined };
    }
    const needed = timesIn(quantity, work);
    const isBounded = needed.at(-1)?.id === work.at(-1)?.cause;
    return {
      ...{ ...input, ...examined },
      // If the last variant of needed work was not measured, nothing bounds the time, and other needed work would be
      // taken for the bound.
      work: isBounded ? needed : [],
      // The rest is defined as the time that the first variant of needed work lacks.
      rest: isBounded && needed[0]?.id === work[0]?.cause ? rest : null,
    };
  };
  const [typical, backToBack = null] = quantities.map(inputOf);
  if (typical == null) return null;
  const size = explainedSize(payloadBytes, typical, backToBack);
  return bounds.length === 0 ? size : { ...size, bounds: [...bounds] };
}

/** Texts for the bound of the back-to-back time, which is the typical time. */
const typicalNames = {
  ...{ id: 'typical', title: 'a typical operation' },
  experiment: 'median of the same launches',
};
