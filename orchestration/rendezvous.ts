import { agentLimits } from './agent-limits.ts';
import type { AgentMessage, ControllerMessage } from './protocol.ts';

type ExchangeMessage = Extract<AgentMessage, { type: 'exchange' }>;
type ExchangedMessage = Extract<ControllerMessage, { type: 'exchanged' }>;

/**
 * The named all-gathers of one launch: ranks on any host give a blob each, all get all of them in rank order.
 * Keys may be used once at a time; after an answer the same key may begin anew.
 */
export class Rendezvous {
  private readonly open = new Map<string, (string | undefined)[]>();

  private readonly ranks: number;

  /** @param ranks of the whole launch, all hosts */
  constructor(ranks: number) {
    this.ranks = ranks;
  }

  /**
   * @returns the answer for every agent once the last blob is in, else null
   * @throws {Error} a rank that is not part of the launch, or gives twice: both are faults of the agent
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

  /** For messages about a start that does not end: "handles: waiting for ranks 1, 3". */
  waiting(): string[] {
    return [...this.open].map(([key, blobs]) => {
      const missing = blobs.flatMap((blob, rank) => (blob === undefined ? [rank] : []));
      return `${key}: waiting for ${missing.length === 1 ? 'rank' : 'ranks'} ${missing.join(', ')}`;
    });
  }
}
