import { z } from 'zod';
import { algGBps } from './bandwidth.ts';
import { bandwidth, latency, pipelined, rate, windowAxis } from './common.ts';
import type { FigureData, WorkloadAxes } from './data.ts';
import type { PointContext, Workload } from './workload.ts';

/**
 * Message patterns. Ranks i and i + n/2 exchange messages, where n is the number of ranks; `incast`: all other ranks send to rank
 * 0.
 */
export const p2pOperations = ['pingpong', 'put', 'get', 'exchange', 'incast'] as const;
export type P2pOperation = (typeof p2pOperations)[number];

export const p2pAxes = z.strictObject({
  operation: z.enum(p2pOperations),
  /** `uni`: one rank of a pair starts operations. `bi`: both ranks do, at the same time. */
  direction: z.enum(['uni', 'bi']),
  /** Number of messages that one operation sends without waiting, in each direction. */
  window: z.int().min(1),
  /** Bytes of one message. */
  bytes: z.int().min(0),
});
export type P2pAxes = z.infer<typeof p2pAxes>;

const of = (axes: WorkloadAxes): P2pAxes => p2pAxes.parse(axes);

/** Returns how many messages all ranks together send in one timed operation; a round trip counts as two. */
function messages({ axes, ranks }: PointContext): number {
  const { operation, direction, window } = of(axes);
  if (operation === 'incast') return (ranks - 1) * window;
  const pairs = Math.floor(ranks / 2);
  const isTwoWay = operation === 'pingpong' || operation === 'exchange' || direction === 'bi';
  return pairs * window * (isTwoWay ? 2 : 1);
}

/** Returns how many messages are under way at once, to compute bandwidth: half of those of a round trip. */
const concurrent = (place: PointContext): number => messages(place) / unitsPerOperation(place);

/**
 * Number by which the time of one operation is divided. A round trip counts as two, so that its latency is that of one way, as
 * OSU, perftest and UCX report it.
 */
const unitsPerOperation = ({ axes }: PointContext): number => (of(axes).operation === 'pingpong' ? 2 : 1);

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
 * Workload of messages between pairs of ranks: it shows a link's performance without an algorithm. Its x axis is the number of
 * bytes of one message.
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
  payloadBytes: (place) => messages(place) * of(place.axes).bytes,
  minMovedBytes: (place) => messages(place) * of(place.axes).bytes,
  minMovedByAnyAlgorithm: (place) => messages(place) * of(place.axes).bytes,
  messagePattern({ axes, ranks }) {
    // Several pairs share the link, so the order of their messages is unknown.
    if (ranks !== 2) return null;
    const { operation, direction, window } = of(axes);
    if (operation === 'pingpong') return { kind: 'reply' };
    return operation === 'put' && direction === 'uni' ? { kind: 'stream', window } : null;
  },
  isPlainTransfer: () => true,
};
