import { topics } from '../../reports/topics.ts';
import { lookUp } from '../../results/look-up.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import { commandHelp, overview, topicText } from '../line/help.ts';
import { printText } from '../terminal.ts';
import type { Command } from './command.ts';
import { text } from './found.ts';
import { oneOf } from './offers.ts';

const more = [...Object.keys(topics), 'options'];

/** @param all every command, or the one that is asked for */
export function overviewText(all: readonly Command[]): string {
  return overview(all, more);
}

/**
 * A topic, or the help of a command.
 * @param load a command by its name; all of them without one
 */
export function helpCommand(names: readonly string[], load: (name?: string) => Promise<Command[]>): Command {
  const words = [...names, ...more];
  const explained = async (word: string | undefined): Promise<string> => {
    if (word === undefined) return overviewText(await load());
    const [command] =
      word === 'options' ? await load('allreduce') : names.includes(word) ? await load(word) : [];
    if (command !== undefined) return commandHelp(command, word === 'options');
    const topic = lookUp(topics, word);
    if (topic === undefined) {
      throw refuse('unknown-word', {
        where: 'help',
        word,
        problem: 'no such command or topic',
        known: words,
      });
    }
    return topicText(topic);
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
    offer: oneOf(words),
    handler: async ({ found }) => printText(await explained(text(found, 'topic'))),
  };
}
