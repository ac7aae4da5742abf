import { nearest } from '../../results/nearest.ts';
import { collectiveNames } from '../../results/schema/plan.ts';
import { wholeNumber } from '../../suites/options/values.ts';
import { CommandError } from '../exit.ts';
import { flags, ValueError } from '../options/index.ts';
import { type Command, jsonOption, rootOption, withExamples } from './command.ts';

/** Reads one value of an option. @throws CommandError naming value and what is allowed */
function value<T>(name: string, text: unknown, parse: (text: string) => T, allowed: string): T | null {
  if (text === undefined) return null;
  try {
    return parse(String(text));
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new CommandError(`--${name} ${text}: ${error.message}`, [`  allowed: ${allowed}`]);
  }
}

/** @throws CommandError naming the nearest one */
function oneOf<T extends string>(name: string, text: unknown, words: readonly T[]): T | null {
  if (text === undefined) return null;
  const found = words.find((word) => word === text);
  if (found !== undefined) return found;
  const near = nearest(String(text), words);
  throw new CommandError(`--${name} ${text}: there is no such ${name}`, [
    `  allowed: ${words.join(', ')}`,
    ...(near === null ? [] : [`Next: --${name} ${near}`]),
  ]);
}

const longestLabel = 60;

function labelOf(text: unknown): string | null {
  if (text === undefined) return null;
  const label = String(text).trim();
  if (label !== '' && label.length <= longestLabel && !/[\p{Cc}@]/u.test(label)) return label;
  throw new CommandError(`--label '${text}': no name of a series`, [
    `  allowed: 1 to ${longestLabel} characters, no @ and no control characters`,
  ]);
}

async function importRun(words: Record<string, unknown>): Promise<void> {
  const [{ importFile }, { formatNames }] = await Promise.all([
    import('../import.ts'),
    import('../../results/import/index.ts'),
  ]);
  const { size } = words;
  // yargs hands a lone dash over as an empty word.
  const isStdin = words.file === '' && process.argv.includes('-');
  process.exitCode = await importFile({
    file: isStdin ? '-' : String(words.file),
    format: oneOf('format', words.format, formatNames),
    label: labelOf(words.label),
    told: {
      ranks: value('ranks', words.ranks, wholeNumber(1, 1_000_000), '1 to 1000000'),
      collective: oneOf('collective', words.collective, collectiveNames),
      sizeBytes: value('size', size, flags.min.parse, flags.min.allowed),
    },
    root: String(words.root),
    out: words.out as string | undefined,
    json: words.json === true,
    command: ['collbench', ...process.argv.slice(2)],
  });
}

/** What other programs printed becomes a run. */
export const importForeign: Command = {
  name: 'import',
  command: 'import <file>',
  describe: 'Make a run of what another program measured.',
  examples: [
    ['collbench import all_reduce.txt --label "NCCL 2.28"', 'what all_reduce_perf printed'],
    ['all_reduce_perf -b 8 -e 1G -f 2 -g 8 | collbench import -', 'as it comes'],
    ['collbench import osu_allreduce.txt --ranks 16', 'OSU does not print how many ranks there were'],
  ],
  builder: (parser) =>
    withExamples(parser, importForeign.examples)
      .positional('file', {
        type: 'string',
        describe:
          'Output of nccl-tests, rccl-tests, OSU, IMB, perftest, nvbandwidth, NCCL Inspector or SuperBench; - for stdin',
      })
      .options({
        format: {
          type: 'string',
          requiresArg: true,
          describe: 'What it is, where its content does not tell: nccl-tests, osu, ...',
        },
        label: { type: 'string', requiresArg: true, describe: 'Name of its series in tables and charts' },
        ranks: {
          type: 'string',
          requiresArg: true,
          describe: 'How many ranks there were, where the output does not tell, or which to take of several',
        },
        collective: {
          type: 'string',
          requiresArg: true,
          describe: 'What was measured, where the output does not tell (nccl-tests before June 2025)',
        },
        size: {
          type: 'string',
          requiresArg: true,
          describe: 'Size of one transfer, where the output does not tell (nvbandwidth)',
        },
        out: { type: 'string', requiresArg: true, describe: 'Folder of the run; new or empty' },
        ...rootOption,
        ...jsonOption,
      }),
  handler: importRun,
};
