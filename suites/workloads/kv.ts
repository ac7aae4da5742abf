import { refuse } from '../../results/refusals/refusal.ts';
import {
  type KvAxes,
  type KvShape,
  kv,
  kvAxes,
  kvDescriptors,
  kvLayouts,
  kvLimits,
  kvSchedules,
  kvShapes,
  kvTransfers,
  type PointContext,
  type PointPlan,
  type RunPlan,
  setSizes,
} from '../../results/schema/index.ts';
import { sizeFlag } from '../../results/units.ts';
import { wordListOption } from '../options/option.ts';
import { doublingList, keepText, listOf, parseEach, ValueError, wholeNumber } from '../options/values.ts';
import type { WorkInput } from '../plan-input.ts';
import type { WorkloadPlanning } from './planning.ts';

/**
 * Estimated nanoseconds of one hand-off of a KV cache without the time to move its bytes; `descriptorNs` is added for each of its
 * descriptors (one put or get).
 */
const handOffNs = 20_000;
const descriptorNs = 300;

const transfers = listOf(kvTransfers);
const schedules = listOf(kvSchedules);
const layouts = listOf(kvLayouts);
const tokensOf = doublingList('number of tokens', kvLimits.tokens);
const pageTokensOf = parseEach(wholeNumber(1, kvLimits.pageTokens));
const elementBytesOf = parseEach(wholeNumber(1, 8));

const names = kvShapes.map(({ name }) => name);

/** Parses the name of a model, or its shape "LAYERSxHEADSxDIM". @throws ValueError if the word is neither, or a number too high */
function shapeOf(word: string): KvShape {
  const known = kvShapes.find(({ name }) => name === word.toLowerCase());
  if (known !== undefined) return known;
  if (!/^\d+x\d+x\d+$/.test(word)) throw new ValueError('neither a known model nor LAYERSxHEADSxDIM');
  const [layers = 0, heads = 0, headDim = 0] = word.split('x').map((part) => wholeNumber(1)(part));
  if (layers > kvLimits.layers) throw new ValueError(`more than ${kvLimits.layers} layers`);
  if (heads > kvLimits.heads) throw new ValueError(`more than ${kvLimits.heads} heads`);
  if (headDim > kvLimits.headBytes / 8) throw new ValueError(`a head of more than ${kvLimits.headBytes / 8}`);
  return { name: word, layers, tensors: 2, heads, headDim };
}

const shapesOf = (text: string): KvShape[] =>
  text.trim().toLowerCase() === 'all' ? [...kvShapes] : parseEach(shapeOf)(text);

/**
 * Number of ranks from which a prompt's KV cache is moved (`prefill`), and of ranks to which it is moved (`decode`). The ranks of
 * each side share the model's KV heads equally.
 */
interface Sides {
  prefill: number;
  decode: number;
}

/**
 * Parses the value of --tp: "auto", or "PREFILL:DECODE" (numbers of ranks).
 * @returns null for auto
 * @throws ValueError if it is neither, or a number is 0
 */
function sidesOf(text: string): Sides | null {
  if (text.trim().toLowerCase() === 'auto') return null;
  const [prefill, decode, ...more] = text.split(':').map((word) => wholeNumber(1)(word));
  if (prefill === undefined || decode === undefined || more.length > 0)
    throw new ValueError('not PREFILL:DECODE');
  return { prefill, decode };
}

const halves = (ranks: number): Sides => ({ prefill: Math.floor(ranks / 2), decode: Math.ceil(ranks / 2) });

/**
 * Checks that the ranks of each side (prefill, decode) can share the KV heads equally, and that both sides together are all ranks.
 * @param words options of the workload, by name
 * @param ranks number of all ranks; null = not known yet
 * @throws Refusal if one of these conditions is not met
 */
function requireSides(words: Record<string, string>, ranks: number | null): void {
  const typed = sidesOf(words.tp ?? 'auto');
  if (typed !== null && ranks !== null && typed.prefill + typed.decode !== ranks)
    throw refuse('kv-ranks', { ...typed, ranks });
  const sides = typed ?? (ranks === null || ranks < 2 ? null : halves(ranks));
  if (sides === null) return;
  for (const { name, heads } of shapesOf(words.model ?? ''))
    for (const side of ['prefill', 'decode'] as const)
      if (heads % sides[side] !== 0)
        throw refuse('kv-heads', { model: name, heads, side, ranks: sides[side], typed: typed !== null });
}

function points(input: WorkInput): Pick<RunPlan, 'points' | 'skipped'> {
  const { words } = input;
  const sides = sidesOf(words.tp ?? 'auto') ?? halves(Math.min(...setSizes(input)));
  const made: PointPlan[] = [];
  for (const { name: model, layers, tensors, heads, headDim } of shapesOf(words.model ?? ''))
    for (const elementBytes of elementBytesOf(words['element-bytes'] ?? ''))
      for (const transfer of transfers(words.transfer ?? ''))
        for (const schedule of schedules(words.schedule ?? ''))
          for (const layout of layouts(words.layout ?? ''))
            for (const pageTokens of pageTokensOf(words['page-tokens'] ?? ''))
              for (const tokens of tokensOf(words.tokens ?? '')) {
                const what = { transfer, schedule, layout, model, layers, tensors, heads };
                const axes = { ...what, headBytes: headDim * elementBytes, ...sides, pageTokens, tokens };
                made.push({ workload: kv.name, axes: kvAxes.parse(axes), requestedX: tokens });
              }
  return { points: made, skipped: [] };
}

