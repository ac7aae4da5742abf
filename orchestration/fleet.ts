import { setTimeout } from 'node:timers/promises';
import type { MachineFacts, MetricsLine } from '../results/schema/index.ts';
import { FailureError } from '../results/verdicts/failure.ts';
import { planningEngines } from '../suites/engines/index.ts';
import {
  Agent,
  type AgentListener,
  type AgentMessageOf,
  type AgentReply,
  type HostLogLine,
  type HostOutput,
  lineOf,
  type MetricsMessage,
} from './agent.ts';
import { HostClocks, machineOf } from './clocks.ts';
import type { Deadlines } from './deadlines.ts';
import type { HostOutcome } from './failures/blame.ts';
import { contextOf, type LaunchContext } from './failures/failure-text.ts';
import { unexpectedFailure } from './failures/failures.ts';
import { mergeFailures } from './failures/host-outcomes.ts';
import type { RankPlacement } from './hosts/binding.ts';
import type {
  LaunchPart,
  LaunchRanks,
  LaunchRequest,
  LaunchStart,
  MeasureReply,
  MeasureRequest,
  OpenedLaunch,
  SharedStart,
} from './launch.ts';
import type { Launcher } from './launchers/launcher.ts';
import { type MetricsEndMessage, MetricsStream } from './metrics.ts';
import { renumberRanks } from './rank-numbers.ts';
import { Rendezvous } from './rendezvous.ts';
import { measuredProblem, readyProblem, strayPart } from './reply-problems.ts';

export interface FleetHost {
  name: string;
  /** Ranks that run on this host, numbered as in the run. */
  ranks: number[];
  /** Network interface of this host, instead of the one in the transport's options; absent = as in the options. */
  iface?: string | undefined;
  /** CPUs, memory and GPU of each rank on this host. Absent = the agent chooses CPUs and memory; settingsOf() chooses the GPUs. */
  placements?: RankPlacement[] | undefined;
}

/**
 * One agent's share of a launch: the ranks of the launch that run on the agent's host. `together`: share of the launch in the cores
 * of the agent's machine, beside concurrent launches; absent for a launch of all ranks.
 */
interface AgentShare {
  agent: Agent;
  /** Index of the agent among all agents of the fleet. */
  index: number;
  /** This agent's ranks in the launch, numbered as in the run. `localRanks` has the same ranks, numbered as in the launch. */
  ranks: readonly number[];
  localRanks: number[];
  together?: SharedStart | undefined;
}

/** Maximum ms to wait for reports of the other hosts after a launch failed on one host. */
const hearingMs = 3000;
/** Maximum ms to wait for the hardware and software facts of a machine after the last block. */
const factsMs = 5000;

export type FleetLog = (host: string, line: HostLogLine) => void;
/**
 * Receives lines for the metrics file of a host, as objects. The first line of all is the header with the channels. The receiver
 * writes the lines to the file.
 */
export type FleetMetrics = (host: string, lines: MetricsLine[]) => void;
export type FleetOutput = (host: string, output: HostOutput) => void;

/**
 * The agents of a run, one per host. Callers start and measure ranks on all hosts without seeing single agents. stop() must be
 * called at the end, also if start() rejects.
 */
export class Fleet implements AgentListener {
  readonly agents: Agent[] = [];
  /** Resolves when the agents that were passed to start(), but belong to no host of the run, have ended. */
  private leaving: Promise<unknown> = Promise.resolve();
  /** Measures how far the clocks of all hosts differ from the clock of this process; null until start() has resolved. */
  clocks: HostClocks | null = null;
  private readonly meetings = new Map<number, Rendezvous>();
  private readonly places = new Map<number, readonly AgentShare[]>();
  private readonly hosts: FleetHost[];
  private readonly deadlines: Deadlines;
  private readonly onLog: FleetLog;
  private begun = 0;
  private readonly onMetrics: FleetMetrics;
  private readonly onOutput: FleetOutput;
  private readonly streams: Map<string, MetricsStream>;
  private isSampling = false;

  constructor(
    hosts: FleetHost[],
    deadlines: Deadlines,
    onLog: FleetLog,
    onMetrics: FleetMetrics = () => undefined,
    onOutput: FleetOutput = () => undefined,
  ) {
    this.hosts = hosts;
    this.deadlines = deadlines;
    this.onLog = onLog;
    this.onMetrics = onMetrics;
    this.onOutput = onOutput;
    this.streams = new Map(
      hosts.map(({ name, ranks }) => [name, new MetricsStream(name, ranks.includes(0))]),
    );
  }

