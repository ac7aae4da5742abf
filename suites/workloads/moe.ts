import { refuse } from '../../results/refusals/refusal.ts';
import {
  type DtypeName,
  dropless,
  expertCounts,
  factorOf,
  moe,
  moeAxes,
  moeDtypes,
  moePhases,
  moeTraffic,
  nameInValue,
  type PointContext,
  type PointPlan,
  parseTrafficPattern,
  type RoutingPattern,
  type RunPlan,
  rowsBetweenRanks,
  setSizes,
  type TrafficPattern,
  trafficPatternName,
  trafficScript,
} from '../../results/schema/index.ts';
import { type CountsFile, readCountsFile } from '../matrix/file.ts';
import { alltoallWords, nameWithSeed } from '../matrix/words.ts';
import { wordListOption } from '../options/option.ts';
import type { ParsedOptions } from '../options/parsed-options.ts';
import type { PlanOptions } from '../options/plan-options.ts';
import { keepText, listOf, parseEach, splitWords, ValueError, wholeNumber } from '../options/values.ts';
import type { WorkInput } from '../plan-input.ts';
import type { WorkloadPlanning } from './planning.ts';

type RoutingSource = RoutingPattern | CountsFile;

const isFile = (source: RoutingSource): source is CountsFile => 'counts' in source;

const isRouting = (pattern: TrafficPattern): pattern is RoutingPattern => pattern.kind !== 'diagonal';

/**
 * Parses one value of --routing: a pattern such as "zipf:1.2", or otherwise the name of a file with counts.
 * @throws ValueError if a pattern has a wrong parameter or is "diagonal", or the file cannot be read or contains no counts
 */
function routingSource(word: string): RoutingSource {
  const pattern = parseTrafficPattern(word.toLowerCase());
  if (typeof pattern === 'string') throw new ValueError(pattern);
  if (pattern === null) return readCountsFile(word);
  if (!isRouting(pattern)) throw new ValueError(`'${word}' is a matrix, no routing`);
  return pattern;
}

/**
 * Parses one value of --capacity: "dropless", or a factor such as "1.25". Returns it as text in a uniform spelling: "1.50" as
 * "1.5".
 * @throws ValueError if it is neither `dropless` nor a factor above 0
 */
function capacity(word: string): string {
  const text = word.toLowerCase();
  if (text === dropless) return dropless;
  const factor = /^\d{1,3}(\.\d{1,4})?$/.test(text) ? Number(text) : 0;
  if (factor > 0) return String(factor);
  throw new ValueError(`'${word}' is neither ${dropless} nor a factor above 0`);
}

const maxTokens = 65_536;
const maxHidden = 65_536;
const maxExperts = 4096;

function hiddenSize(word: string): number {
  const hidden = wholeNumber(8, maxHidden)(word);
  if (hidden % 8 !== 0) throw new ValueError('not a multiple of 8');
  return hidden;
}

const countOption = (least: number, most: number) => ({
  value: 'LIST',
  allowed: `whole numbers from ${least} to ${most}, with commas between`,
  coerce: keepText(parseEach(wholeNumber(least, most))),
});

const phases = listOf(moePhases);
const counts = (text: string | undefined): number[] => splitWords(text ?? '').map(Number);

interface MoeSettings {
  phase: (typeof moePhases)[number];
  dtype: (typeof moeDtypes)[number];
  hidden: number;
  topK: number;
  capacity: string;
}

/**
 * Checks that the ranks can share the experts equally, that there are at least topK experts, and that the routing can be used with
 * these numbers: a file has one row per rank, and a routing to hot experts has at least topK and at most all experts.
 * @param experts number of experts of all ranks together
 * @param topK number of experts that each token goes to
 * @throws Refusal if one of these conditions is not met
 */
