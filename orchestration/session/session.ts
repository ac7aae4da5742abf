import { chunk } from 'simple-statistics';
import type {
  BlockRecord,
  BlockRequest,
  Failure,
  Inventory,
  LaunchRecord,
  MachineFacts,
  MetricsLine,
  QuietWait,
  RunPlan,
} from '../../results/schema/index.ts';
import { planningOf } from '../../suites/engines/index.ts';
import { raceAbort } from '../abort.ts';
import type { Agent, HostOutput } from '../agent.ts';
import { agentLimits } from '../agent-limits.ts';
import { type Deadlines, deadlinesOf } from '../deadlines.ts';
import type { LaunchContext } from '../failure-text.ts';
import { interrupted, stoppedText, unexpectedFailure } from '../failures.ts';
import { Fleet } from '../fleet.ts';
import type { LaunchOpener } from '../launch.ts';
import { type Launcher, launchers } from '../launchers/index.ts';
import { MetricsStream, type SamplerOpener } from '../metrics.ts';
import { StopWatch } from '../running-time.ts';
import { LaunchTokens } from '../tokens.ts';
import {
  launchingAt,
  launchRecord,
  measureSides,
  measuringAt,
  openSides,
  type RankSet,
  type RoundContext,
  type StartedSide,
  sidesOf,
} from './concurrent-sets.ts';
import { blocksOfLaunch, launchKey, startsAtOnce } from './open-ahead.ts';
import { type HostBusyness, QuietWatch } from './quiet.ts';

/** What a session tells while it runs. `failure` is the last one: everything has been stopped before it is given out. */
export type SessionEvent =
  | { type: 'inventory'; host: string; inventory: Inventory; versions: Record<string, string> }
  | { type: 'launch'; record: LaunchRecord }
  | { type: 'block'; record: BlockRecord; completesCell: boolean }
  /** Machines are not quiet; said once per wait. Then `waited`, however it ended. */
  | { type: 'waiting'; busy: HostBusyness[]; limitS: number }
  | { type: 'waited'; wait: QuietWait }
  | { type: 'log'; level: 'warn' | 'info'; host: string; rank: number | null; text: string }
  /** Lines for the metrics of one host, its header first. */
  | { type: 'metrics'; host: string; lines: MetricsLine[] }
  /** What agents and ranks wrote; `launch` says of which, in words, where it is of one. */
  | {
      type: 'output';
      host: string;
      from: HostOutput['from'];
      rank: number | null;
      launch: string | null;
      text: string;
    }
  /** What the machines are made of, once all is measured; not told where nobody asked (`keepMachines`). */
  | { type: 'machines'; facts: Record<string, MachineFacts> }
  | { type: 'failure'; failure: Failure };

export interface SessionOptions {
  /** Path of the collbench-agent binary; not used when `openLaunch` is given. */
  agentPath: string;
  /** Aborting ends the session with a failure of kind `interrupted`, after everything was stopped. */
  signal: AbortSignal;
  /** Variables for the rank processes, on top of what the agent itself inherits. */
  environment?: Record<string, string>;
  /** Another way to get launches than agents: in-process ranks. No inventory event comes then. */
  openLaunch?: LaunchOpener;
  /** Reads this machine in place of agents, where `openLaunch` is given. */
  openSampler?: SamplerOpener;
  /** How agents are started; `local` by default. */
  launcher?: Launcher;
  /** Agents of hosts of the plan that have said hello already (probe.ts); the session ends them. */
  agents?: readonly Agent[];
  deadlines?: Partial<Deadlines>;
  /** Ask the agents what their machines are made of, after the last block. */
  keepMachines?: boolean;
  /** Blocks that are known to come, in their order: launches that are slow to start are opened with those before them. */
  expected?: readonly BlockRequest[];
}

/**
 * Carries out the blocks in the order given: agents are started, a launch is opened when its first block comes and stays
 * open to the end, each block is measured by all ranks and given out as one record; of a plan with groups by each group,
 * at the same time, and given out as one record per group.
 * However it ends (last block, failure, abort, `return()`), launches and agents are stopped before it is over.
 */
export async function* runSession(
  plan: RunPlan,
  blocks: Iterable<BlockRequest> | AsyncIterable<BlockRequest>,
  options: SessionOptions,
): AsyncGenerator<SessionEvent> {
  const session = new LaunchSession(plan, options);
  let failure: Failure | null = null;
  try {
    yield* await session.begin();
    yield* session.waitQuiet();
    for await (const request of blocks) {
      const { opened, events } = await session.launchFor(request);
      yield* events;
      const records = await session.measure(opened, request);
      if (request.endsLaunch === true) await session.endLaunch(request);
      yield* session.takeNews();
      for (const [i, record] of records.entries()) {
        const completesCell = request.completesCell && i === records.length - 1;
        yield { type: 'block', record, completesCell };
      }
    }
    await session.stopLaunches();
    yield* await session.machines();
  } catch (error) {
    failure = session.failureOf(error);
  } finally {
    await session.end();
  }
  yield* session.takeNews();
  if (failure !== null) yield { type: 'failure', failure };
}

