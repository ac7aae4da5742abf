import { z } from 'zod';
import { dtypeBytes, dtypeNames } from '../../names.ts';
import { bandwidths, bandwidthsOf, pipelinedOfNcclTests, vectorAxes } from '../collective/index.ts';
import { arrivalFigures, enqueue, latency, silentAxis } from '../common.ts';
import type { AxisData, FigureData, WorkloadAxes } from '../data.ts';
import type { PointContext, Workload } from '../workload.ts';
import {
  parseTrafficPattern,
  type TrafficSums,
  trafficMatrix,
  trafficOfScript,
  trafficSums,
} from './traffic-matrix.ts';

export const matrixAxes = z.strictObject({
  collective: z.literal('alltoallv'),
  /**
   * Name of the traffic matrix: "uniform", "diagonal", "zipf:1.2", "hot:2:7" (7 = seed), or the name of a file with a hash of its
   * content, "moe.txt@3f2a1c09".
   */
  matrix: z.string(),
  dtype: z.enum(dtypeNames),
  /**
   * Mean number of bytes that a rank sends, including those to itself: the sum over the whole matrix divided by the number of
   * ranks, rounded down.
   */
  bytes: z.int().min(0),
  /**
   * Only for a matrix from a file: bytes over the busiest port (what one rank sends to other ranks, or receives from them).
   * `sentBytes`: bytes that all ranks together send to other ranks. Null if the matrix is computed from its name.
   */
  busiestBytes: z.int().min(0).nullable(),
  sentBytes: z.int().min(0).nullable(),
  /** Number of ranks that receive something in a matrix from a file; null if the matrix is computed from its name. */
  receivers: z.int().min(0).nullable(),
});
export type MatrixAxes = z.infer<typeof matrixAxes>;

const of = (axes: WorkloadAxes): MatrixAxes => matrixAxes.parse(axes);

type PortSums = Pick<TrafficSums, 'busiest' | 'sent' | 'receivers'>;

/**
 * Cache of trafficPorts() by matrix, data type, bytes and number of ranks. Figures and both bounds of their intervals ask for the
 * same sums again and again.
 */
const known = new Map<string, PortSums>();
const maxKnown = 1000;

/**
 * Returns sums over the traffic matrix of a point. `busiest`: bytes over the busiest port (what one rank sends to other ranks, or
 * receives from them). `sent`: bytes that all ranks together send to other ranks. `receivers`: number of ranks that receive
 * something.
 * @throws {RangeError} if the name of the matrix is no rule, and the axes have no sums of a file
 */
export function trafficPorts({ axes, ranks }: PointContext): PortSums {
  const { matrix, dtype, bytes, busiestBytes, sentBytes, receivers } = of(axes);
  if (busiestBytes !== null && sentBytes !== null && receivers !== null)
    return { busiest: busiestBytes, sent: sentBytes, receivers };
  const key = `${matrix} ${dtype} ${bytes} ${ranks}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const pattern = parseTrafficPattern(matrix);
  if (pattern === null || typeof pattern === 'string') throw new RangeError(`no matrix is called ${matrix}`);
  const width = dtypeBytes[dtype];
  const sums = trafficSums(trafficMatrix(pattern, ranks, bytes / width));
  const made = { busiest: sums.busiest * width, sent: sums.sent * width, receivers: sums.receivers };
  if (known.size >= maxKnown) known.clear();
  known.set(key, made);
  return made;
}

const [dtype, bytes] = ['dtype', 'bytes'].map((name) => vectorAxes.find((axis) => axis.name === name)) as [
  AxisData,
  AxisData,
];

const imbalance: FigureData = {
  name: 'imbalance',
  unit: '1',
  better: 'lower',
  head: 'imbal.',
  longHead: 'imbalance',
  title: 'imbalance',
  column: 'imbalance',
  definition:
    'Imbalance is the load of the busiest port over the mean load of all ports; a port is what one rank sends to others, or what it receives from others.',
  trial: null,
  from: ['latency', 'pipelined'],
  formula: 'Bytes over the busiest port by the mean over all ports.',
};

/**
 * Bandwidth figures of a traffic matrix. Bus bandwidth is that of the busiest port (what one rank sends to other ranks, or receives
 * from them), because no other port carries more bytes.
 */
const portBandwidths: FigureData[] = [
  ...bandwidths.map((figure) =>
    figure.name !== 'busbw'
      ? { ...figure, caption: 'Mean bytes that a rank sends, per second' }
      : {
          ...figure,
          caption: 'Bytes per second over the busiest port: what one rank sends to others, or receives',
          definition:
            'For a traffic matrix, bus bandwidth is the bytes over the busiest port (what one rank sends to others, or receives from others) over the time. With equal parts it is that of alltoall.',
          formula: 'Bytes over the busiest port by time.',
        },
  ),
  imbalance,
];

/**
 * Workload of an alltoallv in which a traffic matrix says how much each rank sends to each other rank. Its x axis is the mean
 * number of bytes that a rank sends.
 */
export const matrixWorkload: Workload = {
  name: 'matrix',
  title: 'traffic matrix',
  noun: 'collective',
  unitOfWork: 'call',
  axes: [
    { name: 'collective', unit: '', role: 'what', column: 'collective' },
    {
      name: 'matrix',
      unit: '',
      role: 'series',
      head: 'matrix',
      column: 'matrix',
      isCompared: true,
      reference: 'uniform',
    },
    dtype,
    bytes,
    { ...silentAxis, name: 'busiestBytes', column: 'busiest_bytes' },
    { ...silentAxis, name: 'sentBytes', column: 'sent_bytes' },
    { ...silentAxis, name: 'receivers', column: 'receivers' },
  ],
  figures: [latency, pipelinedOfNcclTests, enqueue, ...arrivalFigures, ...portBandwidths],
  unitsPerOperation: () => 1,
  derive(place, _from, elapsedNs) {
    const { busiest, sent } = trafficPorts(place);
    const mean = of(place.axes).bytes;
    return [
      ...bandwidthsOf(mean, elapsedNs, mean === 0 ? 0 : busiest / mean),
      ...(sent === 0 ? [] : [{ name: 'imbalance', value: busiest / (sent / place.ranks) }]),
    ];
  },
  payloadBytes: ({ axes }) => of(axes).bytes,
  minMovedBytes: (place) => trafficPorts(place).sent,
  minMovedByAnyAlgorithm: (place) => trafficPorts(place).sent,
  messagePattern: () => ({ kind: 'algorithm' }),
  isPlainTransfer: () => true,
  trafficOf({ axes, script }) {
    const width = dtypeBytes[of(axes).dtype];
    if (script === undefined) return null;
    return trafficOfScript(script).map((row) => row.map((elements) => elements * width));
  },
};
