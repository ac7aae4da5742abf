import { agentLimits } from './agent-limits.ts';
import type { AgentMessage, ControllerMessage } from './protocol.ts';

type ExchangeMessage = Extract<AgentMessage, { type: 'exchange' }>;
type ExchangedMessage = Extract<ControllerMessage, { type: 'exchanged' }>;

/**
 * The all-gathers that ranks use while a launch is being connected. Every rank, on any host, contributes a blob of data under the
 * same key; when all have, all ranks get all blobs in rank order. A key can be used again when all of its blobs have arrived. The
 * class sends nothing: the caller sends what give() returns.
 */
export class Rendezvous {
  private readonly open = new Map<string, (string | undefined)[]>();

  private readonly ranks: number;

  /** @param ranks number of ranks in the launch, over all hosts: the number of blobs that complete an all-gather */
  constructor(ranks: number) {
    this.ranks = ranks;
  }

  /**
   * Adds the blob of a rank.
   * @returns the message to send to every agent of the launch, if this was the last blob of the key; otherwise null
   * @throws {Error} if the agent breaks a rule: unknown rank, second blob of a rank, blob too large, too many keys. Its text is
   * worded to follow "sent an invalid message:"
   */
  give(message: ExchangeMessage): ExchangedMessage | null {
    const { launch, rank, key, data } = message;
    if (rank < 0 || rank >= this.ranks) {
      throw new Error(`exchange '${key}' names rank ${rank}; the launch has ranks 0 to ${this.ranks - 1}`);
    }
    if (data.length > agentLimits.blob)
      throw new Error(`rank ${rank} gave ${data.length} characters to exchange '${key}'`);
    if (!this.open.has(key) && this.open.size >= agentLimits.openExchanges)
      throw new Error(`exchange '${key}' is one more than ${agentLimits.openExchanges} at the same time`);
    const blobs = this.open.get(key) ?? new Array<string | undefined>(this.ranks).fill(undefined);
    if (blobs[rank] !== undefined) throw new Error(`rank ${rank} gave its part of exchange '${key}' twice`);
    blobs[rank] = data;
    this.open.set(key, blobs);
    if (!blobs.every((blob) => blob !== undefined)) return null;
    this.open.delete(key);
    return { type: 'exchanged', launch, key, data: blobs as string[] };
  }

  /**
   * Returns lines for messages about a launch that does not get connected, one per unfinished all-gather: "handles: waiting for
   * ranks 1, 3". Ranks are numbered as in the launch. Empty if none is unfinished.
   */
  waiting(): string[] {
    return [...this.open].map(([key, blobs]) => {
      const missing = blobs.flatMap((blob, rank) => (blob === undefined ? [rank] : []));
      return `${key}: waiting for ${missing.length === 1 ? 'rank' : 'ranks'} ${missing.join(', ')}`;
    });
  }
}
