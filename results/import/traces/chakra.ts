import { fieldsOf, isFields, type RecordFields } from '../../collections.ts';
import type { OperationName } from '../../schema/index.ts';
import { ImportError } from '../imported-output.ts';
import type { ImportSource } from '../source.ts';
import type { ChakraNode } from './chakra-wire.ts';
import { listedGroups } from './groups.ts';
import type { OrderedCall, OrderedTrace } from './ordered.ts';

/**
 * True for Chakra's execution traces in protobuf, as converters write them for simulators: the collectives of one process in their
 * order.
 */
export const isChakra = ({ records: [first] }: ImportSource): boolean =>
  isFields(first) && typeof first.chakraVersion === 'string';

const types = { send: 5, receive: 6, collective: 7 };

/** Operations by the value of the attribute comm_type; null for values of other operations. */
const collectives: readonly (OperationName | null)[] = [
  ...(['allreduce', 'reduce', 'allgather', 'gather', 'scatter', 'broadcast', 'alltoall'] as const),
  ...(['reducescatter', 'reducescatter', null] as const), // a barrier moves nothing
];

/**
 * Returns the sends and collectives of a trace in the order of node ids, to be replayed as a job.
 * @throws ImportError if calls name several process groups, but the trace does not list their ranks
 */
export function chakraCalls({ records: [first], isWhole }: ImportSource): OrderedTrace {
  const { nodes: all, chakraVersion } = fieldsOf(first) as RecordFields & { nodes: ChakraNode[] };
  const nodes = [...all].sort((a, b) => a.id - b.id);
  const groups = listedGroups(
    nodes.filter(({ name }) => name === '## process_group:init ##').map(({ values }) => values),
  );
  const calls = nodes.flatMap(callOf);
  const names = new Set(calls.flatMap(({ group }) => group ?? []));
  if (groups === null && names.size > 1)
    throw new ImportError(
      `no job to replay: the trace has calls of ${names.size} process groups, and does not list their ranks`,
    );
  return {
    what: `Chakra execution trace ${chakraVersion}`,
    ranks: groups?.ranks ?? null,
    calls,
    members: groups?.members ?? new Map(),
    leftOut: [
      'the trace has no types: calls are replayed as bytes',
      ...(isWhole ? [] : ['the trace was cut off: its last node is left out']),
    ],
  };
}

function callOf({ type, attributes }: ChakraNode): OrderedCall[] {
  const { comm_type: kind, comm_size: bytes, pg_name: group } = attributes;
  const operation =
    type === types.send ? 'send' : type === types.collective ? collectives[Number(kind)] : null;
  if (operation === null || operation === undefined) return [];
  return [
    {
      ...{ operation, dtype: 'uint8', payloadBytes: Number.isSafeInteger(bytes) ? Number(bytes) : null },
      ...(group === undefined || group === '' ? {} : { group: String(group) }),
      isBlocking: false,
    },
  ];
}
