// Work that a collective needs: its messages between two ranks, those of all ranks at once, and its dependent steps.
import { type CollectiveName, isCollective } from '../../results/schema/index.ts';
import { busFactor } from '../../results/schema/workloads/collective/formulas.ts';
import {
  type ExplainedOperation,
  hopOptions,
  hostsText,
  type NeededWorkOf,
  only,
  placementOptions,
  type Variant,
} from './variants.ts';

/** Algorithms of allreduce that reduce the data in shares and then collect the shares. Two allgathers move the same data. */
const twoPhases = ['ring', 'halving-doubling'];

/**
 * Minimum number of bytes that each rank or host sends in the operation: the bus factor (busbw / algbw) times the payload, rounded
 * to whole float32 elements, at least one.
 * @param parts number of ranks, or of hosts, among which the operation runs
 */
const hopBytes = (collective: CollectiveName, parts: number, payloadBytes: number): number =>
  Math.max(4, 4 * Math.round((busFactor(collective, parts) * payloadBytes) / 4));

/**
 * Minimum number of bytes that each host sends in the operation, or each rank if the run has one host.
 * @throws {RangeError} if the command is not a collective
 */
export function boundBytes({ command, ranks, hosts = [], payloadBytes }: ExplainedOperation): number {
  if (!isCollective(command)) throw new RangeError(`${command} is no collective`);
  return hopBytes(command, hosts.length > 1 ? hosts.length : ranks, payloadBytes);
}

/** Command, and payload in bytes, in which each of these ranks sends `bytes`, to one other rank or to all others together. */
const exchangeOf = (
  { lacksSendrecv = false }: ExplainedOperation,
  ranks: number,
  bytes: number,
): Pick<Variant, 'command' | 'payloadBytes'> =>
  lacksSendrecv
    ? // In an alltoall a rank keeps its own part of the payload.
      { command: 'alltoall', payloadBytes: Math.ceil((bytes * ranks) / (ranks - 1) / 4) * 4 }
    : { command: 'sendrecv', payloadBytes: bytes };

/**
 * Measurement of two ranks that exchange the bytes of boundBytes(): on the hosts with these names, or on this machine if there are
 * no names.
 */
function hopVariant(
  operation: ExplainedOperation,
  from: Variant,
  names: readonly string[],
): Omit<Variant, 'cause'> {
  const { unset, filter, options } = from;
  const two = (operation.hosts ?? []).filter(({ name }) => names.includes(name));
  const hosts = hostsText(two.map((host) => ({ ...host, ranks: 1 })));
  return {
    title: two.map(({ name }) => name).join(' - '),
    ...{ times: 1, unset, filter, ...exchangeOf(operation, 2, boundBytes(operation)) },
    options: { ...only(options, hopOptions), ranks: '2', ...(two.length === 0 ? {} : { hosts }) },
  };
}

/**
 * Returns up to two measurements. The first is the slowest hop (path between two hosts) alone. It is made only if a host or hop is
 * slow compared with the median of the other hops, a hop was measured with a large message, and `from` uses the same hosts as the
 * explained command. The last is the lower bound of the time: two ranks alone. With several hosts they are on two hosts whose hop has
 * the median time of the hops that are not slow, or on the first two hosts if no such hop is known. With one host they are on this
 * machine.
 * @param from the explained command after all causes have been removed
 */
function hopVariants(operation: ExplainedOperation, from: Variant): Variant[] {
  const { hosts = [], hops, options } = operation;
  const facts = hops !== undefined && 'slow' in hops ? hops : null;
  const typical = facts?.typical ?? (hosts.length < 2 ? [] : hosts.slice(0, 2).map(({ name }) => name));
  const isAvoided = from.options.hosts !== options.hosts;
  const slowest = facts === null || facts.slow.length === 0 ? [] : facts.slowest;
  const [slow, bound] = [hopVariant(operation, from, slowest), hopVariant(operation, from, typical)];
  return [
    ...(slowest.length === 0 || isAvoided
      ? []
      : [{ ...slow, cause: 'hop', title: `slowest hop, ${slow.title}` }]),
    { ...bound, cause: 'bound', title: `two ranks alone${bound.title === '' ? '' : `, ${bound.title}`}` },
  ];
}

/**
 * Returns the measurements of work that a collective needs. For an allreduce by ring or halving-doubling with one thread per rank:
 * two allgathers, which have its dependent steps. With more than two ranks: all ranks sending at once. Then hopVariants(), whose
 * last is the bound: two ranks that exchange the bytes that each rank (on several hosts: each host) must send.
 * @param from the explained command after all causes have been removed
 * @param algorithm algorithm that the engine chose
 * @throws {RangeError} if the command is not a collective
 */
export const collectiveWork: NeededWorkOf = (operation, from, algorithm) => {
  const { command, ranks, payloadBytes } = operation;
  if (!isCollective(command)) throw new RangeError(`${command} is no collective`);
  const { unset, filter } = from;
  const variants: Variant[] = [];
  // Each rank of an allgather has one thread, so an allgather cannot show the steps of an allreduce with several threads per rank.
  const hasOneThread = (from.options.channels ?? '1') === '1';
  if (command === 'allreduce' && twoPhases.includes(algorithm) && hasOneThread) {
    const { op: _op, skew: _skew, skewRank: _rank, algo, ...options } = from.options;
    const isShared = algo === undefined || algo === 'ring';
    variants.push({
      ...{ cause: 'steps', title: `${2 * (ranks - 1)} dependent steps`, times: 2 },
      ...{ command: 'allgather', payloadBytes, unset, filter },
      options: { ...options, ...(isShared && algorithm === 'ring' ? { algo: 'ring' } : {}) },
    });
  }
  if (ranks > 2)
    variants.push({
      ...{ cause: 'all-at-once', title: 'all ranks send at once', times: 1, unset, filter },
      ...exchangeOf(operation, ranks, hopBytes(command, ranks, payloadBytes)),
      options: { ...only(from.options, [...hopOptions, ...placementOptions]), ranks: String(ranks) },
    });
  variants.push(...hopVariants(operation, from));
  return { rest: null, variants };
};