function requireShape(source: RoutingSource, experts: number, topK: number, ranks: number): void {
  if (experts % ranks !== 0) {
    const near = Math.max(1, Math.round(experts / ranks)) * ranks;
    throw refuse('moe-experts', { experts, ranks, near: isFile(source) || near > maxExperts ? null : near });
  }
  if (topK > experts) throw refuse('moe-top-k', { topK, experts });
  if (isFile(source)) {
    if (source.counts.length !== ranks)
      throw refuse('moe-ranks', { name: nameInValue(source.name), has: source.counts.length, ranks });
    return;
  }
  if (source.kind !== 'hot') return;
  const name = trafficPatternName(source);
  if (source.hotRanks > experts)
    throw refuse('moe-routing', {
      name,
      why: `there are ${experts} experts`,
      allowed: `hot:${topK} to hot:${experts}`,
    });
  if (source.hotRanks < topK)
    throw refuse('moe-routing', {
      name,
      why: `each token goes to ${topK} different experts`,
      allowed: `hot:${topK} to hot:${experts}, or a lower --topk`,
    });
}

/**
 * Makes the point of a computed routing.
 * @param experts number of experts of all ranks together
 * @param tokens number of tokens of each rank
 */
function patternPoint(
  pattern: RoutingPattern,
  settings: MoeSettings,
  experts: number,
  tokens: number,
  ranks: number,
): PointPlan {
  const shape = { ranks, experts, topK: settings.topK, tokens };
  const axes = moeAxes.parse({
    ...{ ...settings, routing: trafficPatternName(pattern), experts, tokens },
    ...{ busiestBytes: null, sentBytes: null, rowsBytes: null },
  });
  return {
    workload: moe.name,
    axes,
    requestedX: tokens,
    script: trafficScript(expertCounts(pattern, shape, factorOf(settings.capacity))),
  };
}

/** Number of tokens per rank in a counts file: the sum of a row (one rank) divided by topK, the number of experts per token. */
const tokensIn = ({ counts: [first = []] }: CountsFile, topK: number): number =>
  first.reduce((sum, one) => sum + one, 0) / topK;

/** Number of experts in a counts file: its number of columns. */
const expertsIn = ({ counts: [first = []] }: CountsFile): number => first.length;

/**
 * Makes the point of a routing from a file, which contains the numbers of experts and tokens.
 * @throws Refusal if the rows have different sums, the sum is 0 or not a multiple of topK, or a rank sends one expert more tokens
 * than the rank has
 */
function filePoint(file: CountsFile, settings: MoeSettings): PointPlan {
  const { name, counts: all } = file;
  const { topK } = settings;
  const sums = all.map((row) => row.reduce((sum, one) => sum + one, 0));
  const tokens = tokensIn(file, topK);
  const refused = (why: string, allowed: string) =>
    refuse('moe-routing', { name: nameInValue(name), why, allowed });
  if (sums.some((sum) => sum !== sums[0]) || !Number.isInteger(tokens) || tokens < 1)
    throw refused(
      `its rows add up to ${[...new Set(sums)].slice(0, 3).join(', ')} tokens`,
      `equal sums, multiples of --topk ${topK}`,
    );
  const largest = Math.max(...all.flat());
  if (largest > tokens)
    throw refused(
      `an expert has ${largest} of the ${tokens} tokens of a rank`,
      `at most ${tokens}, as each token goes to ${topK} different experts`,
    );
  const experts = expertsIn(file);
  const factor = factorOf(settings.capacity);
  const most = factor === null ? tokens : Math.ceil((factor * tokens * topK) / experts);
  const kept = all.map((row) => row.map((one) => Math.min(one, most)));
  const { busiest, sent, rows } = moeTraffic(settings, rowsBetweenRanks(kept));
  const axes = moeAxes.parse({
    ...{ ...settings, routing: name, experts, tokens },
    ...{ busiestBytes: busiest, sentBytes: sent, rowsBytes: rows },
  });
  return { workload: moe.name, axes, script: trafficScript(kept) };
}

/** Data type in which the outputs of the experts are combined. */
const combinedDtype = 'bfloat16';

const isMoeDtype = (dtype: DtypeName): dtype is MoeSettings['dtype'] =>
  moeDtypes.some((known) => known === dtype);

/**
 * Points of all combinations of the options; `skipped` is always empty. Points that differ only in routing, capacity or phase
 * (dispatch, combine, pair) follow each other. Combining alone is measured in bfloat16 only, whatever data types are requested.
 * @throws Refusal for a combination that the ranks cannot run
 */
