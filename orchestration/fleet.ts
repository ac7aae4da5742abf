import { setTimeout } from 'node:timers/promises';
import { Agent, type AgentListener, type MessageOf } from './agent.ts';
import type { Deadlines } from './deadlines.ts';
import { FailureError, unexpected, type Where } from './endings.ts';
import type { Launch, LaunchRequest, Measured, MeasureRequest, Ready } from './launch.ts';
import type { Launcher } from './launchers/launcher.ts';
import { Rendezvous } from './rendezvous.ts';
import { type HostWord, mergeFailures } from './several-hosts.ts';

export interface FleetHost {
  name: string;
  /** Ranks that run there. */
  ranks: number[];
  /** Network interface of this host, in place of that of the transport's options. */
  iface?: string | undefined;
}

/** Longest wait for what the other hosts say about a launch that failed on one. */
const hearingMs = 3000;

export type FleetLog = (host: string, message: MessageOf<'log'>) => void;

/** The agents of a run, one per host, made to look like one place where launches are opened. */
export class Fleet implements AgentListener {
  readonly agents: Agent[] = [];
  /** There already, and nothing to do. */
  private leaving: Promise<unknown> = Promise.resolve();
  private readonly meetings = new Map<number, Rendezvous>();
  private readonly hosts: FleetHost[];
  private readonly deadlines: Deadlines;
  private readonly onLog: FleetLog;

  constructor(hosts: FleetHost[], deadlines: Deadlines, onLog: FleetLog) {
    this.hosts = hosts;
    this.deadlines = deadlines;
    this.onLog = onLog;
  }

  /**
   * Starts all agents at once, but for those that have said hello already; of these, the ones that no host needs end.
   * @throws FailureError of the first that cannot; stop() ends the others
   */
  async start(launcher: Launcher, agentPath: string, waiting: readonly Agent[] = []): Promise<void> {
    const there = new Map(waiting.map((agent) => [agent.host, agent]));
    const needed = this.hosts.map(({ name }) => {
      const agent = there.get(name) ?? new Agent(launcher, name, agentPath, this);
      this.agents.push(agent);
      return { agent, greets: !there.delete(name) };
    });
    this.leaving = Promise.all([...there.values()].map((agent) => agent.stop(this.deadlines)));
    await Promise.all(
      needed.map(async ({ agent, greets }) => (greets ? agent.greet(this.deadlines) : agent.handTo(this))),
    );
  }

  /** Starts the ranks of one launch on all hosts and connects them. */
  async open(request: LaunchRequest, where: Where): Promise<Launch> {
    const meeting = new Rendezvous(request.ranks);
    this.meetings.set(request.launch, meeting);
    try {
      const parts = (await this.ask(
        `ready ${request.launch}`,
        request.launch,
        request.deadlineMs,
        where,
        (agent) => this.partOf(request, agent),
      )) as Ready[];
      const ranks = parts.flatMap((part) => part.ranks).sort((a, b) => a.rank - b.rank);
      const setupNs = Math.max(...parts.map((part) => part.setupNs));
      return this.launch({ type: 'ready', launch: request.launch, setupNs, ranks });
    } catch (error) {
      if (error instanceof FailureError) error.failure.details.push(...meeting.waiting());
      throw error;
    }
  }

  /** Ends every agent. Never rejects. */
  async stop(): Promise<void> {
    await Promise.all([this.leaving, ...this.agents.map((agent) => agent.stop(this.deadlines))]);
  }

  exchange(_agent: Agent, message: MessageOf<'exchange'>): void {
    const meeting = this.meetings.get(message.launch);
    if (meeting === undefined)
      throw new Error(`exchange '${message.key}' for launch ${message.launch}, which is not open`);
    const answer = meeting.give(message);
    if (answer !== null) for (const agent of this.agents) void agent.send(answer);
  }

  log(agent: Agent, message: MessageOf<'log'>): void {
    this.onLog(agent.host, message);
  }

  private launch(ready: Ready): Launch {
    let stopping: Promise<void> | null = null;
    return {
      ready,
      measure: (request, where) => this.measure(request, where),
      stop: () => {
        stopping ??= this.stopLaunch(ready.launch);
        return stopping;
      },
    };
  }

