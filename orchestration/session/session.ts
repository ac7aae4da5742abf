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
import { FailureError } from '../../results/verdicts/failure.ts';
import { planningOf } from '../../suites/engines/index.ts';
import type { Agent, HostOutput } from '../agent.ts';
import { agentLimits } from '../agent-limits.ts';
import { type Deadlines, deadlinesOf } from '../deadlines.ts';
import { contextOf } from '../failures/failure-text.ts';
import { interrupted, stoppedText, unexpectedFailure } from '../failures/failures.ts';
import { Fleet } from '../fleet.ts';
import { type LaunchOpener, LaunchTokens } from '../launch.ts';
import type { Launcher } from '../launchers/launcher.ts';
import { local } from '../launchers/local.ts';
import { MetricsStream, type SamplerOpener } from '../metrics.ts';
import { StopWatch } from '../running-time.ts';
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

/**
 * Events that runSession() yields. A `failure` is always the last one, yielded after everything has been stopped; without failure
 * there is none. Ranks are numbered as in the run; in arrays of a block of a group they are numbered as in the group.
 */
export type SessionEvent =
  | { type: 'inventory'; host: string; inventory: Inventory; versions: Record<string, string> }
  | { type: 'launch'; record: LaunchRecord }
  | { type: 'block'; record: BlockRecord; completesCell: boolean }
  /**
   * The session waits because other programs keep cores of some machines busy; sent at most once. `busy`: load of all hosts;
   * `limitS`: maximum seconds to wait. `waited` follows when the machines are quiet or the time limit is reached, but not if the
   * session is interrupted. It comes without `waiting` if the machines are quiet at once.
   */
  | { type: 'waiting'; busy: HostBusyness[]; limitS: number }
  | { type: 'waited'; wait: QuietWait }
  | { type: 'log'; level: 'warn' | 'info'; host: string; rank: number | null; text: string }
  /**
   * Lines for the metrics file of one host, as objects; the first line of the first event is the header. The receiver writes the
   * file.
   */
  | { type: 'metrics'; host: string; lines: MetricsLine[] }
  /** Output of agents and ranks. `launch` is the name of the launch that wrote it; null = no launch. */
  | {
      type: 'output';
      host: string;
      from: HostOutput['from'];
      rank: number | null;
      launch: string | null;
      text: string;
    }
  /**
   * Hardware and software facts, keyed by host, read after the last block; only with the option `keepMachines`. Hosts that did not
   * answer are missing.
   */
  | { type: 'machines'; facts: Record<string, MachineFacts> }
  | { type: 'failure'; failure: Failure };

export interface SessionOptions {
  /** Path of the collbench-agent binary; not used if `openLaunch` is given. */
  agentPath: string;
  /** Aborting ends the session with a failure of kind `interrupted`, after everything has stopped. */
  signal: AbortSignal;
  /** Environment variables for the rank processes, added to the variables that they inherit from the agent; absent = none. */
  environment?: Record<string, string>;
  /**
   * Opens launches without agents, with ranks in this process; the session then yields no `inventory` event. Absent = agents start
   * the ranks.
   */
  openLaunch?: LaunchOpener;
  /** Samples metrics of this machine without an agent; used only with `openLaunch`. Absent = no metrics are sampled then. */
  openSampler?: SamplerOpener;
  /** Way to start agents; default `local` (child processes). */
  launcher?: Launcher;
  /**
   * Agents of the plan's hosts that already run and have sent their hello (probe.ts). The session uses and ends them, and starts
   * those that are missing. Absent = all are started.
   */
  agents?: readonly Agent[];
  deadlines?: Partial<Deadlines>;
  /** True to ask the agents for facts of their machines after the last block; no effect with `openLaunch`. */
  keepMachines?: boolean;
  /**
   * Blocks that will be requested, in order. If launches take long to start, the session starts launches of later blocks in
   * advance. Blocks that are requested but not in this list are allowed. Absent = none is started in advance.
   */
  expected?: readonly BlockRequest[];
}