const of = ({ axes }: Pick<PointContext, 'axes'>): KvAxes => kvAxes.parse(axes);

/**
 * Planning data (commands and options, points to measure, estimates of bytes and time) of the workload that measures how the KV
 * cache of a prompt is sent from prefill ranks to decode ranks.
 */
export const kvPlanning: WorkloadPlanning = {
  row: kv,
  needs: ['messages'],
  commands: [{ name: 'kv', summary: 'hand-off of a KV cache from prefill to decode ranks, page by page' }],
  positional: 'model',
  options: {
    model: {
      value: 'LIST',
      describe: 'Shape of the cache: a model, or LAYERSxHEADSxDIM with keys and values of each head.',
      allowed: `${names.join(', ')}; LAYERSxHEADSxDIM; several with commas between; all: all these models`,
      choices: names,
      example: '--model llama-3.1-8b,deepseek-v3',
      default: 'llama-3.1-8b',
      coerce: keepText(shapesOf),
    },
    tokens: {
      value: 'LIST',
      describe: 'Tokens of the prompt. The last page is sent whole.',
      allowed: 'whole numbers with commas between; 64..1024: each twice the one before',
      example: '--tokens 64..4096',
      default: '64,256,512',
      coerce: keepText(tokensOf),
    },
    'page-tokens': {
      value: 'LIST',
      describe: 'Tokens per page.',
      allowed: `whole numbers from 1 to ${kvLimits.pageTokens}, with commas between`,
      example: '--page-tokens 16,64',
      default: '16',
      coerce: keepText(pageTokensOf),
    },
    'element-bytes': {
      value: 'LIST',
      describe: 'Bytes per element: 2 for bfloat16, 1 for float8.',
      allowed: 'whole numbers from 1 to 8, with commas between',
      example: '--element-bytes 1,2',
      default: '2',
      coerce: keepText(elementBytesOf),
    },
    tp: {
      value: 'P:D',
      describe: 'Ranks that share the heads of a prompt (tensor parallelism): of prefill and of decode.',
      allowed: 'two whole numbers whose sum is the number of ranks; auto: half of the ranks each',
      example: '--ranks 3 --tp 2:1',
      default: 'auto',
      coerce: keepText(sidesOf),
    },
    layout: {
      ...wordListOption(kvLayouts),
      describe:
        'Arrangement in memory: layer: each layer has its pages; page: a page has all layers; contiguous: one piece per pair of ranks, the bound of the others.',
      example: '--layout layer,contiguous',
      default: 'all',
    },
    transfer: {
      ...wordListOption(kvTransfers),
      describe: 'push: prefill ranks put the pages. pull: decode ranks send their page table and get them.',
      example: '--transfer push,pull',
      default: 'push',
    },
    schedule: {
      ...wordListOption(kvSchedules),
      describe: 'at-once: all pages, one after the other. by-layer: layer by layer, as they are computed.',
      example: '--schedule at-once,by-layer',
      default: 'at-once',
    },
  },
  unusedOptions: ['dtype', 'op', 'root', 'inPlace', 'min', 'max', 'factor', 'step', 'sizes'],
  requirePlannable: (_command, { words }, _parsed, ranks) => requireSides(words, ranks),
  points,
  pointFor(point, ranks) {
    const { prefill, decode } = of(point);
    const sides = prefill + decode === ranks ? {} : halves(ranks);
    return { ...point, axes: { ...point.axes, ...sides } };
  },
  words({ axes }) {
    const one = kvAxes.parse(axes);
    const shape = kvShapes.find(({ name }) => name === one.model);
    const headDim = shape?.headDim ?? Number(one.model.split('x')[2]);
    return [
      ...['kv', one.model, '--tokens', String(one.tokens), '--page-tokens', String(one.pageTokens)],
      ...['--element-bytes', String(one.headBytes / headDim), '--tp', `${one.prefill}:${one.decode}`],
      ...['--layout', one.layout, '--transfer', one.transfer, '--schedule', one.schedule],
    ];
  },
  explainableWords: (place) => [
    ...['put', '--sizes', sizeFlag(Math.round(kv.payloadBytes(place) / kvDescriptors(of(place))))],
  ],
  refuses: (_command, ranks) => (ranks < 2 ? 'needs 2 ranks or more' : null),
  isAlike: (_command, a, b) => a === b,
  checkedRanks: (place) => of(place).decode,
  bufferBytes: (place) => 2 * kv.payloadBytes(place),
  wireBytes: (place) => kv.payloadBytes(place),
  linkBytes: (place) => kv.payloadBytes(place),
  fixedNs: (place) => handOffNs + kvDescriptors(of(place)) * descriptorNs,
};
