import { randomBytes } from 'node:crypto';
import {
  type BlockRecord,
  type BlockRequest,
  type Failure,
  type Inventory,
  type LaunchRecord,
  type RunPlan,
  transportOf,
} from '../results/schema/index.ts';
import { isSecret } from '../results/store/environment.ts';
import type { Agent } from './agent.ts';
import { type Deadlines, deadlinesOf } from './deadlines.ts';
import { FailureError, interrupted, unexpected, type Where, whereAt } from './endings.ts';
import { Fleet } from './fleet.ts';
import type { Launch, LaunchOpener, LaunchRequest, MeasureRequest, Ready } from './launch.ts';
import { type Launcher, launchers } from './launchers/index.ts';
import { checkReady, mergeBlock } from './merge.ts';

/** What a session tells while it runs. `failure` is the last one: everything has been stopped before it is given out. */
export type SessionEvent =
  | { type: 'inventory'; host: string; inventory: Inventory; versions: Record<string, string> }
  | { type: 'launch'; record: LaunchRecord }
  | { type: 'block'; record: BlockRecord; completesCell: boolean }
  | { type: 'log'; level: 'warn' | 'info'; host: string; rank: number | null; text: string }
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
  /** How agents are started; `local` by default. */
  launcher?: Launcher;
  /** Agents of hosts of the plan that have said hello already (probe.ts); the session ends them. */
  agents?: readonly Agent[];
  deadlines?: Partial<Deadlines>;
}

interface OpenLaunch {
  /** Number on the wire: unique in the session, while the plan counts launches per transport. */
  wire: number;
  launch: Launch;
  /** Iterations so far: numbering goes on over blocks, so that data differ in every one. */
  iterations: number;
}

/**
 * Carries out the blocks in the order given: agents are started, a launch is opened when its first block comes and stays
 * open to the end, each block is measured by all ranks and given out as one record.
 * However it ends (last block, failure, abort, `return()`), launches and agents are stopped before it is over.
 */
export async function* runSession(
  plan: RunPlan,
  blocks: Iterable<BlockRequest>,
  options: SessionOptions,
): AsyncGenerator<SessionEvent> {
  const session = new Session(plan, options);
  let failure: Failure | null = null;
  try {
    yield* await session.begin();
    for (const request of blocks) {
      const { opened, events } = await session.launchFor(request);
      yield* events;
      const record = await session.measure(opened, request);
      if (request.endsLaunch === true) await session.endLaunch(request);
      yield* session.takeLogs();
      yield { type: 'block', record, completesCell: request.completesCell };
    }
    await session.stopLaunches();
  } catch (error) {
    failure = session.failureOf(error);
  } finally {
    await session.end();
  }
  yield* session.takeLogs();
  if (failure !== null) yield { type: 'failure', failure };
}

const launchKey = ({ transport, launch }: BlockRequest): string => `${transport} ${launch}`;

/** Facts go to disk, the launch's token must not: what holds it, and variables that are secret, are left out. */
function withoutSecrets(rank: Ready['ranks'][number], token: string): LaunchRecord['ranks'][number] {
  const { facts, ...rest } = rank;
  if (facts === undefined || Object.keys(facts).length === 0) return rest;
  const kept = Object.entries(facts).filter(
    ([name, value]) => !value.includes(token) && !isSecret(name.replace(/^env\./, '')),
  );
  return { ...rest, facts: Object.fromEntries(kept) };
}

class Session {
  private readonly sharedToken = randomBytes(16).toString('hex');
  private readonly plan: RunPlan;
  private readonly options: SessionOptions;
  private readonly deadlines: Deadlines;
  private readonly fleet: Fleet;
  private readonly launches = new Map<string, OpenLaunch>();
  /** Ends what still runs when the session ends, for whatever reason. */
  private readonly ending = new AbortController();
  private readonly logs: SessionEvent[] = [];
  private blocksDone = 0;
  private launchesBegun = 0;
  private where: Where = {
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
    this.deadlines = deadlinesOf(plan, options.deadlines);
    this.fleet = new Fleet(plan.hosts, this.deadlines, (host, { level, rank, text }) => {
      this.logs.push({ type: 'log', level, host, rank, text });
    });
  }

  async begin(): Promise<SessionEvent[]> {
    if (this.options.openLaunch !== undefined) return [];
    this.where = { ...this.where, doing: 'starting the agent' };
    await this.unlessAborted(
      this.fleet.start(this.options.launcher ?? launchers.local, this.options.agentPath, this.options.agents),
    );
    return this.fleet.agents.map(({ host, hello }) => ({
      type: 'inventory',
      host,
      inventory: hello.inventory,
      versions: { agent: hello.version, protocol: String(hello.protocol) },
    }));
  }

