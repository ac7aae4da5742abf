import { z } from 'zod';
import { algGBps } from './bandwidth.ts';
import { bandwidth, latency, pipelined, rate, seriesAxis, silentAxis } from './common.ts';
import type { FigureData, WorkloadAxes } from './data.ts';
import type { PointContext, Workload } from './workload.ts';

/**
 * Ways to move a KV cache from prefill ranks (which computed a prompt) to decode ranks. `push`: prefill ranks send pages unasked.
 * `pull`: decode ranks send their page table and get the pages.
 */
export const kvTransfers = ['push', 'pull'] as const;
/**
 * Order in which pages are sent. `at-once`: all pages in one step, one after the other. `by-layer`: one step per layer, with that
 * layer of all pages.
 */
export const kvSchedules = ['at-once', 'by-layer'] as const;
/**
 * Arrangement of a KV cache in memory. `layer`: layer after layer, each with all its pages. `page`: page after page, each with all
 * its layers. `contiguous`: the bytes for one peer lie in one piece, which one message moves.
 */
export const kvLayouts = ['layer', 'page', 'contiguous'] as const;

/** Dimensions of a model's KV cache: numbers of layers, tensors and heads, and elements of a head. `name`: name of the model. */
export interface KvShape {
  name: string;
  layers: number;
  /** Number of tensors per layer: 2 = keys and values, 1 = one latent tensor from which both are computed. */
  tensors: 1 | 2;
  /** Number of KV heads of each tensor, which is lower than that of attention heads if the model uses grouped-query attention. */
  heads: number;
  /** Number of elements that one head of one tensor has per token. */
  headDim: number;
}

/**
 * KV caches of public models. The numbers come from the `config.json` that each model has on Hugging Face: num_hidden_layers,
 * num_key_value_heads, and head_dim or hidden_size / num_attention_heads. deepseek-v3 caches kv_lora_rank + qk_rope_head_dim = 512
 * + 64 elements (MLA).
 */
export const kvShapes: readonly KvShape[] = [
  // meta-llama/Llama-3.2-3B
  { name: 'llama-3.2-3b', layers: 28, tensors: 2, heads: 8, headDim: 128 },
  // meta-llama/Llama-3.1-8B
  { name: 'llama-3.1-8b', layers: 32, tensors: 2, heads: 8, headDim: 128 },
  // meta-llama/Llama-3.1-70B
  { name: 'llama-3.1-70b', layers: 80, tensors: 2, heads: 8, headDim: 128 },
  // Qwen/Qwen3-32B
  { name: 'qwen3-32b', layers: 64, tensors: 2, heads: 8, headDim: 128 },
  // deepseek-ai/DeepSeek-V3
  { name: 'deepseek-v3', layers: 61, tensors: 1, heads: 1, headDim: 576 },
];

/** Highest allowed values of the workload's axes. native/workloads/kv/workload.cc checks the same limits. */
export const kvLimits = {
  layers: 1024,
  heads: 1024,
  headBytes: 2 ** 16,
  pageTokens: 2 ** 16,
  tokens: 2 ** 24,
};

export const kvAxes = z.strictObject({
  transfer: z.enum(kvTransfers),
  schedule: z.enum(kvSchedules),
  layout: z.enum(kvLayouts),
  /** Name of the model whose KV cache is moved, or layers, heads and elements of a head as typed: "32x8x128". */
  model: z.string(),
  layers: z.int().min(1).max(kvLimits.layers),
  tensors: z.int().min(1).max(2),
  heads: z.int().min(1).max(kvLimits.heads),
  /** Bytes that one head of one tensor has per token. */
  headBytes: z.int().min(1).max(kvLimits.headBytes),
  /**
   * Number of ranks that compute the prompt. `decode`: number of ranks that generate the answer. On each side, the heads are
   * divided among the ranks.
   */
  prefill: z.int().min(1),
  decode: z.int().min(1),
  pageTokens: z.int().min(1).max(kvLimits.pageTokens),
  /** Number of tokens of the prompt. The last page is sent whole, even if it is not full. */
  tokens: z.int().min(1).max(kvLimits.tokens),
});
export type KvAxes = z.infer<typeof kvAxes>;

const of = (axes: WorkloadAxes): KvAxes => kvAxes.parse(axes);

const pagesOf = ({ tokens, pageTokens }: KvAxes): number => Math.ceil(tokens / pageTokens);

/** Returns the bytes that all ranks together send in one hand-off: those of the whole cache, with the last page counted whole. */
function cacheBytes({ axes }: PointContext): number {
  const one = of(axes);
  return one.layers * one.tensors * one.heads * one.headBytes * one.pageTokens * pagesOf(one);
}

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b));

/**
 * Returns the number of descriptors of one hand-off, all ranks together. A descriptor is a contiguous piece of memory, which one
 * message moves. `descriptors_of()` in native/workloads/kv/plan.cc makes them.
 */
