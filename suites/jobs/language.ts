import type { Job, JobItem } from '../../results/schema/index.ts';

/** Dimensions of a decoder-only transformer, from its published configuration. */
interface ModelShape {
  hidden: number;
  layers: number;
  /** Width of the feed-forward layer, in elements. */
  inner: number;
  /** Width of the attention keys, in elements; the values have the same width. */
  keys: number;
}

/** Llama 3 8B: config.json and table 3 of "The Llama 3 Herd of Models" (2024). */
const llama3: ModelShape = { hidden: 4096, layers: 32, inner: 14_336, keys: 1024 };
/** Mixtral 8x7B: config.json; `experts` = number of experts that each token goes to, 2 of 8 ("Mixtral of Experts", 2024). */
const mixtral: ModelShape & { experts: number } = {
  hidden: 4096,
  layers: 32,
  inner: 14_336,
  keys: 1024,
  experts: 2,
};

const bf16Bytes = 2;

/** Number of parameters of one layer: attention (query, key, value, output), feed-forward (gate, up, down), two norms. */
const layerElements = ({ hidden, keys, inner }: ModelShape): number =>
  2 * hidden * hidden + 2 * hidden * keys + 3 * hidden * inner + 2 * hidden;

type JobCall = Extract<JobItem, { do: 'call' }>;

const call = (collective: JobCall['collective'], bytes: number, label: string): JobCall => ({
  do: 'call',
  collective,
  dtype: 'bfloat16',
  ...(collective === 'allreduce' || collective === 'reducescatter' ? { op: 'sum' as const } : {}),
  bytes,
  label,
});

const wait: JobItem = { do: 'wait' };

const repeated = (times: number, items: (layer: number) => JobItem[]): JobItem[] =>
  Array.from({ length: times }, (_, layer) => items(layer)).flat();

/** Adds a wait after each call, so that the next call or computation starts only when the call is complete. */
const dependent = (...calls: JobItem[]): JobItem[] => calls.flatMap((one) => [one, wait]);

/** Bytes of the activations of this many tokens: one vector of `hidden` bfloat16 elements per token. */
const activations = ({ hidden }: ModelShape, tokens: number): number => tokens * hidden * bf16Bytes;

/**
 * Calls of tensor parallelism (Megatron-LM, 2019): in each layer an allreduce after attention and one after feed-forward.
 * @param tokens number of tokens in the step
 * @param ways number of passes through the layers: 1 = forward, 2 = forward and backward
 */
const tensorParallel = (shape: ModelShape, tokens: number, ways: number): JobItem[] =>
  repeated(ways * shape.layers, (layer) =>
    dependent(
      call('allreduce', activations(shape, tokens), `layer ${layer}: attention`),
      call('allreduce', activations(shape, tokens), `layer ${layer}: feed-forward`),
    ),
  );

/**
 * Calls of fully sharded data parallelism (FSDP, ZeRO-3): the parameters of a layer are gathered before its forward pass and before
 * its backward pass, and its gradients are reduce-scattered after the backward pass.
 */
function sharded(shape: ModelShape): JobItem[] {
  const bytes = layerElements(shape) * bf16Bytes;
  return [
    ...repeated(shape.layers, (layer) => dependent(call('allgather', bytes, `layer ${layer}: forward`))),
    ...repeated(shape.layers, (layer) => [
      ...dependent(call('allgather', bytes, `layer ${layer}: backward`)),
      call('reducescatter', bytes, `layer ${layer}: gradients`),
    ]),
    wait,
  ];
}

/**
 * Calls of expert parallelism: in each layer every token is sent to its experts (`shape.experts` of them) and back.
 * @param tokens number of tokens in the step
 */
const expertParallel = (shape: typeof mixtral, tokens: number): JobItem[] =>
  repeated(shape.layers, (layer) =>
    dependent(
      call('alltoall', activations(shape, tokens * shape.experts), `layer ${layer}: to experts`),
      call('alltoall', activations(shape, tokens * shape.experts), `layer ${layer}: from experts`),
    ),
  );

/**
 * Calls of pipeline parallelism: the activations of each micro-batch are sent to the next stage, and their gradients to the
 * previous stage.
 * @param tokens number of tokens of a micro-batch
 * @param batches number of micro-batches
 */
const pipelined = (shape: ModelShape, tokens: number, batches: number): JobItem[] =>
  repeated(batches, (batch) =>
    dependent(
      call('sendrecv', activations(shape, tokens), `micro-batch ${batch}: forward`),
      call('sendrecv', activations(shape, tokens), `micro-batch ${batch}: backward`),
    ),
  );

const job = (name: string, source: string, items: JobItem[]): Job => ({
  type: 'job',
  schemaVersion: 1,
  name,
  source: `${source}; order and sizes alone, computed from the published configuration`,
  ranks: null,
  hasTimes: false,
  stepNs: null,
  items,
});

/** Shipped jobs: collective calls of one step of large language models, without computation times (these depend on the GPU). */
export const languageJobs: readonly Job[] = [
  job(
    'llama3-8b-decode-tp',
    'Llama 3 8B, tensor parallel, one token of each of 16 sequences',
    tensorParallel(llama3, 16, 1),
  ),
  job(
    'llama3-8b-train-tp',
    'Llama 3 8B, tensor parallel, forward and backward of 8192 tokens',
    tensorParallel(llama3, 8192, 2),
  ),
  job('llama3-8b-train-fsdp', 'Llama 3 8B, fully sharded data parallel, one step', sharded(llama3)),
  job(
    'llama3-8b-train-pp',
    'Llama 3 8B, pipeline parallel, 8 micro-batches of 1024 tokens',
    pipelined(llama3, 1024, 8),
  ),
  job(
    'mixtral-8x7b-decode-ep',
    'Mixtral 8x7B, expert parallel, one token of each of 64 sequences',
    expertParallel(mixtral, 64),
  ),
];
