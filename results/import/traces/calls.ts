import { lookUp } from '../../look-up.ts';
import { type CollectiveName, type DtypeName, dtypeBytes, type OperationName } from '../../schema/index.ts';
import { fieldsOf, type RecordFields } from '../source.ts';
import { rankList } from './groups.ts';
import type { TraceSpan } from './overlap.ts';

/** One collective or message as executed: a kernel on a device, or a worker's work on a host. */
export interface TraceCall extends TraceSpan {
  /** Duration as recorded, us: more exact than the difference of `startUs` and `endUs`. */
  durUs: number;
  operation: OperationName;
  dtype: DtypeName | 'unknown';
  /** Payload size S of the bandwidth formulas; null if the trace does not contain sizes. */
  payloadBytes: number | null;
  /** Elements of the vector, or of one rank's part. */
  count: number;
  /** Number of elements in the trace: the larger of input and output. */
  elements: number;
  ranks: number | null;
  /** Name of the group that took part, and its ranks; absent if the trace does not say. */
  group?: string;
  members?: readonly number[];
  /** Data type of the elements, as written; absent if the trace does not say. */
  typeName?: string;
  /** True for the receiving side of a message. */
  isReceive?: boolean;
  name: string;
}

export type TraceTimes = Pick<TraceCall, 'startUs' | 'endUs' | 'durUs'>;

/** Operations by c10d's names, reduced to lower-case letters: `_allgather_base`, `all_gather_into_tensor_coalesced`. */
const operations: Record<string, OperationName> = {
  allreduce: 'allreduce',
  allreducecoalesced: 'allreduce',
  broadcast: 'broadcast',
  reduce: 'reduce',
  allgather: 'allgather',
  allgatherbase: 'allgather',
  allgatherintotensor: 'allgather',
  allgatherintotensorcoalesced: 'allgather',
  reducescatter: 'reducescatter',
  reducescatterbase: 'reducescatter',
  reducescattertensor: 'reducescatter',
  reducescattertensorcoalesced: 'reducescatter',
  alltoall: 'alltoall',
  alltoallv: 'alltoall',
  alltoallbase: 'alltoall',
  alltoallsingle: 'alltoall',
  gather: 'gather',
  scatter: 'scatter',
  send: 'send',
  recv: 'send',
};

/** Data types of tensors: names of c10 (in records of NCCL's calls) and of C (in records of Gloo's calls). */
const dtypes: Record<string, DtypeName> = {
  Char: 'int8',
  Byte: 'uint8',
  Bool: 'uint8',
  Int: 'int32',
  Long: 'int64',
  Half: 'float16',
  BFloat16: 'bfloat16',
  Float: 'float32',
  Double: 'float64',
  ...{ Float8_e4m3fn: 'float8e4m3', Float8_e4m3fnuz: 'float8e4m3' },
  ...{ Float8_e5m2: 'float8e5m2', Float8_e5m2fnuz: 'float8e5m2' },
  'signed char': 'int8',
  'unsigned char': 'uint8',
  int: 'int32',
  'long int': 'int64',
  long: 'int64',
  bool: 'uint8',
  'c10::Half': 'float16',
  'c10::BFloat16': 'bfloat16',
  float: 'float32',
  double: 'float64',
  ...{ 'c10::Float8_e4m3fn': 'float8e4m3', 'c10::Float8_e5m2': 'float8e5m2' },
};

/** Name pattern of NCCL's kernels, used if the profiler recorded no more: ncclDevKernel_AllReduce_Sum_f32_RING_LL(...). */
const kernelName = /^nccl(?:Dev|SymkDev)?Kernel_([A-Za-z]+)/;

const whole = (value: unknown): number | null =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null;

const plain = (name: string): string => name.replace(/[^a-z]/gi, '').toLowerCase();

/** True if the event is a kernel that communicates. */
export function isCommunication({ name, args }: RecordFields): boolean {
  return 'Collective name' in fieldsOf(args) || kernelName.test(String(name));
}

/**
 * The call that a kernel of NCCL belongs to; null if the kernel moves nothing that has a size.
 * @param world ranks of the job, for sizes recorded at the host's range
 */
export function ncclCall(
  event: RecordFields,
  span: TraceTimes,
  world: number | null = null,
): TraceCall | null {
  const args = fieldsOf(event.args);
  const name = String(event.name);
  const words = [args['Collective name'], args.range, kernelName.exec(name)?.[1]].map((one) =>
    String(one ?? ''),
  );
  const word = words.find((one) => lookUp(operations, plain(one)) !== undefined) ?? '';
  const operation = lookUp(operations, plain(word));
  if (operation === undefined) return null;
  const typeName = args.dtype ?? [args['Input type']].flat()[0];
  const dtype = lookUp(dtypes, String(typeName)) ?? 'unknown';
  const [sent, received] =
    'In msg nelems' in args
      ? [whole(args['In msg nelems']), whole(args['Out msg nelems'])]
      : rangeSizes(args, operation, world);
  return {
    ...span,
    ...sizesOf(operation, dtype, sent, received),
    ...(typeName === undefined ? {} : { typeName: String(typeName) }),
    operation,
    dtype,
    ranks: whole(args['Group size']),
    ...groupOf(args),
    ...(plain(word) === 'recv' ? { isReceive: true } : {}),
    name: brand(name),
  };
}

