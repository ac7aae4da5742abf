import { refuse } from '../results/refusals/refusal.ts';
import { type CollectiveRow, type DtypeName, dtypeBytes } from '../results/schema/index.ts';
import { sizeFlag, sizeText } from '../results/units.ts';

const unitBytes: Record<string, number> = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 };

/**
 * Parses a size as typed, in upper or lower case: "8", "1K", "64M", "1.5G", "1GiB"; units are binary as in nccl-tests.
 * @returns whole bytes >= 0; null if the text is not a size, not a whole number of bytes, or ends in a small b (1Mb), which may
 * mean bits
 */
export function parseSize(text: string): number | null {
  // A small b is a bit: "1Mb" may mean a megabit.
  if (/[KMGT]i?b$/.test(text.trim())) return null;
  const match = /^(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?$/i.exec(text.trim());
  if (match === null) return null;
  const bytes = Number(match[1]) * (unitBytes[(match[2] ?? '').toUpperCase()] ?? Number.NaN);
  return Number.isSafeInteger(bytes) ? bytes : null;
}

/** Rule that generates the sizes of a sweep: from `min` up to at most `max`, or a list. All values except `factor` are bytes. */
export type SizeRule =
  | { kind: 'factor'; min: number; max: number; factor: number }
  | { kind: 'step'; min: number; max: number; step: number }
  | { kind: 'list'; sizes: readonly number[] };

/**
 * The rule for the sizes that the options --min, --max, --factor, --step and --sizes request; all but `factor` are bytes. `sizes`
 * takes precedence over all others, `step` over `factor`.
 */
export function sizeRule(options: {
  min: number;
  max: number;
  factor: number;
  step: number | null;
  sizes: number[] | null;
}): SizeRule {
  const { min, max, factor, step, sizes } = options;
  if (sizes !== null) return { kind: 'list', sizes };
  return step === null ? { kind: 'factor', min, max, factor } : { kind: 'step', min, max, step };
}

/** Maximum number of sizes of a sweep. More sizes are a mistake, such as a wrong unit, and would fill the memory. */
export const maximumSizes = 10_000;

/**
 * Sizes of a sweep in bytes, ascending and without repetition; a list keeps its order. If a sweep with a factor starts at 0, the
 * next size is `afterZero`, because 0 times the factor stays 0.
 * @param afterZero bytes of one element
 * @throws Refusal if there are more than `maximumSizes` sizes
 */
export function generateSizes(rule: SizeRule, afterZero: number): number[] {
  if (rule.kind === 'list') return [...new Set(rule.sizes)];
  const sizes: number[] = [];
  const next = (size: number) => {
    if (rule.kind === 'step') return size + rule.step;
    return size === 0 ? afterZero : Math.max(size + 1, Math.floor(size * rule.factor));
  };
  for (let size = rule.min; size <= rule.max; size = next(size)) {
    if (sizes.length === maximumSizes) {
      throw refuse('too-many-sizes', { most: maximumSizes });
    }
    sizes.push(size);
  }
  return sizes;
}

export interface RoundedSize {
  /** Payload in bytes (S in formulas): the requested bytes rounded down to whole elements on every rank. */
  payloadBytes: number;
  /** NCCL's count argument: number of elements of the whole payload, or of one rank's part if the collective divides its data. */
  count: number;
}

/**
 * Rounds a requested size down to whole elements on every rank, as nccl-tests does. Unlike nccl-tests it does not also round to 16
 * bytes.
 */
function roundSize(
  collective: CollectiveRow,
  dtype: DtypeName,
  ranks: number,
  requestedBytes: number,
): RoundedSize {
  const parts = collective.parts(ranks);
  // A single rank sends nothing in a hypercube, so it has no parts.
  const count = parts === 0 ? 0 : Math.floor(requestedBytes / (dtypeBytes[dtype] * parts));
  return { count, payloadBytes: count * dtypeBytes[dtype] * parts };
}

export interface SweepSizes {
  points: (RoundedSize & { requestedBytes: number })[];
  skipped: { requestedX: number; reason: string }[];
}

/**
 * Rounds the requested sizes and keeps their order. A size above 0 is skipped, with the reason, if it rounds to 0 (less than one
 * element, or one per rank if the collective divides its data), or if an earlier size rounds to the same bytes.
 */
export function planSizes(
  collective: CollectiveRow,
  dtype: DtypeName,
  ranks: number,
  requested: readonly number[],
): SweepSizes {
  const result: SweepSizes = { points: [], skipped: [] };
  const seen = new Map<number, number>();
  for (const requestedBytes of requested) {
    const rounded = roundSize(collective, dtype, ranks, requestedBytes);
    const same = seen.get(rounded.payloadBytes);
    if (rounded.count === 0 && requestedBytes > 0) {
      const wanted =
        collective.parts(ranks) !== 1 ? `one ${dtype} for each of ${ranks} ranks` : `one ${dtype}`;
      result.skipped.push({
        requestedX: requestedBytes,
        reason: `${sizeText(requestedBytes)} is less than ${wanted}`,
      });
    } else if (same !== undefined) {
      const reason = `rounded to ${sizeText(rounded.payloadBytes)} (whole elements per rank); same as ${sizeText(same)}`;
      result.skipped.push({ requestedX: requestedBytes, reason });
    } else {
      seen.set(rounded.payloadBytes, requestedBytes);
      result.points.push({ requestedBytes, ...rounded });
    }
  }
  return result;
}

/**
 * The nearest sizes with whole elements, as text for a message.
 * @param bytes requested size
 * @returns "4 or 8" (bytes), or only "8" if rounding down gives 0
 */
export function nearestSizes(bytes: number, elementBytes: number): string {
  const below = Math.floor(bytes / elementBytes) * elementBytes;
  const above = below + elementBytes;
  return below > 0 ? `${sizeFlag(below)} or ${sizeFlag(above)}` : sizeFlag(above);
}
