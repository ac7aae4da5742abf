import { collectiveNames, isCollective } from '../../results/schema/index.ts';
import { defaultRoot } from '../../results/store/paths.ts';
import { exitCode } from '../../results/verdicts/exit-code.ts';
import { wholeNumber } from '../../suites/options/values.ts';
import { CommandError } from '../exit.ts';
import type { Options } from '../options/index.ts';
import { OptionReader } from '../read-options.ts';
import { ProgressLine, shapeOfStdout } from '../terminal.ts';
import type { Command } from './command.ts';
import type { Found } from './found.ts';
import { optionTable } from './options/own-options.ts';

const usualRounds = 3;
const table = optionTable({
  rounds: {
    help: 'Pairs of runs',
    shown: String(usualRounds),
    allowed: 'a whole number from 1 to 1000',
    parse: wholeNumber(1, 1000),
  },
});

/** What says something to a single run only. */
function refuse(options: Options): void {
  for (const [flag, isSaid] of [
    ['--plan-only', options.planOnly],
    ['--explain', options.explain],
    ['--json-file', options.jsonFile !== null],
  ] as const) {
    if (isSaid)
      throw new CommandError(`${flag} is for a single run, and aa makes several`, ['  leave it out']);
  }
}

async function run(found: Found, reader: OptionReader, words: readonly string[]): Promise<void> {
  const [{ equalRuns }, { calibrate }, { calibrationText }, { runTools }] = await Promise.all([
    import('../../orchestration/running/equal-runs.ts'),
    import('../../results/compare/index.ts'),
    import('../../reports/compared/index.ts'),
    import('../run-tools.ts'),
  ]);
  const [collective = ''] = words;
  if (!isCollective(collective)) throw unknown(collective);
  const options = reader.options(found);
  refuse(options);
  if (options.launches !== null && options.launches < 2) {
    throw new CommandError(`--launches ${options.launches}: with one launch each nothing can be compared`, [
      '  allowed: 2 or more',
      `Next: collbench aa ${collective} --launches 5`,
    ]);
  }
  const { rounds = usualRounds } = table.read(found);
  const line = new ProgressLine();
  const input = {
    ...{ collective, options, words, root: options.out ?? defaultRoot, tools: runTools },
    note: (text: string) => line.note(text),
    progress: (at: number, share: number) =>
      line.show(() => `run ${at + 1} of ${2 * rounds} · ${Math.round(100 * share)} %`),
  };
  const { pairs, code } = await equalRuns(input, rounds);
  line.clear();
  process.exitCode = code;
  if (pairs.length === 0) return;
  const result = calibrate(pairs);
  process.stdout.write(
    options.json ? `${JSON.stringify(result)}\n` : calibrationText(result, shapeOfStdout()),
  );
  if (code === exitCode.ok && result.groups.tests === 0) process.exitCode = exitCode.noVerdict;
}

const unknown = (word: string): CommandError =>
  new CommandError(word === '' ? 'aa needs a collective' : `aa ${word}: no such collective`, [
    `  allowed: ${collectiveNames.join(', ')}, then its options`,
    'Next: collbench aa allreduce --max 1M',
  ]);

/** @param words after the command's name, as typed: a collective and its options */
export function aa(words: readonly string[]): Command {
  const [first = ''] = words;
  const reader = new OptionReader(isCollective(first) ? first : 'allreduce', words);
  const command: Command = {
    name: 'aa',
    command: 'aa [collective]',
    describe: 'Measure one thing repeatedly: false alarms, and the smallest change to be seen.',
    examples: [
      ['collbench aa allreduce --max 1M', 'three pairs of runs of this command'],
      ['collbench aa allreduce --max 64M --launches 5 --rounds 10', 'ten pairs: nearer to the truth'],
    ],
    builder: (parser) =>
      reader
        .declare(parser)
        .positional('collective', {
          type: 'string',
          describe: 'What is measured, with its options behind it',
        })
        .options(table.options)
        .epilogue(
          '--out is the folder that takes the runs. Exit codes: 0 measured, whatever the rates are; 2 a run did not end, 3 wrong data, 5 nothing could be tested',
        ),
    handler: (found) => run(found, reader, words),
  };
  return command;
}
