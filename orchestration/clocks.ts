import { readFileSync, readlinkSync } from 'node:fs';
import type { Agent } from './agent.ts';
import type { LaunchContext } from './failure-text.ts';

/** What to add to the clock of this process to have that of a machine, ns, and how far that may be off either way. */
export interface ClockReading {
  offsetNs: number;
  uncertaintyNs: number;
}

/** Crystals of servers differ by less than this share of the time that passed. */
const drift = 100e-6;
/** Questions of one reading; the quickest answer counts. */
const questions = 3;

interface CachedReading extends ClockReading {
  atNs: number;
}

/**
 * The clocks of the machines of a run against that of this process (CLOCK_MONOTONIC; process.hrtime is it), read over the
 * connections to their agents. LaunchContext an agent has this very clock there is nothing to read.
 */
export class HostClocks {
  private readonly agents: readonly Agent[];
  private readonly kept = new Map<string, CachedReading>();

  /** @param agents all greeted */
  constructor(agents: readonly Agent[]) {
    this.agents = agents;
  }

  /**
   * Reads all clocks at once, each by the first agent that has it.
   * @returns by agent; 0 for those that are lost, now or before
   * @throws FailureError an agent refused
   */
  async read(waitMs: number, where: LaunchContext): Promise<ClockReading[]> {
    const first = new Map<string, Agent>();
    for (const agent of this.agents) {
      if (agent.usable && !first.has(clockOf(agent))) first.set(clockOf(agent), agent);
    }
    const read = await Promise.all(
      [...first].map(async ([clock, agent]) => {
        try {
          const reading = await this.readOne(clock, agent, waitMs, { ...where, host: agent.host });
          return [clock, reading] as const;
        } catch (error) {
          // One that is lost takes part in nothing any more, and its launches say so.
          if (agent.usable) throw error;
          return [clock, { offsetNs: 0, uncertaintyNs: 0 }] as const;
        }
      }),
    );
    const readings = new Map(read);
    const [only] = read;
    // Between agents that have one clock nothing can be off.
    if (read.length === 1 && only !== undefined) readings.set(only[0], { ...only[1], uncertaintyNs: 0 });
    return this.agents.map(
      (agent) => (agent.usable ? readings.get(clockOf(agent)) : null) ?? { offsetNs: 0, uncertaintyNs: 0 },
    );
  }

  private async readOne(
    clock: string,
    agent: Agent,
    waitMs: number,
    where: LaunchContext,
  ): Promise<ClockReading> {
    if (clock === ownClock()) return { offsetNs: 0, uncertaintyNs: 0 };
    for (let question = 0; question < questions; question += 1) {
      const now = await agent.clock(waitMs, where);
      const kept = this.aged(clock);
      if (kept === null || now.uncertaintyNs <= kept.uncertaintyNs) {
        this.kept.set(clock, { ...now, atNs: Number(process.hrtime.bigint()) });
      }
    }
    return this.aged(clock) ?? { offsetNs: 0, uncertaintyNs: 0 };
  }

  /** An old reading may still be the best one, less sure by what the clocks may have drifted since. */
  private aged(clock: string): ClockReading | null {
    const kept = this.kept.get(clock);
    if (kept === undefined) return null;
    const ageNs = Number(process.hrtime.bigint()) - kept.atNs;
    return { offsetNs: kept.offsetNs, uncertaintyNs: Math.ceil(kept.uncertaintyNs + drift * ageNs) };
  }
}

/** Agents that do not say where they are count as alone there. */
export const machineOf = ({ host, hello }: Agent): string => hello.machine || `host ${host}`;
const clockOf = ({ host, hello }: Agent): string => hello.clock || `host ${host}`;

let own: string | null = null;
/** Of this process: as `read_clock_id` in native/metrics tells it; "" where it cannot be read. */
function ownClock(): string {
  try {
    own ??= `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/time')}`;
  } catch {
    own = '';
  }
  return own;
}
