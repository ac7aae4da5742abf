import type { EngineName, Inventory } from '../results/schema/index.ts';
import { Agent, type MessageOf } from './agent.ts';
import { type Deadlines, defaultDeadlines } from './deadlines.ts';
import type { Where } from './endings.ts';
import { type Launcher, launchers } from './launchers/index.ts';
import type { TransportCapability } from './protocol.ts';

export interface ProbeRequest {
  /** `cpu` where it is left out. */
  engine?: EngineName;
  transport: string;
  options: Record<string, string | number | boolean>;
  settings?: Record<string, string>;
}
/** Waking up the driver of many GPUs takes its time. */
const deviceProbeMs = 60_000;

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
export async function probe(
  agentPath: string,
  requests: ProbeRequest[],
  launcher: Launcher = launchers.local,
  deadlines: Pick<Deadlines, 'helloMs' | 'probeMs' | 'endMs' | 'termMs'> = defaultDeadlines,
): Promise<ProbeResult> {
  const agent = new Agent(launcher, 'localhost', agentPath, {
    exchange: () => undefined,
    log: () => undefined,
  });
  try {
    await agent.greet(deadlines.helloMs);
    const probed: TransportCapability[] = [];
    for (const [id, request] of requests.entries()) {
      const waitMs =
        request.engine === 'nccl' ? Math.max(deadlines.probeMs, deviceProbeMs) : deadlines.probeMs;
      const where: Where = {
        host: agent.host,
        doing: `probing ${request.transport}`,
        phase: 'probe',
        operations: null,
        deadlineMs: waitMs,
        again: null,
      };
      const reply = agent.reply(`probed ${id}`, null, waitMs, where);
      const [answer] = await Promise.all([reply, agent.send({ type: 'probe', id, ...request })]);
      probed.push((answer as MessageOf<'probed'>).transport);
    }
    const { inventory, version, engines, transports } = agent.hello;
    return { inventory, version, engines, transports, probed };
  } finally {
    await agent.stop(deadlines);
  }
}