export function kvDescriptors(axes: KvAxes): number {
  const { schedule, layout, layers, tensors, prefill, decode } = axes;
  // Pairs of ranks that have heads in common.
  const pairs = prefill + decode - greatestDivisor(prefill, decode);
  const byLayer = schedule === 'by-layer';
  if (layout === 'contiguous') return pairs * (byLayer ? layers : 1);
  const pages = pagesOf(axes);
  // If prefill and decode have unequal numbers of ranks, a pair shares only a part of one side's heads, so that the keys and values
  // to send do not lie side by side.
  if (prefill !== decode) return pairs * pages * layers * tensors;
  return pairs * pages * (layout === 'page' && !byLayer ? 1 : layers);
}

const rates: FigureData[] = [
  bandwidth({
    caption: 'Bytes of the whole cache per second',
    definition: 'Bandwidth is the bytes of all pages over the time until the last page is there.',
    isCharted: true,
    isThroughput: true,
    formula: 'Bytes of the whole cache by time.',
  }),
  rate({
    head: 'desc/s',
    title: 'descriptor rate',
    column: 'descriptor',
    caption: 'Descriptors of all ranks together per second',
    definition:
      'The descriptor rate counts the contiguous pieces of all ranks, each of which one message moves.',
    formula: 'Descriptors of one hand-off by time.',
    isMessageRate: true,
  }),
];

const arrival: Pick<FigureData, 'unit' | 'better' | 'trial' | 'from' | 'part' | 'acrossRanks'> = {
  unit: 'ns',
  better: 'lower',
  trial: null,
  from: [],
  part: 'beside',
  acrossRanks: 'highest',
};

const arrivals: FigureData[] = [
  {
    ...arrival,
    name: 'firstPage',
    head: '1st page',
    title: 'time to first page',
    column: 'first_page',
    caption: 'until all layers of the first page are on every decode rank',
  },
  {
    ...arrival,
    name: 'firstLayer',
    head: '1st layer',
    title: 'time to first layer',
    column: 'first_layer',
    caption: 'until the first layer of all pages is on every decode rank',
  },
];

/**
 * Workload of the hand-off of a KV cache from the ranks that computed a prompt to those that generate the answer. Its x axis is
 * the number of tokens of the prompt.
 */
export const kv: Workload = {
  name: 'kv',
  title: 'KV cache',
  noun: 'hand-off',
  unitOfWork: 'hand-off',
  // The cost of posting many descriptors is part of a hand-off.
  timedByHostOn: ['nccl', 'nvshmem'],
  axes: [
    { ...seriesAxis, name: 'model', column: 'model', isCompared: true, isOtherWork: true },
    { ...seriesAxis, name: 'transfer', column: 'transfer', isCompared: true },
    {
      ...seriesAxis,
      name: 'schedule',
      column: 'schedule',
      untitled: ['at-once'],
      isCompared: true,
    },
    {
      ...seriesAxis,
      name: 'layout',
      column: 'layout',
      titlePrefix: 'layout ',
      isCompared: true,
      bound: 'contiguous',
    },
    { ...silentAxis, name: 'layers', column: 'layers' },
    { ...silentAxis, name: 'tensors', column: 'tensors' },
    { ...silentAxis, name: 'heads', column: 'heads' },
    { ...silentAxis, name: 'headBytes', column: 'head_bytes' },
    {
      ...seriesAxis,
      name: 'prefill',
      column: 'prefill',
      isNumber: true,
      titlePrefix: 'prefill ',
      untitled: [1],
    },
    {
      ...seriesAxis,
      name: 'decode',
      column: 'decode',
      isNumber: true,
      titlePrefix: 'decode ',
      untitled: [1],
    },
    {
      ...seriesAxis,
      name: 'pageTokens',
      column: 'page_tokens',
      isNumber: true,
      titlePrefix: 'tokens per page ',
      keyPrefix: 'p',
      untitled: [16],
      isCompared: true,
    },
    {
      name: 'tokens',
      unit: '',
      role: 'x',
      head: 'prompt',
      title: 'tokens of the prompt',
      isNumber: true,
      base: 2,
      column: 'tokens',
    },
  ],
  figures: [
    { ...latency, title: 'time until all pages are there' },
    { ...pipelined, title: 'time per hand-off, back to back' },
    ...rates,
    ...arrivals,
  ],
  unitsPerOperation: () => 1,
  derive: (place, _from, elapsedNs) => [
    { name: 'bandwidth', value: algGBps(cacheBytes(place), elapsedNs) },
    { name: 'rate', value: (kvDescriptors(of(place.axes)) / elapsedNs) * 1e9 },
  ],
  payloadBytes: cacheBytes,
  minMovedBytes: cacheBytes,
  minMovedByAnyAlgorithm: cacheBytes,
  isPlainTransfer: () => true,
};
