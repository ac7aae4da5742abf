// Work that messages between ranks need: a plain put of the same bytes, and the same put through shared memory.
import type { P2pOperation } from '../../results/schema/index.ts';
import {
  type ExplainedOperation,
  hopOptions,
  hostOptions,
  type NeededWork,
  only,
  type PartNames,
  type Variant,
} from './variants.ts';

/** Highest number of messages in flight in the stream of puts with which a pingpong is compared; equals the default of --window. */
const maxWindow = 64;
/** Maximum number of bytes in flight in the stream of puts (see maxWindow), because the buffers of all messages are in memory. */
const maxBytesInFlight = 64 * 2 ** 20;

/** Transports within one host. Their time is not compared with shared memory, because no network is involved. */
const ofOneHost = ['shm', 'p2p'];

/**
 * For each point-to-point operation, id and title of the additional time that it needs compared with a put of the same messages.
 * `id` is stored with the explanation, reports show `title`. Null = the operation is itself a put.
 */
const beyondPut: Record<P2pOperation, PartNames | null> = {
  pingpong: { id: 'waiting', title: 'each message waits for the one before' },
  put: null,
  get: { id: 'request', title: 'a request for each message' },
  exchange: { id: 'both-ways', title: 'both directions at once' },
  incast: { id: 'senders', title: 'several senders at once' },
};

interface Stage extends PartNames {
  variant: Omit<Variant, 'cause' | 'title'>;
}

/**
 * Returns the measurements of work that messages need: one pair of ranks alone (if the command has several), a put of the same
 * messages, then the bound: this put through shared memory, or over shm and p2p the put itself. Measurements that equal the command
 * are left out; there are none if the command is already this bound.
 * @param operation point-to-point operation of the explained command
 * @param from the explained command after all causes have been removed
 */
export function messageWork(
  operation: P2pOperation,
  { ranks, payloadBytes, transport }: ExplainedOperation,
  from: Variant,
): NeededWork {
  const { unset, filter } = from;
  const isBothWays = from.options.direction === 'bi';
  const beyond = isBothWays && operation === 'put' ? beyondPut.exchange : beyondPut[operation];
  const hop = { ...only(from.options, [...hopOptions, 'window']), ranks: '2' };
  // With several pairs of ranks, one pair alone is measured, too. An incast has no pairs: a put of its messages leaves one sender.
  const isSeveral = ranks > 2 && operation !== 'incast';
  const stages: Stage[] = [];
  const whole: Stage['variant'] = from;
  if (isSeveral) stages.push({ id: 'all-at-once', title: 'all pairs at once', variant: whole });
  const ofPair = isSeveral ? { ...whole, options: { ...whole.options, ranks: '2' } } : whole;
  if (beyond !== null) stages.push({ ...beyond, variant: ofPair });
  const window = Math.max(2, Math.min(maxWindow, Math.floor(maxBytesInFlight / Math.max(1, payloadBytes))));
  const isStream = operation === 'pingpong';
  const put: Stage['variant'] =
    beyond === null
      ? ofPair
      : {
          ...{ command: 'put', payloadBytes, times: isStream ? 1 / window : 1, unset, filter },
          options: { ...hop, ...(isStream ? { window: String(window) } : {}) },
        };
  const isShared = ofOneHost.includes(transport);
  if (!isShared) stages.push({ id: 'transport', title: "the transport's own cost", variant: put });
  const bound: Stage['variant'] = isShared
    ? put
    : { ...put, options: { ...only(put.options, [...hostOptions, 'ranks', 'window']), transport: 'shm' } };
  const [first, ...others] = stages;
  // The operation is already a put between two ranks through shared memory: nothing that collbench measures needs less time.
  if (first === undefined) return { rest: null, variants: [] };
  const title = isShared ? 'a put of the same messages' : 'the same messages through shared memory';
  return {
    rest: { id: first.id, title: first.title },
    variants: [
      ...others.map(({ id, title: part, variant }): Variant => ({ ...variant, cause: id, title: part })),
      { ...bound, cause: 'bound', title },
    ],
  };
}