function points({ words, dtypes, ...input }: WorkInput): Pick<RunPlan, 'points' | 'skipped'> {
  const ranks = Math.min(...setSizes(input));
  const sources = splitWords(words.routing ?? '').map(routingSource);
  const made: PointPlan[] = [];
  const types = dtypes.filter(isMoeDtype);
  const [first] = types;
  for (const dtype of types)
    for (const hidden of counts(words.hidden))
      for (const topK of counts(words.topk)) {
        const variants = splitWords(words.capacity ?? '').flatMap((one) =>
          phases(words.phase ?? '')
            // Outputs are combined as bfloat16, whatever data type the tokens are dispatched in, so a combine is measured once.
            .filter((phase) => phase !== 'combine' || dtype === first)
            .map(
              (phase): MoeSettings => ({
                ...{ phase, hidden, topK, capacity: capacity(one) },
                dtype: phase === 'combine' ? combinedDtype : dtype,
              }),
            ),
        );
        for (const experts of counts(words.experts))
          for (const tokens of counts(words.tokens))
            for (const source of sources.filter((one) => !isFile(one)) as RoutingPattern[])
              for (const settings of variants) {
                for (const size of setSizes(input)) requireShape(source, experts, topK, size);
                made.push(patternPoint(source, settings, experts, tokens, ranks));
              }
        for (const source of sources.filter(isFile))
          for (const settings of variants) {
            for (const size of setSizes(input)) requireShape(source, expertsIn(source), topK, size);
            made.push(filePoint(source, settings));
          }
      }
  return { points: made, skipped: [] };
}

/**
 * The point with the same routing pattern for another number of ranks; a point with a routing from a file is returned unchanged.
 * @throws Refusal if that number of ranks cannot share the experts equally
 */
function pointFor(point: PointPlan, ranks: number): PointPlan {
  const axes = moeAxes.parse(point.axes);
  const pattern = parseTrafficPattern(axes.routing);
  if (pattern === null || typeof pattern === 'string' || !isRouting(pattern)) return point;
  requireShape(pattern, axes.experts, axes.topK, ranks);
  return { ...point, ...patternPoint(pattern, axes, axes.experts, axes.tokens, ranks) };
}

/**
 * If all routings come from files, checks that each typed value of --tokens and --experts is the number of one of the files. If any
 * routing is computed, nothing is checked, because the options then apply to the computed routing.
 * @throws Refusal if a typed number is in none of the files
 */
function requireAsFilesState({ words }: PlanOptions, parsed: ParsedOptions<string>): void {
  const sources = splitWords(words.routing ?? '').map(routingSource);
  const files = sources.filter(isFile);
  if (files.length < sources.length) return;
  const stated = {
    tokens: files.flatMap((file) => counts(words.topk).map((topK) => tokensIn(file, topK))),
    experts: files.map(expertsIn),
  };
  for (const option of ['tokens', 'experts'] as const) {
    const typed = parsed.typed(option);
    const has = [...new Set(stated[option])];
    if (typed === undefined || counts(typed.text).every((one) => has.includes(one))) continue;
    const names = files.map(({ name }) => nameInValue(name));
    throw refuse('moe-file-states', { where: typed.where, text: typed.text, option, names, has });
  }
}

/**
 * Checks the options, and completes them in `options` itself. Data types must be those that moe has, by default bfloat16. --seed
 * applies to routings that draw random numbers and name no seed, and becomes part of their names.
 * @throws Refusal if the user typed a data type that moe does not have, or that --phase combine does not use, or a number of tokens
 * or experts that none of the routing files has
 */
function requireMoe(options: PlanOptions, parsed: ParsedOptions<string>): void {
  const typed = parsed.get('dtype');
  const isAll = typed?.text.toLowerCase().split(',').includes('all') === true;
  // This check runs a second time on the options that it has changed, without the texts that the user typed.
  if (typed === undefined && !options.dtype.some(isMoeDtype)) options.dtype = ['bfloat16'];
  if (isAll) options.dtype = [...moeDtypes];
  const other = options.dtype.find((dtype) => !isMoeDtype(dtype));
  if (other !== undefined)
    throw refuse('workload-lacks-dtype', {
      ...{ where: parsed.where('dtype'), word: other, command: moe.name, has: moeDtypes },
    });
  options.dtype = options.dtype.filter(isMoeDtype);
  const unused = options.dtype.find((dtype) => dtype !== combinedDtype);
  if (typed !== undefined && unused !== undefined && options.words.phase?.toLowerCase() === 'combine')
    throw refuse('moe-combined', { where: parsed.where('dtype'), word: unused, has: combinedDtype });
  requireAsFilesState(options, parsed);
  const seed = parsed.has('seed') ? options.seed : null;
  options.words.routing = splitWords(options.words.routing ?? '')
    .map((word) => {
      const source = routingSource(word);
      return isFile(source) ? word : nameWithSeed(source, word, seed);
    })
    .join(',');
}