  async launchFor(request: BlockRequest): Promise<{ opened: OpenLaunch; events: SessionEvent[] }> {
    const key = launchKey(request);
    const there = this.launches.get(key);
    if (there !== undefined) return { opened: there, events: [] };

    const at = whereAt(this.plan, request.point, request.transport, 'setup');
    const name = this.plan.transports[request.transport]?.name;
    this.where = {
      ...at,
      doing: `setting up ${name} (launch ${request.launch + 1})`,
      deadlineMs: this.deadlines.launchMs,
    };
    const message = this.launchMessage(request, this.launchesBegun);
    this.launchesBegun += 1;
    const startedAtNs = Number(process.hrtime.bigint());
    const open: LaunchOpener =
      this.options.openLaunch ?? ((asked, _signal, where) => this.fleet.open(asked, where));
    const launch = await this.unlessAborted(open(message, this.ending.signal, this.where));
    const opened: OpenLaunch = { wire: message.launch, launch, iterations: 0 };
    this.launches.set(key, opened);
    checkReady(this.plan, request.transport, launch.ready, this.where);
    const { setupNs, ranks } = launch.ready;
    const record: LaunchRecord = {
      launch: request.launch,
      transport: request.transport,
      startedAtNs,
      setupNs,
      ranks: ranks.map((rank) => withoutSecrets(rank, String(message.options.token))),
    };
    return { opened, events: [...this.takeLogs(), { type: 'launch', record }] };
  }

  async measure(opened: OpenLaunch, request: BlockRequest): Promise<BlockRecord> {
    const fixed = request.targetNs === 0 && (request.trial === 'isolated' || request.batch > 0);
    const perSample = request.trial === 'isolated' ? 1 : request.batch;
    this.where = {
      ...whereAt(this.plan, request.point, request.transport, 'measure'),
      operations: fixed ? request.warmup + request.maxSamples * perSample : null,
      deadlineMs: this.deadlines.measureMs,
    };
    const block = this.blocksDone;
    const message = this.measureMessage(opened, request, block);
    const measured = await this.unlessAborted(opened.launch.measure(message, this.where));
    const record = mergeBlock(this.plan, request, block, measured, this.where);
    this.blocksDone += 1;
    opened.iterations += record.operations;
    return record;
  }

  /** Orderly end of the launch of this block: what it held is free before the next one is opened. */
  async endLaunch(request: BlockRequest): Promise<void> {
    const key = launchKey(request);
    await this.launches.get(key)?.launch.stop();
    this.launches.delete(key);
  }

  /** Orderly end of all launches; what cannot be ended so is ended with the agent. */
  async stopLaunches(): Promise<void> {
    await Promise.all([...this.launches.values()].map(({ launch }) => launch.stop()));
  }

  async end(): Promise<void> {
    this.ending.abort();
    // Agents take their ranks with them; only launches without an agent must be stopped one by one.
    if (this.options.openLaunch !== undefined) await this.stopLaunches();
    await this.fleet.stop();
  }

  takeLogs(): SessionEvent[] {
    return this.logs.splice(0);
  }

  failureOf(error: unknown): Failure {
    return unexpected(error, this.where);
  }

  private async unlessAborted<T>(work: Promise<T>): Promise<T> {
    const { signal } = this.options;
    let onAbort: () => void = () => undefined;
    const aborted = new Promise<never>((_, reject) => {
      onAbort = () => reject(new FailureError(interrupted(this.where)));
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
    });
    // What comes too late has nobody waiting for it and must not end the process.
    work.catch(() => undefined);
    try {
      return await Promise.race([aborted, work]);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /**
   * Opens data listeners: lives in memory and on the pipe to the agent, nowhere else. New for each launch; launches
   * inside one process share it, because that process holds one SISCI library on one fabric.
   */
  private token(): string {
    return this.options.openLaunch === undefined ? randomBytes(16).toString('hex') : this.sharedToken;
  }

  private launchMessage(request: BlockRequest, wire: number): LaunchRequest {
    const { plan } = this;
    const transport = plan.transports[request.transport];
    return {
      type: 'launch',
      launch: wire,
      engine: plan.engine,
      transport: transport === undefined ? '' : transportOf(transport),
      options: { ...transport?.options, token: this.token() },
      algorithm: plan.algorithm,
      settings: {
        ...plan.settings,
        ...transport?.settings,
        ...(request.trial === 'attest' ? { attest: '1' } : {}),
      },
      ranks: plan.ranks,
      localRanks: Array.from({ length: plan.ranks }, (_, rank) => rank),
      seed: plan.sampling.seed,
      environment: this.options.environment ?? {},
      deadlineMs: this.deadlines.launchMs,
    };
  }

  private measureMessage(opened: OpenLaunch, request: BlockRequest, block: number): MeasureRequest {
    const point = this.plan.points[request.point];
    if (point === undefined) throw new RangeError(`the plan has no point ${request.point}`);
    const { collective, dtype, op, root, inPlace, count } = point;
    const { trial, warmup, minSamples, maxSamples, targetNs, batch, checkEvery, check, release } = request;
    return {
      type: 'measure',
      launch: opened.wire,
      block,
      operation: { collective, dtype, op, root, inPlace, count },
      trial: {
        kind: trial === 'attest' ? 'pipelined' : trial,
        firstIteration: opened.iterations,
        warmup,
        minSamples,
        maxSamples,
        targetNs,
        batch,
        checkEvery,
        check,
      },
      release,
      deadlineMs: this.deadlines.measureMs,
    };
  }
}
