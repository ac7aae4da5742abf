import { topics } from '../../reports/topics.ts';
import { nearest } from '../../results/nearest.ts';
import { wrap } from '../../results/text.ts';
import { CommandError } from '../exit.ts';
import type { Command } from './command.ts';

/**
 * A topic, or the help that yargs prints.
 * @param names of all commands
 * @param call  starts collbench with other words
 */
export function helpCommand(
  names: readonly string[],
  call: (words: string[], isLong?: boolean) => Promise<void>,
): Command {
  const explain = async (word: string | undefined): Promise<void> => {
    const topic = word === undefined ? undefined : topics[word];
    if (word === undefined) return call(['--help']);
    if (word === 'options') return call(['allreduce', '--help'], true);
    if (names.includes(word)) return call([word, '--help']);
    if (topic !== undefined) {
      const width = Math.max(60, Math.min(process.stdout.columns || 100, 100));
      process.stdout.write(
        `${topic.flatMap((line) => (line === '' ? [''] : wrap(line, width))).join('\n')}\n`,
      );
      return;
    }
    const known = [...names, ...Object.keys(topics), 'options'];
    const match = nearest(word, known);
    throw new CommandError(`help ${word}: no such command or topic`, [
      match === null ? `  allowed: ${known.join(', ')}` : `  did you mean ${match}?`,
    ]);
  };
  const help: Command = {
    name: 'help',
    command: 'help [topic]',
    describe: 'Explain a command or a topic.',
    examples: [
      ['collbench help options', 'every option with an example'],
      ['collbench help method', 'what the figures mean'],
    ],
    builder: (parser) =>
      parser.positional('topic', {
        type: 'string',
        describe: `A command, or ${[...Object.keys(topics), 'options'].join(', ')}`,
      }),
    handler: ({ topic }) => explain(topic as string | undefined),
  };
  return help;
}