  /**
   * Starts the agents of all hosts at once, and resolves when all have said hello. Agents in `waiting` already run and have sent
   * hello: they are reused if their host belongs to the run, otherwise stopped.
   * @throws FailureError for the first agent that cannot start; the others keep running until stop() is called
   */
  async start(launcher: Launcher, agentPath: string, waiting: readonly Agent[] = []): Promise<void> {
    // The probe of this machine runs before the plan gives the machine its name.
    const nameOf = ({ host }: Agent) => (launcher.name === 'local' ? this.hosts[0]?.name : host);
    const there = new Map(waiting.map((agent) => [nameOf(agent), agent]));
    const needed = this.hosts.map(({ name }) => {
      const agent = there.get(name) ?? new Agent(launcher, name, agentPath, this);
      this.agents.push(agent);
      return { agent, name, greets: !there.delete(name) };
    });
    this.leaving = Promise.all([...there.values()].map((agent) => agent.stop(this.deadlines)));
    await Promise.all(
      needed.map(async ({ agent, name, greets }) =>
        greets ? agent.greet(this.deadlines) : agent.handTo(this, name),
      ),
    );
    this.clocks = new HostClocks(this.agents);
  }

  /** Returns the next number for a launch, from 0; it identifies the launch in messages to agents. */
  nextLaunch(): number {
    this.begun += 1;
    return this.begun - 1;
  }

  /**
   * Starts the ranks of one launch on all their hosts and connects them to each other. If a launch with `part` fails on one host,
   * it is stopped on the other hosts, because the rest of the run may continue. A failed launch of all ranks is not stopped on the
   * other hosts.
   * @param part ranks of the launch; absent = all ranks of the run
   * @param where activity, phase and deadline that the text of a failure names
   * @throws FailureError if the launch fails on a host; its details name ranks that were missing in exchanges
   */
  async open(request: LaunchRequest, where: LaunchContext, part?: LaunchPart): Promise<OpenedLaunch> {
    const meeting = new Rendezvous(request.ranks);
    this.meetings.set(request.launch, meeting);
    const places = this.placesOf(request.launch, part);
    try {
      const parts = (await this.ask(
        places,
        `ready ${request.launch}`,
        request.launch,
        request.deadlineMs,
        where,
        (place) => this.partOf(request, place),
        (answer, { localRanks }) =>
          readyProblem(answer as LaunchRanks, { ...request, localRanks }, this.deadlines.marginMs),
      )) as LaunchRanks[];
      const ranks = parts.flatMap((one) => one.ranks).sort((a, b) => a.rank - b.rank);
      const setupNs = Math.max(...parts.map((one) => one.setupNs));
      return this.launch({ type: 'ready', launch: request.launch, setupNs, ranks }, places);
    } catch (error) {
      const told = meeting
        .waiting()
        .map((line) => renumberRanks(line, (rank) => part?.members[rank] ?? rank));
      if (error instanceof FailureError) error.failure.details.push(...told);
      // Agents stop this launch now, because the rest of the run may continue without it.
      if (part !== undefined) this.abandon(request.launch, places);
      throw error;
    }
  }

  /**
   * Divides the cores of each machine among launches that measure at the same time: the ranks of each launch get the cores after
   * those of the previous launch.
   * @param sets ranks of each launch
   * @returns [set][agent]: `ranks` = number of ranks of all sets on the agent's machine; `before` = number of ranks there that get
   * their cores first: ranks of earlier sets, and ranks of the same set that belong to earlier agents of this machine
   */
  shares(sets: readonly (readonly number[])[]): SharedStart[][] {
    const given = new Map<string, number>();
    const befores = sets.map((set) =>
      this.agents.map((agent, index) => {
        const before = given.get(machineOf(agent)) ?? 0;
        const own = this.hosts[index]?.ranks.filter((rank) => set.includes(rank)).length ?? 0;
        given.set(machineOf(agent), before + own);
        return before;
      }),
    );
    return befores.map((set) =>
      set.map((before, index) => ({
        ranks: given.get(machineOf(this.agents[index] as Agent)) ?? 0,
        before,
      })),
    );
  }

