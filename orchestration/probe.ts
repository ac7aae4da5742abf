import { FailureError } from '../results/verdicts/failure.ts';
import { planningOf } from '../suites/engines/index.ts';
import { Agent, type AgentMessageOf } from './agent.ts';
import { type Deadlines, defaultDeadlines } from './deadlines.ts';
import { contextOf } from './failures/failure-text.ts';
import type { Launcher } from './launchers/launcher.ts';
import { local } from './launchers/local.ts';
import type { TransportCapability } from './protocol.ts';

export interface ProbeRequest {
  /** Name of the engine to probe; absent = `cpu`. */
  engine?: string;
  transport: string;
  options: Record<string, string | number | boolean>;
  settings?: Record<string, string>;
  /** Environment variables of the separate process in which a plugin is probed; absent = none. */
  environment?: Record<string, string>;
}

/** Report of an agent about its machine: the content of its `hello`, and its answers to the probe requests. */
export interface ProbeResult
  extends Omit<AgentMessageOf<'hello'>, 'type' | 'protocol' | 'clock' | 'clockNs'> {
  /**
   * One result per probe request, in the order of the requests; a transport that cannot run has `available` false, with reason and
   * remedy.
   */
  probed: TransportCapability[];
}

export type ProbeDeadlines = Pick<
  Deadlines,
  'helloMs' | 'beatMs' | 'unheardMs' | 'probeMs' | 'endMs' | 'termMs'
>;

/** Probe result of a host, and its running agent, which the caller must stop or hand to a session. */
export interface AgentProbe {
  result: ProbeResult;
  agent: Agent;
}

/**
 * Starts an agent on this machine, probes which transports it can run, and ends the agent. A transport that cannot run is a
 * result, not an error.
 * @param requests transports to probe, each with its engine and options
 * @throws FailureError if the agent cannot start, does not answer or uses another protocol version
 */
export async function probe(
  agentPath: string,
  requests: ProbeRequest[],
  launcher: Launcher = local,
  deadlines: ProbeDeadlines = defaultDeadlines,
): Promise<ProbeResult> {
  const { result, agent } = await probeHost('localhost', agentPath, requests, launcher, deadlines);
  await agent.stop(deadlines);
  return result;
}

/**
 * Probes several hosts at once. A transport that cannot run is a result, not an error. The agents keep running until a session
 * takes them over or they are stopped.
 * @param requests transports to probe on every host, each with its engine and options
 * @returns one result per host, in the order of the hosts
 * @throws FailureError for the first host of the list that fails; its `details` have the messages of up to seven others that
 * failed. All agents are stopped then
 */
export async function probeHosts(
  hosts: readonly string[],
  agentPath: string,
  requests: ProbeRequest[],
  launcher: Launcher,
  deadlines: ProbeDeadlines = defaultDeadlines,
): Promise<AgentProbe[]> {
  const asked = await Promise.allSettled(
    hosts.map((host) => probeHost(host, agentPath, requests, launcher, deadlines)),
  );
  const reasons = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  const [first, ...others] = reasons;
  if (first instanceof FailureError) {
    first.failure.details.push(
      ...others.slice(0, maxNamed).map((other) => (other instanceof Error ? other.message : String(other))),
      ...(others.length > maxNamed ? [`and ${others.length - maxNamed} more of ${hosts.length} hosts`] : []),
    );
  }
  const probed = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (reasons.length === 0) return probed;
  await Promise.all(probed.map(({ agent }) => agent.stop(deadlines)));
  throw first;
}

const maxNamed = 7;
/**
 * Milliseconds by which the agent's deadline for a probe is shorter than the controller's. In this time the agent can
 * kill the process that probes a plugin and hangs, before the controller treats the agent as lost.
 */
const agentMarginMs = 2500;

const logLevelOf = (word: string | undefined): string | undefined =>
  word === 'debug' || word === 'info' || word === 'warn' ? word : undefined;

async function probeHost(
  host: string,
  agentPath: string,
  requests: ProbeRequest[],
  launcher: Launcher,
  deadlines: ProbeDeadlines,
): Promise<AgentProbe> {
  const agent = new Agent(launcher, host, agentPath, {
    exchange: () => undefined,
    log: () => undefined,
  });
  try {
    await agent.greet(deadlines, logLevelOf(process.env.COLLBENCH_LOG));
    const probed: TransportCapability[] = [];
    for (const [id, request] of requests.entries()) {
      const waitMs = Math.max(
        deadlines.probeMs,
        planningOf({ engine: request.engine ?? 'cpu' }).patience.probeMs,
      );
      const where = contextOf(`probing ${request.transport}`, 'probe', { host, deadlineMs: waitMs });
      const deadlineMs = Math.max(1, waitMs - agentMarginMs);
      const reply = agent.reply(`probed ${id}`, null, waitMs, where);
      const [answer] = await Promise.all([reply, agent.send({ type: 'probe', id, deadlineMs, ...request })]);
      probed.push((answer as AgentMessageOf<'probed'>).transport);
    }
    const { type, protocol, clock, clockNs, ...hello } = agent.hello;
    return { result: { ...hello, probed }, agent };
  } catch (error) {
    await agent.stop(deadlines);
    throw error;
  }
}
