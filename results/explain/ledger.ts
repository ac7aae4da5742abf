// Divides an operation's time among causes, from rounds in which each variant of the command (with a cause removed, or only a part
// of the work) was measured once.
import { geometricMean, mean } from 'simple-statistics';
import { type Difference, differenceOf, varianceOf } from '../judge/difference.ts';
import type {
  ExcludedCause,
  ExplainedSize,
  ShareKind,
  TimeEstimate,
  TimeLedger,
  TimeShare,
} from '../schema/index.ts';
import { joinWords } from '../units.ts';
import { launchModes } from './modes.ts';
import type { LaunchFacts } from './separation.ts';

/**
 * A measured variant of the explained command, with its time in each round. `id` and `title` (for readers): the cause that it
 * removes, or the part of the work that it does. `experiment`: the variant as options or as a command.
 */
export interface VariantTimes {
  id: string;
  title: string;
  experiment: string;
  /** Options that the variant changes, by name; null = the option is removed. */
  change?: Readonly<Record<string, string | null>>;
  /** Environment variables that the variant removes. */
  unset?: readonly string[];
  /** Time of the operation in ns, one value per round; all variants were measured in the same rounds. */
  ns: readonly number[];
  /**
   * True if the times are those of the variant before, each multiplied by the part of the time that remained in one launch without
   * some of its samples; absent = the times were measured in other launches.
   */
  isOfSameLaunch?: true;
  /** Only with `isOfSameLaunch`: times of all samples of these launches in ns, one per round. */
  allNs?: readonly number[];
  /**
   * 95th percentile of the samples of a launch in ns, for the launches for which it is known; absent or empty if it is known for
   * none.
   */
  p95Ns?: readonly number[];
  /** Other facts recorded of the launch in each round, such as flags and CPUs; absent = none. */
  facts?: readonly LaunchFacts[];
}

/** Smallest share of the time that is reported as a cause, however certain: 0.05 = 5 %. */
export const minShare = 0.05;

/** Probability of naming a cause that is none, over all causes that are examined at one message size. */
const falseCauses = 0.01;

/**
 * Weight, in degrees of freedom, of the mean variance of all differences at the same size beside the variance of one (Smyth 2004,
 * moderated t).
 */
const priorDegrees = 4;

/**
 * Returns the mean difference of log time from the first to the second variant of each pair, computed round by round. Variants of
 * one round are measured within seconds and share the drift of the machine, so only differences within a round matter. Because
 * rounds are few, the variances are moderated by their mean; the variance of a single pair stays as it is. So does that of a pair
 * within the same launches, which scatters less than launches do.
 */
function changesOf(pairs: readonly (readonly [from: VariantTimes, to: VariantTimes])[]): Difference[] {
  const logs = pairs.map(([from, to]) =>
    from.ns.map((ns, round) => Math.log(to.ns[round] ?? Number.NaN) - Math.log(ns)),
  );
  const variances = logs.map(varianceOf);
  const others = variances.filter((_, at) => pairs[at]?.[1].isOfSameLaunch !== true);
  const pooled = others.length > 1 ? mean(others) : 0;
  return logs.map((one, at) => {
    const degrees = one.length - 1;
    const prior = others.length > 1 && pairs[at]?.[1].isOfSameLaunch !== true ? priorDegrees : 0;
    const variance = (degrees * (variances[at] ?? 0) + prior * pooled) / (degrees + prior);
    return differenceOf(mean(one), Math.sqrt(variance / one.length), degrees + prior);
  });
}

/**
 * True if the variant shows that its removed cause costs time: the time falls by at least `minShare`, and p is at most
 * `falseCauses` divided by the number of `examined` causes.
 */
export const isCause = ({ difference, p }: Difference, examined: number): boolean =>
  difference <= Math.log1p(-minShare) && p <= falseCauses / Math.max(1, examined);

/** Returns the geometric mean time over the rounds, with the 95 % interval of the mean log time. */
function timeOf({ ns }: VariantTimes): TimeEstimate {
  const logs = ns.map(Math.log);
  const { difference, low, high } = differenceOf(
    mean(logs),
    Math.sqrt(varianceOf(logs) / logs.length),
    Math.max(1, logs.length - 1),
  );
  return { ns: Math.exp(difference), low: Math.exp(low), high: Math.exp(high) };
}

