// Sets of ranks: measured by one fleet of agents, round after round, or one set alone with separate agents.
import type {
  BlockRecord,
  BlockRequest,
  Failure,
  GroupPlan,
  LaunchRecord,
  RunPlan,
} from '../../results/schema/index.ts';
import { type Deadlines, deadlinesOf } from '../deadlines.ts';
import { contextOf } from '../failures/failure-text.ts';
import { interrupted } from '../failures/failures.ts';
import { Fleet } from '../fleet.ts';
import { LaunchTokens } from '../launch.ts';
import { local } from '../launchers/local.ts';
import { measureSets, type SetOutcome } from './concurrent-sets.ts';
import { raceAbort, runSession, type SessionEvent, type SessionOptions } from './session.ts';

export type SetLog = Extract<SessionEvent, { type: 'log' }>;

/**
 * The agents for a run whose sets of ranks (pairs, rings) are measured in rounds; the agents stay for all rounds. stop() must be
 * called after start(), even if start() fails; it never rejects. Nothing is stored. takeLogs() returns the log lines since its
 * last call.
 */
export class SetRounds {
  private readonly options: SessionOptions;
  private readonly deadlines: Deadlines;
  private readonly fleet: Fleet;
  private readonly tokens = new LaunchTokens();
  private logs: SetLog[] = [];

  constructor(plan: RunPlan, options: SessionOptions) {
    this.options = options;
    this.deadlines = deadlinesOf(plan, options.deadlines);
    this.fleet = new Fleet(plan.hosts, this.deadlines, (host, { level, rank, text }) => {
      this.logs.push({ type: 'log', level, host, rank, text: this.tokens.clean(text) });
    });
  }

  /** Starts the agents. @throws FailureError if an agent cannot be started, or the run is interrupted */
  async start(): Promise<void> {
    const { launcher = local, agentPath, agents } = this.options;
    await this.unlessAborted(this.fleet.start(launcher, agentPath, agents));
  }

  /**
   * Measures the sets of one round at the same time: opens a launch for each set, then measures block after block on all sets, and
   * ends the launches.
   * @param plan points and transports for one set; it must be made for the number of ranks that each set has
   * @param requests blocks of one transport
   * @returns one outcome per set, in the order of `sets`; a set that failed has a failure and the blocks before it, the others are
   * complete
   * @throws FailureError if interrupted
   */
  measure(
    plan: RunPlan,
    sets: readonly GroupPlan[],
    requests: readonly BlockRequest[],
  ): Promise<SetOutcome[]> {
    const { signal, environment } = this.options;
    const around = {
      deadlines: this.deadlines,
      signal,
      token: () => this.tokens.make(),
      ...(environment === undefined ? {} : { environment }),
    };
    return this.unlessAborted(measureSets(this.fleet, plan, sets, requests, around));
  }

  takeLogs(): SetLog[] {
    return this.logs.splice(0);
  }

  async stop(): Promise<void> {
    await this.fleet.stop();
  }

  private unlessAborted<T>(work: Promise<T>): Promise<T> {
    return raceAbort(this.options.signal, work, () => interrupted(contextOf('pairs', 'measure')));
  }
}

/**
 * Result of a session that measured only one set of ranks, up to a failure. Ranks are numbered from 0 within the set. `failure`:
 * null if all blocks were measured.
 */
export interface SetSessionResult {
  blocks: BlockRecord[];
  launches: LaunchRecord[];
  logs: SetLog[];
  failure: Failure | null;
}

/**
 * Measures one set of ranks with new agents, which end afterwards together with all ranks. A failure is in the result, not thrown,
 * also if an agent cannot be started. Nothing is stored.
 * @param plan plan that has only the ranks of the set, numbered from 0
 * @param requests blocks to measure, in order
 */
export async function measureAlone(
  plan: RunPlan,
  requests: readonly BlockRequest[],
  options: SessionOptions,
): Promise<SetSessionResult> {
  const result: SetSessionResult = { blocks: [], launches: [], logs: [], failure: null };
  for await (const event of runSession(plan, requests, options)) {
    if (event.type === 'block') result.blocks.push(event.record);
    else if (event.type === 'launch') result.launches.push(event.record);
    else if (event.type === 'log') result.logs.push(event);
    else if (event.type === 'failure') result.failure = event.failure;
  }
  return result;
}
