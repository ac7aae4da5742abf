import { z } from 'zod';
import type { Job, JobItem } from '../job.ts';
import type { DtypeName } from '../names.ts';
import { latency, pipelined, rate, seriesAxis } from './common.ts';
import type { FigureData, WorkloadAxes } from './data.ts';
import type { PointContext, Workload } from './workload.ts';

/** A neural network for 1000 classes of images, as frameworks build it, without pretrained weights. */
export interface TrainedModel {
  name: string;
  /** Number of trainable parameters, in the framework in which it is lowest: Keras adds biases that torchvision does not have. */
  parameters: number;
  /** Multiply-add operations of one forward pass of one image of 224 x 224 pixels, in 1e9. */
  gigaMacs: number;
}

/**
 * Models that can be trained. Sources, except for `tiny`: numbers of parameters are sums over `parameters()` of torchvision.models;
 * numbers of operations are those that torchvision documents.
 */
export const trainedModels: readonly TrainedModel[] = [
  { name: 'efficientnet_b0', parameters: 5_288_548, gigaMacs: 0.39 },
  { name: 'resnet50', parameters: 25_557_032, gigaMacs: 4.09 },
  { name: 'mobilenet_v3_large', parameters: 5_483_032, gigaMacs: 0.22 },
  // A small model for trials, from no library: one convolution and one linear layer.
  { name: 'tiny', parameters: 9_240, gigaMacs: 0.02 },
];
export const trainedModelNames = trainedModels.map(({ name }) => name);

export const numericsNames = ['fp32', 'tf32', 'amp-bf16', 'bf16'] as const;
/** Tool that observes the training steps. A profiler slows them down, so the tool is an axis of the workload. */
export const observers = ['none', 'profiler'] as const;

export const trainAxes = z.strictObject({
  model: z.enum(trainedModelNames),
  numerics: z.enum(numericsNames),
  /** Length of the edge of the square images, pixels. */
  image: z.int().min(1),
  /** Size of a gradient bucket, which one allreduce sums, MiB; null = the framework's default. */
  bucketMiB: z.int().min(1).nullable(),
  compiled: z.boolean(),
  observed: z.enum(observers),
  /** Number of images that each rank trains on in one step. */
  batch: z.int().min(1),
});
export type TrainAxes = z.infer<typeof trainAxes>;

const of = (axes: WorkloadAxes): TrainAxes => trainAxes.parse(axes);

/**
 * Returns the bytes of all gradients of one rank: 2 bytes per parameter with `bf16`, otherwise 4 (also with `amp-bf16`). @throws
 * an error of the schema if the axes are not those of a training step
 */
export function gradientBytes(axes: WorkloadAxes): number {
  const { model, numerics } = of(axes);
  const parameters = trainedModels.find(({ name }) => name === model)?.parameters ?? 0;
  return parameters * (numerics === 'bf16' ? 2 : 4);
}

/**
 * Returns the lowest number of bytes that all ranks together must send in one step to sum the gradients, unless network switches
 * reduce data; 0 for a single rank.
 */
const minMoved = ({ axes, ranks }: PointContext): number => 2 * (ranks - 1) * gradientBytes(axes);

const made: Pick<FigureData, 'better' | 'trial' | 'from'> = { better: 'lower', trial: null, from: [] };

const figures: FigureData[] = [
  rate({
    name: 'images',
    head: 'images/s',
    title: 'image rate',
    column: 'images',
    caption: 'Images that all ranks together train on per second',
    definition: 'The image rate counts the images of all ranks in one step over the time of the step.',
    isCharted: true,
    isThroughput: true,
    formula: 'Batch by ranks by time.',
  }),
  {
    ...made,
    name: 'moving',
    unit: 'ns',
    head: 'moving',
    title: 'moving',
    caption: 'time of each collective on the rank where it was shortest',
    part: 'step',
  },
  {
    ...made,
    name: 'waiting',
    unit: 'ns',
    head: 'waiting',
    title: 'waiting',
    caption: 'what collectives of rank 0 took longer: it waited for other ranks',
    part: 'step',
  },
  { ...made, name: 'collective', unit: 'ns', head: 'collective', title: 'collective time', part: 'whole' },
  {
    ...made,
    name: 'exposed',
    unit: 'ns',
    head: 'exposed',
    title: 'exposed',
    caption: 'collective time of a step during which rank 0 computed nothing',
    part: 'beside',
  },
  {
    ...made,
    name: 'profiled',
    unit: 'ns',
    head: 'profiled',
    title: 'step, profiled',
    caption: 'time of the step under the profiler',
    part: 'beside',
  },
  {
    ...made,
    name: 'unprofiled',
    unit: 'ns',
    head: 'unprofiled',
    title: 'step, unprofiled',
    caption: 'median time of five steps of the same launch without the profiler',
    part: 'beside',
  },
  {
    ...made,
    name: 'stepBytes',
    unit: '1',
    head: 'bytes/step',
    title: 'bytes of gradients and buffers per step',
    column: 'step_bytes',
    part: 'count',
  },
  {
    ...made,
    name: 'collectives',
    unit: '1',
    head: 'collectives',
    title: 'collectives per step',
    column: 'collectives',
    part: 'count',
  },
  {
    ...made,
    name: 'peakBytes',
    unit: '1',
    head: 'peak bytes',
    title: 'peak bytes of GPU memory of a rank',
    column: 'peak_bytes',
    part: 'count',
    isOfHardware: true,
  },
];