export interface LedgerInput {
  /** The explained command itself, without changes. */
  base: VariantTimes;
  /** Variants with causes removed; each also removes the causes of the variants before it. */
  removed: readonly VariantTimes[];
  /** Variants that do only a part of the operation's needed work, from most to least work; the last one is the bound. */
  work: readonly VariantTimes[];
  /** Id and title of the part of the time beyond the first variant in `work`; null or absent if this part has no explanation. */
  rest?: { id: string; title: string } | null;
  /**
   * Causes that were excluded earlier: when they were first tried, even their best variants did not shorten the time enough
   * (suspectRatio).
   */
  excluded: readonly ExcludedCause[];
  /**
   * If the causes in `removed` were chosen by these same launches: the number of causes among which they were chosen. Absent if
   * other launches decided the choice.
   */
  examined?: number;
  /**
   * Earlier rounds of the command (`base`) and of the first variant in `removed` (`first`), which was chosen by them out of
   * `examined` variants; absent = none. Together with later rounds they may make the first cause certain; the shares are computed
   * without them.
   */
  trials?: { base: VariantTimes; first: VariantTimes; examined: number };
}

/** Length of a 95 % interval in log time above which it says nothing about a removed cause: a factor of two. */
const vagueInterval = Math.LN2;

/**
 * Separates the removed causes into those that certainly cost time and all others. If a removal alone is uncertain, because it
 * seems to help or its interval says nothing, but the time is certainly shorter after a later removal, these together count as one
 * cause. A removal within the same launches needs no other launches to be certain, so it is a cause alone.
 * @returns `causes` in the order of removal; `others` with the ratio of times that their removal showed
 */
function certainCauses({ base, removed, examined = 0, trials }: LedgerInput) {
  const steps = changesOf(removed.map((to, at) => [removed[at - 1] ?? base, to]));
  const causes: VariantTimes[] = [];
  const others: ExcludedCause[] = [];
  let open: { variant: VariantTimes; step: Difference }[] = [];
  for (const [at, variant] of removed.entries()) {
    const step = steps[at];
    if (step === undefined) continue;
    const saysNothing = step.high - step.low > vagueInterval && step.low <= Math.log1p(-minShare);
    if (step.difference > Math.log1p(-minShare) && !saysNothing) {
      others.push(excludedBy(variant, step));
      continue;
    }
    if (variant.isOfSameLaunch === true && isCause(step, Math.max(examined, steps.length))) {
      others.push(...open.map((one) => excludedBy(one.variant, one.step)));
      open = [];
      causes.push(afterOf(causes.at(-1) ?? base, removed[at - 1] ?? base, variant));
      continue;
    }
    open.push({ variant, step });
    const [whole] = changesOf([[causes.at(-1) ?? base, variant]]);
    const isCertain =
      [step, open.length > 1 ? whole : undefined].some(
        (one) => one !== undefined && isCause(one, Math.max(examined, steps.length)),
      ) ||
      (at === 0 && isCertainWith(base, variant, trials));
    if (!isCertain) continue;
    causes.push(together(open));
    open = [];
  }
  return { causes, others: [...others, ...open.map(({ variant, step }) => excludedBy(variant, step))] };
}

/**
 * Returns the times of a removal within the launches of `before` as if it had been made in those of `from`: in each round the time
 * of `from`, multiplied by the ratio of the times of `variant` and `before`.
 */
const afterOf = (from: VariantTimes, before: VariantTimes, variant: VariantTimes): VariantTimes => ({
  ...variant,
  ns: from.ns.map((ns, round) => (ns * (variant.ns[round] ?? ns)) / (before.ns[round] ?? ns)),
});

/**
 * Returns the command and its certain causes, all with the times of the launches of the first cause if that only selects samples of
 * its launches. These are longer than the command's own: a launch with few samples often contains none of the rare long operations,
 * and its time would be shorter than that of the long launches without such operations.
 */
function inLongLaunches(base: VariantTimes, causes: readonly VariantTimes[]): [VariantTimes, VariantTimes[]] {
  const [first, ...others] = causes;
  const allNs = first?.allNs;
  if (first === undefined || allNs === undefined) return [base, [...causes]];
  const whole = { ...base, ns: allNs };
  return [whole, [afterOf(whole, base, first), ...others]];
}

/** True if the first removal is certain by all rounds, those of the first trials included. */
function isCertainWith(base: VariantTimes, first: VariantTimes, trials: LedgerInput['trials']): boolean {
  if (trials === undefined) return false;
  const [change] = changesOf([
    [
      { ...base, ns: [...trials.base.ns, ...base.ns] },
      { ...first, ns: [...trials.first.ns, ...first.ns] },
    ],
  ]);
  return change !== undefined && isCause(change, trials.examined);
}

/**
 * Returns one cause for several that are removed together: with the times of the last removal, the id of the one that changes the
 * time most, and the titles of all.
 */