const stopsAtOnce = 4;

class LaunchSession {
  private sharedToken: string | null = null;
  private readonly plan: RunPlan;
  private readonly options: SessionOptions;
  private readonly deadlines: Deadlines;
  private readonly fleet: Fleet;
  private readonly sides: readonly RankSet[];
  private readonly launches = new Map<string, StartedSide[]>();
  /** Ends what still runs when the session ends, for whatever reason. */
  private readonly ending = new AbortController();
  private readonly news: SessionEvent[] = [];
  /** Values of metrics among the news. */
  private waitingReadings = 0;
  /** By number on the wire: "socket (launch 2)". */
  private readonly launchNames = new Map<number, string | null>();
  private readonly tokens = new LaunchTokens();
  private sampler: { stop(): void } | undefined;
  private readonly ownTime = new StopWatch();
  private blocksDone = 0;
  /** As long as the machines are waited for. */
  private watch: QuietWatch | null;
  private where: LaunchContext = {
    host: null,
    doing: 'starting',
    phase: 'setup',
    operations: null,
    deadlineMs: null,
    again: null,
  };

  constructor(plan: RunPlan, options: SessionOptions) {
    this.plan = plan;
    this.options = options;
    this.sides = sidesOf(plan);
    const cpusOf = (name: string) => this.fleet.agents.find(({ host }) => host === name)?.hello.cpus;
    this.watch = plan.sampling.waitQuietS === undefined ? null : new QuietWatch(plan.hosts, cpusOf);
    this.deadlines = deadlinesOf(plan, options.deadlines);
    this.fleet = new Fleet(
      plan.hosts,
      this.deadlines,
      (host, { level, rank, text }) => {
        this.news.push({ type: 'log', level, host, rank, text: this.tokens.clean(text) });
      },
      (host, lines) => {
        this.tellMetrics(host, lines);
      },
      (host, { from, rank, launch, text }) => {
        const name = launch === null ? null : (this.launchNames.get(launch) ?? null);
        this.news.push({ type: 'output', host, from, rank, launch: name, text: this.tokens.clean(text) });
      },
    );
  }

  async begin(): Promise<SessionEvent[]> {
    const { metricsIntervalUs: intervalUs } = this.plan;
    if (this.options.openLaunch !== undefined) {
      if (intervalUs !== undefined) this.sampleHere(intervalUs);
      return [];
    }
    this.where = { ...this.where, doing: 'starting the agent' };
    await this.unlessAborted(
      this.fleet.start(this.options.launcher ?? launchers.local, this.options.agentPath, this.options.agents),
    );
    if (intervalUs !== undefined) await this.fleet.sample(intervalUs, (host) => this.ranksOn(host));
    return this.fleet.agents.map(({ host, hello }) => ({
      type: 'inventory',
      host,
      inventory: hello.inventory,
      versions: { agent: hello.version, protocol: String(hello.protocol) },
    }));
  }

  /** Groups number their ranks from 0 each. */
  private ranksOn(host: string): number[] {
    const ranks = this.sides.flatMap(({ plan }) => plan.hosts.find(({ name }) => name === host)?.ranks ?? []);
    return [...new Set(ranks)].sort((a, b) => a - b);
  }

  private sampleHere(intervalUs: number): void {
    const host = this.plan.hosts[0]?.name ?? 'localhost';
    const stream = new MetricsStream(host, true);
    const tell = (message: Parameters<MetricsStream['lines']>[0]): void => {
      this.tellMetrics(host, stream.lines(message));
    };
    const sampler = this.options.openSampler?.(intervalUs, tell);
    if (sampler !== undefined) this.sampler = { stop: () => tell(sampler.stop()) };
  }

  /** @throws Error an agent sends more readings than can be kept until the end of a block */
  private tellMetrics(host: string, lines: MetricsLine[]): void {
    for (const line of lines) if ('values' in line) this.waitingReadings += line.values.length;
    if (this.waitingReadings > agentLimits.waitingReadings)
      throw new Error(`more than ${agentLimits.waitingReadings} readings during one block`);
    this.news.push({ type: 'metrics', host, lines });
    this.watch?.take(host, lines);
  }

  /** Until all machines are quiet, or as long as the plan allows; readings go on meanwhile. */
  async *waitQuiet(): AsyncGenerator<SessionEvent> {
    const { watch } = this;
    const limitS = this.plan.sampling.waitQuietS;
    if (watch === null || limitS === undefined) return;
    this.where = { ...this.where, doing: 'waiting for quiet machines' };
    const at = new Date().toISOString();
    const begun = performance.now();
    const secondsSince = (): number => (performance.now() - begun) / 1000;
    let isTold = false;
    while (!watch.isQuiet && secondsSince() < limitS) {
      if (!isTold && watch.isKnown) {
        isTold = true;
        yield { type: 'waiting', busy: watch.busy(), limitS };
      }
      await this.unlessAborted(watch.next(limitS - secondsSince()));
      yield* this.takeNews();
    }
    this.watch = null;
    const busyCores = Object.fromEntries(watch.busy().map(({ host, cores }) => [host, cores]));
    yield { type: 'waited', wait: { at, seconds: secondsSince(), isQuiet: watch.isQuiet, busyCores } };
  }

