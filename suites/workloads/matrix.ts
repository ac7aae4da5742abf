import { refuse } from '../../results/refusals/refusal.ts';
import {
  collectives,
  type DtypeName,
  dtypeBytes,
  matrixAxes,
  matrixWorkload,
  nameInValue,
  type PointPlan,
  parseTrafficPattern,
  type RunPlan,
  setSizes,
  type TrafficMatrix,
  type TrafficPattern,
  trafficMatrix,
  trafficPatternName,
  trafficPorts,
  trafficScript,
  trafficSums,
} from '../../results/schema/index.ts';
import { sizeFlag } from '../../results/units.ts';
import { type MatrixFile, maxMatrixRanks, readMatrixFile } from '../matrix/file.ts';
import { alltoallWords, nameWithSeed } from '../matrix/words.ts';
import type { ParsedPlanOptions, PlanOptions } from '../options/plan-options.ts';
import { keepText, parseEach, splitWords, ValueError } from '../options/values.ts';
import type { WorkInput } from '../plan-input.ts';
import { generateSizes, planSizes } from '../sizes.ts';
import { collectivePlanning } from './collective.ts';
import type { WorkloadPlanning } from './planning.ts';

const collective = 'alltoallv';

/** Value of --matrix that stands for alltoallv without a matrix. Its points belong to the workload `collective`. */
const uneven = 'uneven';

/** Options about message sizes. A matrix from a file ignores them, because it contains its own sizes. */
const sizeOptions = ['sizes', 'min', 'max', 'factor', 'step'] as const;

type MatrixSource = typeof uneven | TrafficPattern | MatrixFile;

/**
 * Parses one value of --matrix: "uneven", a pattern such as "zipf:1.2", or otherwise the name of a file.
 * @throws ValueError if a pattern has a wrong parameter, or the file cannot be read or contains no matrix
 */
function matrixSource(word: string): MatrixSource {
  if (word.toLowerCase() === uneven) return uneven;
  const pattern = parseTrafficPattern(word.toLowerCase());
  if (typeof pattern === 'string') throw new ValueError(pattern);
  return pattern ?? readMatrixFile(word);
}

const isFile = (source: MatrixSource): source is MatrixFile =>
  typeof source === 'object' && 'matrix' in source;

const sourcesOf = (text: string): MatrixSource[] => splitWords(text).map(matrixSource);

/**
 * Makes the point of a computed matrix.
 * @param bytes mean number of bytes that a rank sends; whole elements of `dtype` for each pair
 */
function patternPoint(pattern: TrafficPattern, dtype: DtypeName, bytes: number, ranks: number): PointPlan {
  const matrix = trafficMatrix(pattern, ranks, bytes / dtypeBytes[dtype]);
  const axes = matrixAxes.parse({
    ...{ collective, matrix: trafficPatternName(pattern), dtype, bytes },
    ...{ busiestBytes: null, sentBytes: null, receivers: null },
  });
  return { workload: matrixWorkload.name, axes, script: trafficScript(matrix) };
}

/** Makes the point of a matrix from a file. @throws Refusal if an entry is not a whole number of elements of the data type */
function filePoint({ name, matrix }: MatrixFile, dtype: DtypeName): PointPlan {
  const width = dtypeBytes[dtype];
  const elements: TrafficMatrix = matrix.map((row, rank) =>
    row.map((bytes, peer) => {
      if (bytes % width === 0) return bytes / width;
      throw refuse('matrix-entry', { name: nameInValue(name), bytes, rank, peer, dtype, width });
    }),
  );
  const { total, busiest, sent, receivers } = trafficSums(matrix);
  const axes = matrixAxes.parse({
    ...{ collective, matrix: name, dtype, bytes: Math.floor(total / matrix.length) },
    ...{ busiestBytes: busiest, sentBytes: sent, receivers },
  });
  return { workload: matrixWorkload.name, axes, script: trafficScript(elements) };
}

/**
 * Checks that the matrix can be used with this number of ranks.
 * @throws Refusal if a matrix from a file has another number of rows, there are more than `maxMatrixRanks` ranks, or a pattern has
 * more hot ranks than there are ranks
 */
function requireRanks(source: MatrixSource, ranks: number): void {
  if (source === uneven) return;
  if (isFile(source)) {
    if (source.matrix.length === ranks) return;
    throw refuse('matrix-ranks', { name: nameInValue(source.name), has: source.matrix.length, ranks });
  }
  if (ranks > maxMatrixRanks) throw refuse('matrix-too-large', { ranks, most: maxMatrixRanks });
  if (source.kind !== 'hot' || source.hotRanks <= ranks) return;
  throw refuse('matrix-hot-ranks', { hotRanks: source.hotRanks, ranks });
}

