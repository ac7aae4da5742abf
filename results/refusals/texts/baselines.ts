// Baselines, and what they are made from.
import { cannotRunHere } from '../wording.ts';

export interface Named {
  id: string;
  name: string;
}

export const baselineTexts = {
  'run-no-baseline': cannotRunHere(
    ({ run, state, isImported }: { run: string; state: string; isImported: boolean }) => ({
      message: `run ${run} is no baseline: ${isImported ? 'it was imported' : `it is ${state}`}`,
      details: ['allowed: what was measured here to its end, verified and not contradicted'],
    }),
  ),
  'suite-no-baseline': cannotRunHere(
    ({
      suite,
      entry,
      reason,
      command,
    }: {
      suite: string;
      entry: string;
      reason: string | null;
      command: readonly string[];
    }) => ({
      message: `suite ${suite} is no baseline: ${entry} ${reason ?? 'has no end'}`,
      details: ['allowed: a suite whose entries were all measured'],
      next: command.join(' '),
    }),
  ),
  'learned-twice': cannotRunHere(({ id }: { id: string }) => ({
    message: `${id} is named twice: a run does not differ from itself`,
  })),
  'learned-of-different': cannotRunHere(({ one, other }: { one: Named; other: Named }) => ({
    message: `${one.id} is of ${one.name}, ${other.id} of ${other.name}`,
    details: ['allowed: runs of the same thing, in which nothing changed'],
  })),
  'nothing-learned': cannotRunHere(() => ({
    message: 'nothing could be learned from these runs',
    details: ['allowed: runs with the same cells, two launches or more each'],
  })),
  'not-to-be-learned': cannotRunHere(({ why }: { why: string }) => ({
    message: why,
    details: ['allowed: runs of one plan, in which nothing changed'],
  })),
  'no-baseline': cannotRunHere(
    ({ name, folder, names }: { name: string; folder: string; names: readonly string[] }) => ({
      message: `there is no baseline ${name} in ${folder}`,
      ...(names.length === 0
        ? { next: 'collbench baseline set RUN' }
        : { details: [`allowed: ${names.slice(0, 10).join(', ')}`] }),
    }),
  ),
};
