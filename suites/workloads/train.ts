import {
  gradientBytes,
  numericsNames,
  observers,
  type PointContext,
  type PointPlan,
  type RunPlan,
  type TrainAxes,
  train,
  trainAxes,
  trainedModelNames,
  trainedModels,
} from '../../results/schema/index.ts';
import { wordListOption } from '../options/option.ts';
import { keepText, listOf, parseEach, switchValue, wholeNumber } from '../options/values.ts';
import type { WorkInput } from '../plan-input.ts';
import type { WorkloadPlanning } from './planning.ts';

/**
 * Estimated speed of a training step: `stepNs` = nanoseconds that a step of any model takes in addition to its arithmetic,
 * `operationsPerNs` = arithmetic operations that one rank does per ns.
 */
interface StepSpeed {
  stepNs: number;
  operationsPerNs: number;
}
/**
 * Measured speed of a step with one CPU thread (`onCpu`) and on an H200 (`onGpu` below). The estimated time of a step is `stepNs`
 * plus the time of its arithmetic operations. On the H200 `stepNs` is the time in which the host launches the kernels.
 */
const onCpu: StepSpeed = { stepNs: 100_000_000, operationsPerNs: 16 };
const onGpu: StepSpeed = { stepNs: 20_000_000, operationsPerNs: 40_000 };
/**
 * Number of arithmetic operations of one training step per multiply-accumulate (MAC) of the forward pass. A step costs as much as 3
 * forward passes, and each MAC counts as 2 operations.
 */
const operationsPerMac = 3 * 2;
/**
 * Number of buffers that a rank needs, each as large as the model's parameters: parameters, gradients, communication buckets. The
 * memory of activations is not counted, because its size is unknown.
 */
const copies = 3;

const batches = parseEach(wholeNumber(1, 65_536));
const images = parseEach(wholeNumber(1, 16_384));
const bucket = (text: string): number | null => (text === 'default' ? null : wholeNumber(1, 16_384)(text));

function points({ words: said, ranks }: WorkInput): Pick<RunPlan, 'points' | 'skipped'> {
  const made: PointPlan[] = [];
  for (const model of listOf(trainedModelNames)(said.model ?? ''))
    for (const numerics of listOf(numericsNames)(said.numerics ?? ''))
      for (const image of images(said.image ?? ''))
        for (const batch of batches(said['batch-size'] ?? ''))
          for (const observed of listOf(observers)(said.observed ?? ''))
            made.push({
              workload: train.name,
              axes: trainAxes.parse({
                model,
                numerics,
                image,
                bucketMiB: bucket(said['bucket-mib'] ?? ''),
                compiled: switchValue(said.compiled ?? ''),
                observed,
                batch,
              }),
              requestedX: batch,
            });
  if (ranks > 1) return { points: made, skipped: [] };
  const [points, idle] = partition(made, ({ axes }) => axes.observed === 'none');
  return {
    points,
    skipped: idle.map((point) => ({
      ...{ what: `${of(point).model} under profiler`, requestedX: of(point).batch },
      reason: 'a single rank exchanges nothing',
    })),
  };
}

const partition = <T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] => [
  all.filter(isFirst),
  all.filter((one) => !isFirst(one)),
];

const of = ({ axes }: Pick<PointContext, 'axes'>): TrainAxes => trainAxes.parse(axes);

/**
 * Planning data (commands and options, points to measure, estimates of bytes and time) of the workload that measures steps of
 * data-parallel training in a framework such as PyTorch.
 */
export const trainPlanning: WorkloadPlanning = {
  row: train,
  needs: ['training'],
  usualEngine: 'torch',
  commands: [
    {
      name: 'train',
      summary: 'steps of data-parallel training, PyTorch or TensorFlow',
    },
  ],
  options: {
    model: {
      ...wordListOption(trainedModelNames),
      describe: 'Models to train, without pretrained weights.',
      example: '--model resnet50,mobilenet_v3_large',
      default: 'resnet50',
    },
    'batch-size': {
      value: 'LIST',
      describe: 'Images per rank and step.',
      allowed: 'whole numbers from 1, with commas between',
      example: '--batch-size 16,32',
      default: '32',
      coerce: keepText(batches),
    },
    image: {
      value: 'LIST',
      describe: 'Edge of the square images, pixels.',
      allowed: 'whole numbers from 1, with commas between',
      example: '--image 64',
      default: '224',
      coerce: keepText(images),
    },
    numerics: {
      ...wordListOption(numericsNames),
      describe:
        'Number format. fp32: no TF32 (by default PyTorch has it in convolutions). amp-bf16: autocast, gradients stay float32. bf16: parameters and gradients, too.',
      example: '--numerics fp32,amp-bf16',
      default: 'fp32',
    },
    'bucket-mib': {
      value: 'MIB',
      describe: 'Bytes of gradients per collective (PyTorch: bucket_cap_mb; TensorFlow: bytes_per_pack).',
      allowed: 'default, or a whole number of MiB',
      example: '--bucket-mib 50',
      default: 'default',
      coerce: keepText(bucket),
    },
    compiled: {
      value: 'SWITCH',
      describe: 'true: compile the model first (PyTorch: torch.compile).',
      allowed: 'true or false',
      example: '--compiled true',
      default: 'false',
      coerce: keepText(switchValue),
    },
    observed: {
      ...wordListOption(observers),
      describe:
        'profiler: also run a few steps under the profiler of the framework, to split the collective time. none: no profiler.',
      example: '--observed none',
      default: 'all',
    },
  },
  unusedOptions: ['dtype', 'op', 'root', 'inPlace', 'min', 'max', 'factor', 'step', 'sizes'],
  points,
  pointFor: (point) => point,
  words(point) {
    const { model, numerics, image, bucketMiB, compiled, observed, batch } = of(point);
    return [
      ...['train', '--model', model, '--batch-size', String(batch), '--image', String(image)],
      ...['--numerics', numerics, '--observed', observed],
      ...(bucketMiB === null ? [] : ['--bucket-mib', String(bucketMiB)]),
      ...(compiled ? ['--compiled', 'true'] : []),
    ];
  },
  refuses: () => null,
  checkedRanks: ({ ranks }) => ranks,
  bufferBytes: ({ axes, ranks }) => copies * ranks * gradientBytes(axes),
  wireBytes: ({ axes, ranks }) => 2 * (ranks - 1) * gradientBytes(axes),
  linkBytes: ({ axes, ranks }) => (2 * (ranks - 1) * gradientBytes(axes)) / Math.max(1, ranks),
  fixedNs(place, onGpus = false) {
    const { model, batch, image } = of(place);
    const gigaMacs = trainedModels.find(({ name }) => name === model)?.gigaMacs ?? 0;
    const { stepNs, operationsPerNs } = onGpus ? onGpu : onCpu;
    return stepNs + (gigaMacs * 1e9 * operationsPerMac * batch * (image / 224) ** 2) / operationsPerNs;
  },
};
