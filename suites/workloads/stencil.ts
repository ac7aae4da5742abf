import {
  gridOf,
  gridPointBytes,
  haloPoints,
  type PointContext,
  type PointPlan,
  type RunPlan,
  rankGrid,
  type StencilAxes,
  setSizes,
  stencil,
  stencilAxes,
  stencilParts,
  stencilScalings,
  workPaths,
} from '../../results/schema/index.ts';
import { wordListOption } from '../options/option.ts';
import { doublingList, keepText, listOf } from '../options/values.ts';
import type { WorkInput } from '../plan-input.ts';
import type { WorkloadPlanning } from './planning.ts';

/** Estimated number of grid points that one core updates per ns. */
const pointsPerNs = 2;

const parts = listOf(stencilParts);
const scalings = listOf(stencilScalings);
const paths = listOf(workPaths);

/** Maximum number of grid points along one side; larger grids do not fit into memory. */
const largestGrid = 2 ** 20;

/**
 * Parses a list of grid edges (number of points along one side), "64,100" or "64..4096" (see doublingList()).
 * @throws ValueError if the text is no such list
 */
export const gridsOf = doublingList('number of points', largestGrid);

const severalOf = (known: readonly string[]) => ({
  ...wordListOption(known),
  allowed: `${known.join(', ')} or several with commas between`,
});

/**
 * The reason, as text, why these parameters cannot be measured with this number of ranks: a single rank has no halo, or a grid that
 * all ranks share is too small for them. Null if they can.
 */
function refusal({ part, scaling, grid }: StencilAxes, ranks: number): string | null {
  const { columns, rows } = rankGrid(ranks);
  if (part === 'halo' && ranks === 1) return 'one rank has no halo';
  if (scaling === 'weak' || grid >= columns) return null;
  return `a grid of ${grid} x ${grid} points is too small for ${columns} x ${rows} ranks`;
}

function points(input: WorkInput): Pick<RunPlan, 'points' | 'skipped'> {
  const { words, dtypes } = input;
  const ranks = setSizes(input);
  const made: PointPlan[] = [];
  const skipped: RunPlan['skipped'] = [];
  for (const part of parts(words.part ?? ''))
    for (const path of paths(words.path ?? ''))
      for (const scaling of scalings(words.scaling ?? ''))
        for (const dtype of dtypes)
          for (const grid of gridsOf(words.grid ?? '')) {
            const axes = stencilAxes.parse({ part, path, scaling, dtype, grid });
            const [reason] = ranks.flatMap((one) => refusal(axes, one) ?? []);
            if (reason === undefined) made.push({ workload: stencil.name, axes, requestedX: grid });
            else skipped.push({ what: stencil.name, requestedX: grid, reason });
          }
  return { points: made, skipped };
}

const of = ({ axes }: Pick<PointContext, 'axes'>): StencilAxes => stencilAxes.parse(axes);

/**
 * Planning data (commands and options, points to measure, estimates of bytes and time) of the workload that measures Jacobi
 * iterations on a two-dimensional grid, with halo exchange between neighbouring ranks.
 */
export const stencilPlanning: WorkloadPlanning = {
  row: stencil,
  needs: ['computations'],
  either: ['messages', 'stores', 'puts'],
  commands: [
    {
      name: 'stencil',
      summary: 'Jacobi iterations on a grid split over all ranks, with halo exchange',
    },
  ],
  options: {
    grid: {
      value: 'LIST',
      describe: 'Points along one edge of the square grid. With --scaling weak: of the block of each rank.',
      allowed: 'whole numbers with commas between; 64..4096: each twice the one before',
      example: '--grid 64..4096',
      default: '64..4096',
      coerce: keepText(gridsOf),
    },
    scaling: {
      ...severalOf(stencilScalings),
      describe: 'strong: all ranks share one grid. weak: the grid grows with the ranks.',
      example: '--scaling strong,weak',
      default: 'strong',
    },
    part: {
      ...severalOf(stencilParts),
      describe: 'iteration: exchange and update. halo, update: one of the two alone.',
      example: '--part iteration,halo,update',
      default: 'iteration,halo',
    },
    path: {
      ...wordListOption(['auto', ...workPaths]),
      describe:
        'Initiator of the exchange: the host between kernels, a queue in stream order, a proxy thread, or the kernel. rank: one thread computes and exchanges, without a device.',
      example: '--transport ibgda --path host,kernel',
      default: 'auto',
      allowed: `${workPaths.join(', ')}, several with commas between; all: all but rank; auto: the usual one of the engine`,
    },
  },
  onlyNamed: { path: ['rank'] },
  dtypes: ['float32', 'float64'],
  unusedOptions: ['op', 'root', 'inPlace', 'min', 'max', 'factor', 'step', 'sizes'],
  points,
  pointFor: (point) => point,
  words({ axes }) {
    const { part, path, scaling, dtype, grid } = stencilAxes.parse(axes);
    return [
      ...['stencil', '--grid', String(grid), '--scaling', scaling, '--part', part, '--path', path],
      ...['--dtype', dtype],
    ];
  },
  refuses: () => null,
  checkedRanks: ({ ranks }) => ranks,
  bufferBytes(place) {
    const { width, height } = gridOf(of(place), place.ranks);
    // Memory for two copies of the grid, and for four buffers along each side of a rank's block of the grid.
    const lanes = 4 * haloPoints(of(place), place.ranks);
    return (2 * width * height + lanes) * gridPointBytes(of(place));
  },
  wireBytes: (place) => stencil.payloadBytes(place),
  linkBytes: (place) => stencil.payloadBytes(place) / Math.max(1, place.ranks),
  fixedNs(place) {
    if (of(place).part === 'halo') return 0;
    const { width, height } = gridOf(of(place), place.ranks);
    return (width * height) / place.ranks / pointsPerNs;
  },
};
