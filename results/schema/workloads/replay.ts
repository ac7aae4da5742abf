import { z } from 'zod';
import { latency, pipelined, rate, silentAxis } from './common.ts';
import type { FigureData, WorkloadAxes } from './data.ts';
import { nameInValue } from './identity.ts';
import type { Workload } from './workload.ts';

/** Place where replayed computations take their time: on the device, so that the CPU core stays free, or on the CPU core itself. */
export const computeModes = ['device', 'core'] as const;

export const replayAxes = z.strictObject({
  /** Name of the replayed job, with the start of a hash of its content: "resnet50@3f2a1c". */
  job: z.string(),
  computing: z.enum(computeModes),
  /** Duration of the computations in percent of the recorded one: 100 = as recorded; 0 also if the recording has no times. */
  computePercent: z.int().min(0),
  /** Sum of the durations of all computations in one step, as scaled by `computePercent`, ns, without waiting for collectives. */
  computeNs: z.int().min(0),
  /** Number of collectives in one step. */
  calls: z.int().min(1),
  /** Sum of the payloads S (as in the bandwidth formulas) of all collectives in one step, bytes. */
  bytes: z.int().min(0),
  /** Lowest number of bytes that all ranks together must send to other ranks for the collectives of one step. */
  sentBytes: z.int().min(0),
});
export type ReplayAxes = z.infer<typeof replayAxes>;

const of = (axes: WorkloadAxes): ReplayAxes => replayAxes.parse(axes);

const made: Pick<FigureData, 'unit' | 'better' | 'trial' | 'from'> = {
  unit: 'ns',
  better: 'lower',
  trial: null,
  from: [],
};

const figures: FigureData[] = [
  rate({
    head: 'steps/s',
    title: 'step rate',
    column: 'step',
    caption: 'Steps per second',
    definition: 'The step rate counts steps of the whole job.',
    isCharted: true,
    formula: 'One step by its time.',
  }),
  {
    ...made,
    name: 'computing',
    head: 'compute',
    title: 'computing',
    caption: 'computations of the step, with whatever made them late',
    part: 'step',
  },
  {
    ...made,
    name: 'exposed',
    head: 'exposed',
    title: 'exposed',
    caption: 'nothing is computed: the step waits for collectives',
    part: 'step',
  },
  { ...made, name: 'total', head: 'total', title: 'total', part: 'whole' },
  {
    ...made,
    name: 'unattributed',
    head: 'rest',
    title: 'unattributed',
    caption: 'the total less both',
    part: 'rest',
  },
  {
    ...made,
    name: 'collectives',
    head: 'collectives',
    title: 'collectives',
    caption: 'from the start to the end of each, on rank 0, hidden or not',
    part: 'beside',
  },
  { ...made, name: 'issued', unit: '1', head: 'collectives', title: 'collectives started', part: 'count' },
];

/**
 * Workload that repeats one step of a job: it starts the collectives of the job and waits in place of its computations. Its x axis
 * is the duration of the computations, in percent of the recorded one.
 */
export const replay: Workload = {
  name: 'replay',
  title: 'replay',
  noun: 'step',
  unitOfWork: 'step',
  timedByHostOn: ['nccl', 'nvshmem', 'cuda'],
  axes: [
    { name: 'job', unit: '', role: 'series', column: 'job' },
    {
      name: 'computing',
      unit: '',
      role: 'series',
      column: 'computing',
      titlePrefix: 'computing on the ',
      untitled: ['device'],
      isCompared: true,
    },
    {
      name: 'computePercent',
      unit: '%',
      role: 'x',
      head: 'compute share',
      title: 'computations, share of the time that the source has',
      column: 'compute_percent',
    },
    { ...silentAxis, name: 'computeNs', unit: 'ns', column: 'compute_ns' },
    { ...silentAxis, name: 'calls', column: 'calls' },
    { ...silentAxis, name: 'bytes', column: 'payload_bytes' },
    { ...silentAxis, name: 'sentBytes', column: 'sent_bytes' },
  ],
  figures: [
    { ...latency, head: 'step', title: 'time of one step' },
    { ...pipelined, title: 'time per step, back to back' },
    ...figures,
  ],
  unitsPerOperation: () => 1,
  derive: (_place, _from, elapsedNs) => [{ name: 'rate', value: 1e9 / elapsedNs }],
  payloadBytes: ({ axes }) => of(axes).bytes,
  minMovedBytes: ({ axes }) => of(axes).sentBytes,
  minMovedByAnyAlgorithm: ({ axes }) => of(axes).sentBytes,
  isPlainTransfer: () => false,
  stepOf(axes) {
    const { job, computePercent } = of(axes);
    return computePercent === 100 ? nameInValue(job) : null;
  },
};
