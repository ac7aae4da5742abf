import { groupOf } from '../../results/derive/index.ts';
import { tooFewLaunches } from '../../results/gate/launches-needed.ts';
import type { GateSource } from '../../results/gate/reference.ts';
import { lowestPairs } from '../../results/gate/sequence.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import type { RunPlan } from '../../results/schema/index.ts';
import type { ResolvedSuite } from '../../suites/suite/types.ts';
import type { EntryWork } from './runner.ts';

/**
 * Checks that every suite entry has enough launches to decide whether a build became slower than the baseline. @throws Refusal
 * if an entry has so few that even on an idle machine a change of `detect` (0.1 = 10 %) would not be detected
 */
export function requireEnoughLaunches(
  { name, detect }: Pick<ResolvedSuite, 'name' | 'detect'>,
  works: readonly EntryWork[],
  { baseline }: GateSource,
): void {
  const entries = works.flatMap(({ ready: { entry, command, plan } }) => {
    if (plan === null || command === null) return [];
    const { adaptive, launches } = plan.sampling;
    return [{ entry: entry.name, launches: adaptive?.maxLaunches ?? launches, groups: groupsOf(plan) }];
  });
  const found = tooFewLaunches(entries, baseline, detect);
  if (found === null) return;
  throw refuse('gate-needs-launches', { suite: name, detect, ...found });
}

/**
 * Checks that so many pairs of launches can show that nothing changed. @throws Refusal if they are too few even on an idle
 * machine
 */
export function requireEnoughPairs(command: string, margin: number, maxPairs: number): void {
  const lowest = lowestPairs(margin);
  if (maxPairs < lowest) throw refuse('gate-needs-pairs', { command, pairs: maxPairs, margin, lowest });
}

/** Number of size ranges that are judged, over all entries that can run. */
export const rangesOf = (works: readonly EntryWork[]): number =>
  works.reduce((sum, { ready: { plan } }) => sum + (plan === null ? 0 : groupsOf(plan)), 0);

/** Number of size ranges in a plan, counted per collective, data type, transport and group, that get a verdict of their own. */
function groupsOf({ points, transports, ranks, engine, groups }: RunPlan): number {
  const keys = points.flatMap(({ workload, axes }) =>
    transports.map(
      ({ name, medium }) =>
        groupOf({ ...{ workload, axes, ranks, engine, medium }, requested: {}, nodes: 1, transport: name })
          .key,
    ),
  );
  return new Set(keys).size * (groups?.members.length ?? 1);
}
