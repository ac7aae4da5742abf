import type { Inventory } from '../results/schema/index.ts';
import type { TransportCapability } from './protocol.ts';

export interface ProbeRequest {
  transport: string;
  options: Record<string, string | number | boolean>;
}
export interface ProbeResult {
  inventory: Inventory;
  /** Version of the agent. */
  version: string;
  engines: string[];
  /** What the agent offers with default options. */
  transports: TransportCapability[];
  /** One per request, in their order. */
  probed: TransportCapability[];
}

/**
 * Asks an agent on this machine what can run here, and ends it.
 * @throws FailureError when the agent cannot be started, does not answer or speaks another protocol
 */
export async function probe(_agentPath: string, _requests: ProbeRequest[]): Promise<ProbeResult> {
  throw new Error('probe: being written');
}