  private async measure(request: MeasureRequest, where: Where): Promise<Measured> {
    const key = `measured ${request.launch} ${request.block}`;
    const parts = (await this.ask(
      key,
      request.launch,
      request.deadlineMs,
      where,
      () => request,
    )) as Measured[];
    const interfaceBytes: Record<string, number> = {};
    for (const [index, part] of parts.entries()) {
      // Interfaces of several hosts have the same names.
      const host = parts.length === 1 ? '' : `${this.hosts[index]?.name}/`;
      for (const [name, bytes] of Object.entries(part.interfaceBytes)) interfaceBytes[host + name] = bytes;
    }
    const ranks = parts.flatMap((part) => part.ranks).sort((a, b) => a.rank - b.rank);
    return { type: 'measured', launch: request.launch, block: request.block, ranks, interfaceBytes };
  }

  private async stopLaunch(launch: number): Promise<void> {
    const where: Where = {
      host: null,
      doing: `ending launch ${launch}`,
      phase: 'stop',
      operations: null,
      deadlineMs: null,
      again: null,
    };
    await Promise.allSettled(
      this.agents
        .filter((agent) => agent.usable && !agent.hasFailed(launch))
        .map(async (agent) => {
          const reply = agent.reply(`stopped ${launch}`, launch, this.deadlines.stopMs, where);
          await agent.send({ type: 'stop', launch });
          await reply;
        }),
    );
    this.meetings.delete(launch);
  }

  /** Sends to every agent and waits for all. When one fails, what the others say about it decides where it began. */
  private async ask(
    key: string,
    launch: number,
    deadlineMs: number,
    where: Where,
    message: (agent: Agent) => LaunchRequest | MeasureRequest,
  ): Promise<unknown[]> {
    const patience = deadlineMs + this.deadlines.marginMs;
    const answers = this.agents.map(async (agent) => {
      const reply = agent.reply(key, launch, patience, { ...where, host: agent.host });
      const [answer] = await Promise.all([reply, agent.send(message(agent))]);
      return answer;
    });
    try {
      return await Promise.all(answers);
    } catch (error) {
      if (!(error instanceof FailureError) || this.agents.length === 1) throw error;
      const words = await this.hearAll(answers, launch, where);
      throw new FailureError(mergeFailures(words, where), { cause: error });
    }
  }

  /** What each host makes of a launch that failed somewhere; bounded, as some may have nothing to tell, or be gone. */
  private hearAll(answers: readonly Promise<unknown>[], launch: number, where: Where): Promise<HostWord[]> {
    const waitMs = Math.min(this.deadlines.marginMs, hearingMs);
    return Promise.all(
      this.agents.map(async (agent, i): Promise<HostWord> => {
        const { host } = agent;
        const ranks = this.hosts[i]?.ranks ?? [];
        const asked: Where = { ...where, host };
        const patience = new AbortController();
        const waited = setTimeout(waitMs, null, { signal: patience.signal, ref: false });
        try {
          // One that is there says so at once, and has the rest of the time for its ranks' last words.
          const alive = agent.answers(waitMs, asked).then(() => waited);
          const done = await Promise.race([answers[i]?.then(() => true), alive]);
          return { host, ranks, word: done === true ? { is: 'done' } : { is: 'waiting' } };
        } catch (error) {
          const failed = agent.failedLaunch(launch);
          if (failed !== undefined) return { host, ranks, word: { is: 'failed', ...failed } };
          const failure = unexpected(error, asked);
          return { host, ranks, word: { is: 'lost', failure, heardMs: performance.now() } };
        } finally {
          patience.abort();
          waited.catch(() => undefined);
        }
      }),
    );
  }

  /** What one agent is to start: its ranks, over its interface. */
  private partOf(request: LaunchRequest, agent: Agent): LaunchRequest {
    const host = this.hosts[this.agents.indexOf(agent)];
    const { iface } = host ?? {};
    const options = iface === undefined ? request.options : { ...request.options, interface: iface };
    return { ...request, options, localRanks: host?.ranks ?? [] };
  }
}
