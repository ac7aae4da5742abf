import { z } from 'zod';
import { dtypeNames, opNames } from '../../names.ts';
import { algGBps, busGBps } from '../bandwidth.ts';
import { arrivalFigures, enqueue, latency, pipelined } from '../common.ts';
import type { AxisData, FigureData, WorkloadAxes } from '../data.ts';
import type { DerivedValue, PointContext, Workload } from '../workload.ts';
import { busFactor, minBytesMoved, payloadBytesMoved } from './formulas.ts';
import { type CollectiveName, collectives, isCollective } from './table.ts';

/** Axes of a collective: its name, data type, reduction operator, root rank, in place or not, payload in bytes. */
export const collectiveAxes = z.strictObject({
  collective: z.custom<CollectiveName>(isCollective, { error: 'no such collective' }),
  dtype: z.enum(dtypeNames),
  /** Reduction operator; null if the collective does not reduce. */
  op: z.enum(opNames).nullable(),
  /** Root rank; null if the collective has none. */
  root: z.int().min(0).nullable(),
  inPlace: z.boolean(),
  /** Payload in bytes: the "size" S of nccl-tests, rounded down to whole elements on each rank. */
  bytes: z.int().min(0),
});
export type CollectiveAxes = z.infer<typeof collectiveAxes>;

/** Axes of a collective other than the operation itself, whose axis has another name in imported results. */
export const vectorAxes: AxisData[] = [
  { name: 'dtype', unit: '', role: 'series', head: 'type', column: 'dtype', untitled: ['unknown'] },
  { name: 'op', unit: '', role: 'series', head: 'op', column: 'op' },
  {
    name: 'root',
    unit: '',
    role: 'series',
    isNumber: true,
    head: 'root',
    column: 'root',
    keyPrefix: 'r',
    titlePrefix: 'root ',
  },
  {
    name: 'inPlace',
    unit: '',
    role: 'series',
    column: 'in_place',
    words: ['out', 'in'],
    titleWords: ['', 'in place'],
  },
  { name: 'bytes', unit: 'B', role: 'x', head: 'size', title: 'message size', column: 'payload_bytes' },
];

const gbps = { unit: 'GB/s', better: 'higher', trial: null, from: ['latency', 'pipelined'] } as const;
export const bandwidths: FigureData[] = [
  {
    name: 'algbw',
    head: 'algbw',
    longHead: 'alg. bw',
    title: 'algorithm bandwidth',
    caption: 'Bytes of the message per second, S/t',
    definition: 'Algorithm bandwidth is message size over time.',
    ...gbps,
    from: [...gbps.from],
    column: 'alg',
  },
  {
    name: 'busbw',
    head: 'busbw',
    longHead: 'bus bw',
    title: 'bus bandwidth',
    caption:
      'Algorithm bandwidth times the share each link must carry, comparable with the link’s rated bandwidth',
    definition:
      'Bus bandwidth multiplies it by the share of the message each link must carry at best ({factors}), as nccl-tests does.',
    isPerLink: true,
    ...gbps,
    from: [...gbps.from],
    isCharted: true,
    column: 'bus',
    factorColumn: 'bus_factor',
    formula: 'Payload by time, times the share of it that a link must carry.',
  },
];
export const pipelinedOfNcclTests: FigureData = { ...pipelined, sameAs: 'nccl-tests' };

/**
 * Returns algorithm and bus bandwidth ("algbw", "busbw") in GB/s; the latter with its `factor`. @param bytes payload S @param
 * elapsedNs time of one operation, ns, > 0 @param factor bus bandwidth divided by algorithm bandwidth
 * @throws {RangeError} as algGBps() and busGBps()
 */
export function bandwidthsOf(bytes: number, elapsedNs: number, factor: number): DerivedValue[] {
  return [
    { name: 'algbw', value: algGBps(bytes, elapsedNs) },
    { name: 'busbw', value: busGBps(bytes, elapsedNs, factor), factor },
  ];
}

const of = (axes: WorkloadAxes): CollectiveAxes => collectiveAxes.parse(axes);

/**
 * Workload of the collectives of NCCL and MPI, in which all ranks take part. Its x axis is the payload S of the bandwidth formulas,
 * in bytes.
 */
export const collective: Workload = {
  name: 'collective',
  title: 'collective',
  noun: 'collective',
  unitOfWork: 'call',
  axes: [{ name: 'collective', unit: '', role: 'what', column: 'collective' }, ...vectorAxes],
  figures: [latency, pipelinedOfNcclTests, enqueue, ...arrivalFigures, ...bandwidths],
  unitsPerOperation: () => 1,
  derive({ axes, ranks }: PointContext, _from, elapsedNs) {
    const { collective: name, bytes } = of(axes);
    return bandwidthsOf(bytes, elapsedNs, busFactor(name, ranks));
  },
  payloadBytes: ({ axes }) => of(axes).bytes,
  minMovedBytes({ axes, ranks }, algorithm) {
    const { collective: name, bytes, dtype } = of(axes);
    return payloadBytesMoved(name, algorithm, bytes, ranks, dtype);
  },
  minMovedByAnyAlgorithm({ axes, ranks }) {
    const { collective: name, bytes, dtype } = of(axes);
    return minBytesMoved(name, dtype, bytes, ranks);
  },
  appliesFixedChoice: true,
  messagePattern: () => ({ kind: 'algorithm' }),
  isPlainTransfer: (axes) => collectives[of(axes).collective].isPlain,
};
