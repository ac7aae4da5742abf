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

/** Algorithms of allreduce that first reduce parts and then collect them, so that two allgathers move the same data. */
const twoPhases = ['ring', 'halving-doubling'];

/**
 * Bytes that each of `parts` equal parts of the operation sends at least, in whole float32 elements: the bus factor times the
 * payload. The parts are ranks, or hosts.
 */
const hopBytes = (collective: CollectiveName, parts: number, payloadBytes: number): number =>
  Math.max(4, 4 * Math.round((busFactor(collective, parts) * payloadBytes) / 4));

/** Bytes that each host of a run on several hosts sends at least; else each rank. @throws {RangeError} if it is no collective */
export function boundBytes({ command, ranks, hosts = [], payloadBytes }: ExplainedOperation): number {
  if (!isCollective(command)) throw new RangeError(`${command} is no collective`);
  return hopBytes(command, hosts.length > 1 ? hosts.length : ranks, payloadBytes);
}

/** Two ranks that exchange these bytes: on hosts with these names, or on this machine if there are none. */
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
    ...{ command: 'sendrecv', times: 1, unset, filter, payloadBytes: boundBytes(operation) },
    options: { ...only(options, hopOptions), ranks: '2', ...(two.length === 0 ? {} : { hosts }) },
  };
}

/**
 * Returns the slowest hop alone, if hops are slow and no change of the command avoids them, and the bound: two ranks alone, in a
 * run on several hosts on two whose hop is typical.
 */
function hopVariants(operation: ExplainedOperation, from: Variant): Variant[] {
  const { hosts = [], hops, options } = operation;
  const facts = hops !== undefined && 'slow' in hops ? hops : null;
  const typical = facts?.typical ?? (hosts.length < 2 ? [] : hosts.slice(0, 2).map(({ name }) => name));
  const isAvoided = from.options.hosts !== options.hosts;
  const [slow, bound] = [facts?.slowest ?? [], typical].map((names) => hopVariant(operation, from, names));
  return [
    ...(slow === undefined || facts === null || facts.slow.length === 0 || isAvoided
      ? []
      : [{ ...slow, cause: 'hop', title: `slowest hop, ${slow.title}` }]),
    ...(bound === undefined
      ? []
      : [
          {
            ...bound,
            cause: 'bound',
            title: `two ranks alone${bound.title === '' ? '' : `, ${bound.title}`}`,
          },
        ]),
  ];
}

/**
 * Returns the measurements of work that a collective needs. The bound: two ranks that exchange the bytes that each rank (of several
 * hosts: each host) must send; no operation over this hop is faster.
 * @throws {RangeError} if the command is no collective
 */
export const collectiveWork: NeededWorkOf = (operation, from, algorithm) => {
  const { command, ranks, payloadBytes } = operation;
  if (!isCollective(command)) throw new RangeError(`${command} is no collective`);
  const { unset, filter } = from;
  const variants: Variant[] = [];
  // Each rank of an allgather has one thread, so it does not show the steps of several.
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
      ...{
        cause: 'all-at-once',
        title: 'all ranks send at once',
        command: 'sendrecv',
        times: 1,
        unset,
        filter,
      },
      payloadBytes: hopBytes(command, ranks, payloadBytes),
      options: { ...only(from.options, [...hopOptions, ...placementOptions]), ranks: String(ranks) },
    });
  variants.push(...hopVariants(operation, from));
  return { rest: null, variants };
};