function together(parts: readonly { variant: VariantTimes; step: Difference }[]): VariantTimes {
  const [largest] = [...parts].sort((a, b) => a.step.difference - b.step.difference);
  const variants = parts.map(({ variant }) => variant);
  const last = variants.at(-1);
  if (largest === undefined || last === undefined) throw new RangeError('a cause needs a removal');
  // Only the last removal selects samples, so its launches are not the command's.
  const { allNs: _all, ...withoutAll } = last;
  return {
    ...withoutAll,
    id: largest.variant.id,
    title: joinWords(variants.map(({ title }) => title)),
    experiment: variants.map(({ experiment }) => experiment).join(' '),
    change: Object.assign({}, ...variants.map(({ change = {} }) => change)),
    unset: variants.flatMap(({ unset = [] }) => unset),
  };
}

/**
 * Separates variants of needed work that may be a part of `whole` from those that certainly take longer. The last one, the bound,
 * is kept unless it is certainly longer by more than `minShare`: most operations at their bound take about as long as it.
 */
function workWithin(whole: VariantTimes, work: readonly VariantTimes[]) {
  const changes = changesOf(work.map((to) => [whole, to]));
  const kept: VariantTimes[] = [];
  const longer: ExcludedCause[] = [];
  for (const [at, variant] of work.entries()) {
    const change = changes[at];
    const allowed = at < work.length - 1 ? 0 : minShare;
    if (change !== undefined && Math.expm1(change.low) > allowed) longer.push(excludedBy(variant, change));
    else kept.push(variant);
  }
  return { work: kept, longer };
}

/**
 * Divides one time into parts: the causes that are certain, the part that is not explained, the parts of the needed work, and the
 * bound if work was measured. Each part is the difference between a variant and the next one, so the parts add up to the time. A
 * variant of needed work that certainly takes longer than the operation without its causes is no part of it, the bound included.
 * Without such work the whole rest is not explained.
 * @throws {RangeError} with fewer than two rounds, which show no scatter
 */
export function ledgerOf(input: LedgerInput): TimeLedger {
  const { base, excluded } = input;
  if (base.ns.length < 2) throw new RangeError(`a ledger needs two rounds, got ${base.ns.length}`);
  const { causes: certain, others } = certainCauses(input);
  const [whole, causes] = inLongLaunches(base, certain);
  const { work, longer } = workWithin(causes.at(-1) ?? whole, input.work);
  const rest = work[0] === input.work[0] ? input.rest : null;
  const chain = [whole, ...causes, ...work];
  const changes = changesOf(chain.slice(1).map((to, at) => [chain[at] ?? whole, to]));
  const restNames = rest == null ? unexplained : { ...rest, experiment: work[0]?.experiment ?? '' };
  let ns = timeOf(whole).ns;
  const parts = changes.map((change, at): TimeShare => {
    const isRest = at === causes.length;
    const kind: ShareKind = at < causes.length ? 'cause' : isRest && rest == null ? 'unexplained' : 'work';
    const source = kind === 'cause' ? chain[at + 1] : chain[at];
    const from = isRest || source === undefined ? restNames : source;
    const share = shareOf(ns, change);
    ns *= Math.exp(change.difference);
    return { kind, ...named(from), ...undoing(kind === 'cause' ? source : undefined), ...share };
  });
  const last = chain.at(-1) ?? whole;
  const [kind, names] =
    work.length === 0 ? (['unexplained', unexplained] as const) : (['bound', named(last)] as const);
  return {
    time: timeOf(whole),
    shares: [...parts, { kind, ...names, ...undoing(), ...timeOf(last), ns }],
    excluded: [...excluded, ...others, ...longer],
  };
}

/**
 * The mean time back to back is divided into parts of its own only if it exceeds the time of a typical operation by at least this
 * factor.
 */
export const minStalledRatio = 1.25;

/**
 * The mean time back to back is divided into parts of its own only if its difference from the time of a typical operation has at
 * most this p-value, or if one of its causes is certain.
 */
const maxChance = 0.05;

/**
 * True if operations back to back certainly take longer than a typical operation, for example because some of them are stopped by
 * other programs. Rare long stops make the times of launches too different for that; then a cause that is certain is enough.
 * @param ledger parts of the time back to back
 */
function isStalled(typical: VariantTimes, backToBack: VariantTimes, ledger: TimeLedger): boolean {
  const [change] = changesOf([[typical, backToBack]]);
  if (change === undefined || change.difference < Math.log(minStalledRatio)) return false;
  return change.p <= maxChance || ledger.shares.some(({ kind }) => kind === 'cause');
}

/**
 * Divides the times of one message size into parts. The mean time back to back is only divided if it is longer than the time of a
 * typical operation, certainly or with a certain cause (isStalled()); otherwise `backToBack` of the result is null.
 * @param payloadBytes message size
 * @param typical times of a typical operation
 * @param backToBack mean times back to back in the same launches; null = not known
 */
