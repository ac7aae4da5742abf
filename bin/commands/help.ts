import { helpTopics } from '../../reports/help-topics.ts';
import { lookUp } from '../../results/collections.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import { commandHelp, commandSection, overview, topicText } from '../line/help.ts';
import { printText } from '../terminal.ts';
import type { CommandDefinition, CommandGroups } from './command.ts';
import { offerFirst } from './completions.ts';

const more = [...Object.keys(helpTopics), 'commands', 'options'];

/**
 * Commands that the overview of help describes, in the order in which a new user needs them. The other commands are only
 * listed.
 */
const firstCommands = [
  'suite',
  'allreduce',
  'doctor',
  'transports',
  'runs',
  'show',
  'report',
  'compare',
  'pairs',
  'train',
];

type CommandLoader = (name: string) => Promise<CommandDefinition | undefined>;

async function loaded(names: readonly string[], load: CommandLoader): Promise<CommandDefinition[]> {
  const commands = await Promise.all(names.map(load));
  return commands.filter((command) => command !== undefined);
}

/**
 * Text of `collbench help` without a topic: the most important commands with descriptions, and the names of all commands.
 * @param groups names of all commands under headings
 * @param load returns the command with a name; undefined if there is none
 */
export async function overviewText(groups: CommandGroups, load: CommandLoader): Promise<string> {
  return overview(await loaded(firstCommands, load), groups, more);
}

/** Text of `collbench help commands`: all commands and their descriptions, under headings. */
async function commandsText(groups: CommandGroups, load: CommandLoader): Promise<string> {
  const sections = groups.map(async ({ title, names }) => commandSection(title, await loaded(names, load)));
  return `${(await Promise.all(sections)).flat().slice(1).join('\n')}\n`;
}

/**
 * Makes the command `help`, which explains a topic or a command.
 * @param names names of all commands
 * @param groups names of all commands under headings
 * @param load returns the command with a name; undefined if there is none
 */
export function helpCommand(
  names: readonly string[],
  groups: CommandGroups,
  load: CommandLoader,
): CommandDefinition {
  const words = [...names, ...more];
  const explained = async (word: string | undefined): Promise<string> => {
    if (word === undefined) return overviewText(groups, load);
    if (word === 'commands') return commandsText(groups, load);
    if (word === 'options') return commandHelp((await import('./measure.ts')).sharedOptions(), true);
    const command = await load(word);
    if (command !== undefined) return commandHelp(command, false);
    const topic = lookUp(helpTopics, word);
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
    options: {},
    offer: offerFirst(words),
    handler: async ({ values: { topic } }) =>
      printText(await explained(topic === undefined ? undefined : String(topic))),
  };
}
