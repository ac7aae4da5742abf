import type { Argv, FallbackCompletionFunction } from 'yargs';
import { topics } from '../../reports/topics.ts';
import { CommandError } from '../exit.ts';
import { type Flag, flags, keyOfLetter, keyOfName } from '../options/index.ts';
import { parser as newParser } from '../parser.ts';
import type { Command } from './command.ts';

const shells = ['bash', 'zsh'];
const command = 'completion';

/** yargs asks the environment which shell it speaks to. */
function speak(shell: string): void {
  process.env.SHELL = shell;
  delete process.env.ZSH_NAME;
}

/** Answers the script of yargs; zsh's alone hands over the whole line. @param words behind --get-yargs-completions */
export function speakToAsker(): void {
  speak(process.env.COMP_LINE === undefined ? 'bash' : 'zsh');
}

/** Values of the option before the cursor; `null` where it takes none. No values: the shell completes a path. */
function valuesFor(before: string): readonly string[] | null {
  const key = before.startsWith('--') ? keyOfName(before.slice(2)) : keyOfLetter(before.slice(1));
  if (key === undefined || !before.startsWith('-')) return null;
  const flag: Flag<unknown> = flags[key];
  return flag.value === undefined ? null : (flag.words ?? []);
}

async function runIds(): Promise<string[]> {
  const { defaultRoot, listRuns } = await import('../../results/store/index.ts');
  return (await listRuns(defaultRoot)).map(({ id }) => id);
}

/** Options and commands come from yargs, values of options from the table, runs from the disk. */
export function withCompletion(parser: Argv, words: readonly string[]): Argv {
  const [name = '', ...rest] = words.slice(words[0] === 'collbench' ? 1 : 0);
  const before = rest.at(-2) ?? '';
  const offer: FallbackCompletionFunction = (current, _argv, byYargs, done) => {
    const values = valuesFor(before);
    if (values !== null) done([...values]);
    else if (rest.length === 0 || current.startsWith('-')) byYargs();
    else if (name === command) done(shells);
    else if (name === 'help') done([...Object.keys(topics), 'options']);
    else if (['show', 'export', 'report', 'resume'].includes(name)) void runIds().then(done, () => done([]));
    else byYargs();
  };
  return parser.completion('completion-script', false, offer);
}

/** The completion script of a shell, made by yargs. */
export const completion: Command = {
  name: command,
  command: `${command} [shell]`,
  describe: 'Print the completion script of a shell.',
  examples: [['source <(collbench completion bash)', 'in ~/.bashrc']],
  builder: (parser) =>
    parser.positional('shell', {
      type: 'string',
      describe: shells.join(' or '),
    }),
  handler: ({ shell }) => {
    if (!shells.includes(String(shell))) {
      throw new CommandError(
        shell === undefined ? 'completion: which shell?' : `completion ${shell}: no script for it`,
        [`  allowed: ${shells.join(', ')}`, 'Next: source <(collbench completion bash)'],
      );
    }
    speak(shell as string);
    newParser([], command, false).completion(command).showCompletionScript();
  },
};