function points(input: WorkInput): Pick<RunPlan, 'points' | 'skipped'> {
  const sources = sourcesOf(input.words.matrix ?? uneven);
  for (const source of sources) for (const ranks of setSizes(input)) requireRanks(source, ranks);
  const ranks = Math.min(...setSizes(input));
  const made: PointPlan[] = [];
  const skipped: RunPlan['skipped'] = [];
  if (sources.includes(uneven)) {
    const plain = collectivePlanning.points(input);
    made.push(...plain.points);
    skipped.push(...plain.skipped);
  }
  const patterns = sources.filter((source) => source !== uneven && !isFile(source)) as TrafficPattern[];
  for (const dtype of input.dtypes) {
    const shape = collectives[collective];
    const sizes = planSizes(shape, dtype, ranks, generateSizes(input.sizes, dtypeBytes[dtype]));
    if (patterns.length > 0 && !sources.includes(uneven))
      skipped.push(...sizes.skipped.map((size) => ({ what: collective, ...size })));
    for (const { requestedBytes, payloadBytes } of sizes.points)
      for (const pattern of patterns)
        made.push({ ...patternPoint(pattern, dtype, payloadBytes, ranks), requestedX: requestedBytes });
    made.push(...sources.filter(isFile).map((file) => filePoint(file, dtype)));
  }
  return { points: made, skipped };
}

/**
 * The point with the same matrix pattern for another number of ranks; the requested size is rounded to whole elements for this
 * number of ranks. A point with a matrix from a file is returned unchanged.
 */
function pointFor(point: PointPlan, ranks: number): PointPlan {
  const { matrix, dtype, bytes } = matrixAxes.parse(point.axes);
  const pattern = parseTrafficPattern(matrix);
  if (pattern === null || typeof pattern === 'string') return point;
  const [size] = planSizes(collectives[collective], dtype, ranks, [point.requestedX ?? bytes]).points;
  if (size === undefined) return point;
  return { ...point, ...patternPoint(pattern, dtype, size.payloadBytes, ranks) };
}

/**
 * Checks the options. A --seed on the command line applies to patterns that draw random numbers and name no seed; the seed becomes
 * part of their names in `options.words`, so that results of different seeds have different names.
 * @throws Refusal if the user typed sizes, but all matrices come from files
 */
function requireMatrix(options: PlanOptions, parsed: ParsedPlanOptions): void {
  const words = splitWords(options.words.matrix ?? uneven);
  const sources = words.map(matrixSource);
  const typed = sizeOptions.map((option) => parsed.typed(option)).find((option) => option !== undefined);
  if (typed !== undefined && sources.length > 0 && sources.every(isFile))
    throw refuse('matrix-states-sizes', { where: typed.where });
  // This check runs a second time on the names that it has changed, without the texts that the user typed.
  const seed = parsed.has('seed') ? options.seed : null;
  options.words.matrix = words
    .map((word, at) => {
      const source = sources[at];
      if (source === undefined || source === uneven || isFile(source)) return word;
      return nameWithSeed(source, word, seed);
    })
    .join(',');
}

/**
 * Planning data (commands and options, points to measure, estimates of bytes and time) of alltoallv with a traffic matrix. This
 * workload owns the command alltoallv; without --matrix its points are those of the workload `collective`.
 */
export const matrixPlanning: WorkloadPlanning = {
  ...collectivePlanning,
  row: matrixWorkload,
  commands: [{ name: collective, summary: collectives[collective].summary }],
  options: {
    matrix: {
      value: 'LIST',
      describe:
        'Bytes from each rank to each: uneven (parts from half to one and a half of the mean), uniform, zipf:S (receivers by popularity, exponent S), hot:K (K ranks receive all), diagonal (all to the next rank), or a file. --seed draws which ranks are popular.',
      allowed: 'uneven, uniform, zipf:S, hot:K, diagonal, FILE, nccl-tests:FILE; several with commas between',
      choices: [uneven, 'uniform', 'zipf:1.2', 'hot:1', 'diagonal'],
      example: '--matrix uniform,zipf:1.2 --sizes 64K',
      default: uneven,
      coerce: keepText(parseEach(matrixSource)),
    },
  },
  requirePlannable(command, options, parsed, ranks) {
    collectivePlanning.requirePlannable?.(command, options, parsed, ranks);
    requireMatrix(options, parsed);
  },
  points,
  pointFor,
  words({ axes, requestedX }) {
    const { matrix, dtype, bytes } = matrixAxes.parse(axes);
    const size = parseTrafficPattern(matrix) === null ? [] : ['--sizes', sizeFlag(requestedX ?? bytes)];
    return [collective, '--matrix', nameInValue(matrix), ...size, '--dtype', dtype];
  },
  explainableWords: ({ axes }) => alltoallWords(matrixAxes.parse(axes).bytes),
  checkedRanks: (place) => trafficPorts(place).receivers,
  bufferBytes: ({ axes, ranks }) => 2 * ranks * matrixAxes.parse(axes).bytes,
  wireBytes(place) {
    const { bytes } = matrixAxes.parse(place.axes);
    return trafficPorts(place).sent + (place.ranks === 1 ? (bytes * 1.8) / 4 : 0);
  },
  linkBytes: (place) => Math.max(matrixAxes.parse(place.axes).bytes, trafficPorts(place).busiest),
};
