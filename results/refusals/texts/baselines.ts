// Refusal messages about stored runs that cannot be compared, baselines, and the runs from which baselines are made.
import { cannotRunHere, invalid } from '../wording.ts';
import { nextWord } from './words.ts';

export interface RunName {
  id: string;
  name: string;
}

export const baselineTexts = {
  'suite-without-gate': cannotRunHere(({ suite }: { suite: string }) => ({
    message: `export: suite ${suite} was measured without a gate`,
    details: ['allowed: --markdown of a run, or of a suite that was measured with --gate'],
    next: { change: { markdown: null } },
  })),
  'run-without-metrics': cannotRunHere(({ run }: { run: string }) => ({
    message: `export: run ${run} has no metrics: --sample-interval was off`,
    details: ['allowed: --metrics of a run with system-load samples'],
    next: { change: { metrics: null } },
  })),
  'suite-told-alone': invalid(({ suite, isOneOfSeveral }: { suite: string; isOneOfSeveral: boolean }) => ({
    message: `report: suite ${suite} ${isOneOfSeveral ? 'cannot be combined with other runs in one report' : 'has its page in its own folder, with links to its runs'}`,
    next: `collbench report ${suite}`,
  })),
  'pairs-reported-alone': cannotRunHere(({ run }: { run: string }) => ({
    message: `run ${run} is one of pairs, which has a report of its own`,
    details: ['allowed: that run alone'],
    next: `collbench report ${run}`,
  })),
  'no-runs-for-history': cannotRunHere(({ root }: { root: string }) => ({
    message: `history: there are no runs in ${root}`,
    next: 'collbench allreduce --max 1M',
  })),
  'no-such-series': cannotRunHere(({ asked, known }: { asked: string; known: readonly string[] }) => ({
    message:
      known.length === 0 ? 'history: no run has finished results' : `history: no series is called '${asked}'`,
    details:
      known.length === 0
        ? []
        : [
            'allowed: words of its name, as in: collbench history allreduce socket',
            ...known.slice(0, 5).map((series) => `there is ${series}`),
          ],
    next: known.length === 0 ? 'collbench allreduce --max 1M' : { words: ['history'], keep: ['root'] },
  })),
  'no-commit-tags': cannotRunHere(() => ({
    message: 'history --by commit: no run of it has the tag commit',
    details: ['allowed: runs measured with --tag commit=SHA'],
    next: { shell: 'collbench allreduce --tag commit=$(git rev-parse --short HEAD)' },
  })),
  'no-points': cannotRunHere(({ asked }: { asked: string }) => ({
    message: `history: no run ${asked === '' ? '' : `of '${asked}' `}can be compared with others`,
    details: [
      'each has a size that scatters by more than a factor of four, or none has that kind of trial',
      'allowed: runs with more operations or launches, on a quieter machine',
    ],
    next: { words: ['runs'], keep: ['root'] },
  })),
  'no-night-since': cannotRunHere(({ since, newest }: { since: string; newest: string }) => ({
    message: `--since ${since}: there is no night since then`,
    details: [`the newest is ${newest}`],
    next: { change: { since: null } },
  })),
  'pairs-not-compared': cannotRunHere(({ run }: { run: string }) => ({
    message: `run ${run} is one of pairs, which already compares its pairs`,
    details: ['allowed: runs of collectives, and imported ones'],
    next: { words: ['show', run], keep: ['root'] },
  })),
  'run-no-baseline': cannotRunHere(
    ({ run, state, isImported }: { run: string; state: string; isImported: boolean }) => ({
      message: `run ${run} is no baseline: ${isImported ? 'it was imported' : `it is ${state}`}`,
      details: ['allowed: what was measured here to its end, verified and not contradicted'],
      next: { words: ['show', run], keep: ['root'] },
    }),
  ),
  'suite-no-baseline': cannotRunHere(
    (values: { suite: string; entry: string; reason: string | null; command: readonly string[] }) => ({
      message: `suite ${values.suite} is no baseline: ${values.entry} ${values.reason ?? 'has no end'}`,
      details: ['allowed: a suite whose entries were all measured'],
      next: { shell: values.command.join(' ') },
    }),
  ),
  'learned-twice': invalid(({ id }: { id: string }) => ({
    message: `${id} is named twice: a run cannot be compared with itself`,
    next: { words: ['runs'], keep: ['root'] },
  })),
  'learned-of-one-night': cannotRunHere(({ runs, nights }: { runs: number; nights: number }) => ({
    message: `baseline learn: ${runs} runs of one night show nothing of how nights differ`,
    details: [
      `allowed: runs of ${nights} nights or more, at least 6 h apart`,
      'measure again another night, or take them as they are with --force',
    ],
    next: { change: { force: '' } },
  })),
  'learned-of-different': cannotRunHere(({ one, other }: { one: RunName; other: RunName }) => ({
    message: `${one.id} measures ${one.name}, ${other.id} measures ${other.name}`,
    details: ['allowed: runs of the same thing, in which nothing changed'],
    next: { words: ['runs'], keep: ['root'] },
  })),
  'nothing-learned': cannotRunHere(() => ({
    message: 'nothing could be learned from these runs',
    details: ['allowed: runs with the same configurations, two launches or more each'],
    next: { words: ['runs'], keep: ['root'] },
  })),
  'not-to-be-learned': cannotRunHere(({ why }: { why: string }) => ({
    message: why,
    details: ['allowed: runs of one plan, in which nothing changed'],
    next: { words: ['runs'], keep: ['root'] },
  })),
  'no-baseline': cannotRunHere(
    ({ name, folder, names }: { name: string; folder: string; names: readonly string[] }) => ({
      message: `there is no baseline ${name} in ${folder}`,
      ...(names.length === 0
        ? {
            details: ['store one with: collbench baseline set RUN'],
            next: { words: ['runs'], keep: ['root'] },
          }
        : {
            details: [`allowed: ${names.slice(0, 10).join(', ')}`],
            next: { words: ['baseline', 'list'], keep: ['baselines'] },
            ...nextWord(name, names),
          }),
    }),
  ),
};
