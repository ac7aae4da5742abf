// Checks that hosts have enough cores for the concurrent load of a measurement.
import { numbersOf } from '../../results/fold.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import { loadKinds, loadOf, type RunPlan } from '../../results/schema/index.ts';
import type { MeasureOptions } from '../engines/index.ts';
import type { ProbedHosts } from './probe-hosts.ts';

/**
 * Checks that the threads of a concurrent load (extra work on the host while ranks are measured, --beside) fit into the cores that
 * each rank has. If ranks are bound, these are the CPUs of the rank with the fewest; otherwise the host's cores divided by its
 * ranks, at least 1. Loads whose amount is not given or is no number of threads, and hosts whose CPUs are unknown, are accepted.
 * @throws Refusal for the first load with more threads than cores on a host
 */
export function requireRoomForLoads(
  { beside }: MeasureOptions,
  plannedHosts: RunPlan['hosts'],
  { hosts }: ProbedHosts,
): void {
  for (const word of beside) {
    const load = loadOf(word);
    if (load?.amount == null || loadKinds[load.name].amount.host !== 'threads') continue;
    for (const { name, ranks, placements } of plannedHosts) {
      const cpus = hosts.find((one) => one.name === name)?.result.cpus ?? '';
      const cores = numbersOf(cpus).length;
      if (cores === 0) continue;
      const bound = (placements ?? []).flatMap((place) =>
        place.cpus === '' ? [] : numbersOf(place.cpus).length,
      );
      const most = bound.length > 0 ? Math.min(...bound) : Math.max(1, Math.floor(cores / ranks.length));
      if (load.amount > most)
        throw refuse('load-over-cores', {
          word,
          name: load.name,
          host: name,
          cores,
          ranks: ranks.length,
          most,
        });
    }
  }
}
