import { fieldsOf, isFields, type RecordFields } from '../../collections.ts';
import { ImportError } from '../imported-output.ts';
import type { ImportSource } from '../source.ts';
import { c10dCall, ncclCall, type TraceCall } from './calls.ts';
import { type CommunicatorGroups, listedGroups } from './groups.ts';
import type { OrderedCall, OrderedTrace } from './ordered.ts';

/**
 * True for execution traces of PyTorch (ExecutionTraceObserver, Chakra's host traces): the collectives of one process in their
 * order, without times.
 */
export const isExecutionTrace = ({ records: [first] }: ImportSource): boolean =>
  isFields(first) && Array.isArray(first.nodes) && /chakra|^\d+\.\d+\.\d+$/.test(String(first.schema));

type ExecutionCall = OrderedCall & Pick<TraceCall, 'isReceive'>;

const noSpan = { startUs: 0, endUs: 0, durUs: 0 };

/**
 * Returns the collectives and sends of a PyTorch execution trace in the order of its node ids, for replay.
 * @throws ImportError if the trace has no collectives, does not list its process groups, or has calls of Gloo although some groups
 * have fewer than all ranks
 */
export function executionCalls({ records: [first] }: ImportSource): OrderedTrace {
  const nodes = (fieldsOf(first).nodes as unknown[])
    .filter(isFields)
    .sort((a, b) => Number(a.id) - Number(b.id));
  if (!nodes.some(({ name }) => name === 'record_param_comms' || /^c10d::|^nccl:/.test(String(name))))
    throw new ImportError('no job to replay: the execution trace has no collectives');
  const inits = nodes.filter((node) => node.name === '## process_group:init ##');
  const groups = listedGroups(inits.map((node) => String([fieldsOf(node.inputs).values].flat()[0])));
  if (groups === null)
    throw new ImportError('no job to replay: the execution trace does not list its process groups', [
      '  looked for: a node "## process_group:init ##" (observe from before init_process_group on)',
    ]);
  const records = nodes.filter((node) => node.name === 'record_param_comms').flatMap(recordedCall);
  const calls = records.length > 0 ? records : nodes.flatMap((node) => c10dNode(node, groups));
  return { what: 'execution trace of PyTorch', ...groups, calls, leftOut: [] };
}

const attributesOf = ({ attrs }: RecordFields): Record<string, unknown> =>
  Object.fromEntries(
    (Array.isArray(attrs) ? attrs : []).filter(isFields).map(({ name, value }) => [name, value]),
  );

function recordedCall(node: RecordFields): ExecutionCall[] {
  const has = attributesOf(node);
  const args = {
    'Collective name': has.collective_name,
    'In msg nelems': Number(has.in_msg_nelems),
    'Out msg nelems': Number(has.out_msg_nelems),
    dtype: has.dtype,
    'Process Group Name': String(has.pg_name),
  };
  const call = ncclCall({ name: node.name, args }, noSpan);
  return call === null || call.isReceive === true ? [] : [{ ...call, isBlocking: has.is_async === false }];
}

/**
 * Returns the collective or send in a node "c10d::..." (Gloo), as a list of one; empty for other nodes and for receives. Such a
 * node does not name the process group that makes the call.
 * @throws ImportError if the trace has a process group with fewer than all ranks
 */
function c10dNode(node: RecordFields, { members, ranks }: CommunicatorGroups): ExecutionCall[] {
  const name = String(node.name);
  if (!name.startsWith('c10d::')) return [];
  const { values, types } = fieldsOf(node.inputs) as { values?: unknown; types?: unknown };
  const inputs = Array.isArray(values) ? values : [];
  const typed = Array.isArray(types) ? types.map(String) : [];
  const sums = inputs.map(elementsIn);
  const type = typed.map((one) => /Tensor\(([^)]+)\)/.exec(one)?.[1]).find((one) => one !== undefined);
  const call = c10dCall(name.slice(6), type, [sums[0] ?? 0, sums[1] ?? 0], ranks);
  if (call === null || call.isReceive === true) return [];
  if ([...members.values()].some((one) => one.length !== ranks))
    throw new ImportError(
      `no job to replay: the trace has ${members.size} process groups, and of a call of Gloo it does not say which one`,
    );
  return [{ ...call, isBlocking: inputs[typed.indexOf('Bool')] === false }];
}

/**
 * Returns the number of elements of all tensors in a value of a trace. A tensor is [tensor, storage, offset, elements, bytes per
 * element, device].
 */
function elementsIn(value: unknown): number {
  if (!Array.isArray(value)) return 0;
  const isTensor = value.length === 6 && typeof value[5] === 'string';
  if (isTensor) return Number.isSafeInteger(value[3]) ? (value[3] as number) : 0;
  return value.reduce((all: number, one) => all + elementsIn(one), 0);
}