  /** The launch of a block, and what there is to tell of launches that were opened for it. */
  async launchFor(request: BlockRequest): Promise<{ opened: StartedSide[]; events: SessionEvent[] }> {
    const key = launchKey(request);
    const there = this.launches.get(key);
    if (there !== undefined) return { opened: there, events: [] };

    this.where = launchingAt(this.plan, request, null, this.deadlines);
    const { expected = [], openLaunch } = this.options;
    const grounds = this.fleet.agents.map(({ host, hello }) => ({
      host,
      oneCpuPerCore: hello.oneCpuPerCore,
    }));
    const atOnce = openLaunch === undefined ? startsAtOnce(this.plan, grounds) : 1;
    const [, ...ahead] = blocksOfLaunch(request, expected, (one) => this.launches.has(one), atOnce);
    const opening = [this.open(request), Promise.all(ahead.map((one) => this.open(one)))] as const;
    const [own, others] = await this.unlessAborted(Promise.all(opening));
    const events = [own, ...others].flatMap((one) => one.events);
    return { opened: own.opened, events: [...this.takeNews(), ...events] };
  }

  private async open(request: BlockRequest): Promise<{ opened: StartedSide[]; events: SessionEvent[] }> {
    const opened: StartedSide[] = [];
    this.launches.set(launchKey(request), opened);
    const opening = openSides(this.plan, this.sides, request, this.surroundings());
    const started = await Promise.all(
      opening.map(async (one) => {
        const { side, token } = await one;
        opened.push(side);
        return { side, token };
      }),
    );
    opened.sort((a, b) => a.index - b.index);
    const events = started.map(
      ({ side, token }): SessionEvent => ({
        type: 'launch',
        record: launchRecord(request, side, token),
      }),
    );
    return { opened, events };
  }

  /** One record, or one per group. */
  async measure(opened: readonly StartedSide[], request: BlockRequest): Promise<BlockRecord[]> {
    this.where = measuringAt(this.plan, request, null, this.deadlines);
    const round = measureSides(this.plan, opened, request, this.blocksDone, this.surroundings());
    const records = await this.unlessAborted(round.then((one) => Promise.all(one.records)));
    this.blocksDone += records.length;
    return records;
  }

  /** Orderly end of the launch of this block: what it held is free before the next one is opened. */
  async endLaunch(request: BlockRequest): Promise<void> {
    const key = launchKey(request);
    await Promise.all((this.launches.get(key) ?? []).map(({ launch }) => launch.stop()));
    this.launches.delete(key);
  }

  /**
   * Orderly end of all launches; what cannot be ended so is ended with the agent. On devices few at a time: their driver takes
   * down one process after the other, and the last of many would be late.
   */
  async stopLaunches(): Promise<void> {
    const open = [...this.launches.values()].flat();
    const atOnce = planningOf(this.plan).devices === null ? open.length : stopsAtOnce;
    for (const some of chunk(open, Math.max(1, atOnce)))
      await Promise.all(some.map(({ launch }) => launch.stop()));
  }

  async machines(): Promise<SessionEvent[]> {
    if (this.options.keepMachines !== true || this.options.openLaunch !== undefined) return [];
    return [{ type: 'machines', facts: await this.unlessAborted(this.fleet.machines()) }];
  }

  async end(): Promise<void> {
    this.ending.abort();
    this.ownTime.end();
    this.sampler?.stop();
    await this.fleet.unsample();
    // Agents take their ranks with them; only launches without an agent must be stopped one by one.
    if (this.options.openLaunch !== undefined) await this.stopLaunches();
    await this.fleet.stop();
  }

  takeNews(): SessionEvent[] {
    this.waitingReadings = 0;
    return this.news.splice(0);
  }

  /** Says that hosts waited for this process in vain: their agents and ranks continued during that time. */
  failureOf(error: unknown): Failure {
    const failure = unexpectedFailure(error, this.where);
    const stopped = this.ownTime.stoppedForMs();
    if (stopped === 0 || failure.kind === 'interrupted') return failure;
    return { ...failure, details: [...failure.details, stoppedText(stopped)] };
  }

  private unlessAborted<T>(work: Promise<T>): Promise<T> {
    return raceAbort(this.options.signal, work, () => interrupted(this.where));
  }

  private surroundings(): RoundContext {
    const { openLaunch, environment = {} } = this.options;
    return {
      open:
        openLaunch ??
        ((asked, _signal, where, part) => {
          this.launchNames.set(asked.launch, where.launchName ?? null);
          return this.fleet.open(asked, where, part);
        }),
      fleet: this.fleet,
      signal: this.ending.signal,
      deadlines: this.deadlines,
      environment,
      token: () => this.token(),
    };
  }

  /**
   * New for each launch; launches inside one process share it, because that process holds one SISCI library on one fabric.
   */
  private token(): string {
    if (this.options.openLaunch === undefined) return this.tokens.make();
    this.sharedToken ??= this.tokens.make();
    return this.sharedToken;
  }
}