/**
 * Starts the agents, measures the blocks in the given order and yields the results as events; nothing is stored. A launch is
 * opened for its first block and stays open until the end, until a block with `endsLaunch`, or until another launch replaces it.
 * Each block is measured by all ranks and gives one record. With groups of ranks, all groups measure the block at the same time,
 * and each group gives a record. Launches and agents are stopped before the generator ends, whatever the reason: last block,
 * failure, abort or `return()`. Errors become the event `failure`; none is thrown.
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
  /**
   * Controller whose signal aborts when the session ends. The signal ends launches of ranks in this process; agents end their
   * launches when they are stopped.
   */
  private readonly ending = new AbortController();
  private readonly news: SessionEvent[] = [];
  /** Number of metric values in `news`, the events that wait until the session yields them. It limits the memory for them. */
  private waitingReadings = 0;
  /** Name of each launch, by the number that identifies it in messages to agents: "socket (launch 2)"; null = it has none. */
  private readonly launchNames = new Map<number, string | null>();
  private readonly tokens = new LaunchTokens();
  private sampler: { stop(): void } | undefined;
  private readonly ownTime = new StopWatch();
  private blocksDone = 0;
  /**
   * Watches the load of the hosts until the session has waited for quiet machines; null afterwards, and if the plan does not wait.
   */
  private watch: QuietWatch | null;
  private where = contextOf('starting', 'setup');

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
    const { metricsIntervalUs: intervalUs, metricsSources: sources = null } = this.plan;
    if (this.options.openLaunch !== undefined) {
      if (intervalUs !== undefined) this.sampleHere(intervalUs, sources);
      return [];
    }
    this.where = { ...this.where, doing: 'starting the agent' };
    await this.unlessAborted(
      this.fleet.start(this.options.launcher ?? local, this.options.agentPath, this.options.agents),
    );
    if (intervalUs !== undefined) await this.fleet.sample(intervalUs, sources, (host) => this.ranksOn(host));
    return this.fleet.agents.map(({ host, hello }) => ({
      type: 'inventory',
      host,
      inventory: hello.inventory,
      versions: { agent: hello.version, protocol: String(hello.protocol) },
    }));
  }

  /**
   * Returns the ranks of a host as numbered in their launches, ascending, each once. With groups, each group is a launch whose
   * ranks count from 0.
   */
  private ranksOn(host: string): number[] {
    const ranks = this.sides.flatMap(({ plan }) => plan.hosts.find(({ name }) => name === host)?.ranks ?? []);
    return [...new Set(ranks)].sort((a, b) => a - b);
  }

  private sampleHere(intervalUs: number, sources: readonly string[] | null): void {
    const host = this.plan.hosts[0]?.name ?? 'localhost';
    const stream = new MetricsStream(host, true);
    const tell = (message: Parameters<MetricsStream['lines']>[0]): void => {
      this.tellMetrics(host, stream.lines(message));
    };
    const sampler = this.options.openSampler?.({ intervalUs, sources }, tell);
    if (sampler !== undefined) this.sampler = { stop: () => tell(sampler.stop()) };
  }

  /**
   * Adds lines for the metrics file to the events that are yielded next. @throws Error if one block brings more
   * readings than may be kept in memory
   */
  private tellMetrics(host: string, lines: MetricsLine[]): void {
    for (const line of lines) if ('values' in line) this.waitingReadings += line.values.length;
    if (this.waitingReadings > agentLimits.waitingReadings)
      throw new Error(`more than ${agentLimits.waitingReadings} readings during one block`);
    this.news.push({ type: 'metrics', host, lines });
    this.watch?.take(host, lines);
  }

  /**
   * Waits until all machines are quiet (no other programs use their cores), at most as long as the plan allows. Reaching this
   * limit is no error. Metrics are sampled meanwhile. Yields nothing if the plan does not wait.
   * @throws FailureError (interrupted)
   */
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
    // The readings of a short wait may become known only with its end.
    if (!isTold && !watch.isQuiet) yield { type: 'waiting', busy: watch.busy(), limitS };
    this.watch = null;
    const busyCores = Object.fromEntries(watch.busy().map(({ host, cores }) => [host, cores]));
    yield { type: 'waited', wait: { at, seconds: secondsSince(), isQuiet: watch.isQuiet, busyCores } };
  }

  /**
   * Returns the open launches for a block, one per group of ranks. If they are not open, opens them, after ending the launch that
   * they replace; `events` reports the new launches. For engines whose ranks start slowly, launches of later blocks are opened,
   * too, as many as the cores allow.
   * @throws FailureError if a launch cannot be opened, or the run is interrupted
   */
  async launchFor(request: BlockRequest): Promise<{ opened: StartedSide[]; events: SessionEvent[] }> {
    const key = launchKey(request);
    const there = this.launches.get(key);
    if (there !== undefined) return { opened: there, events: [] };

    if (request.replaces !== undefined) await this.endLaunch({ ...request, launch: request.replaces });
    this.where = launchingAt(this.plan, request, null, this.deadlines);
    const { expected = [], openLaunch } = this.options;
    const hostCores = this.fleet.agents.map(({ host, hello }) => ({
      host,
      oneCpuPerCore: hello.oneCpuPerCore,
    }));
    const atOnce = openLaunch === undefined ? startsAtOnce(this.plan, hostCores) : 1;
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

  /**
   * Measures one block (samples of one point, taken without a break) on all ranks. Returns one record per group of ranks, in the
   * order of `opened`; without groups one.
   * @param opened open launches of the block, one per group of ranks
   * @throws FailureError if a rank or host fails, or the run is interrupted
   */
  async measure(opened: readonly StartedSide[], request: BlockRequest): Promise<BlockRecord[]> {
    this.where = measuringAt(this.plan, request, null, this.deadlines);
    const round = measureSides(this.plan, opened, request, this.blocksDone, this.surroundings());
    const records = await this.unlessAborted(round.then((one) => Promise.all(one.records)));
    this.blocksDone += records.length;
    return records;
  }

  /**
   * Ends the ranks of the launch that `request` belongs to, so that memory and devices are free before the next launch starts.
   * Does nothing if the launch is not open. Never rejects.
   */
  async endLaunch(request: BlockRequest): Promise<void> {
    const key = launchKey(request);
    await Promise.all((this.launches.get(key) ?? []).map(({ launch }) => launch.stop()));
    this.launches.delete(key);
  }

  /**
   * Ends the ranks of all launches; never rejects. A launch that does not stop ends when its agent ends. Launches on devices are
   * stopped a few at a time: the driver cleans up one process after the other, and the last of many would miss its deadline.
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
    // Agents end their ranks themselves; only launches without an agent need stopping.
    if (this.options.openLaunch !== undefined) await this.stopLaunches();
    await this.fleet.stop();
  }

  takeNews(): SessionEvent[] {
    this.waitingReadings = 0;
    return this.news.splice(0);
  }

  /**
   * Returns the failure for an error, as unexpectedFailure() does for the present activity. If this process was suspended, a
   * detail says so, because agents and ranks continued during that time.
   */
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
   * Returns the secret token for a launch. Every launch gets a new one, except that launches inside this process share
   * one token, because the process has one SISCI library on one fabric.
   */
  private token(): string {
    if (this.options.openLaunch === undefined) return this.tokens.make();
    this.sharedToken ??= this.tokens.make();
    return this.sharedToken;
  }
}

/**
 * Waits until `work` ends or the signal aborts, and returns the result of `work`. `work` itself is not ended. If the abort is
 * first, a later rejection of `work` is ignored and does not end the process.
 * @param why makes the failure to throw; called at the time of the abort, or at once if the signal has aborted before
 * @throws FailureError with `why()` on abort; otherwise whatever `work` throws
 */
export async function raceAbort<T>(signal: AbortSignal, work: Promise<T>, why: () => Failure): Promise<T> {
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(new FailureError(why()));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  work.catch(() => undefined);
  try {
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
