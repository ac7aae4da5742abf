import { groupOf } from '../../results/derive/index.ts';
import { tooFewLaunches } from '../../results/gate/launches-needed.ts';
import type { GateSource } from '../../results/gate/reference.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import type { RunPlan } from '../../results/schema/index.ts';
import { usualLaunches } from '../../suites/planning/sampling-plan.ts';
import type { ResolvedSuite } from '../../suites/suite/types.ts';
import type { EntryWork } from './runner.ts';

/**
 * Checks that every suite entry has enough launches to decide whether a build became slower than the reference. @throws Refusal
 * if an entry has so few that even on an idle machine a change of `detect` (0.1 = 10 %) would not be detected
 */
export function requireEnoughLaunches(
  { name, detect }: Pick<ResolvedSuite, 'name' | 'detect'>,
  works: readonly EntryWork[],
  source: GateSource,
): void {
  const entries = works.flatMap(({ ready: { entry, command, plan }, anchor }) => {
    if (plan === null || command === null) return [];
    const { adaptive, launches } = plan.sampling;
    // With an anchor every launch is a separate run, and no launch is added for precision.
    const most =
      anchor === null ? (adaptive?.maxLaunches ?? launches) : (command.options.launches ?? usualLaunches);
    return [{ entry: entry.name, launches: most, groups: groupsOf(plan) }];
  });
  const found = tooFewLaunches(entries, source, detect);
  if (found === null) return;
  throw refuse('gate-needs-launches', { suite: name, detect, ...found });
}

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
