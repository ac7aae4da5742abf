import { z } from 'zod';
import { algGBps } from './bandwidth.ts';
import { bandwidth, latency, pipelined, rate, windowAxis } from './common.ts';
import type { FigureData, WorkloadAxes } from './data.ts';
import type { PointContext, Workload } from './workload.ts';

/**
 * Operations on messages. Ranks i and i + n/2 form a pair, where n is the number of ranks. `pingpong`: a message and its answer.
 * `put`, `get`: one rank of each pair writes to the other, or reads from it. `exchange`: both ranks of each pair send at the same
 * time. `incast`: all other ranks send to rank 0.
 */
export const p2pOperations = ['pingpong', 'put', 'get', 'exchange', 'incast'] as const;
export type P2pOperation = (typeof p2pOperations)[number];

export const p2pAxes = z.strictObject({
  operation: z.enum(p2pOperations),
  /** Direction of an operation. `uni`: one rank of each pair starts operations. `bi`: both ranks do, at the same time. */
  direction: z.enum(['uni', 'bi']),
  /** Number of messages that one operation sends in each direction before it waits for any of them. */
  window: z.int().min(1),
  /** Bytes of one message. */
  bytes: z.int().min(0),
});
export type P2pAxes = z.infer<typeof p2pAxes>;

const of = (axes: WorkloadAxes): P2pAxes => p2pAxes.parse(axes);

/**
 * Returns the number of messages that all ranks together send in one timed operation; a round trip has two for each message of
 * the window.
 */
function messages({ axes, ranks }: PointContext): number {
  const { operation, direction, window } = of(axes);
  if (operation === 'incast') return (ranks - 1) * window;
  const pairs = Math.floor(ranks / 2);
  const isTwoWay = operation === 'pingpong' || operation === 'exchange' || direction === 'bi';
  return pairs * window * (isTwoWay ? 2 : 1);
}

/**
 * Returns the number of messages of all ranks that are under way at the same time, from which bandwidth is computed: in a round
 * trip, only one of its two messages counts.
 */
const concurrent = (place: PointContext): number => messages(place) / unitsPerOperation(place);

/**
 * Returns the number by which the time of one timed operation is divided: 2 for a round trip, so that its latency is that of one
 * way, as OSU, perftest and UCX report it; otherwise 1.
 */
const unitsPerOperation = ({ axes }: PointContext): number => (of(axes).operation === 'pingpong' ? 2 : 1);

const bytesOf = (place: PointContext): number => messages(place) * of(place.axes).bytes;

const rates: FigureData[] = [
  bandwidth({
    caption: 'Bytes of all pairs together per second',
    definition:
      'Bandwidth is message size over time, times the messages that all pairs move at once ({factors}).',
    isCharted: true,
    formula: 'Bytes of all messages that move at the same time, by time.',
  }),
  rate({
    head: 'msg/s',
    title: 'message rate',
    column: 'message',
    caption: 'Messages of all pairs together per second',
    definition: 'The message rate counts the messages of all pairs.',
    formula: 'Messages that move at the same time, by time.',
  }),
];

/**
 * Workload of messages between pairs of ranks, or from all other ranks to rank 0, which shows the speed of a link without an
 * algorithm. Its x axis is the number of bytes of one message.
 */
export const p2p: Workload = {
  name: 'p2p',
  title: 'point-to-point',
  noun: 'operation',
  unitOfWork: 'operation',
  axes: [
    { name: 'operation', unit: '', role: 'what', column: 'operation' },
    { name: 'direction', unit: '', role: 'series', column: 'direction', untitled: ['uni'] },
    windowAxis,
    { name: 'bytes', unit: 'B', role: 'x', head: 'size', title: 'message size', column: 'payload_bytes' },
  ],
  figures: [latency, pipelined, ...rates],
  unitsPerOperation,
  derive(place, _from, elapsedNs) {
    const factor = concurrent(place);
    return [
      { name: 'bandwidth', value: algGBps(of(place.axes).bytes, elapsedNs) * factor, factor },
      { name: 'rate', value: (factor / elapsedNs) * 1e9 },
    ];
  },
  payloadBytes: bytesOf,
  minMovedBytes: bytesOf,
  minMovedByAnyAlgorithm: bytesOf,
  messagePattern({ axes, ranks }) {
    // Several pairs share the link, so the order of their messages is unknown.
    if (ranks !== 2) return null;
    const { operation, direction, window } = of(axes);
    if (operation === 'pingpong') return { kind: 'reply' };
    return operation === 'put' && direction === 'uni' ? { kind: 'stream', window } : null;
  },
  isPlainTransfer: () => true,
};
