import type { Options as YargsOptions } from 'yargs';
import { CommandError } from '../exit.ts';
import { flags, isSwitch, keyOfName, type OptionKey, ValueError } from '../options/index.ts';
import { suiteKeys } from '../options/suite.ts';
import type { SuiteOptions } from '../suite/carry-out.ts';
import { type Command, jsonOption, rootOption, withExamples } from './command.ts';
import { own } from './shared-option.ts';

/** As typed: it becomes a word of every entry, and is read there. */
function overlay(key: OptionKey): YargsOptions {
  const { help, allowed, parse } = flags[key];
  const check = (text: string): string => {
    parse(text);
    return text;
  };
  return own(flags[key].name, { parse: check, allowed }, `${help} Of every entry.`, 'as the suite says');
}

function anchorOption(text: string): readonly [name: string, value: string] {
  const [, name = '', value = ''] = /^(?:--)?([a-z-]+)=(.*)$/s.exec(text) ?? [];
  const key = keyOfName(name);
  if (key === undefined) throw new ValueError('no option of that name');
  flags[key].parse(value);
  return [name, value];
}

const options: Record<string, YargsOptions> = {
  list: { type: 'boolean', describe: 'Name the suites, or the entries of one, and measure nothing' },
  'plan-only': { type: 'boolean', describe: 'Print what would be measured as JSON, and measure nothing' },
  gate: {
    type: 'boolean',
    describe: 'Hold it against its anchor or a baseline: exit code 4 for a regression',
  },
  anchor: own(
    'anchor',
    { parse: anchorOption, allowed: 'NAME=VALUE of an option of the collectives: nccl=/opt/nccl-2.28.9/lib' },
    'What the anchor of the gate has otherwise than tonight, before what the suite says of it',
    'as the suite says',
  ),
  baseline: {
    type: 'string',
    requiresArg: true,
    describe:
      'Baseline to hold it against where the suite has no anchor; with one, the source of what was learned',
    defaultDescription: 'the one of the name of the suite',
  },
  baselines: {
    type: 'string',
    requiresArg: true,
    describe: 'Where baselines are kept',
    default: 'collbench-baselines',
  },
  out: {
    type: 'string',
    requiresArg: true,
    describe: 'Folder of the suite; its runs are kept as all runs',
    defaultDescription: 'collbench-runs/<time>-suite-<name>-<id>',
  },
  markdown: {
    type: 'string',
    requiresArg: true,
    describe: 'Write the verdict of the gate into a file, for a pull request',
  },
  ...rootOption,
  ...jsonOption,
  ...Object.fromEntries(
    suiteKeys.filter((key) => !isSwitch(key)).map((key) => [flags[key].name, overlay(key)]),
  ),
};

async function run(found: Record<string, unknown>, words: readonly string[]): Promise<void> {
  const name = found.name as string | undefined;
  const [{ carryOut }, { listSuites, listEntries }] = await Promise.all([
    import('../suite/carry-out.ts'),
    import('../suite/list.ts'),
  ]);
  if (name === undefined) {
    if (found.list !== true) {
      throw new CommandError('suite: which one?', [
        '  allowed: the name of one, or a file',
        'Next: collbench suite --list',
      ]);
    }
    return listSuites(found.json === true);
  }
  const at = { file: 'the command line', line: 1, column: 1 };
  const anchor = found.anchor as ReturnType<typeof anchorOption> | undefined;
  const given = new Map(
    suiteKeys.flatMap((key) => {
      const text = found[flags[key].name];
      return text === undefined ? [] : [[flags[key].name, { text: String(text), at }] as const];
    }),
  );
  const wanted: SuiteOptions = {
    given,
    anchor: new Map(anchor === undefined ? [] : [[anchor[0], { text: anchor[1], at }]]),
    root: found.root as string,
    out: (found.out as string | undefined) ?? null,
    isGate: found.gate === true,
    isPlanOnly: found['plan-only'] === true,
    json: found.json === true,
    markdown: (found.markdown as string | undefined) ?? null,
    baseline: (found.baseline as string | undefined) ?? null,
    baselines: found.baselines as string,
    command: ['collbench', 'suite', ...words],
  };
  requireGate(found);
  if (found.list === true) return listEntries(name, wanted);
  process.exitCode = await carryOut(name, wanted);
}

function requireGate(found: Record<string, unknown>): void {
  for (const option of ['anchor', 'baseline', 'markdown']) {
    if (found[option] === undefined || found.gate === true) continue;
    throw new CommandError(`--${option} says nothing without --gate`, ['  add --gate, or leave it out']);
  }
}

/** @param words after the command's name, as typed */
export function suite(words: readonly string[]): Command {
  const command: Command = {
    name: 'suite',
    command: 'suite [name]',
    describe: 'Measure what a file says, and judge it: smoke, sweep, nightly, thesis, scaling or your own.',
    examples: [
      ['collbench suite smoke', 'does it work here, in under half a minute'],
      ['collbench suite --list', 'which there are'],
      ['collbench suite nightly --gate', 'exit 0 pass, 4 regression, 5 no verdict'],
      ['collbench suite ./mine.yaml --plan-only', 'what a file of your own comes to'],
    ],
    builder: (parser) =>
      withExamples(parser, command.examples)
        .positional('name', { type: 'string', describe: 'A shipped suite, or a file: ./mine.yaml' })
        .options(options)
        .epilogue(
          'Exit codes: 0 all was measured (--gate: and is no slower), 2 something did not run, 3 wrong data, 4 regression, 5 no verdict. More: docs/suites.md',
        ),
    handler: (found) => run(found, words),
  };
  return command;
}