/** Bytes that all ranks together send to other ranks in one operation of this point, at least. */
const sentBytes = (place: PointContext): number => moe.minMovedBytes(place, '') ?? 0;

/**
 * Planning data (commands and options, points to measure, estimates of bytes and time) of the workload that measures the messages
 * of a mixture-of-experts layer: tokens to their experts (dispatch), outputs back (combine), or both in turn.
 */
export const moePlanning: WorkloadPlanning = {
  row: moe,
  needs: ['messages', 'computations'],
  commands: [
    {
      name: 'moe',
      summary: 'tokens to the ranks of their experts (dispatch), and the outputs back (combine)',
    },
  ],
  options: {
    tokens: {
      ...countOption(1, maxTokens),
      describe: 'Tokens of each rank.',
      example: '--tokens 64,256',
      default: '32,128,512',
    },
    routing: {
      value: 'LIST',
      describe:
        'Experts that tokens go to: uniform, zipf:S (experts by popularity, exponent S), hot:K (all tokens to K experts), or a file with tokens per rank and expert. --seed draws which experts are popular.',
      allowed: 'uniform, zipf:S, hot:K, FILE; several with commas between',
      choices: ['uniform', 'zipf:1.2', 'hot:4'],
      example: '--routing uniform,zipf:1.2',
      default: 'uniform',
      coerce: keepText(parseEach(routingSource)),
    },
    phase: {
      ...wordListOption(moePhases),
      describe:
        'dispatch: tokens to experts. combine: outputs back and added up. pair: both, one after the other.',
      example: '--phase pair',
      default: 'dispatch,combine',
    },
    experts: {
      ...countOption(1, maxExperts),
      describe: 'Experts of all ranks together; a multiple of the ranks.',
      example: '--experts 64',
      default: '32',
    },
    topk: {
      ...countOption(1, 64),
      describe: 'Experts that each token goes to.',
      example: '--topk 8',
      default: '4',
    },
    hidden: {
      value: 'LIST',
      describe: 'Elements of a token.',
      allowed: `multiples of 8 from 8 to ${maxHidden}, with commas between`,
      example: '--hidden 7168',
      default: '2048',
      coerce: keepText(parseEach(hiddenSize)),
    },
    capacity: {
      value: 'LIST',
      describe:
        'Tokens that an expert takes of each rank: dropless (all), or a factor of its fair share. Tokens above it are not sent.',
      allowed: 'dropless, or factors such as 1.25; several with commas between',
      choices: [dropless, '1', '1.25'],
      example: '--capacity dropless,1.25',
      default: dropless,
      coerce: keepText(parseEach(capacity)),
    },
  },
  unusedOptions: ['op', 'root', 'inPlace', 'min', 'max', 'factor', 'step', 'sizes'],
  requirePlannable: (_command, options, parsed) => requireMoe(options, parsed),
  points,
  pointFor,
  words({ axes }) {
    const one = moeAxes.parse(axes);
    return [
      ...['moe', '--phase', one.phase, '--routing', nameInValue(one.routing), '--tokens', String(one.tokens)],
      ...['--experts', String(one.experts), '--topk', String(one.topK), '--hidden', String(one.hidden)],
      ...['--capacity', one.capacity, '--dtype', one.dtype],
    ];
  },
  explainableWords: (place) => alltoallWords(moe.payloadBytes(place) / place.ranks),
  refuses: () => null,
  isReducing: () => true,
  checkedRanks: ({ ranks }) => ranks,
  // Buffers for sent rows, for received rows, and for the tokens themselves.
  bufferBytes: (place) => 3 * moe.payloadBytes(place),
  // Besides the sent bytes, rows are copied into the send buffer, and outputs are added up.
  wireBytes: (place) => sentBytes(place) + 2 * moe.payloadBytes(place),
  linkBytes: (place) => sentBytes(place) / Math.max(1, place.ranks),
  fixedNs: () => 0,
};