/** Number of elements sent and received, from the shape of the input; null if unknown. */
function rangeSizes(
  args: Record<string, unknown>,
  operation: OperationName,
  world: number | null,
): [number | null, number | null] {
  const sent = allElementsOf(args['Input Dims']);
  if (operation !== 'allgather' && operation !== 'gather') return [sent, sent];
  return sent === null || world === null ? [null, null] : [sent, sent * world];
}

function groupOf(args: Record<string, unknown>): Pick<TraceCall, 'group' | 'members'> {
  const members = rankList(args['Process Group Ranks']);
  const name = args['Process Group Name'];
  return {
    ...(typeof name === 'string' ? { group: name } : {}),
    ...(members === null || members.length === 0 ? {} : { members }),
  };
}

/** Algorithm and protocol in the kernel's name. Variants share kernels, so the kernel may have executed another one. */
const brand = (name: string): string => /_((?:RING|TREE|COLLNET|NVLS|PAT)\w*)/.exec(name)?.[1] ?? '';

/**
 * A call of Gloo: from the time when a worker starts the work to its end. Sizes are those of the input. In Gloo a
 * reduce-scatter is an allreduce of the whole vector.
 */
export function glooCall(event: RecordFields, span: TraceTimes, ranks: number): TraceCall | null {
  const operation = lookUp(operations, plain(String(event.name).replace(/^gloo:/, '')));
  if (operation === undefined) return null;
  const args = fieldsOf(event.args);
  const dtype = lookUp(dtypes, String([args['Input type']].flat()[0])) ?? 'unknown';
  const elements = elementsOf(args['Input Dims']);
  const received = elements !== null && operation === 'allgather' ? elements * ranks : elements;
  return { ...span, ...sizesOf(operation, dtype, elements, received), operation, dtype, ranks, name: '' };
}

/**
 * The call that an operation name of c10d stands for: `allreduce_`, `_allgather_base_`. null if the name is unknown.
 * @param type C name of the data type, as traces have it
 * @param elements elements of the first two lists of tensors; for gathers and scatters one list has all parts
 */
export function c10dCall(
  name: string,
  type: string | undefined,
  [first, second]: [number, number],
  ranks: number,
): TraceCall | null {
  const operation = lookUp(operations, plain(name));
  if (operation === undefined) return null;
  const dtype = lookUp(dtypes, type ?? '') ?? 'unknown';
  // The root is the only rank with all parts in a scatter or gather.
  const most = Math.max(
    operation === 'scatter' ? first * ranks : first,
    operation === 'gather' ? second * ranks : second,
  );
  return {
    ...{ startUs: 0, endUs: 0, durUs: 0, operation, dtype, ranks, name: '' },
    ...sizesOf(operation, dtype, most, most),
    ...(plain(name) === 'recv' ? { isReceive: true } : {}),
  };
}

/** Number of elements of the first tensor: [[330]], [[64, 3, 7, 7]]; null without a valid shape. */
function elementsOf(dims: unknown): number | null {
  const [first] = [dims].flat() as unknown[];
  if (!Array.isArray(first) || first.some((one) => whole(one) === null)) return null;
  return whole((first as number[]).reduce((all, one) => all * one, 1));
}

/** Sum of the elements of all tensors; null if any tensor has no shape. */
function allElementsOf(dims: unknown): number | null {
  const tensors = Array.isArray(dims) ? dims.map((one: unknown) => elementsOf([one])) : [];
  const isWhole = tensors.length > 0 && tensors.every((one) => one !== null);
  return isWhole ? tensors.reduce((all: number, one) => all + (one ?? 0), 0) : null;
}

/** Payload and counts of a call. NCCL counts one rank's part if ranks have parts; the payload is all parts together. */
function sizesOf(
  operation: OperationName,
  dtype: TraceCall['dtype'],
  sent: number | null,
  received: number | null,
): Pick<TraceCall, 'payloadBytes' | 'count' | 'elements'> {
  const parts: readonly CollectiveName[] = ['allgather', 'reducescatter', 'gather', 'scatter'];
  const hasParts = parts.some((one) => one === operation);
  const both = [sent, received].filter((one) => one !== null);
  if (both.length === 0) return { payloadBytes: null, count: 0, elements: 0 };
  const [least, most] = [Math.min(...both), Math.max(...both)];
  if (dtype === 'unknown') return { payloadBytes: null, count: 0, elements: most };
  const payloadBytes = whole(most * dtypeBytes[dtype]);
  return { payloadBytes, count: hasParts ? least : most, elements: most };
}
