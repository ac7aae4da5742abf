import type { Job, JobItem } from '../../results/schema/index.ts';

/**
 * Training steps of PyTorch's DistributedDataParallel on one H200 without communication: torch 2.11, torchvision 0.26, eager,
 * images of 224 x 224, default buckets, SGD. Times are medians of 39 steps, measured by events on the GPU stream. Bucket sizes
 * are those of two processes after the first step.
 */
interface TrainingModel {
  name: string;
  /** Number of images per rank in one training step. */
  batch: number;
  precision: string;
  /** Bytes of the running statistics (batch normalisation) that rank 0 broadcasts before each step, one number per data type. */
  statistics: readonly [float32: number, int64: number];
  /**
   * End of the forward pass in microseconds after the start of the step; `backwardUs` and `stepUs` are the ends of the backward
   * pass and of the step.
   */
  forwardUs: number;
  /**
   * Gradient buckets in the order in which they become ready: size in bytes, and microseconds from the start of the step until it
   * is ready.
   */
  buckets: readonly (readonly [bytes: number, readyUs: number])[];
  backwardUs: number;
  stepUs: number;
}

const models: readonly TrainingModel[] = [
  {
    name: 'efficientnet_b0',
    batch: 32,
    precision: 'fp32',
    statistics: [168_064, 392],
    forwardUs: 5_575,
    buckets: [
      [5_124_000, 5_660],
      [16_030_192, 20_014],
    ],
    backwardUs: 20_438,
    stepUs: 20_500,
  },
  {
    name: 'efficientnet_b0-amp',
    batch: 32,
    precision: 'bf16 (autocast)',
    statistics: [168_064, 392],
    forwardUs: 7_300,
    buckets: [
      [5_120_000, 7_919],
      [16_034_192, 23_488],
    ],
    backwardUs: 23_912,
    stepUs: 23_975,
  },
  {
    name: 'efficientnet_b0-batch128',
    batch: 128,
    precision: 'fp32',
    statistics: [168_064, 392],
    forwardUs: 18_114,
    buckets: [
      [5_124_000, 18_175],
      [16_030_192, 63_028],
    ],
    backwardUs: 63_483,
    stepUs: 63_546,
  },
  {
    name: 'resnet50',
    batch: 32,
    precision: 'fp32',
    statistics: [212_480, 424],
    forwardUs: 6_154,
    buckets: [
      [8_196_000, 6_205],
      [31_502_336, 6_942],
      [26_255_360, 7_577],
      [26_550_272, 10_194],
      [9_724_160, 18_217],
    ],
    backwardUs: 18_628,
    stepUs: 18_732,
  },
  {
    name: 'resnet50-amp',
    batch: 32,
    precision: 'bf16 (autocast)',
    statistics: [212_480, 424],
    forwardUs: 6_330,
    buckets: [
      [8_192_000, 6_382],
      [31_506_336, 7_043],
      [26_255_360, 7_606],
      [26_550_272, 9_920],
      [9_724_160, 16_503],
    ],
    backwardUs: 16_919,
    stepUs: 17_025,
  },
  {
    name: 'resnet50-batch128',
    batch: 128,
    precision: 'fp32',
    statistics: [212_480, 424],
    forwardUs: 20_346,
    buckets: [
      [8_196_000, 20_415],
      [31_502_336, 22_215],
      [26_255_360, 23_841],
      [26_550_272, 31_986],
      [9_724_160, 60_435],
    ],
    backwardUs: 60_847,
    stepUs: 60_951,
  },
  {
    name: 'mobilenet_v3_large',
    batch: 32,
    precision: 'fp32',
    statistics: [97_600, 368],
    forwardUs: 4_584,
    buckets: [
      [5_124_000, 5_203],
      [16_808_128, 16_869],
    ],
    backwardUs: 17_242,
    stepUs: 17_287,
  },
  {
    name: 'mobilenet_v3_large-amp',
    batch: 32,
    precision: 'bf16 (autocast)',
    statistics: [97_600, 368],
    forwardUs: 6_865,
    buckets: [
      [5_120_000, 7_502],
      [16_812_128, 22_862],
    ],
    backwardUs: 23_237,
    stepUs: 23_281,
  },
  {
    name: 'mobilenet_v3_large-batch128',
    batch: 128,
    precision: 'fp32',
    statistics: [97_600, 368],
    forwardUs: 12_181,
    buckets: [
      [5_124_000, 12_244],
      [16_808_128, 44_410],
    ],
    backwardUs: 44_784,
    stepUs: 44_829,
  },
];

/** One training step of the model as a list of collective calls, waits and computations. Gradients are always float32. */
function itemsOf({ statistics, forwardUs, buckets, backwardUs, stepUs }: TrainingModel): JobItem[] {
  const [float32, int64] = statistics;
  const items: JobItem[] = [
    { do: 'call', collective: 'broadcast', dtype: 'float32', root: 0, bytes: float32, label: 'statistics' },
    { do: 'call', collective: 'broadcast', dtype: 'int64', root: 0, bytes: int64, label: 'statistics' },
    { do: 'wait' },
  ];
  let atUs = 0;
  const computeUntil = (us: number) => {
    items.push({ do: 'compute', ns: Math.max(0, us - atUs) * 1000 });
    atUs = Math.max(atUs, us);
  };
  computeUntil(forwardUs);
  for (const [i, [bytes, readyUs]] of buckets.entries()) {
    computeUntil(readyUs);
    const label = `bucket ${i}`;
    items.push({ do: 'call', collective: 'allreduce', dtype: 'float32', op: 'sum', bytes, label });
  }
  computeUntil(backwardUs);
  items.push({ do: 'wait' });
  computeUntil(stepUs);
  return items;
}

export const trainingJobs: readonly Job[] = models.map((model) => ({
  type: 'job',
  schemaVersion: 1,
  name: model.name,
  source: `PyTorch 2.11 DDP, ${model.name.split('-')[0]}, batch ${model.batch} per rank, ${model.precision}, computations of one H200`,
  ranks: null,
  hasTimes: true,
  stepNs: null,
  items: itemsOf(model),
}));
