import { fieldsOf, lookUp, type RecordFields } from '../../collections.ts';
import { type CollectiveName, type DtypeName, dtypeBytes, type OperationName } from '../../schema/index.ts';
import { rankList } from './groups.ts';
import type { TraceSpan } from './overlap.ts';

/**
 * One collective or message as executed: a kernel on a device, or the work of a Gloo thread on the host; times in us. `ranks`:
 * number of ranks that take part, null if not known. `name`: algorithm and protocol, "" if not known.
 */
export interface TraceCall extends TraceSpan {
  /** Duration as stated in the trace, us. It is more exact than `endUs` minus `startUs`. */
  durUs: number;
  operation: OperationName;
  dtype: DtypeName | 'unknown';
  /** Payload in bytes as in the bandwidth formulas (S); null if the trace does not contain sizes. */
  payloadBytes: number | null;
  /** Number of elements of the vector, or of one rank's part. */
  count: number;
  /** Number of elements stated in the trace: that of the input or of the output, whichever is larger; 0 if not stated. */
  elements: number;
  ranks: number | null;
  /** Name of the process group whose ranks take part; absent if the trace does not name it. `members`: their ranks, if listed. */
  group?: string;
  members?: readonly number[];
  /** Data type as the trace names it; absent if the trace does not say. */
  typeName?: string;
  /** True if the call is the receiving side of a point-to-point message. */
  isReceive?: boolean;
  name: string;
}

export type TraceTimes = Pick<TraceCall, 'startUs' | 'endUs' | 'durUs'>;

/**
 * Operations by their names in PyTorch's c10d (`_allgather_base`, `all_gather_into_tensor_coalesced`), written in lower case and
 * without other characters than letters.
 */
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

/** Data types by their names in traces: those of c10 (for NCCL's calls) and of C (for Gloo's calls). */
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

/**
 * Matches NCCL's kernel names, ncclDevKernel_AllReduce_Sum_f32_RING_LL(...). They are used if the profiler recorded nothing else.
 */
const kernelName = /^nccl(?:Dev|SymkDev)?Kernel_([A-Za-z]+)/;

const whole = (value: unknown): number | null =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null;

const plain = (name: string): string => name.replace(/[^a-z]/gi, '').toLowerCase();

/** True if the event of a kernel is of NCCL and runs a collective or a message. It is not checked that the event is of a kernel. */
export function isCommunication({ name, args }: RecordFields): boolean {
  return 'Collective name' in fieldsOf(args) || kernelName.test(String(name));
}

/**
 * Returns the collective or message that a kernel of NCCL in a trace executes; null if its operation is not known.
 * @param event the kernel's event
 * @param span times of the kernel
 * @param world number of ranks of the job, used for sizes if the trace has only the size of one rank's input; null = not known
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

/**
 * Returns [sent, received]: the numbers of elements of a collective's input and output, computed from the shape at the host's range;
 * null if not known. For allgather and gather the shape is that of one rank's part. For scatter, too: PyTorch states the output as
 * the input there. For reducescatter and all other operations it is that of the whole input.
 * @param world number of ranks of the job; null = not known
 */
function rangeSizes(
  args: Record<string, unknown>,
  operation: OperationName,
  world: number | null,
): [number | null, number | null] {
  const stated = allElementsOf(args['Input Dims']);
  const all = stated === null || world === null ? null : stated * world;
  if (operation === 'allgather' || operation === 'gather') return all === null ? [null, null] : [stated, all];
  if (operation === 'scatter') return all === null ? [null, null] : [all, stated];
  if (operation !== 'reducescatter') return [stated, stated];
  return [stated, stated === null || world === null ? null : whole(stated / world)];
}

function groupOf(args: Record<string, unknown>): Pick<TraceCall, 'group' | 'members'> {
  const members = rankList(args['Process Group Ranks']);
  const name = args['Process Group Name'];
  return {
    ...(typeof name === 'string' ? { group: name } : {}),
    ...(members === null || members.length === 0 ? {} : { members }),
  };
}

/**
 * Returns algorithm and protocol in a kernel's name, "RING_LL"; "" if the name has none. They may be wrong, because one kernel
 * serves several variants.
 */
const brand = (name: string): string => /_((?:RING|TREE|COLLNET|NVLS|PAT)\w*)/.exec(name)?.[1] ?? '';

/**
 * Returns a call of Gloo, from the time when a thread starts the work to its end; null if its operation is not known. Sizes are
 * computed from the first tensor of the input, which is one rank's part in gathers and scatters. Gloo runs a reduce-scatter as an
 * allreduce of the whole vector.
 * @param span time from the start of the work to its end
 * @param ranks number of ranks of the job
 */
export function glooCall(event: RecordFields, span: TraceTimes, ranks: number): TraceCall | null {
  const operation = lookUp(operations, plain(String(event.name).replace(/^gloo:/, '')));
  if (operation === undefined) return null;
  const args = fieldsOf(event.args);
  const dtype = lookUp(dtypes, String([args['Input type']].flat()[0])) ?? 'unknown';
  const elements = elementsOf(args['Input Dims']);
  const isPart = operation === 'allgather' || operation === 'gather' || operation === 'scatter';
  const all = elements !== null && isPart ? elements * ranks : elements;
  return { ...span, ...sizesOf(operation, dtype, elements, all), operation, dtype, ranks, name: '' };
}

/**
 * Returns the call for an operation name of PyTorch's c10d (`allreduce_`, `_allgather_base`), with times 0; null if the name is
 * unknown.
 * @param type C name of the data type, as traces have it
 * @param elements numbers of elements in the first two arguments of the call (tensors or lists of them); for gathers and scatters
 * one of them has the parts of all ranks
 * @param ranks number of ranks that make the call
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
  // In a scatter or gather only the root has all parts, so its size is computed from one rank's part.
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

/** Returns the number of elements of the first tensor, from its shape: [[330]], [[64, 3, 7, 7]]. Null without a valid shape. */
function elementsOf(dims: unknown): number | null {
  const [first] = [dims].flat() as unknown[];
  if (!Array.isArray(first) || first.some((one) => whole(one) === null)) return null;
  return whole((first as number[]).reduce((all, one) => all * one, 1));
}

/** Returns the number of elements of all tensors together; null if there is no tensor, or one has no valid shape. */
function allElementsOf(dims: unknown): number | null {
  const tensors = Array.isArray(dims) ? dims.map((one: unknown) => elementsOf([one])) : [];
  const isWhole = tensors.length > 0 && tensors.every((one) => one !== null);
  return isWhole ? tensors.reduce((all: number, one) => all + (one ?? 0), 0) : null;
}

/**
 * Returns payload (bytes) and numbers of elements of a call. `elements` is the higher one of `sent` and `received`; one of them is
 * enough, and without both it is 0. `count` is the same number, or the lower one if each rank has a part, as in allgather; if one is
 * not known, it is the other. The payload is the bytes of `elements`. If data type or elements are not known, the payload is null
 * and `count` 0.
 * @param sent elements of the input; null = not known
 * @param received elements of the output; null = not known
 */
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