/**
 * Workload of data-parallel training on synthetic images. Its x axis is the number of images that each rank trains on in one step.
 */
export const train: Workload = {
  name: 'train',
  title: 'train',
  noun: 'step',
  unitOfWork: 'step',
  axes: [
    { ...seriesAxis, name: 'model', column: 'model', isCompared: true, isOtherWork: true },
    { ...seriesAxis, name: 'numerics', column: 'numerics', untitled: ['fp32'], isCompared: true },
    { ...seriesAxis, name: 'image', column: 'image', titlePrefix: 'image ', keyPrefix: 'i', isNumber: true },
    {
      ...seriesAxis,
      name: 'bucketMiB',
      column: 'bucket_mib',
      title: 'MiB per collective',
      titlePrefix: 'buckets of MiB ',
      keyPrefix: 'bucket',
      isNumber: true,
      isCompared: true,
    },
    {
      ...seriesAxis,
      name: 'compiled',
      column: 'compiled',
      words: ['eager', 'compiled'],
      titleWords: ['', 'compiled'],
      isCompared: true,
    },
    { ...seriesAxis, name: 'observed', column: 'observed', titlePrefix: 'under ', untitled: ['none'] },
    {
      name: 'batch',
      unit: '',
      role: 'x',
      head: 'batch',
      title: 'images per rank and step',
      isNumber: true,
      base: 2,
      // The name `batch` is taken: files have a column `batch` for every workload.
      column: 'images_per_rank',
    },
  ],
  figures: [{ ...latency, title: 'time of one step' }, { ...pipelined, title: 'time per step' }, ...figures],
  unitsPerOperation: () => 1,
  derive: ({ axes, ranks }, _from, elapsedNs) => [
    { name: 'images', value: ((of(axes).batch * ranks) / elapsedNs) * 1e9 },
  ],
  payloadBytes: ({ axes }) => gradientBytes(axes),
  minMovedBytes: minMoved,
  minMovedByAnyAlgorithm: minMoved,
  isPlainTransfer: () => false,
  jobOf: (axes, columns) => jobOfStep(of(axes), columns),
  stepOf: (axes) => (of(axes).observed === 'none' ? nameOfStep(of(axes)) : null),
};

interface TrainingConfiguration {
  model: string;
  batch: number;
  image: number;
  numerics: string;
  bucketMiB: number | null;
}

/**
 * Prefix of the names of recorded values (`columns` of a block) with start times and bytes of a step's communication; only steps
 * under the profiler have such values.
 */
const prefix = 'timeline.';

/** Data types of BatchNorm's running statistics. Rank 0 broadcasts them before the forward pass, in one broadcast per data type. */
const statistics = ['float32', 'bfloat16', 'int64'] as const satisfies DtypeName[];

/**
 * Converts one rank's training step to a job for replay. Null if `found` has no gradient bucket, or no times of forward pass,
 * backward pass and end, as for steps without the profiler. `stepNs` of the job is null.
 * @param found recorded values of the step by name of the column ("timeline.forward", "timeline.bytes0"): ns from the start of
 * the step, or bytes
 */
function jobOfStep(
  configuration: TrainingConfiguration,
  found: Readonly<Record<string, number>>,
): Omit<Job, 'source' | 'ranks'> | null {
  const at = (name: string): number | undefined => found[prefix + name];
  const [forward, backward, end] = [at('forward'), at('backward'), at('end')];
  if (forward === undefined || backward === undefined || end === undefined) return null;
  const items: JobItem[] = statistics.flatMap((dtype) => {
    const bytes = at(`buffers.${dtype}`) ?? 0;
    const label = 'statistics';
    return bytes === 0 ? [] : [{ do: 'call', collective: 'broadcast', dtype, root: 0, bytes, label }];
  });
  if (items.length > 0) items.push({ do: 'wait' });
  let reachedNs = 0;
  const computeUntil = (ns: number): void => {
    if (ns > reachedNs) items.push({ do: 'compute', ns: ns - reachedNs });
    reachedNs = Math.max(reachedNs, ns);
  };
  computeUntil(forward);
  const dtype = configuration.numerics === 'bf16' ? 'bfloat16' : 'float32';
  let buckets = 0;
  for (let bytes = at('bytes0'); bytes !== undefined; bytes = at(`bytes${buckets}`)) {
    computeUntil(at(`ready${buckets}`) ?? reachedNs);
    items.push({ do: 'call', collective: 'allreduce', dtype, op: 'sum', bytes, label: `bucket ${buckets}` });
    buckets += 1;
  }
  if (buckets === 0) return null;
  computeUntil(backward);
  items.push({ do: 'wait' });
  computeUntil(end);
  return {
    type: 'job',
    schemaVersion: 1,
    name: nameOfStep(configuration),
    hasTimes: true,
    stepNs: null,
    items,
  };
}

/**
 * Returns the name of a training step for its replay, made from model, batch, image size, numerics and bucket size:
 * "resnet50-b32-i224".
 */
function nameOfStep({ model, batch, image, numerics, bucketMiB }: TrainingConfiguration): string {
  const words = [model, `b${batch}`, `i${image}`, ...(numerics === 'fp32' ? [] : [numerics])];
  return [...words, ...(bucketMiB === null ? [] : [`bucket${bucketMiB}`])].join('-');
}
