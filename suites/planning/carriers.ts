// Requirements of a workload on its transport and on the number of ranks.
import { refuse } from '../../results/refusals/refusal.ts';
import { transportRow } from '../../results/schema/index.ts';
import { commandsOf, planningEngines } from '../engines/index.ts';
import type { PlanOptions } from '../options/plan-options.ts';
import type { MeasuredCommand, WorkloadPlanning } from '../workloads/index.ts';

/** Names of those transports in the list that can carry the operations of a workload; unknown names stay in the list. */
export function carriersOf({ carriedBy }: WorkloadPlanning, transports: readonly string[]): string[] {
  const takes = (name: string): boolean => {
    const row = transportRow(name);
    return row === null || carriedBy === undefined || carriedBy.takes(row);
  };
  return transports.filter(takes);
}

/**
 * Checks that all requested transports can carry the workload. Nothing is checked if the engine cannot measure the command.
 * @throws Refusal if one cannot
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
 * A number of ranks to suggest: the largest supported one from 2 up to `ranks`. If there is none, the smallest supported one
 * up to 2 x `ranks` + 2; 2 if none is found.
 */
export function suggestRanks({ name, workload }: MeasuredCommand, ranks: number): number {
  const fits = (n: number): boolean => workload.refuses(name, n) === null;
  for (let n = ranks; n >= 2; n--) if (fits(n)) return n;
  for (let n = ranks; n <= 2 * ranks + 2; n++) if (fits(n)) return n;
  return 2;
}
