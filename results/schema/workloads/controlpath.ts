import { z } from 'zod';
import { algGBps } from './bandwidth.ts';
import { bandwidth, latency, pipelined, rate, seriesAxis } from './common.ts';
import { controlPaths } from './control-paths.ts';
import type { FigureData, WorkloadAxes } from './data.ts';
import type { PointContext, Workload } from './workload.ts';

/** GPU threads that add 1 to the counter of a registered queue entry: every thread, one thread per block, or one per kernel. */
export const granularities = ['thread', 'block', 'kernel'] as const;
/**
 * GPU threads that write a queue entry together: a single thread, a warp, or a block. Only path `kernel` has a choice; other paths
 * have `thread`.
 */
export const scopes = ['thread', 'warp', 'block'] as const;
export const maxQueues = 16;
/** Highest number of puts that one operation posts on one queue. */
export const maxPuts = 128;
export const smallestPut = 8;
export const largestPut = 64 * 2 ** 20;

export const controlpathAxes = z.strictObject({
  path: z.enum(controlPaths),
  /** GPU threads that increment the counter of a queue entry (path `triggered` only); null for other paths. */
  granularity: z.enum(granularities).nullable(),
  scope: z.enum(scopes),
  queues: z.int().min(1).max(maxQueues),
  /** Number of puts that one operation posts on each queue. */
  puts: z.int().min(1).max(maxPuts),
  /** Number of puts that one ring of the doorbell starts; it must divide `puts`. */
  batch: z.int().min(1).max(maxPuts),
  /** Size of one put in bytes: a power of two. */
  bytes: z.int().min(smallestPut).max(largestPut),
});
export type ControlpathAxes = z.infer<typeof controlpathAxes>;

const of = (axes: WorkloadAxes): ControlpathAxes => controlpathAxes.parse(axes);

/** Returns the number of puts that one operation posts on all queues together. */
export const entriesOf = ({ puts, queues }: Pick<ControlpathAxes, 'puts' | 'queues'>): number =>
  puts * queues;

const bytesOf = ({ axes }: PointContext): number => entriesOf(of(axes)) * of(axes).bytes;

const numbers = { ...seriesAxis, isNumber: true, untitled: [1] };

const rates: FigureData[] = [
  rate({
    head: 'puts/s',
    title: 'put rate',
    column: 'put',
    caption: 'Puts of all queues together per second',
    definition: 'The put rate counts the puts of all queues.',
    isCharted: true,
    formula: 'Puts of one operation by time.',
  }),
  bandwidth({
    caption: 'Bytes of all queues together per second',
    definition: 'Bandwidth is the bytes of all puts of one operation over its time.',
    formula: 'Bytes of all puts of one operation by time.',
  }),
];

const made: Pick<FigureData, 'better' | 'trial' | 'from'> = { better: 'lower', trial: null, from: [] };

/**
 * Phases of one timed operation, in order of time: name of the phase, which is also the name of its figure, and text under its
 * chart.
 */
const steps: readonly (readonly [name: string, caption: string])[] = [
  ['post', 'entries are written'],
  ['launch', 'the host starts the kernel, until it runs'],
  ['compute', 'the kernel makes the data'],
  ['handover', 'from the word of the kernel until the host or the proxy has it'],
  ['trigger', 'counters are incremented'],
  ['ring', 'doorbells are rung'],
  ['completion', 'from the last doorbell until the completion is seen'],
  ['stream', 'from the end of a kernel to the begin of the next: the stream rings and waits by itself'],
  ['resume', 'until the kernel, or the next one, knows of it'],
  ['finish', 'until the host knows that the kernel ended'],
];

const counts: readonly (readonly [name: string, title: string, head: string])[] = [
  ['doorbells', 'doorbells', 'doorbells'],
  ['entries', 'queue entries', 'entries'],
  ['launches', 'kernel launches', 'launches'],
  ['wakeups', 'wake-ups of the host or proxy', 'wake-ups'],
  ['completions', 'completions', 'completions'],
];

const parts: FigureData[] = [
  ...steps.map(
    ([name, caption]): FigureData => ({
      ...made,
      name,
      unit: 'ns',
      head: name,
      title: name,
      caption,
      part: 'step',
    }),
  ),
  { ...made, name: 'total', unit: 'ns', head: 'total', title: 'total', part: 'whole' },
  {
    ...made,
    name: 'unattributed',
    unit: 'ns',
    head: 'rest',
    title: 'unattributed',
    caption: 'the total less all steps',
    part: 'rest',
  },
  {
    ...made,
    name: 'clock',
    unit: 'ns',
    head: 'clock',
    title: 'clock uncertainty',
    caption: "by how much the GPU's instants may be shifted against the host's",
    part: 'bound',
  },
  ...counts.map(
    ([name, title, head]): FigureData => ({
      ...made,
      name,
      unit: '1',
      head,
      title,
      part: 'count',
      // The name `launches` is taken: files have a column of that name for every workload.
      ...(name === 'launches' ? { column: 'kernel_launches' } : {}),
    }),
  ),
];

const controlpathFigures: FigureData[] = [...rates, ...parts];

/**
 * Workload of puts (writes) from rank 0 to the memory of rank 1, which are started in different ways (control paths). Its x axis is
 * the number of bytes of one put.
 */
export const controlpath: Workload = {
  name: 'controlpath',
  title: 'control path',
  noun: 'operation',
  unitOfWork: 'operation',
  timedByHostOn: ['cuda'],
  axes: [
    // Steps of an operation run on both host and device, so that time stamps of the device cannot cover all of it.
    { ...seriesAxis, name: 'path', column: 'path', isCompared: true, timedByHost: [...controlPaths] },
    {
      ...seriesAxis,
      name: 'granularity',
      column: 'granularity',
      titlePrefix: 'by ',
      isCompared: true,
    },
    {
      ...seriesAxis,
      name: 'scope',
      column: 'scope',
      titlePrefix: 'scope ',
      untitled: ['thread'],
      isCompared: true,
    },
    { ...numbers, name: 'queues', column: 'queues', titlePrefix: 'queues ', keyPrefix: 'q' },
    { ...numbers, name: 'puts', column: 'puts', titlePrefix: 'puts ', keyPrefix: 'p' },
    {
      ...numbers,
      name: 'batch',
      // The name `batch` is taken: files have a column `batch` for every workload.
      column: 'doorbell_batch',
      title: 'puts per doorbell',
      titlePrefix: 'batch ',
      keyPrefix: 'b',
      isCompared: true,
    },
    { name: 'bytes', unit: 'B', role: 'x', head: 'size', title: 'put size', column: 'payload_bytes' },
  ],
  figures: [
    { ...latency, title: 'time of one operation' },
    { ...pipelined, title: 'time per operation, back to back' },
    ...controlpathFigures,
  ],
  unitsPerOperation: () => 1,
  derive: (place, _from, elapsedNs) => [
    { name: 'rate', value: (entriesOf(of(place.axes)) / elapsedNs) * 1e9 },
    { name: 'bandwidth', value: algGBps(bytesOf(place), elapsedNs) },
  ],
  payloadBytes: bytesOf,
  minMovedBytes: bytesOf,
  minMovedByAnyAlgorithm: bytesOf,
  isPlainTransfer: () => true,
};
