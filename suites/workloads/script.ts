import path from 'node:path';
import { refuse } from '../../results/refusals/refusal.ts';
import { type PointPlan, script, scriptAxes } from '../../results/schema/index.ts';
import { keepText, parseEach, ValueError, wholeNumber } from '../options/values.ts';
import { textHash } from '../text-hash.ts';
import type { WorkloadPlanning } from './planning.ts';

/** Value of --command if the user typed no command: an empty JSON array. */
const none = '[]';
/** Assumed duration of one training step in ns; the real duration is unknown before the program runs. */
const stepNs = 100_000_000;

const itemsOf = parseEach(wholeNumber(1, 2 ** 40));

/**
 * Planning data (commands and options, points to measure, estimates of bytes and time) of the workload that measures steps of the
 * user's own training program.
 */
export const scriptPlanning: WorkloadPlanning = {
  row: script,
  needs: ['program'],
  usualEngine: 'script',
  commands: [{ name: 'script', summary: 'steps of your own training program: train -- COMMAND' }],
  options: {
    command: {
      value: 'JSON',
      describe:
        'Command of the program, one process per rank; written as: collbench train -- python my_train.py. RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT are set. The program gets its steps from the module collbench.',
      allowed: 'a JSON list of words, a Python first',
      example: `--command '["python","my_train.py"]'`,
      default: none,
      coerce: keepText(commandOf),
    },
    items: {
      value: 'LIST',
      describe: 'Images or tokens per rank and step: step.items of the program, and the unit of the rate.',
      allowed: 'whole numbers from 1, with commas between',
      example: '--items 16,32',
      default: '1',
      coerce: keepText(itemsOf),
    },
  },
  unusedOptions: ['dtype', 'op', 'root', 'inPlace', 'min', 'max', 'factor', 'step', 'sizes'],
  requirePlannable(command, options) {
    if (options.words.command === none) throw refuse('word-missing', { command, word: '-- COMMAND' });
    // Only the user's program can check its results, so verification is off.
    options.check = 0;
  },
  points({ words: said }) {
    const program = programKey(commandOf(said.command ?? none));
    const points = itemsOf(said.items ?? '1').map(
      (items): PointPlan => ({ workload: script.name, axes: scriptAxes.parse({ program, items }) }),
    );
    return { points, skipped: [] };
  },
  pointFor: (point) => point,
  words: ({ axes }) => ['script', '--items', String(scriptAxes.parse(axes).items)],
  refuses: () => null,
  checkedRanks: () => 0,
  bufferBytes: () => 0,
  wireBytes: () => 0,
  linkBytes: () => 0,
  fixedNs: () => stepNs,
};

/**
 * Parses a JSON array with the words of a command line, the program first.
 * @throws ValueError if the text is not an array of words
 */
function commandOf(text: string): string[] {
  if (text === '') throw new ValueError('there is none');
  let words: unknown;
  try {
    words = JSON.parse(text);
  } catch {
    throw new ValueError('no JSON');
  }
  if (!Array.isArray(words) || words.length === 0 || !words.every((word) => typeof word === 'string'))
    throw new ValueError('no list of words');
  return words;
}

/**
 * Identifier of a program: name of the first word after the interpreter that is not an option (or of the interpreter if there is
 * none), at most 60 characters, and a hash of the whole command, such as "my_train.py@3f2a1c09". Results of different commands are
 * never compared.
 */
function programKey(words: readonly string[]): string {
  const [program = '', ...rest] = words;
  const file = rest.find((word) => !word.startsWith('-')) ?? program;
  const name = path.basename(file).replaceAll(/[^\w.+-]/g, '-');
  return `${name.slice(0, 60)}@${textHash(words.join('\0'))}`;
}
