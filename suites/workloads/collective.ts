import { refuse } from '../../results/refusals/refusal.ts';
import {
  bufferBytes,
  busFactor,
  type CollectiveName,
  type CollectiveRow,
  collective,
  collectiveAxes,
  collectiveNames,
  collectives,
  dtypeBytes,
  isCollective,
  minBytesMoved,
  type OpName,
  type PointContext,
  type PointPlan,
  type RunPlan,
  setSizes,
} from '../../results/schema/index.ts';
import { sizeFlag } from '../../results/units.ts';
import { collectiveWork } from '../explain/collective.ts';
import type { ParsedPlanOptions, PlanOptions } from '../options/plan-options.ts';
import type { WorkInput } from '../plan-input.ts';
import { generateSizes, nearestSizes, planSizes } from '../sizes.ts';
import type { WorkloadPlanning } from './planning.ts';

/** Properties of the collective with this name, and the name itself. @throws {RangeError} if the command is not a collective */
function rowOf(command: string): CollectiveRow & { name: CollectiveName } {
  if (!isCollective(command)) throw new RangeError(`${command} is no collective`);
  return { name: command, ...collectives[command] };
}

const of = (place: PointContext) => {
  const axes = collectiveAxes.parse(place.axes);
  return { ...axes, shape: rowOf(axes.collective) };
};

/**
 * Makes a point per data type, reduction operator, root, size and in-place form; the two forms of a size follow each other. With
 * groups, sizes are rounded for the smallest group, and "all" roots are the ranks of this group. `skipped`: requested sizes below
 * one element per rank, or equal to an earlier size after rounding, with the reason.
 * @throws Refusal if a sweep has more than `maximumSizes` sizes
 */
function points(input: WorkInput): Pick<RunPlan, 'points' | 'skipped'> {
  const shape = rowOf(input.command);
  const ops: readonly (OpName | null)[] = shape.reduces ? input.ops : [null];
  const ranks = Math.min(...setSizes(input));
  const allRoots = Array.from({ length: ranks }, (_, rank) => rank);
  const roots = !shape.rooted ? [null] : input.roots === 'all' ? allRoots : input.roots;
  const made: PointPlan[] = [];
  const skipped: RunPlan['skipped'] = [];
  for (const dtype of input.dtypes) {
    const sizes = planSizes(shape, dtype, ranks, generateSizes(input.sizes, dtypeBytes[dtype]));
    skipped.push(...sizes.skipped.map((size) => ({ what: shape.name, ...size })));
    for (const op of ops)
      for (const root of roots)
        for (const { requestedBytes, payloadBytes: bytes, count } of sizes.points)
          for (const inPlace of input.inPlace) {
            const axes = { collective: shape.name, dtype, op, root, inPlace, bytes };
            made.push({ workload: collective.name, axes, requestedX: requestedBytes, count });
          }
  }
  return { points: made, skipped };
}

function pointFor(point: PointPlan, ranks: number): PointPlan {
  const { shape, dtype, bytes } = of({ axes: point.axes, ranks });
  const [size] = planSizes(shape, dtype, ranks, [point.requestedX ?? bytes]).points;
  if (size === undefined) return point;
  return { ...point, count: size.count, axes: { ...point.axes, bytes: size.payloadBytes } };
}

/** Planning data (commands and options, points to measure, estimates of bytes and time) of the collectives except alltoallv. */
export const collectivePlanning: WorkloadPlanning = {
  row: collective,
  needs: ['collectives'],
  commands: collectiveNames
    .filter((name) => collectives[name].takesMatrix !== true)
    .map((name) => ({ name, summary: collectives[name].summary })),
  options: {},
  unusedOptions: [],
  requirePlannable: (command, options, parsed, ranks) =>
    requireCollective(rowOf(command).name, options, parsed, ranks),
  points,
  pointFor,
  words({ axes, requestedX }) {
    const { collective: command, dtype, op, bytes } = collectiveAxes.parse(axes);
    const reduced = op === null ? [] : ['--op', op];
    return [command, '--sizes', sizeFlag(requestedX ?? bytes), '--dtype', dtype, ...reduced];
  },
  refuses: (command, ranks) => rowOf(command).refuses?.(ranks) ?? null,
  isAlike: (command, a, b) => rowOf(command).parts(a) === rowOf(command).parts(b),
  isRooted: (command) => rowOf(command).rooted,
  isReducing: (command) => rowOf(command).reduces,
  checkedRanks(place) {
    const { shape, bytes } = of(place);
    if (bytes === 0) return 0;
    return shape.resultOn === 'the root' ? 1 : place.ranks;
  },
  bufferBytes(place) {
    const { shape, bytes, inPlace } = of(place);
    return bufferBytes(shape.name, bytes, place.ranks, inPlace);
  },
  wireBytes(place) {
    const { shape, bytes, dtype } = of(place);
    // A single rank only copies its data; the second term stands for the time of that copy.
    return minBytesMoved(shape.name, dtype, bytes, place.ranks) + (place.ranks === 1 ? (bytes * 1.8) / 4 : 0);
  },
  linkBytes(place) {
    const { shape, bytes } = of(place);
    return bytes * Math.max(1, busFactor(shape.name, place.ranks));
  },
  fixedNs: () => 0,
  neededWork: collectiveWork,
};

// Rules about the options of collectives.

/**
 * Checks that the options make sense for the collective: --in-place, sizes of whole elements, an existing root, and --op and --root
 * only for collectives that reduce or have a root.
 * @param ranks number of ranks; null = not known yet, then the root is not checked
 * @throws Refusal if an option does not make sense
 */
function requireCollective(
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

/** For collectives with a root, checks that each number in --root is below the number of ranks. @throws Refusal if one is not */
function requireRoots(command: CollectiveName, { root: roots }: PlanOptions, ranks: number): void {
  const root = roots === 'all' ? undefined : roots.find((one) => one >= ranks);
  if (!collectives[command].rooted || root === undefined) return;
  throw refuse('no-such-root', { root, ranks });
}

/**
 * Checks that --sizes, or --min and --step, are whole numbers of elements in every requested data type. Otherwise rounding would
 * measure a size that the user did not type.
 * @throws Refusal if a size is not a whole number of elements
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

/** Checks --op and --root. @throws Refusal if the user typed one of them for a collective that does not reduce or has no root */
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
