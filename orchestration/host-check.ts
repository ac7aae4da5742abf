import { randomBytes } from 'node:crypto';
import type { MachineFacts } from '../results/schema/index.ts';
import { FailureError } from '../results/verdicts/failure.ts';
import { planningOf } from '../suites/engines/index.ts';
import { Agent, type AgentMessageOf, type AgentReply } from './agent.ts';
import { contextOf } from './failures/failure-text.ts';
import type { Launcher } from './launchers/launcher.ts';
import type { ProbeDeadlines, ProbeRequest } from './probe.ts';
import type { ControllerMessage, TransportCapability } from './protocol.ts';

/**
 * Request to examine hosts (`collbench doctor`): which hosts, and which facts, transports and connections to look at. `iface`:
 * network interface for the connections of a host; null = chosen by the agent.
 */
export interface HostCheckRequest {
  hosts: readonly { name: string; iface: string | null }[];
  /** Paths of NCCL net plugins to inspect, the same on each host. */
  plugins: readonly string[];
  /** True if each host reads its libraries completely, to compute their hashes. */
  hashes: boolean;
  /** False if hosts do not try to connect to each other; absent = they try. */
  connects?: boolean;
  /**
   * Returns the transports to probe on a host, which depend on its facts (for example whether it has GPUs). Called once per host.
   */
  probes: (facts: MachineFacts) => ProbeRequest[];
}

type ListenerMessage = AgentMessageOf<'listener'>;
type ConnectResult = AgentMessageOf<'connections'>['results'][number];

export interface HostReport {
  name: string;
  facts: MachineFacts | null;
  /**
   * Reason why the host has no facts: it could not be reached, did not answer, or failed later. Null if the host answered
   * everything; only then `facts` is not null.
   */
  unreached: string | null;
  agentVersion: string | null;
  probed: { request: ProbeRequest; engine: string; capability: TransportCapability }[];
  /**
   * The agent's answer about the test listener on this host, to which other hosts connect. `problem`: reason why the agent could
   * not open the listener; "" if it is open. Null if there is no answer: only one host is examined, `connects` is false, or the
   * host failed before.
   */
  listener: Pick<ListenerMessage, 'interface' | 'address' | 'port' | 'problem'> | null;
  /**
   * The host's wall clock minus the wall clock of a reference host, with the largest error of the difference, ms. The reference is
   * the first host of the list with a `listener`; both values are 0 for this host. Null if the host itself has no `listener`.
   */
  clock: { offsetMs: number; uncertaintyMs: number } | null;
}

export interface HostCheckResult {
  hosts: HostReport[];
  connections: ({ from: string; to: string } & ConnectResult)[];
  /** Number of ordered pairs (from, to) of hosts with a working listener between which no connection was tried. */
  untriedPairs: number;
}

/**
 * Maximum number of other hosts to which each host tries to connect. Up to 33 hosts, each tries all others. With more hosts,
 * each tries the next 32 in a ring, so that every host is also tried as a target.
 */
const maxTargets = 32;
const connectTimeoutMs = 3000;
const factsMs = 60_000;

/**
 * An agent and the report about its host, while the host is examined. Each request to the agent gets the next number as id. The
 * caller must stop the agent.
 */
class HostCheck {
  readonly agent: Agent;
  readonly examined: HostReport;
  readonly iface: string;
  private asked = 0;
  /** The host's wall clock minus performance.now() of this process, and the largest error; null until it was read. */
  realtimeOffset: { ms: number; uncertaintyMs: number } | null = null;

  constructor(launcher: Launcher, name: string, iface: string | null, agentPath: string) {
    this.agent = new Agent(launcher, name, agentPath, { exchange: () => undefined, log: () => undefined });
    this.iface = iface ?? '';
    this.examined = {
      name,
      facts: null,
      unreached: null,
      agentVersion: null,
      probed: [],
      listener: null,
      clock: null,
    };
  }

  async ask<T extends AgentReply['type']>(
    type: T,
    waitMs: number,
    message: (id: number) => ControllerMessage,
  ): Promise<AgentMessageOf<T>> {
    const id = this.asked++;
    const where = contextOf('examining the host', type, { host: this.agent.host, deadlineMs: waitMs });
    const reply = this.agent.reply(`${type} ${id}`, null, waitMs, where);
    const [answer] = await Promise.all([reply, this.agent.send(message(id))]);
    return answer as AgentMessageOf<T>;
  }

  async look(request: HostCheckRequest, deadlines: ProbeDeadlines): Promise<void> {
    await this.agent.greet(deadlines);
    this.examined.agentVersion = this.agent.hello.version;
    const { facts } = await this.ask('facts', factsMs, (id) => ({
      type: 'facts',
      id,
      plugins: [...request.plugins],
      hashes: request.hashes,
    }));
    for (const one of request.probes(facts)) {
      const waitMs = Math.max(
        deadlines.probeMs,
        planningOf({ engine: one.engine ?? 'cpu' }).patience.probeMs,
      );
      const { transport } = await this.ask('probed', waitMs, (id) => ({ type: 'probe', id, ...one }));
      this.examined.probed.push({ request: one, engine: one.engine ?? 'cpu', capability: transport });
    }
    this.examined.facts = facts;
  }

