// Reads the measured times of a command and its changed variants at one message size, and divides each time among the causes.
import { geometricMean } from 'simple-statistics';
import {
  explainedSize,
  type LedgerInput,
  minStalledRatio,
  type TriedChange,
  triedChanges,
  type VariantTimes,
} from '../../results/explain/ledger.ts';
import type { ExplainedRail, ExplainedSize } from '../../results/schema/index.ts';
import { railsCause, railTitle, worstRails } from '../../suites/explain/rails.ts';
import {
  changesOf,
  changeText,
  type ExplainedOperation,
  type NeededWork,
  unsetBy,
  type Variant,
} from '../../suites/explain/variants.ts';
import type { MeasuredVariant, VariantLaunch } from './rounds.ts';

/**
 * Name of a time that is explained. `ns`: time of a typical operation. `backToBackNs`: mean time of an operation when operations
 * run back to back.
 */
type Quantity = keyof Pick<VariantLaunch, 'ns' | 'backToBackNs'>;

/**
 * Returns the names of the times to explain: the typical time, and the back-to-back time if it is much longer, which happens if
 * some operations are stopped. Stops may be so rare that no launch of the command meets one. A longer launch of a variant that
 * selects samples may meet one.
 */
export function quantitiesOf({ launches }: MeasuredVariant, others: readonly MeasuredVariant[]): Quantity[] {
  const ratios = launches.map(({ ns, backToBackNs }) => (backToBackNs ?? 0) / ns);
  const parts = others.flatMap((one) =>
    one.launches.flatMap(({ backToBackNs, unselected }) =>
      backToBackNs === null || unselected === null ? [] : [backToBackNs / unselected.backToBackNs],
    ),
  );
  const isStalled =
    geometricMean(ratios) >= minStalledRatio ||
    (parts.length > 0 && geometricMean(parts) <= 1 / minStalledRatio);
  return isStalled ? ['ns', 'backToBackNs'] : ['ns'];
}

/** Causes that are removed by isolated operations in the place of those back to back, by filter. */
const isolatedBy = { 'common-start': 'arrival', 'queued-before': 'queueing' } as const;

/**
 * True if a change may affect this time. An experiment that puts isolated operations in the place of those back to back changes no
 * typical operation, which is isolated: late ranks do not delay it, because all start together, nor does the host that queues it.
 */
const doesConcern = (quantity: Quantity, { cause, filter }: Variant): boolean =>
  quantity === 'backToBackNs' ||
  filter === undefined ||
  filter === 'without-timeouts' ||
  cause !== isolatedBy[filter];

/**
 * Returns the times of a variant, one per round; null if a launch lacks this time. A variant that only selects samples has other
 * times: that of the variant before it in the same round, times the part that remains in the variant's own launch. Launches differ
 * by the number of rare long operations in them; samples of the same launch do not.
 * @param before variant from which the measured one differs by one change; null = there is none
 */
function timesOf(
  quantity: Quantity,
  before: MeasuredVariant | null,
  { variant, launches }: MeasuredVariant,
): VariantTimes | null {
  const isSelected = before !== null && variant.filter !== undefined && before.variant.filter === undefined;
  const ns = launches.flatMap((launch, round) => {
    const [whole, own] = [before?.launches[round]?.[quantity], launch[quantity]];
    if (!isSelected || launch.unselected === null) return own ?? [];
    return whole == null || own === null ? [] : whole * (own / launch.unselected[quantity]);
  });
  if (ns.length < launches.length) return null;
  const from = before?.variant ?? variant;
  return {
    ...(isSelected && variant.filter === 'without-timeouts'
      ? {
          isOfSameLaunch: true as const,
          allNs: launches.flatMap(({ unselected }) => unselected?.[quantity] ?? []),
        }
      : {}),
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

/**
 * Returns, by one of the explained times, the difference of each changed variant from the command. Variants without this time are
 * left out. Empty if the command lacks this time.
 * @param first measurements of the command
 * @param others measurements of its changed variants
 */
export function triedChangesIn(
  quantity: Quantity,
  first: MeasuredVariant,
  others: readonly MeasuredVariant[],
): TriedChange[] {
  const times = (one: MeasuredVariant) =>
    doesConcern(quantity, one.variant) ? (timesOf(quantity, first, one) ?? []) : [];
  return [first].flatMap(times).flatMap((whole) => triedChanges(whole, others.flatMap(times)));
}

/**
 * Returns the rails of the host that shares its traffic least evenly. For each rail: its share in the bytes of all rails of the
 * host, 0 to 1, and `alone`: how the time changes if only this rail is used (time with this rail alone / time of the command),
 * null if this was not measured. Empty if no host has several rails.
 * @param first measurements of the command
 * @param others measurements of its changed variants
 */
export function explainedRails(
  operation: ExplainedOperation,
  first: MeasuredVariant,
  others: readonly MeasuredVariant[],
): ExplainedRail[] {
  const worst = worstRails(operation);
  if (worst === null) return [];
  const alone = others.filter(({ variant }) => variant.cause === railsCause.id);
  const trials = triedChangesIn('ns', first, alone);
  const sum = worst.rails.reduce((total, { bytes }) => total + bytes, 0);
  return worst.rails.map(({ name, bytes }) => ({
    ...{ host: worst.host, name, share: bytes / sum },
    alone: trials.find(({ change }) => change.title === railTitle(name))?.change ?? null,
  }));
}

/**
 * Measurements of one message size, with the role of each variant. `base`: the command. `work`: variants that do only work which
 * the command cannot avoid. `rest`: name of the time that the first of these variants lacks, compared with the last of `removed`.
 * `examined`: number of variants among which the first removed one was chosen.
 */
interface MeasuredChain {
  base: Variant;
  measured: readonly MeasuredVariant[];
  /** Variants that remove suspected causes. Each one has the changes of the previous ones, too. */
  removed: readonly Variant[];
  work: readonly Variant[];
  rest: NeededWork['rest'];
  /** Causes that the first trials excluded: one list for each explained time, in the order of `quantities`. */
  excluded: readonly LedgerInput['excluded'][];
  examined?: number;
  /**
   * First trials of the command, and of the first variant in `removed`; absent = `measured` already contains the first
   * trials.
   */
  trials?: { base: MeasuredVariant; first: MeasuredVariant; examined: number };
}

/**
 * Divides each explained time among the causes, using the same variants for all times. Returns null if the command has fewer than
 * two launches.
 * @param quantities times to explain: typical, and back to back if it is much longer
 */
export function divideTimes(
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
