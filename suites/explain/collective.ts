// Work that a collective needs: its messages between two ranks, those of all ranks at once, and its dependent steps.
import { type CollectiveName, isCollective } from '../../results/schema/index.ts';
import { busFactor } from '../../results/schema/workloads/collective/formulas.ts';
import { hopOptions, type NeededWorkOf, only, type Variant } from './variants.ts';

/** Algorithms of allreduce that first reduce parts and then collect them, so that two allgathers move the same data. */
const twoPhases = ['ring', 'halving-doubling'];

/** Bytes that each rank sends at least, in whole float32 elements: the bus factor times the payload. */
const hopBytes = (collective: CollectiveName, ranks: number, payloadBytes: number): number =>
  Math.max(4, 4 * Math.round((busFactor(collective, ranks) * payloadBytes) / 4));

/**
 * Returns the measurements of work that a collective needs. The bound: two ranks that exchange the bytes that each rank must send;
 * no operation over this hop is faster.
 * @throws {RangeError} if the command is no collective
 */
export const collectiveWork: NeededWorkOf = ({ command, ranks, payloadBytes }, from, algorithm) => {
  if (!isCollective(command)) throw new RangeError(`${command} is no collective`);
  const { unset, filter } = from;
  const variants: Variant[] = [];
  if (command === 'allreduce' && twoPhases.includes(algorithm)) {
    const { op: _, algo, ...options } = from.options;
    const isShared = algo === undefined || algo === 'ring';
    variants.push({
      ...{ cause: 'steps', title: `${2 * (ranks - 1)} dependent steps`, times: 2 },
      ...{ command: 'allgather', payloadBytes, unset, filter },
      options: { ...options, ...(isShared && algorithm === 'ring' ? { algo: 'ring' } : {}) },
    });
  }
  const hop = (count: number): Omit<Variant, 'cause' | 'title'> => ({
    ...{ command: 'sendrecv', times: 1, unset, filter },
    payloadBytes: hopBytes(command, ranks, payloadBytes),
    options: { ...only(from.options, hopOptions), ranks: String(count) },
  });
  if (ranks > 2) variants.push({ cause: 'all-at-once', title: 'all ranks send at once', ...hop(ranks) });
  variants.push({ cause: 'bound', title: 'two ranks alone', ...hop(2) });
  return { rest: null, variants };
};
