import { isFields, type RecordFields } from '../../collections.ts';
import type { ImportSource } from '../source.ts';
import { ncclCall } from './calls.ts';
import { rankList } from './groups.ts';
import type { OrderedCall, OrderedTrace } from './ordered.ts';

/** True for PARAM's communication traces: a list of the calls of one process, with sizes in elements. */
export const isParam = ({ records }: ImportSource): boolean =>
  records.some(
    (one) => isFields(one) && typeof one.comms === 'string' && ('in_msg_size' in one || 'req' in one),
  );

/** Names of data types in PyTorch's c10, by their names in PARAM's traces. */
const typeWords: Record<string, string> = { bfloat16: 'BFloat16', char: 'Char' };
const typeOf = (word: unknown): string => {
  const name = String(word).toLowerCase();
  return typeWords[name] ?? name.charAt(0).toUpperCase() + name.slice(1);
};

const noSpan = { startUs: 0, endUs: 0, durUs: 0 };

/**
 * Returns the calls of a PARAM trace for replay, in the order in which the process made them, with the number of ranks and the
 * groups of ranks. A wait makes the call before it blocking. Receives are left out, because a send is replayed with its receive.
 */
export function paramCalls({ records, isWhole }: ImportSource): OrderedTrace {
  const entries = records.filter(isFields);
  const members = new Map<string, readonly number[]>();
  for (const { comms, pg_id: group, global_ranks: listed } of entries) {
    const ranks = rankList(listed);
    if (comms === 'init' && ranks !== null && ranks.length > 0) members.set(String(group), ranks);
  }
  const sizes = [
    ...entries.map((one) => Number(one.world_size)),
    ...[...members.values()].map(({ length }) => length),
  ];
  const ranks = Math.max(0, ...sizes.filter((size) => Number.isSafeInteger(size)));
  const calls: OrderedCall[] = [];
  for (const entry of entries) {
    const last = calls.at(-1);
    if (entry.comms === 'wait' && last !== undefined) last.isBlocking = true;
    else calls.push(...callOf(entry));
  }
  const computations = entries.filter((one) => 'compute' in one).length;
  return {
    what: 'PARAM trace',
    ranks: ranks < 2 ? null : ranks,
    calls,
    members,
    leftOut: [
      ...(computations > 0
        ? [`${computations} computations are not in the job: the trace has no times of them`]
        : []),
      ...(isWhole ? [] : ['the trace was cut off: its last entry is left out']),
    ],
  };
}

function callOf(entry: RecordFields): OrderedCall[] {
  const { comms, in_msg_size: sent, out_msg_size: received, dtype, pg_id: group } = entry;
  const args = {
    'Collective name': String(comms).replace(/^i(?=send|recv)/, ''),
    ...{ 'In msg nelems': sent, 'Out msg nelems': received, dtype: typeOf(dtype) },
    ...(group === undefined || group === null ? {} : { 'Process Group Name': String(group) }),
  };
  const call = ncclCall({ name: '', args }, noSpan);
  return call === null || call.isReceive === true ? [] : [{ ...call, isBlocking: false }];
}
