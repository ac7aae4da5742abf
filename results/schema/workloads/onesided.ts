import { z } from 'zod';
import { algGBps } from './bandwidth.ts';
import { bandwidth, latency, pipelined, rate, windowAxis } from './common.ts';
import type { FigureData, WorkloadAxes } from './data.ts';
import type { PointContext, Workload } from './workload.ts';

/**
 * Operations that the GPU of rank i starts without help of the CPU on the memory of rank i + n/2, where n is the number of ranks.
 * `device-p`, `device-g`: stores and loads of 8 bytes. `device-fetch-add`: atomic additions. `device-signal`: puts with a signal,
 * there and back.
 */
export const onesidedOperations = [
  'device-put',
  'device-get',
  'device-p',
  'device-g',
  'device-fetch-add',
  'device-signal',
] as const;
export type OnesidedOperation = (typeof onesidedOperations)[number];
export const onesidedScopes = ['thread', 'warp', 'block'] as const;
/**
 * Methods that move the bytes of puts and gets. `nvshmem`: NVSHMEM's calls. The others are for comparison. `vector`: 16-byte
 * loads and stores. `bulk`: bulk copies through shared memory of the GPU (TMA). `copy-engine`: the GPU's copy engine, which the
 * host starts.
 */
export const onesidedMovers = ['nvshmem', 'vector', 'bulk', 'copy-engine'] as const;

export const onesidedAxes = z.strictObject({
  operation: z.enum(onesidedOperations),
  mover: z.enum(onesidedMovers),
  /** Number of GPU threads that make one call together: a single thread, a warp, or a block. */
  scope: z.enum(onesidedScopes),
  /** Number of callers on each GPU (threads, warps or blocks, by `scope`) that call at the same time. */
  callers: z.int().min(1),
  /**
   * Number of operations that one caller starts before it waits until they are complete; 1 = each one is complete before the next
   * starts.
   */
  window: z.int().min(1),
  /** Bytes that one transfer moves. */
  bytes: z.int().min(0),
});
export type OnesidedAxes = z.infer<typeof onesidedAxes>;

const of = (axes: WorkloadAxes): OnesidedAxes => onesidedAxes.parse(axes);
const callersOfAll = ({ axes, ranks }: PointContext): number => of(axes).callers * Math.floor(ranks / 2);

const minRepeats = 4;
const maxRepeats = 256;
const enoughBytes = 2 ** 28;
/** Factor by which one thread, warp or block moves data more slowly than a whole GPU, roughly. */
const slower = { thread: 2048, warp: 128, block: 16 };
/**
 * Returns how often one caller repeats its transfer in one timed operation: a power of two from 4 to 256, lower if more bytes
 * move; with copy engines always 4. native/workloads/onesided/workload.cc computes the same number and must be changed together
 * with it.
 */
function repeatsOf({ mover, scope, callers, bytes }: OnesidedAxes): number {
  const weight = bytes * Math.max(callers, slower[scope]);
  let repeats = mover === 'copy-engine' ? minRepeats : maxRepeats;
  while (repeats > minRepeats && repeats * weight > enoughBytes) repeats /= 2;
  return repeats;
}

/**
 * Returns the number by which the time of one timed operation is divided: the number of its repeated transfers. Signals go forth
 * and back, so each round trip counts as two.
 */
const unitsPerOperation = ({ axes }: PointContext): number =>
  repeatsOf(of(axes)) * (of(axes).operation === 'device-signal' ? 2 : 1);

const bytesOf = (place: PointContext): number =>
  callersOfAll(place) * unitsPerOperation(place) * of(place.axes).bytes;

const rates: FigureData[] = [
  bandwidth({
    caption: 'Bytes of all callers together per second',
    definition: 'Bandwidth is message size over time, times the callers ({factors}).',
    isCharted: true,
    formula: 'Bytes that all callers move at the same time, by time.',
  }),
  rate({
    head: 'msg/s',
    title: 'message rate',
    column: 'message',
    caption: 'Operations of all callers together per second',
    definition: 'The message rate counts the operations of all callers.',
    formula: 'Operations at the same time, by time.',
  }),
];

/**
 * Workload of puts, gets, single words, atomics and signals that threads, warps or blocks of a GPU start. One timed operation has
 * many transfers. Its x axis is the number of bytes of one transfer.
 */
export const onesided: Workload = {
  name: 'onesided',
  title: 'one-sided',
  noun: 'operation',
  unitOfWork: 'operation',
  axes: [
    { name: 'operation', unit: '', role: 'what', column: 'operation' },
    { name: 'mover', unit: '', role: 'series', column: 'mover', untitled: ['nvshmem'] },
    { name: 'scope', unit: '', role: 'series', column: 'scope', titlePrefix: 'by ' },
    {
      name: 'callers',
      unit: '',
      role: 'series',
      isNumber: true,
      column: 'callers',
      titlePrefix: 'callers ',
      keyPrefix: 'c',
      untitled: [1],
    },
    windowAxis,
    { name: 'bytes', unit: 'B', role: 'x', head: 'size', title: 'message size', column: 'payload_bytes' },
  ],
  figures: [latency, pipelined, ...rates],
  unitsPerOperation,
  derive(place, _from, elapsedNs) {
    const factor = callersOfAll(place);
    return [
      { name: 'bandwidth', value: algGBps(of(place.axes).bytes, elapsedNs) * factor, factor },
      { name: 'rate', value: (factor / elapsedNs) * 1e9 },
    ];
  },
  payloadBytes: bytesOf,
  minMovedBytes: bytesOf,
  minMovedByAnyAlgorithm: bytesOf,
  isPlainTransfer: () => true,
};
