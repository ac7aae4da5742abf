import { topics } from '../../reports/topics.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import { wrap } from '../../results/text.ts';
import type { Command } from './command.ts';
import { text } from './found.ts';

const more = [...Object.keys(topics), 'options'];

/**
 * A topic, or the help that yargs prints.
 * @param names of all commands
 * @param show  help of a command, with all that options allow
 */
export function helpCommand(
  names: readonly string[],
  show: (words: readonly string[], isLong?: boolean) => Promise<void>,
): Command {
  const explain = async (word: string | undefined): Promise<void> => {
    if (word === undefined) return show([]);
    if (word === 'options') return show(['allreduce'], true);
    if (names.includes(word)) return show([word]);
    const topic = topics[word];
    if (topic === undefined) {
      const known = [...names, ...more];
      throw refuse('unknown-word', { where: 'help', word, problem: 'no such command or topic', known });
    }
    const width = Math.max(60, Math.min(process.stdout.columns || 100, 100));
    process.stdout.write(`${topic.flatMap((line) => (line === '' ? [''] : wrap(line, width))).join('\n')}\n`);
  };
  return {
    name: 'help',
    command: 'help [topic]',
    describe: 'Explain a command or a topic.',
    argument: { help: `A command, or ${more.join(', ')}` },
    examples: [
      ['collbench help options', 'every option with an example'],
      ['collbench help method', 'what the figures mean'],
    ],
    flags: [],
    handler: ({ found }) => explain(text(found, 'topic')),
  };
}