  /** Stops every agent. Never rejects. */
  async stop(): Promise<void> {
    await Promise.all([this.leaving, ...this.agents.map((agent) => agent.stop(this.deadlines))]);
  }

  exchange(_agent: Agent, message: AgentMessageOf<'exchange'>): void {
    const meeting = this.meetings.get(message.launch);
    if (meeting === undefined)
      throw new Error(`exchange '${message.key}' for launch ${message.launch}, which is not running`);
    const answer = meeting.give(message);
    if (answer === null) return;
    const line = lineOf(answer);
    for (const { agent } of this.places.get(message.launch) ?? []) void agent.sendLine(line);
  }

  log(agent: Agent, line: HostLogLine): void {
    this.onLog(agent.host, line);
  }

  output(agent: Agent, output: HostOutput): void {
    this.onOutput(agent.host, output);
  }

  /**
   * Converts metric messages of an agent to lines and passes them on.
   * @throws Error if the agent's messages contradict each other; its text is worded to follow "sent an invalid message:"
   */
  metrics(agent: Agent, message: MetricsMessage | MetricsEndMessage): void {
    const lines = this.streams.get(agent.host)?.lines(message) ?? [];
    if (lines.length > 0) this.onMetrics(agent.host, lines);
  }

  /**
   * Starts metric sampling on every agent, without waiting for answers. Never rejects. Each metrics file's header lists unreadable
   * sources.
   * @param intervalUs microseconds between two readings
   * @param sources names of the sources to read; null = all that a host has
   * @param ranksOn returns the ranks of a host whose CPU time and memory are sampled, numbered as in their launch (with groups,
   * each group counts from 0)
   */
  async sample(
    intervalUs: number,
    sources: readonly string[] | null,
    ranksOn: (host: string) => number[],
  ): Promise<void> {
    await Promise.all(
      this.agents.map((agent) =>
        agent.send({
          ...{ type: 'sample', intervalUs, ranks: ranksOn(agent.host) },
          sources: sources === null ? null : [...sources],
        }),
      ),
    );
    this.isSampling = true;
  }

  /**
   * Ends metric sampling, if it was started, and passes the last readings on. Never rejects. Without an answer within `sampledMs`
   * an agent counts as lost; readings that it sent earlier are kept.
   */
  async unsample(): Promise<void> {
    if (!this.isSampling) return;
    this.isSampling = false;
    await Promise.allSettled(
      this.agents
        .filter((agent) => agent.usable)
        .map(async (agent) => {
          const where = contextOf('ending the sampling', 'stop', { host: agent.host });
          const reply = agent.reply('sampled', null, this.deadlines.sampledMs, where);
          const [answer] = await Promise.all([reply, agent.send({ type: 'unsample' })]);
          this.metrics(agent, answer as MetricsEndMessage);
        }),
    );
  }

