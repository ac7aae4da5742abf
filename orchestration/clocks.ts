import { readFileSync } from 'node:fs';
import type { Agent } from './agent.ts';
import type { Where } from './endings.ts';

/** What to add to the clock of this process to have that of a machine, ns, and how far that may be off either way. */
export interface ClockReading {
  offsetNs: number;
  uncertaintyNs: number;
}

/** Crystals of servers differ by less than this share of the time that passed. */
const drift = 100e-6;
/** Questions of one reading; the quickest answer counts. */
const questions = 3;

interface Kept extends ClockReading {
  atNs: number;
}

/**
 * The clocks of the machines of a run against that of this process (CLOCK_MONOTONIC; process.hrtime is it), read over the
 * connections to their agents. Where an agent runs on this very machine there is nothing to read: it is one clock.
 */
export class Clocks {
  private readonly agents: readonly Agent[];
  private readonly kept = new Map<string, Kept>();

  /** @param agents all greeted */
  constructor(agents: readonly Agent[]) {
    this.agents = agents;
  }

  /**
   * Reads all machines at once, each by its first agent.
   * @returns by agent, those of one machine alike
   * Agents that are lost, now or before, are left out: their reading is 0.
   * @throws FailureError an agent refused
   */
  async read(waitMs: number, where: Where): Promise<ClockReading[]> {
    const machines = new Map<string, Agent>();
    for (const agent of this.agents) {
      const machine = machineOf(agent);
      if (!machines.has(machine)) machines.set(machine, agent);
    }
    const read = await Promise.all(
      [...machines].map(async ([machine, agent]) => {
        try {
          const reading = await this.readOne(machine, agent, waitMs, { ...where, host: agent.host });
          return [machine, reading] as const;
        } catch (error) {
          // One that is lost takes part in nothing any more, and its launches say so.
          if (agent.usable) throw error;
          return [machine, { offsetNs: 0, uncertaintyNs: 0 }] as const;
        }
      }),
    );
    const readings = new Map(read);
    const [only] = read;
    // Between agents that have one clock nothing can be off.
    if (read.length === 1 && only !== undefined) readings.set(only[0], { ...only[1], uncertaintyNs: 0 });
    return this.agents.map((agent) => readings.get(machineOf(agent)) ?? { offsetNs: 0, uncertaintyNs: 0 });
  }

  private async readOne(machine: string, agent: Agent, waitMs: number, where: Where): Promise<ClockReading> {
    if (machine !== '' && machine === ownMachine()) return { offsetNs: 0, uncertaintyNs: 0 };
    for (let question = 0; question < questions; question += 1) {
      const now = await agent.clock(waitMs, where);
      const kept = this.aged(machine);
      if (kept === null || now.uncertaintyNs <= kept.uncertaintyNs) {
        this.kept.set(machine, { ...now, atNs: Number(process.hrtime.bigint()) });
      }
    }
    return this.aged(machine) ?? { offsetNs: 0, uncertaintyNs: 0 };
  }

  /** An old reading may still be the best one, less sure by what the clocks may have drifted since. */
  private aged(machine: string): ClockReading | null {
    const kept = this.kept.get(machine);
    if (kept === undefined) return null;
    const ageNs = Number(process.hrtime.bigint()) - kept.atNs;
    return { offsetNs: kept.offsetNs, uncertaintyNs: Math.ceil(kept.uncertaintyNs + drift * ageNs) };
  }
}

/** Agents that do not say where they are count as alone there. */
export const machineOf = ({ host, hello }: Agent): string => hello.machine || `host ${host}`;

let own: string | null = null;
/** Of this process: the same as `read_boot_id` in native/metrics. */
function ownMachine(): string {
  try {
    own ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    own = '';
  }
  return own;
}
