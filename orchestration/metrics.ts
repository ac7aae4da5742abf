import type { MetricsHeader, MetricsLine } from '../results/schema/index.ts';
import type { AgentMessageOf, MetricsMessage } from './agent.ts';
import { agentLimits } from './agent-limits.ts';

export type MetricsEndMessage = AgentMessageOf<'sampled'>;

/**
 * Samples metrics of this machine for ranks in this process, which have no agent. `stop` first passes the last readings to `tell`
 * of the opener, then returns the cost of sampling. It must be called once.
 */
export interface LocalSampler {
  stop(): MetricsEndMessage;
}
export type SamplerOpener = (
  /** `intervalUs`: microseconds between two readings. `sources`: names of the sources to read; null = all that the machine has. */
  request: { intervalUs: number; sources: readonly string[] | null },
  tell: (message: MetricsMessage) => void,
) => LocalSampler;

/** Converts the metric messages of one machine to lines of its metrics file, as objects. It writes no file. */
export class MetricsStream {
  private channels: number | null = null;
  private readonly failedSources = new Set<string>();
  private readonly host: string;
  private readonly isReference: boolean;

  /**
   * @param host name of the machine in the lines
   * @param isReference true for the machine of rank 0: times of blocks that all ranks measure are on its clock, so its clock offset
   * in the header is 0, and null for the others
   */
  constructor(host: string, isReference: boolean) {
    this.host = host;
    this.isReference = isReference;
  }

  /**
   * Returns the lines of the metrics file for a message: one per reading of a `samples` message, one for any other message. The
   * first message must be `sampling`, from which the header line is made.
   * @throws Error if the message contradicts earlier ones; its text is worded to follow "sent an invalid message:"
   */
  lines(message: MetricsMessage | MetricsEndMessage): MetricsLine[] {
    if (message.type === 'sampling') return [this.header(message)];
    if (this.channels === null) throw new Error(`'${message.type}' came before 'sampling'`);
    switch (message.type) {
      case 'samples':
        return this.ticks(message, this.channels);
      case 'sourceFailed':
        if (this.failedSources.has(message.source)) throw new Error(`source ${message.source} failed twice`);
        if (this.failedSources.size >= agentLimits.failedSources)
          throw new Error(`more than ${agentLimits.failedSources} sources failed`);
        this.failedSources.add(message.source);
        return [{ kind: 'sourceFailed', source: message.source, reason: message.reason }];
      case 'sampled': {
        const { type: _type, ...cost } = message;
        return [{ kind: 'sampled', ...cost }];
      }
    }
  }

  private header({ intervalUs, channels, failed }: AgentMessageOf<'sampling'>): MetricsHeader {
    if (this.channels !== null) throw new Error(`'sampling' came twice`);
    this.channels = channels.length;
    const known = this.isReference ? 0 : null;
    return {
      kind: 'metrics',
      schema: 1,
      host: this.host,
      intervalUs,
      channels,
      failed,
      clockOffsetNs: known,
      clockUncertaintyNs: known,
    };
  }

  private ticks({ startNs, costNs, values }: AgentMessageOf<'samples'>, channels: number): MetricsLine[] {
    if (costNs.length !== startNs.length || values.length !== startNs.length) {
      throw new Error(
        `samples with ${startNs.length} times, ${costNs.length} costs and ${values.length} readings`,
      );
    }
    return values.map((row, i) => {
      if (row.length !== channels)
        throw new Error(`a reading of ${row.length} values for ${channels} channels`);
      return { startNs: startNs[i] as number, costNs: costNs[i] as number, values: row };
    });
  }
}
