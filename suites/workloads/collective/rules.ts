// Rules about options of a collective.
import { refuse } from '../../../results/refusals/refusal.ts';
import {
  type CollectiveName,
  collectiveNames,
  collectives,
  dtypeBytes,
} from '../../../results/schema/index.ts';
import type { ParsedPlanOptions, PlanOptions } from '../../options/plan-options.ts';
import { nearestSizes } from '../../sizes.ts';

/**
 * Checks that the options make sense for the collective: in-place form, whole elements, an existing root, --op and --root only
 * if they apply.
 * @throws Refusal if they do not
 */
export function requireCollective(
  command: CollectiveName,
  options: PlanOptions,
  parsed: ParsedPlanOptions,
  ranks: number | null,
): void {
  if (!collectives[command].hasInPlace && options.inPlace.includes(true)) {
    throw refuse('no-form-in-place', { command, where: parsed.where('inPlace') });
  }
  requireWholeElements(options, parsed);
  if (ranks !== null) requireRoots(command, options, ranks);
  requireOfCollective(command, parsed);
}

/** Checks the value of --root. @throws Refusal if a root is not a rank number */
function requireRoots(command: CollectiveName, { root: roots }: PlanOptions, ranks: number): void {
  const root = roots === 'all' ? undefined : roots.find((one) => one >= ranks);
  if (!collectives[command].rooted || root === undefined) return;
  throw refuse('no-such-root', { root, ranks });
}

/**
 * Checks that all sizes are whole numbers of elements in every requested data type. Rounding would measure another size than
 * the typed one.
 * @throws Refusal if a size is not
 */
function requireWholeElements(options: PlanOptions, parsed: ParsedPlanOptions): void {
  const widest = options.dtype.reduce((a, b) => (dtypeBytes[a] >= dtypeBytes[b] ? a : b));
  const width = dtypeBytes[widest];
  const { sizes, min, step } = options;
  const typed: ['sizes' | 'min' | 'step', number[]][] =
    sizes !== null
      ? [['sizes', sizes]]
      : [
          ['min', [min]],
          ['step', step === null ? [] : [step]],
        ];
  for (const [option, some] of typed) {
    const bytes = some.find((one) => one % width !== 0);
    if (bytes === undefined) continue;
    const where = parsed.where(option);
    const near = nearestSizes(bytes, width);
    throw refuse('parts-of-elements', { where, option, bytes, widest, width, near });
  }
}

/** Checks that --op and --root apply. @throws Refusal if one of them is given for a collective without reduction or root */
function requireOfCollective(command: CollectiveName, parsed: ParsedPlanOptions): void {
  for (const [option, applies] of [
    ['op', 'reduces'],
    ['root', 'rooted'],
  ] as const) {
    const written = parsed.typed(option);
    if (collectives[command][applies] || written === undefined) continue;
    const others = collectiveNames.filter((name) => collectives[name][applies]);
    throw refuse('not-of-collective', { command, where: written.where, text: written.text, option, others });
  }
}
