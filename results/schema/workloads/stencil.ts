import { z } from 'zod';
import { algGBps } from './bandwidth.ts';
import { latency, pipelined, rate } from './common.ts';
import { workPaths } from './control-paths.ts';
import type { FigureData, WorkloadAxes } from './data.ts';
import type { PointContext, Workload } from './workload.ts';

/** Part of a Jacobi iteration that is measured: halo exchange and update (`iteration`), or only one of the two. */
export const stencilParts = ['iteration', 'halo', 'update'] as const;
export const stencilScalings = ['strong', 'weak'] as const;
export const stencilDtypes = ['float32', 'float64'] as const;

export const stencilAxes = z.strictObject({
  part: z.enum(stencilParts),
  scaling: z.enum(stencilScalings),
  dtype: z.enum(stencilDtypes),
  path: z.enum(workPaths),
  /** Number of grid points along one edge of the whole grid; with weak scaling, along one edge of each rank's part of the grid. */
  grid: z.int().min(1),
});
export type StencilAxes = z.infer<typeof stencilAxes>;

const of = (axes: WorkloadAxes): StencilAxes => stencilAxes.parse(axes);

export const gridPointBytes = ({ dtype }: StencilAxes): number => (dtype === 'float64' ? 8 : 4);

/** Returns the number of grid points that all ranks together update in one operation; 0 if only the halo exchange is measured. */
function updatedPoints({ axes, ranks }: PointContext): number {
  const { part, ...one } = of(axes);
  if (part === 'halo') return 0;
  const { width, height } = gridOf(one, ranks);
  return width * height;
}

/**
 * Returns the bytes of halos that all ranks together send in one operation; 0 if only the update is measured, and for a single
 * rank.
 */
function exchangedBytes({ axes, ranks }: PointContext): number {
  const one = of(axes);
  return one.part === 'update' ? 0 : haloPoints(one, ranks) * gridPointBytes(one);
}

const rates: FigureData[] = [
  rate({
    name: 'updates',
    head: 'points/s',
    title: 'update rate',
    column: 'updates',
    caption: 'Points of the grid that all ranks together update per second',
    definition: 'The update rate is the number of points of the whole grid over the time of one iteration.',
    isCharted: true,
    isThroughput: true,
    formula: 'Points of the whole grid by time.',
  }),
  {
    name: 'exchanged',
    unit: 'GB/s',
    better: 'higher',
    head: 'halo bw',
    title: 'halo bandwidth',
    column: 'halo',
    caption: 'Bytes of all halos together per second',
    definition: 'Halo bandwidth is what all ranks send in one exchange over its time.',
    trial: null,
    from: ['pipelined', 'latency'],
    formula: 'Bytes of all halos by time.',
  },
];

/**
 * Workload of a two-dimensional Jacobi iteration with halo exchange. Its x axis is the number of grid points along an edge of the
 * grid.
 */
export const stencil: Workload = {
  name: 'stencil',
  title: 'stencil',
  noun: 'iteration',
  unitOfWork: 'iteration',
  timedByHostOn: ['cuda'],
  axes: [
    {
      name: 'part',
      unit: '',
      role: 'series',
      column: 'part',
      isCompared: true,
      untitled: ['iteration'],
    },
    { name: 'scaling', unit: '', role: 'series', column: 'scaling' },
    { name: 'dtype', unit: '', role: 'series', column: 'dtype' },
    {
      name: 'path',
      unit: '',
      role: 'series',
      column: 'path',
      timedByHost: ['host'],
      isCompared: true,
    },
    {
      name: 'grid',
      unit: '',
      role: 'x',
      head: 'grid',
      title: 'edge of the grid, points',
      isNumber: true,
      base: 2,
      column: 'grid',
    },
  ],
  figures: [
    { ...latency, title: 'time of one iteration' },
    { ...pipelined, title: 'time per iteration, back to back' },
    ...rates,
  ],
  unitsPerOperation: () => 1,
  derive(place, _from, elapsedNs) {
    const points = updatedPoints(place);
    const bytes = exchangedBytes(place);
    const { part } = of(place.axes);
    return [
      ...(points > 0 ? [{ name: 'updates', value: (points / elapsedNs) * 1e9 }] : []),
      ...(part === 'halo' ? [{ name: 'exchanged', value: algGBps(bytes, elapsedNs) }] : []),
    ];
  },
  payloadBytes: exchangedBytes,
  minMovedBytes: exchangedBytes,
  minMovedByAnyAlgorithm: exchangedBytes,
  isPlainTransfer: () => true,
};

/**
 * Arrangement of the ranks in columns and rows (numbers of each), as nearly square as their number allows, with columns >= rows.
 * native/workloads/stencil/decomposition.cc computes the same.
 */
export interface RankGrid {
  columns: number;
  rows: number;
}

export function rankGrid(ranks: number): RankGrid {
  let rows = 1;
  for (let n = 1; n * n <= ranks; n++) if (ranks % n === 0) rows = n;
  return { columns: ranks / rows, rows };
}

/**
 * Returns width and height of the whole grid in grid points. `grid`: edge length in grid points. @param ranks number of ranks,
 * with which the grid grows in weak scaling; in strong scaling the grid is square and does not depend on it
 */
export function gridOf(
  { grid, scaling }: { grid: number; scaling: string },
  ranks: number,
): { width: number; height: number } {
  const { columns, rows } = rankGrid(ranks);
  return scaling === 'weak' ? { width: grid * columns, height: grid * rows } : { width: grid, height: grid };
}

/**
 * Returns the number of halo points that all ranks together send in one exchange; 0 for a single rank. @param axes.grid edge
 * length in grid points, of the whole grid or with weak scaling of each rank's part
 */
export function haloPoints(axes: { grid: number; scaling: string }, ranks: number): number {
  const { columns, rows } = rankGrid(ranks);
  const { width, height } = gridOf(axes, ranks);
  return 2 * ((columns - 1) * height + (rows - 1) * width);
}
