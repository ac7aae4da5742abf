// The plan of both sides of a crosscheck: the same sizes, the same number of calls, one launch per round.
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
import type { PlanInput } from '../plan-input.ts';
import { generateSizes } from '../sizes.ts';

/**
 * Number of calls that one sample of collbench times together. nccl-tests also times so many calls together (-n); OSU times
 * `samples` times as many.
 */
export const callsPerSample = 20;
/** Number of untimed calls before the timed calls, for nccl-tests (-w) and collbench. */
const warmup = 5;
/**
 * Number of pipelined samples of collbench per round. The round's result is their median, so one disturbed sample does not affect
 * it.
 */
export const samples = 5;

/**
 * The collective operation that collbench and the other benchmark both run. `op` is null if the collective reduces nothing; `root`
 * is 0, or null if the collective has no root.
 */
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
 * Arguments of the nccl-tests program, each option and each value as a word of its own.
 * @param threads number of threads of the one process, each with one GPU (`-g 1`). All GPUs then start at the same time, as
 * collbench's ranks do.
 * @param jsonFile file to which nccl-tests writes its results; null = no file
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
    ...['-b', min, '-e', max, '-f', factor, '-t', threads, '-g', 1, '-n', callsPerSample, '-w', warmup].map(
      String,
    ),
    ...['-d', theirDtypes[dtype] ?? dtype],
    ...(op === null ? [] : ['-o', theirOps[op] ?? op]),
    ...(root === null ? [] : ['-r', String(root)]),
    ...['-c', '1'],
    ...(jsonFile === null ? [] : ['-J', jsonFile]),
  ];
}

/**
 * The operations that collbench measures in one round of a crosscheck. nccl-tests or OSU measures the same operations before or
 * after.
 */
export interface CrosscheckRequest {
  collective: CollectiveName;
  /** Payload sizes in bytes, ascending. */
  sizes: readonly number[];
  dtype: DtypeName;
  op: OpName | null;
  root: number | null;
  /** Number of the round, from 0; every round starts new processes. */
  round: number;
}

/**
 * The plan that collbench measures in one round of a crosscheck: one launch, with a new seed. A pipelined sample has as many calls
 * as nccl-tests averages; the number of isolated calls is the number that OSU averages.
 * @param timeoutS seconds without progress after which a block counts as hung
 * @param where engine, ranks, hosts and engine settings; `over` is the only transport
 */
export function planFor(
  request: CrosscheckRequest,
  timeoutS: number,
  {
    over,
    ...where
  }: Pick<PlanInput, 'ranks' | 'host' | 'hosts' | 'launcher'> & {
    engine: 'nccl' | 'mpi';
    settings: Record<string, string>;
    over: RunPlan['transports'][number];
  },
): RunPlan {
  const { collective, sizes, dtype, op, root, round } = request;
  return makePlan({
    typed: ['collbench', 'crosscheck', collective],
    command: collective,
    words: {},
    ...where,
    algorithm: null,
    inProcess: false,
    transports: [over],
    dtypes: [dtype],
    ops: op === null ? [] : [op],
    roots: root === null ? [] : [root],
    inPlace: [false],
    sizes: { kind: 'list', sizes },
    sampling: {
      launches: 1,
      warmup,
      iterations: samples * callsPerSample,
      batch: callsPerSample,
      check: samples * callsPerSample,
      timeoutS,
      seed: (randomInt(2 ** 31) + round) >>> 0,
    },
  });
}

type CrosscheckSizeOptions = Pick<CrosscheckOptions, 'min' | 'max' | 'factor' | 'dtype'>;

export interface CrosscheckSizes {
  /** Payload sizes in bytes, ascending. */
  sizes: number[];
  /** Sizes that are left out of the comparison, with the reason. In bytes as requested; of OSU, as in OSU's size column. */
  skipped: { requestedBytes: number; reason: string }[];
}

/** Number of bytes to whose multiples nccl-tests rounds each rank's data down, if the payload has one share per rank. */
const grainBytes = 16;

/**
 * collbench's payload in bytes for a row of nccl-tests' output, computed from the row's count column. The count means the same in
 * both programs (NCCL's count argument); the size column does not.
 * @param count number of elements, as printed by nccl-tests
 */
export const payloadOfCount = (
  collective: CollectiveName,
  count: number,
  options: CrosscheckSizeOptions,
  ranks: number,
) => count * dtypeBytes[options.dtype] * collectives[collective].parts(ranks);

/**
 * Sizes from `min` to `max`, rounded down as nccl-tests rounds them, as payload in bytes. `skipped` has the sizes that become 0 or
 * equal to an earlier size, with the reason. Only sizes that both programs measure can be compared.
 */
export function crosscheckSizes(
  collective: CollectiveName,
  options: CrosscheckSizeOptions,
  ranks: number,
): CrosscheckSizes {
  const { min, max, factor, dtype } = options;
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