  /**
   * Returns hardware and software facts, keyed by host. A host that is lost, or does not answer within `factsMs`, is left out.
   * Never rejects.
   */
  async machines(): Promise<Record<string, MachineFacts>> {
    const told = await Promise.allSettled(
      this.agents
        .filter((agent) => agent.usable)
        .map(async (agent) => {
          const where = contextOf('asking for the machine', 'stop', { host: agent.host });
          const reply = agent.reply('facts 0', null, factsMs, where);
          const [answer] = await Promise.all([reply, agent.send({ type: 'facts', id: 0, brief: true })]);
          return [agent.host, (answer as AgentMessageOf<'facts'>).facts] as const;
        }),
    );
    return Object.fromEntries(told.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])));
  }

  private launch(ready: LaunchRanks, places: readonly AgentShare[]): OpenedLaunch {
    let stopping: Promise<void> | null = null;
    return {
      ready,
      measure: (request, where, start) => this.measure(places, request, where, start),
      stop: () => {
        stopping ??= this.stopLaunch(ready.launch, places);
        return stopping;
      },
    };
  }

  private async measure(
    places: readonly AgentShare[],
    request: MeasureRequest,
    where: LaunchContext,
    start?: LaunchStart,
  ): Promise<MeasureReply> {
    const key = `measured ${request.launch} ${request.block}`;
    const { marginMs } = this.deadlines;
    const askedMs = performance.now();
    // A block whose ranks make progress may take longer than its deadline.
    const spanMs = () => Math.max(request.deadlineMs, performance.now() - askedMs) + marginMs;
    const parts = (await this.ask(
      places,
      key,
      request.launch,
      request.deadlineMs,
      where,
      ({ index }) => {
        // Without a reading the agent is lost, and nobody waits for its answer.
        const clock = start?.clocks[index] ?? null;
        return start === undefined || clock === null
          ? request
          : { ...request, startAtNs: start.atNs + clock.offsetNs };
      },
      (answer, { localRanks }) => measuredProblem(answer as MeasureReply, localRanks, spanMs()),
    )) as MeasureReply[];
    const stray = places[strayPart(parts, spanMs())];
    if (stray !== undefined) {
      const { agent } = stray;
      throw agent.refuse('its times are not of the clock of rank 0', { ...where, host: agent.host });
    }
    const interfaceBytes: Record<string, number> = {};
    for (const [index, part] of parts.entries()) {
      // The host name is added because interfaces of several hosts have the same names.
      const host = parts.length === 1 ? '' : `${places[index]?.agent.host}/`;
      for (const [name, bytes] of Object.entries(part.interfaceBytes)) interfaceBytes[host + name] = bytes;
    }
    const ranks = parts.flatMap((part) => part.ranks).sort((a, b) => a.rank - b.rank);
    return { type: 'measured', launch: request.launch, block: request.block, ranks, interfaceBytes };
  }

  private abandon(launch: number, places: readonly AgentShare[]): void {
    for (const { agent } of places) {
      if (agent.usable && !agent.hasFailed(launch)) void agent.send({ type: 'stop', launch });
    }
  }

  private async stopLaunch(launch: number, places: readonly AgentShare[]): Promise<void> {
    const where = contextOf(`ending launch ${launch}`, 'stop');
    await Promise.allSettled(
      places
        .filter(({ agent }) => agent.usable && !agent.hasFailed(launch))
        .map(async ({ agent }) => {
          const reply = agent.reply(`stopped ${launch}`, launch, this.deadlines.stopMs, where);
          await agent.send({ type: 'stop', launch });
          await reply;
        }),
    );
    this.meetings.delete(launch);
    this.places.delete(launch);
  }

  /**
   * Sends a message to every agent of a launch and waits for all answers. If one agent fails, the reports of the others help to
   * find the host where the failure began.
   * @param problemOf returns the reason why an answer cannot be true; null if it can. An agent with such a reason is given up
   * @param key key by which Agent.reply() recognises the answer
   * @param deadlineMs deadline of the agents; the wait is longer by `marginMs`
   * @param message returns the message for one agent
   * @returns answers in the order of `places`
   * @throws FailureError one failure for all hosts
   */
  private async ask(
    places: readonly AgentShare[],
    key: string,
    launch: number,
    deadlineMs: number,
    where: LaunchContext,
    message: (place: AgentShare) => LaunchRequest | MeasureRequest,
    problemOf: (answer: AgentReply, place: AgentShare) => string | null,
  ): Promise<unknown[]> {
    const patience = deadlineMs + this.deadlines.marginMs;
    const answers = places.map(async (place) => {
      const { agent } = place;
      const reply = agent.reply(key, launch, patience, { ...where, host: agent.host });
      const [answer] = await Promise.all([reply, agent.send(message(place))]);
      const problem = problemOf(answer, place);
      if (problem !== null) throw agent.refuse(problem, { ...where, host: agent.host });
      return answer;
    });
    try {
      return await Promise.all(answers);
    } catch (error) {
      if (!(error instanceof FailureError) || places.length === 1) throw error;
      const ends = await this.collectEnds(places, answers, launch, where);
      throw new FailureError(mergeFailures(ends, where), { cause: error });
    }
  }

  /**
   * Collects how the launch ended on each host, after it failed on one host. It waits at most `hearingMs`, because an agent may
   * have nothing to report. An agent that does not answer in this time counts as lost. Never rejects.
   * @param places agents of the launch, with their ranks
   * @param answers answer of each agent, in the order of `places`
   */
  private collectEnds(
    places: readonly AgentShare[],
    answers: readonly Promise<unknown>[],
    launch: number,
    where: LaunchContext,
  ): Promise<HostOutcome[]> {
    const waitMs = Math.min(this.deadlines.marginMs, hearingMs);
    return Promise.all(
      places.map(async ({ agent, ranks }, i): Promise<HostOutcome> => {
        const { host } = agent;
        const context: LaunchContext = { ...where, host };
        const patience = new AbortController();
        const waited = setTimeout(waitMs, null, { signal: patience.signal, ref: false });
        try {
          // An agent that answers this probe then has the remaining time to report how its ranks ended.
          const alive = agent.answers(waitMs, context).then(() => waited);
          const done = await Promise.race([answers[i]?.then(() => true), alive]);
          return { host, ranks, end: done === true ? { is: 'done' } : { is: 'waiting' } };
        } catch (error) {
          const failed = agent.failedLaunch(launch);
          if (failed !== undefined) return { host, ranks, end: { is: 'failed', ...failed } };
          const failure = unexpectedFailure(error, context);
          return {
            host,
            ranks,
            end: { is: 'lost', failure, isSilent: agent.isSilent, heardMs: performance.now() },
          };
        } finally {
          patience.abort();
          waited.catch(() => undefined);
        }
      }),
    );
  }

  /**
   * Returns the agents that take part in a launch, each with its ranks of the launch. It also remembers them for the launch, and
   * tells each agent the numbers of a partial launch, so that failures and logs name ranks by their numbers in the run.
   * @param part ranks of the launch; undefined = all ranks of the run
   */
  private placesOf(launch: number, part: LaunchPart | undefined): AgentShare[] {
    const places = this.agents.flatMap((agent, index): AgentShare[] => {
      const there = this.hosts[index]?.ranks ?? [];
      if (part === undefined) return [{ agent, index, ranks: there, localRanks: there }];
      const ranks = there.filter((rank) => part.members.includes(rank));
      if (ranks.length === 0) return [];
      agent.renumber(launch, part.members);
      const localRanks = ranks.map((rank) => part.members.indexOf(rank));
      return [{ agent, index, ranks, localRanks, together: part.shares[index] }];
    });
    this.places.set(launch, places);
    return places;
  }

  /**
   * Returns the launch request for one agent: with only this agent's ranks, with their binding, GPUs and network
   * interface, and the variables that the engine sets.
   * @param place the agent, with its ranks of the launch
   */
  private partOf(request: LaunchRequest, place: AgentShare): LaunchRequest {
    const { index, ranks, localRanks, together } = place;
    const { iface, placements: bound } = this.hosts[index] ?? {};
    const engine = planningEngines[request.engine];
    const options = iface === undefined ? request.options : { ...request.options, interface: iface };
    const placements = ranks.map((rank, i) => {
      const { cpus = '', memoryNodes = '' } = bound?.find((one) => one.rank === rank) ?? {};
      return { rank: localRanks[i] ?? rank, cpus, memoryNodes };
    });
    return {
      ...request,
      options,
      environment: { ...request.environment, ...engine.variables(request.transport, options) },
      settings: this.settingsOf(request, place),
      localRanks,
      output: true,
      ...(bound === undefined ? {} : { placements }),
      ...(together === undefined ? {} : { together }),
    };
  }

  /**
   * Returns the engine settings with the GPUs of this host's ranks. A rank map names the GPU of each rank. Without a map the k-th
   * rank of the host (k from 0) gets the k-th GPU in the settings, or GPU k if the settings name no k-th one. Settings stay
   * unchanged for engines without GPUs, and for launches of all ranks without a map.
   */
  private settingsOf(
    { engine, settings = {} }: LaunchRequest,
    { index, ranks, together }: AgentShare,
  ): Record<string, string> {
    const host = this.hosts[index];
    const mapped = ranks.map((rank) => host?.placements?.find((one) => one.rank === rank)?.gpu);
    const isMapped = mapped.some((gpu) => gpu !== undefined);
    const { devices } = planningEngines[engine];
    if (devices === null || (together === undefined && !isMapped)) return settings;
    const offered = devices.namedIn(settings) ?? [];
    // The engine assigns the listed GPUs to its local ranks in order.
    const gpus = ranks.map((rank, i) => {
      const k = host?.ranks.indexOf(rank) ?? 0;
      return mapped[i] ?? offered[k] ?? k;
    });
    return devices.withNamed(settings, gpus);
  }
}