  /**
   * Opens the test listener on the host, and reads the host's wall clock from the answer. The time in the answer is assumed to be
   * from the middle between question and answer. A listener that the agent cannot open is no error: `problem` of the report says
   * why.
   * @param word secret text; the listener answers only clients that send it
   * @param waitMs maximum wait for the answer
   * @throws FailureError if the agent is lost or does not answer in time
   */
  async openListener(word: string, waitMs: number): Promise<void> {
    const sentMs = performance.now();
    const listener = await this.ask('listener', waitMs, (id) => ({
      type: 'listener',
      id,
      interface: this.iface,
      word,
    }));
    const heardMs = performance.now();
    const { interface: name, address, port, problem, realtimeNs } = listener;
    this.examined.listener = { interface: name, address, port, problem };
    const ms = realtimeNs / 1e6 - (sentMs + heardMs) / 2;
    this.realtimeOffset = { ms, uncertaintyMs: (heardMs - sentMs) / 2 };
  }

  async connectTo(word: string, listening: readonly HostCheck[], marginMs: number): Promise<ConnectResult[]> {
    const targets = listening.map(({ examined }) => ({
      address: examined.listener?.address ?? '',
      port: examined.listener?.port ?? 0,
    }));
    const message = {
      type: 'connect',
      interface: this.iface,
      word,
      targets,
      timeoutMs: connectTimeoutMs,
    } as const;
    const { results } = await this.ask('connections', connectTimeoutMs + marginMs, (id) => ({
      ...message,
      id,
    }));
    return results;
  }
}

/**
 * Starts an agent on every host, collects facts and probe results, and tries connections between the hosts. If a host fails, the
 * field `unreached` of its report gets the reason; the other hosts are still examined, and nothing is thrown. All agents are
 * stopped at the end; the launcher stays open.
 */
export async function examineHosts(
  request: HostCheckRequest,
  agentPath: string,
  launcher: Launcher,
  deadlines: ProbeDeadlines,
): Promise<HostCheckResult> {
  const checks = request.hosts.map(({ name, iface }) => new HostCheck(launcher, name, iface, agentPath));
  try {
    await forEachHost(checks, (check) => check.look(request, deadlines));
    const there = checks.filter(({ examined }) => examined.unreached === null);
    const isQuiet = request.hosts.length < 2 || request.connects === false;
    const { connections, untriedPairs } = isQuiet
      ? { connections: [], untriedPairs: 0 }
      : await connectAll(there, deadlines.probeMs);
    return { hosts: checks.map(({ examined }) => examined), connections, untriedPairs };
  } finally {
    await Promise.all(checks.map(({ agent }) => agent.stop(deadlines)));
  }
}

/**
 * Runs `work` for all hosts at once and waits for all. If it fails for a host with a FailureError, the host's facts are dropped
 * and `unreached` gets the reason. Other errors are thrown.
 */
async function forEachHost(
  checks: readonly HostCheck[],
  work: (check: HostCheck) => Promise<void>,
): Promise<void> {
  await Promise.all(
    checks.map(async (check) => {
      try {
        await work(check);
      } catch (error) {
        if (!(error instanceof FailureError)) throw error;
        const { message, details } = error.failure;
        check.examined.unreached = [message, ...details].slice(0, 3).join('; ');
        check.examined.facts = null;
      }
    }),
  );
}

async function connectAll(
  checks: readonly HostCheck[],
  waitMs: number,
): Promise<Pick<HostCheckResult, 'connections' | 'untriedPairs'>> {
  // This secret protects only the echo: whoever learns it can make an agent send 64 KiB back.
  const word = randomBytes(16).toString('hex');
  await forEachHost(checks, (check) => check.openListener(word, waitMs));
  const first = checks.find(({ realtimeOffset }) => realtimeOffset !== null)?.realtimeOffset ?? null;
  for (const { examined, realtimeOffset } of checks) {
    if (first === null || realtimeOffset === null) continue;
    const isFirst = realtimeOffset === first;
    examined.clock = {
      offsetMs: isFirst ? 0 : realtimeOffset.ms - first.ms,
      uncertaintyMs: isFirst ? 0 : realtimeOffset.uncertaintyMs + first.uncertaintyMs,
    };
  }
  const open = checks.filter(
    ({ examined }) => examined.unreached === null && examined.listener?.problem === '',
  );
  const byHost = open.map((): HostCheckResult['connections'] => []);
  await forEachHost(open, async (check) => {
    const at = open.indexOf(check);
    const others = open.slice(1, maxTargets + 1).map((_, i) => open[(at + i + 1) % open.length] as HostCheck);
    if (others.length === 0) return;
    const results = await check.connectTo(word, others, waitMs);
    byHost[at] = results.map((result, i) => ({
      from: check.examined.name,
      to: others[i]?.examined.name ?? '',
      ...result,
    }));
  });
  const connections = byHost.flat();
  return { connections, untriedPairs: open.length * (open.length - 1) - connections.length };
}
