import { readFileSync, readlinkSync } from 'node:fs';
import type { Agent } from './agent.ts';
import type { LaunchContext } from './failures/failure-text.ts';

/** Clock of a machine minus the clock of this process, in ns, and the largest error of this offset in either direction. */
export interface ClockReading {
  offsetNs: number;
  uncertaintyNs: number;
}

/** Maximum drift between the clocks of two servers: nanoseconds of drift per nanosecond after a reading. */
const drift = 100e-6;
/**
 * Number of requests for an agent's time per reading of its clock. The answer with the smallest uncertainty is used, or an earlier
 * reading that is still more exact.
 */
const questions = 3;

interface CachedReading extends ClockReading {
  atNs: number;
}

/**
 * Clocks of a run's machines relative to the clock of this process (CLOCK_MONOTONIC, which process.hrtime returns). They are read
 * over the connections to the agents. An agent that uses the same clock as this process needs no reading.
 */
export class HostClocks {
  private readonly agents: readonly Agent[];
  private readonly kept = new Map<string, CachedReading>();

  /** @param agents all agents of the run; each has sent its hello, which names its clock */
  constructor(agents: readonly Agent[]) {
    this.agents = agents;
  }

  /**
   * Reads all clocks at once, each through the first usable agent on whose machine it is the clock. An agent that does not answer
   * within `waitMs` counts as lost; nothing is thrown then, and the next agent with the same clock is asked.
   * @param waitMs maximum wait for each answer of an agent
   * @param where activity, phase and deadline that the text of a failure names
   * @returns one reading per agent; null for agents that are lost. If all usable agents have the same clock, the uncertainty is 0
   */
  async read(waitMs: number, where: LaunchContext): Promise<(ClockReading | null)[]> {
    const clocks = [...new Set(this.agents.filter(({ usable }) => usable).map(clockOf))];
    const read = await Promise.all(
      clocks.map(async (clock) => [clock, await this.readOne(clock, waitMs, where)] as const),
    );
    const readings = new Map(read);
    const [only] = read;
    // With a single clock the relative times of the agents are exact.
    if (read.length === 1 && only?.[1] != null) readings.set(only[0], { ...only[1], uncertaintyNs: 0 });
    return this.agents.map((agent) => (agent.usable ? readings.get(clockOf(agent)) : null) ?? null);
  }

  /** Reads one clock; null if all agents that have it are lost. */
  private async readOne(clock: string, waitMs: number, where: LaunchContext): Promise<ClockReading | null> {
    for (const agent of this.agents) {
      if (!agent.usable || clockOf(agent) !== clock) continue;
      try {
        return await this.readFrom(agent, waitMs, { ...where, host: agent.host });
      } catch (error) {
        // A lost agent takes part in nothing more, and its launches report the loss.
        if (agent.usable) throw error;
      }
    }
    return null;
  }

  private async readFrom(agent: Agent, waitMs: number, where: LaunchContext): Promise<ClockReading | null> {
    const clock = clockOf(agent);
    if (clock === ownClock()) return { offsetNs: 0, uncertaintyNs: 0 };
    for (let question = 0; question < questions; question += 1) {
      const now = await agent.clock(waitMs, where);
      const kept = this.aged(clock);
      if (kept === null || now.uncertaintyNs <= kept.uncertaintyNs) {
        this.kept.set(clock, { ...now, atNs: Number(process.hrtime.bigint()) });
      }
    }
    return this.aged(clock);
  }

  /**
   * Returns the earlier reading of a clock, with the drift that is possible since then added to its uncertainty; null
   * if there is none. An earlier reading may still be more exact than a new one.
   */
  private aged(clock: string): ClockReading | null {
    const kept = this.kept.get(clock);
    if (kept === undefined) return null;
    const ageNs = Number(process.hrtime.bigint()) - kept.atNs;
    return { offsetNs: kept.offsetNs, uncertaintyNs: Math.ceil(kept.uncertaintyNs + drift * ageNs) };
  }
}

/** Returns the id of the agent's machine. An agent that reports no id is treated as the only one on its machine. */
export const machineOf = ({ host, hello }: Agent): string => hello.machine || `host ${host}`;
const clockOf = ({ host, hello }: Agent): string => hello.clock || `host ${host}`;

let own: string | null = null;
/**
 * Returns the id of this process's clock: boot id and time namespace, in the same format as the clock ids in the hello
 * of agents; "" if it cannot be read.
 */
function ownClock(): string {
  try {
    own ??= `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/time')}`;
  } catch {
    own = '';
  }
  return own;
}
