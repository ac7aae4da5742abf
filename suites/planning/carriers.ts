// Requirements of a workload on its transport and on the number of ranks.
import { refuse } from '../../results/refusals/refusal.ts';
import { transportRow } from '../../results/schema/index.ts';
import { commandsOf, planningEngines } from '../engines/index.ts';
import type { PlanOptions } from '../options/plan-options.ts';
import { planningOfCommand } from '../workloads/index.ts';

/** The transports of the list that can carry the workload of this command. */
export function carriersOf(command: string, transports: readonly string[]): string[] {
  const { over } = planningOfCommand(command);
  const takes = (name: string): boolean => {
    const row = transportRow(name);
    return row === null || over === undefined || over.takes(row);
  };
  return transports.filter(takes);
}

/** Checks that all requested transports can carry the workload. @throws Refusal if one cannot */
export function requireCarriers(command: string, { engine, transport }: PlanOptions): void {
  // If the engine cannot measure the command, another check reports it.
  const names = commandsOf(planningEngines[engine]).includes(command) ? (transport ?? []) : [];
  const carriers = carriersOf(command, names);
  const { over } = planningOfCommand(command);
  const lacking = names.find((name) => !carriers.includes(name));
  if (lacking === undefined || over === undefined) return;
  const can = carriersOf(command, planningEngines[engine].transports);
  throw refuse('transport-lacks-workload', { command, transport: lacking, lack: over.lack, can });
}

/**
 * A number of ranks to suggest: the largest supported one up to `ranks`. If there is none, the smallest supported one above; 2
 * if none is found.
 */
export function suggestRanks(command: string, ranks: number): number {
  const { refuses } = planningOfCommand(command);
  const fits = (n: number): boolean => refuses(command, n) === null;
  for (let n = ranks; n >= 2; n--) if (fits(n)) return n;
  for (let n = ranks; n <= 2 * ranks + 2; n++) if (fits(n)) return n;
  return 2;
}
