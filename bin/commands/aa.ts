import { collectiveNames } from '../../results/schema/plan.ts';
import { defaultRoot } from '../../results/store/paths.ts';
import { exitCode } from '../../results/verdicts/exit-code.ts';
import { isCollective } from '../../suites/collectives.ts';
import { wholeNumber } from '../../suites/options/values.ts';
import { CommandError } from '../exit.ts';
import type { Options } from '../options/index.ts';
import { OptionReader } from '../read-options.ts';
import { type Command, withExamples } from './command.ts';
import { own } from './shared-option.ts';

const usualRounds = 3;
const rounds = { parse: wholeNumber(1, 1000), allowed: 'a whole number from 1 to 1000' };

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

async function run(
  found: Record<string, unknown>,
  reader: OptionReader,
  words: readonly string[],
): Promise<void> {
  const [{ equalRuns }, { calibrate }, { calibrationText }, { wantsColor }] = await Promise.all([
    import('../compare/equal-runs.ts'),
    import('../../results/compare/index.ts'),
    import('../../reports/compared/index.ts'),
    import('../output.ts'),
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
  const count = (found.rounds as number | undefined) ?? usualRounds;
  const hasProgress = process.stderr.isTTY === true && process.env.TERM !== 'dumb';
  const progress = (at: number, share: number): void => {
    if (!hasProgress) return;
    process.stderr.write(`\r\u001b[Krun ${at + 1} of ${2 * count} · ${Math.round(100 * share)} %`);
  };
  const input = { collective, options, words, root: options.out ?? defaultRoot, progress };
  const { pairs, code } = await equalRuns(input, count);
  if (hasProgress) process.stderr.write('\r\u001b[K');
  if (pairs.length > 0) {
    const result = calibrate(pairs);
    const isTerminal = process.stdout.isTTY === true;
    const columns = isTerminal ? process.stdout.columns || 80 : Number(process.env.COLUMNS) || 120;
    process.stdout.write(
      options.json
        ? `${JSON.stringify(result)}\n`
        : calibrationText(result, { columns, color: wantsColor(isTerminal) }),
    );
    const untested = result.groups.tests === 0 ? exitCode.noVerdict : exitCode.ok;
    process.exitCode = code === exitCode.ok ? untested : code;
    return;
  }
  process.exitCode = code;
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
      withExamples(reader.declare(parser), command.examples)
        .positional('collective', {
          type: 'string',
          describe: 'What is measured, with its options behind it',
        })
        .options({
          rounds: own('rounds', rounds, 'Pairs of runs', String(usualRounds)),
        })
        .epilogue(
          '--out is the folder that takes the runs. Exit codes: 0 measured, whatever the rates are; 2 a run did not end, 3 wrong data, 5 nothing could be tested',
        ),
    handler: (found) => run(found, reader, words),
  };
  return command;
}
