// Errors about command lines that do not begin with a command. They show the command line that the user probably meant.
import { nearestWord } from '../../results/nearest.ts';
import { type Refusal, refuse } from '../../results/refusals/refusal.ts';
import { renamesOf } from './read.ts';
import { lineOf, renameWords } from './retype-command.ts';
import type { CommandSyntax } from './syntax.ts';

type SyntaxLoader = (name: string) => Promise<CommandSyntax | undefined>;

/**
 * Corrections of misspelt options in a line of the command `name`: from each word as typed to the right one; {} if the line is
 * valid. Null if the line would be rejected even with the corrections.
 */
async function renamesIn(name: string, words: readonly string[], load: SyntaxLoader) {
  const syntax = await load(name);
  return syntax === undefined ? null : renamesOf(syntax, words);
}

/**
 * Returns the error for a line whose first word is not a command. It suggests the line with a similar command, if there is one.
 * @param known names of all commands
 * @param load returns the syntax of the command with a name; undefined if there is none
 */
export async function commandUnknown(
  [word = '', ...rest]: readonly string[],
  known: readonly string[],
  load: SyntaxLoader,
): Promise<Refusal> {
  const meant = nearestWord(word, known);
  const renames =
    meant === null
      ? null
      : await renamesIn(
          meant,
          rest.filter((one) => !['--help', '-h'].includes(one)),
          load,
        );
  const rename = meant === null || renames === null ? null : { ...renames, [word]: meant };
  return refuse('command-unknown', { word, known, rename });
}

/** Command that an error suggests for a line that begins with an option and contains no name of a command. */
const usualCommand = 'allreduce';

/**
 * Returns the error for a line that begins with an option. It suggests the same line with a command, if one makes the line valid;
 * or --help or --version for a line with only a similar word.
 * @param known names of all commands
 * @param load returns the syntax of the command with a name; undefined if there is none
 */
export async function commandMissing(
  words: readonly string[],
  known: readonly string[],
  load: SyntaxLoader,
): Promise<Refusal> {
  const [where = ''] = words;
  const [option, own] = [where.replace(/^-+/, ''), ['help', 'version']];
  const meant = nearestWord(option, own);
  const rename = meant === null || words.length > 1 ? null : { [where]: `--${meant}` };
  const unknown = refuse('option-unknown', {
    command: 'collbench',
    where,
    known: own,
    meant,
    isMeasuring: false,
    rename,
  });
  if (rename !== null) return unknown;
  const later = words.flatMap((word, at) =>
    known.includes(word) ? [[word, words.toSpliced(at, 1)] as const] : [],
  );
  for (const [command, rest] of [...later, [usualCommand, words] as const]) {
    const renames = await renamesIn(command, rest, load);
    if (renames !== null)
      return refuse('command-missing', { where, next: lineOf([command, ...renameWords(rest, renames)]) });
  }
  return unknown;
}
