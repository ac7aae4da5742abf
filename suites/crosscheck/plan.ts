// What both sides of a crosscheck measure: the same sizes, as many calls, one launch a round.
import { randomInt } from 'node:crypto';
import type {
  CollectiveName,
  CrosscheckOptions,
  DtypeName,
  OpName,
  RunPlan,
} from '../../results/schema/index.ts';
import { collectives, dtypeBytes } from '../../results/schema/index.ts';
import { sizeText } from '../../results/units.ts';
import { makePlan } from '../plan.ts';
import { generateSizes } from '../sizes.ts';

/** Calls whose mean is one figure, and untimed ones before; a sample of ours takes as many. */
export const iterations = 20;
const warmup = 5;
/** Pipelined samples per round; the median of them is the figure, so that a hiccup in one is none of the round. */
export const samples = 5;

/** What of an operation both sides are told: no op where nothing is reduced, no root where there is none. */
export function operationOf(
  collective: CollectiveName,
  { dtype, op }: Pick<CrosscheckOptions, 'dtype' | 'op'>,
) {
  const { reduces, rooted } = collectives[collective];
  return { collective, dtype, op: reduces ? op : null, root: rooted ? 0 : null };
}

const theirDtypes: Partial<Record<DtypeName, string>> = {
  float16: 'half',
  float32: 'float',
  float64: 'double',
  float8e4m3: 'f8e4m3',
  float8e5m2: 'f8e5m2',
};
const theirOps: Partial<Record<OpName, string>> = { premulsum: 'mulsum' };

/**
 * Arguments of nccl-tests.
 * @param threads of one process, a GPU each (`-g 1`): all GPUs are launched side by side, as our ranks do
 */
export function ncclTestsArguments(
  collective: CollectiveName,
  options: Pick<CrosscheckOptions, 'min' | 'max' | 'factor' | 'dtype' | 'op'>,
  threads: number,
  jsonFile: string | null,
): string[] {
  const { min, max, factor } = options;
  const { dtype, op, root } = operationOf(collective, options);
  return [
    ...['-b', min, '-e', max, '-f', factor, '-t', threads, '-g', 1, '-n', iterations, '-w', warmup].map(
      String,
    ),
    ...['-d', theirDtypes[dtype] ?? dtype],
    ...(op === null ? [] : ['-o', theirOps[op] ?? op]),
    ...(root === null ? [] : ['-r', String(root)]),
    ...['-c', '1'],
    ...(jsonFile === null ? [] : ['-J', jsonFile]),
  ];
}

/** A round of ours. */
export interface CrosscheckRequest {
  collective: CollectiveName;
  /** Payloads, rising. */
  sizes: readonly number[];
  dtype: DtypeName;
  op: OpName | null;
  root: number | null;
  /** From 0; every round starts new processes. */
  round: number;
}

/** Pipelined samples of as many calls as nccl-tests takes, and as many calls alone, which is what OSU takes. */
export function planFor(
  request: CrosscheckRequest,
  timeoutS: number,
  host: string,
  where: {
    engine: 'nccl' | 'mpi';
    ranks: number;
    settings: Record<string, string>;
    over: RunPlan['transports'][number];
  },
): RunPlan {
  const { collective, sizes, dtype, op, root, round } = request;
  return makePlan({
    typed: ['collbench', 'crosscheck', collective],
    command: collective,
    words: {},
    engine: where.engine,
    settings: where.settings,
    algorithm: null,
    ranks: where.ranks,
    host,
    inProcess: false,
    transports: [where.over],
    dtypes: [dtype],
    ops: op === null ? [] : [op],
    roots: root === null ? [] : [root],
    inPlace: [false],
    sizes: { kind: 'list', sizes },
    sampling: {
      launches: 1,
      warmup,
      iterations: samples * iterations,
      batch: iterations,
      check: samples * iterations,
      timeoutS,
      seed: (randomInt(2 ** 31) + round) >>> 0,
    },
  });
}

type CrosscheckSizeOptions = Pick<CrosscheckOptions, 'min' | 'max' | 'factor' | 'dtype'>;

export interface CrosscheckSizes {
  /** Payloads, rising. */
  sizes: number[];
  /** Asked for and not compared, with the reason. */
  skipped: { requestedBytes: number; reason: string }[];
}

/** nccl-tests gives each rank whole multiples of so many bytes where a collective moves one part per rank. */
const grainBytes = 16;

/** Our payload of one of their rows: NCCL's count argument means the same on both sides, their size column does not. */
export const payloadOfCount = (
  collective: CollectiveName,
  count: number,
  asked: CrosscheckSizeOptions,
  ranks: number,
) => count * dtypeBytes[asked.dtype] * collectives[collective].parts(ranks);

/** The sizes of the sweep as nccl-tests rounds them: only what both measure can be compared. */
export function crosscheckSizes(
  collective: CollectiveName,
  asked: CrosscheckSizeOptions,
  ranks: number,
): CrosscheckSizes {
  const { min, max, factor, dtype } = asked;
  const elementBytes = dtypeBytes[dtype];
  const parts = collectives[collective].parts(ranks);
  const found: CrosscheckSizes = { sizes: [], skipped: [] };
  for (const requestedBytes of generateSizes({ kind: 'factor', min, max, factor }, elementBytes)) {
    const partBytes = Math.floor(requestedBytes / (grainBytes * ranks)) * grainBytes;
    const bytes = parts === 1 ? Math.floor(requestedBytes / elementBytes) * elementBytes : partBytes * parts;
    if (bytes === 0) {
      const reason = `nccl-tests rounds it to nothing on ${ranks} ranks`;
      found.skipped.push({ requestedBytes, reason });
    } else if (found.sizes.includes(bytes)) {
      found.skipped.push({ requestedBytes, reason: `nccl-tests rounds it to ${sizeText(bytes)}` });
    } else {
      found.sizes.push(bytes);
    }
  }
  return found;
}
