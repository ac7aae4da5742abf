import type { Argv, FallbackCompletionFunction } from 'yargs';
import { topics } from '../../reports/topics.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import { helpParser } from '../line/help.ts';
import { type Flag, flags, keyOfLetter, keyOfName } from '../options/index.ts';
import type { Command } from './command.ts';

const shells = ['bash', 'zsh'];
const command = 'completion';

/** yargs asks the environment which shell it speaks to. */
function speak(shell: string): void {
  process.env.SHELL = shell;
  delete process.env.ZSH_NAME;
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

/**
 * Answers the script of yargs: options and commands come from yargs, values of options from the table, runs from the disk.
 * @param words behind --get-yargs-completions
 */
export function withCompletion(parser: Argv, words: readonly string[]): Argv {
  // zsh's script alone hands over the whole line.
  speak(process.env.COMP_LINE === undefined ? 'bash' : 'zsh');
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
  argument: { help: shells.join(' or ') },
  flags: [],
  handler({ found: { shell } }) {
    if (typeof shell !== 'string' || !shells.includes(shell))
      throw refuse('no-completion', { shell, shells });
    speak(shell);
    helpParser([], []).completion(command).showCompletionScript();
  },
};