export function explainedSize(
  payloadBytes: number,
  typical: LedgerInput,
  backToBack: LedgerInput | null,
): ExplainedSize {
  const { base } = typical;
  const ledger = backToBack === null ? null : ledgerOf(backToBack);
  const isOwn = backToBack !== null && ledger !== null && isStalled(base, backToBack.base, ledger);
  return {
    ...{ payloadBytes, rounds: base.ns.length, ...ledgerOf(typical) },
    backToBack: isOwn ? ledger : null,
    p95Ns: base.p95Ns === undefined || base.p95Ns.length === 0 ? null : geometricMean([...base.p95Ns]),
    modes: launchModes(base.ns, base.facts),
  };
}

const named = ({ id, title, experiment }: Omit<VariantTimes, 'ns'>) => ({ id, title, experiment });
const undoing = ({ change = {}, unset = [] }: Partial<VariantTimes> = {}) => ({ change, unset: [...unset] });
const unexplained = { id: 'unexplained', title: 'not explained', experiment: '' };

/** Returns the part of `ns` that a change of log time takes away, with the interval of the change, ns. */
const shareOf = (ns: number, { difference, low, high }: Difference): TimeEstimate => ({
  ns: -ns * Math.expm1(difference),
  low: -ns * Math.expm1(high),
  high: -ns * Math.expm1(low),
});

const excludedBy = (variant: VariantTimes, { difference, low, high }: Difference): ExcludedCause => ({
  ...named(variant),
  ratio: Math.exp(difference),
  low: Math.exp(low),
  high: Math.exp(high),
});

/**
 * A variant that was tried in the first rounds, which decide whether it is measured again. `change`: its cause, and its time
 * divided by that of the explained command, with 95 % interval.
 */
export interface TriedChange {
  variant: VariantTimes;
  change: ExcludedCause;
}

/** Compares variants with the explained command (`base`), by their times in the first rounds; one result for each variant. */
export const triedChanges = (base: VariantTimes, variants: readonly VariantTimes[]): TriedChange[] =>
  changesOf(variants.map((to) => [base, to])).map((change, at) => {
    const variant = variants[at] ?? base;
    return { variant, change: excludedBy(variant, change) };
  });

/**
 * Ratio of the variant's time to the command's below which the variant is measured again as a suspect. The first rounds are few and
 * uncertain, so already a small gain counts.
 */
const suspectRatio = 0.97;

/** Returns for each cause the variant whose time divided by the command's is smallest, in ascending order of this ratio. */
function bestOfCauses(trials: readonly TriedChange[]): TriedChange[] {
  const best = new Map<string, TriedChange>();
  for (const trial of trials) {
    const { id, ratio } = trial.change;
    if (ratio < (best.get(id)?.change.ratio ?? Number.POSITIVE_INFINITY)) best.set(id, trial);
  }
  return [...best.values()].sort((a, b) => a.change.ratio - b.change.ratio);
}

/**
 * Chooses suspects, the variants that are measured again: of each cause the one whose time divided by the command's is smallest in
 * any of the lists, if this ratio is below `suspectRatio`. If recorded figures, such as the load of the machine, speak for a cause,
 * it is enough that the low end of the ratio's interval is below. Suspects of these causes come before the others, except those
 * that certainly recover more than each of them; all are in ascending order of the ratio. All other causes are excluded, each by its best variant in each list; a suspect of one list is excluded in none.
 * @param trials variants tried in the same launches; one list for each kind of time that is explained, such as that of a typical
 * operation
 * @param most maximum number of suspects, all lists together
 * @param suspected ids of causes for which recorded figures speak
 * @returns excluded causes in one list for each time; `late`: further suspects beyond `most`, which are not excluded
 */
export function chooseSuspects(
  trials: readonly (readonly TriedChange[])[],
  most: number,
  suspected: ReadonlySet<string> = new Set(),
): { suspects: TriedChange[]; late: TriedChange[]; excluded: ExcludedCause[][] } {
  const isSuspected = ({ change }: TriedChange) => suspected.has(change.id);
  const open = bestOfCauses(trials.flat()).filter(
    (one) => (isSuspected(one) ? one.change.low : one.change.ratio) < suspectRatio,
  );
  const [first, others] = [open.filter(isSuspected), open.filter((one) => !isSuspected(one))];
  const isLarger = ({ change }: TriedChange) => first.every((one) => change.high < one.change.low);
  const ordered = [...others.filter(isLarger), ...first, ...others.filter((one) => !isLarger(one))];
  const isSuspect = ({ change }: TriedChange) => ordered.some((one) => one.change.id === change.id);
  return {
    ...{ suspects: ordered.slice(0, most), late: ordered.slice(most) },
    excluded: trials.map((some) =>
      bestOfCauses(some)
        .filter((one) => !isSuspect(one))
        .map(({ change }) => change),
    ),
  };
}
