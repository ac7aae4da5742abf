// Requirements of a workload on its transport and on the number of ranks.
import { refuse } from '../../results/refusals/refusal.ts';
import { transportRow } from '../../results/schema/index.ts';
import { commandsOf, planningEngines } from '../engines/index.ts';
import type { PlanOptions } from '../options/plan-options.ts';
import type { MeasuredCommand, WorkloadPlanning } from '../workloads/index.ts';

/** Keeps the transports that can carry the operations of a workload. Unknown names are kept, too. */
export function carriersOf({ carriedBy }: WorkloadPlanning, transports: readonly string[]): string[] {
  const takes = (name: string): boolean => {
    const row = transportRow(name);
    return row === null || carriedBy === undefined || carriedBy.takes(row);
  };
  return transports.filter(takes);
}

/**
 * Checks that all transports that the user named can carry the workload. Nothing is checked if the user named none, or if the
 * engine cannot measure the command.
 * @throws Refusal if a transport cannot carry it
 */
export function requireCarriers(
  { name: command, workload }: MeasuredCommand,
  { engine, transport }: PlanOptions,
): void {
  const { transports } = planningEngines[engine];
  // If the engine cannot measure the command, another check reports it.
  const names = commandsOf(planningEngines[engine]).includes(command) ? (transport ?? []) : [];
  const carriers = carriersOf(workload, names);
  const lacking = names.find((name) => !carriers.includes(name));
  if (lacking === undefined || workload.carriedBy === undefined) return;
  const { lack } = workload.carriedBy;
  const can = carriersOf(workload, transports);
  throw refuse('transport-lacks-workload', { command, transport: lacking, lack, can });
}

/**
 * Number of ranks to suggest in an error: the highest number from 2 to `ranks` that the command can run with. If there is none, the
 * lowest from `ranks` to 2 x `ranks` + 2; if there is none either, 2.
 */
export function suggestRanks({ name, workload }: MeasuredCommand, ranks: number): number {
  const fits = (n: number): boolean => workload.refuses(name, n) === null;
  for (let n = ranks; n >= 2; n--) if (fits(n)) return n;
  for (let n = ranks; n <= 2 * ranks + 2; n++) if (fits(n)) return n;
  return 2;
}
