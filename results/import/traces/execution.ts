import { periodOf } from '../../record/steps.ts';
import { collectiveNames, type Job, type JobItem } from '../../schema/index.ts';
import { ImportError } from '../found.ts';
import { type Fields, fieldsOf, isFields, type Source } from '../source.ts';
import { type Call, c10dCall, ncclCall } from './calls.ts';
import { isJobGroup, layoutOf, rankList } from './groups.ts';

/**
 * Execution traces of PyTorch (ExecutionTraceObserver, Chakra's host traces): collectives of one process in their order, without
 * times.
 */
export const isExecutionTrace = ({ records: [first] }: Source): boolean =>
  isFields(first) && Array.isArray(first.nodes) && /chakra/.test(String(first.schema));

interface Groups {
  ranks: number;
  /** By name; of all ranks where the trace lists none. */
  members: ReadonlyMap<string, readonly number[]>;
}

type Issued = Call & { isBlocking: boolean };

const noSpan = { startUs: 0, endUs: 0, durUs: 0 };

/** @throws ImportError what the trace lacks for a job */
export function jobOfExecution({ records: [first] }: Source, name: string): Job {
  const nodes = (fieldsOf(first).nodes as unknown[])
    .filter(isFields)
    .sort((a, b) => Number(a.id) - Number(b.id));
  const groups = groupsIn(nodes);
  if (groups === null)
    throw new ImportError('no job to replay: the execution trace does not list its process groups', [
      '  looked for: a node "## process_group:init ##" (observe from before init_process_group on)',
    ]);
  const records = nodes.filter((node) => node.name === 'record_param_comms').flatMap(recordedCall);
  const calls = records.length > 0 ? records : nodes.flatMap((node) => c10dNode(node, groups));
  if (calls.length === 0) throw new ImportError('no job to replay: the execution trace has no collectives');
  const items = calls.map((call) => itemOf(call, groups));
  const known = items.filter((item) => item !== null);
  if (known.length === 0)
    throw new ImportError('no job to replay: no collective has a size, a type and a group');
  const period = periodOf(known.map(({ item }) => JSON.stringify(item)));
  const step = period === null ? known : known.slice(period.from, period.from + period.length);
  const of = period === null ? 'all of its calls' : `one of ${period.count} steps`;
  const left = items.length - known.length;
  return {
    type: 'job',
    schemaVersion: 1,
    name,
    source: `execution trace of PyTorch, ${of}, without times${left > 0 ? `; ${left} calls left out` : ''}`,
    ranks: groups.ranks,
    hasTimes: false,
    stepNs: null,
    items: [
      ...step.flatMap(({ item, isBlocking }): JobItem[] => (isBlocking ? [item, { do: 'wait' }] : [item])),
      { do: 'wait' },
    ],
  };
}

function groupsIn(nodes: readonly Fields[]): Groups | null {
  const inits = nodes.filter((node) => node.name === '## process_group:init ##');
  const listed = inits.flatMap((node): Fields[] => {
    const [text] = [fieldsOf(node.inputs).values].flat();
    try {
      const list: unknown = JSON.parse(String(text));
      return Array.isArray(list) ? list.filter(isFields) : [];
    } catch {
      return [];
    }
  });
  const sizes = listed.map(({ group_size: size, ranks }) =>
    Math.max(Number(size) || 0, rankList(ranks)?.length ?? 0),
  );
  const ranks = Math.max(0, ...sizes);
  if (ranks < 2) return null;
  const all = Array.from({ length: ranks }, (_, rank) => rank);
  const members = listed.map(({ pg_name: pg, ranks: own }): [string, readonly number[]] => {
    const list = rankList(own) ?? [];
    return [String(pg), list.length === 0 ? all : list];
  });
  return { ranks, members: new Map(members) };
}

const attributesOf = ({ attrs }: Fields): Record<string, unknown> =>
  Object.fromEntries(
    (Array.isArray(attrs) ? attrs : []).filter(isFields).map(({ name, value }) => [name, value]),
  );

function recordedCall(node: Fields): Issued[] {
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

/** Of Gloo: the operation as the process issued it. Which group makes it is not said. */
function c10dNode(node: Fields, { members, ranks }: Groups): Issued[] {
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

/** Of all tensors inside: [tensor, storage, offset, elements, bytes of one, device]. */
function elementsIn(value: unknown): number {
  if (!Array.isArray(value)) return 0;
  const isTensor = value.length === 6 && typeof value[5] === 'string';
  if (isTensor) return Number.isSafeInteger(value[3]) ? (value[3] as number) : 0;
  return value.reduce((all: number, one) => all + elementsIn(one), 0);
}

/** Null: it has no size, no type, or a group that a job cannot have. */
function itemOf(call: Issued, { ranks, members }: Groups) {
  const { operation, dtype, payloadBytes, group, isBlocking } = call;
  const collective = operation === 'send' ? 'sendrecv' : collectiveNames.find((one) => one === operation);
  const own = group === undefined ? undefined : members.get(group);
  const layout = own === undefined ? 'all' : layoutOf(own, ranks);
  if (collective === undefined || dtype === 'unknown' || !payloadBytes || layout === 'alone') return null;
  if (layout !== 'all' && !isJobGroup(layout)) return null;
  const item: JobItem = {
    ...{ do: 'call', collective, dtype, bytes: payloadBytes },
    ...(layout === 'all' ? {} : { group: layout }),
  };
  return { item, isBlocking };
}
