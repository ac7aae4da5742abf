import { CommandError } from '../exit.ts';
import { compareFlags } from '../options/compare.ts';
import { withSeveralWords } from '../parser.ts';
import { type Command, jsonOption, rootOption, withExamples } from './command.ts';
import { own } from './shared-option.ts';

type Found = Record<string, unknown>;

async function run(found: Found): Promise<void> {
  const names = found.run as string[];
  const [{ compareRuns, usualOptions }, { openRun }, { tell }] = await Promise.all([
    import('../../results/compare/index.ts'),
    import('../../results/store/index.ts'),
    import('../compare/tell.ts'),
  ]);
  const form = formOf(found);
  const gate = gateRule(found);
  if (names.length < 2) {
    throw new CommandError(`compare needs two runs, got ${names.length}`, [
      '  allowed: ids or folders of runs, the base first; last and last~1 are the newest ones',
      'Next: collbench compare last~1 last',
    ]);
  }
  const runs = [];
  for (const name of names) {
    const loaded = await openRun(name, found.root as string);
    for (const warning of loaded.warnings)
      process.stderr.write(`collbench: ${loaded.record.id}: ${warning}\n`);
    if (loaded.record.plan.pairs !== undefined) {
      throw new CommandError(`run ${loaded.record.id} is one of pairs, which compares its pairs itself`, [
        '  allowed: runs of collectives, and imported ones',
        `Next: collbench show ${loaded.record.id}`,
      ]);
    }
    runs.push(loaded);
  }
  const comparison = compareRuns(runs, {
    groupThreshold: (found.threshold as number | undefined) ?? usualOptions.groupThreshold,
    cellThreshold: (found['cell-threshold'] as number | undefined) ?? usualOptions.cellThreshold,
    allow: (found.allow as typeof usualOptions.allow | undefined) ?? [],
    excludeFlagged: found['exclude-flagged'] === true,
  });
  process.exitCode = await tell(comparison, {
    form,
    all: found.all === true,
    html: (found.html as string | undefined) ?? null,
    gate,
  });
}

function formOf({ json, markdown }: Found): 'terminal' | 'markdown' | 'json' {
  if (json === true && markdown === true) {
    throw new CommandError('compare: --json and --markdown are two formats', ['  allowed: one of them']);
  }
  return json === true ? 'json' : markdown === true ? 'markdown' : 'terminal';
}

function gateRule(found: Found) {
  const failOn = found['fail-on'] as 'slower' | 'changed' | undefined;
  const visible = found.visible as number | undefined;
  if (failOn === undefined && visible !== undefined) {
    throw new CommandError('--visible says nothing without --fail-on', [
      'Next: collbench compare last~1 last --fail-on slower --visible 5%',
    ]);
  }
  return failOn === undefined ? null : { failOn, visible: visible ?? 0.1 };
}

const { threshold, cellThreshold, allow, excludeFlagged, all, markdown, html, failOn, visible } =
  compareFlags;
const valued = [threshold, cellThreshold, allow, html, failOn, visible];
const switches = [excludeFlagged, all, markdown];

/** Runs held against the first. */
export const compare: Command = {
  name: 'compare',
  command: 'compare <run..>',
  describe: 'Hold runs against a base run: what is slower, what is faster, what is the same.',
  examples: [
    ['collbench compare last~1 last', 'the two newest runs'],
    ['collbench compare monday tuesday wednesday', 'each against the first'],
    ['collbench compare main branch --markdown > comment.md', 'for a pull request'],
    ['collbench compare base last --fail-on slower', 'exit 4 where something is slower'],
  ],
  builder: (parser) =>
    withExamples(withSeveralWords(parser), compare.examples)
      .positional('run', {
        type: 'string',
        array: true,
        describe: 'Ids or folders of runs, the base first; last, last~1: the newest, the one before',
      })
      .options({
        ...Object.fromEntries(
          valued.map((flag) => [
            flag.name,
            own(
              flag.name,
              flag as { parse: (text: string) => unknown; allowed: string },
              flag.help,
              flag.shown,
            ),
          ]),
        ),
        ...Object.fromEntries(
          switches.map(({ name, help }) => [name, { type: 'boolean' as const, describe: help }]),
        ),
        ...jsonOption,
        ...rootOption,
      })
      .epilogue(
        'Exit codes: 0 compared; with --fail-on also 3 wrong data, 4 something is slower, 5 no verdict (cells missing, or scatter hides too much)',
      ),
  handler: (found) => run(found),
};
